"""Writes and reads the transcript of a shard: its questions and answers as gzipped JSON lines."""

import gzip
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.outcomes.reading import PACKED, TRANSCRIPT, ReportError, read_file
from conformance.outcomes.report import Report
from conformance.outcomes.selection import vector_set_json
from conformance.suite.schemas import first_fault, schema
from conformance.wire.messages import BadReplyError, strict_json
from conformance.wire.text import printable, shortened
from conformance.wire.writing import unwritten, write_report

__all__ = ["Transcript", "read_transcript", "transcript_bytes", "write_result"]

_CI_RUNS = ("GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILD_BUILDID")
"""The variables of GitHub, GitLab and Azure that number a run with all its jobs."""
_LONGEST = 256 << 20
"""The largest unpacked transcript, in bytes."""


@dataclass(slots=True)
class Transcript:
    """A shard's questions and answers."""

    name: str
    """The file, for messages."""
    header: Mapping[str, Any]
    lines: list[Mapping[str, Any]]

    @property
    def number(self) -> int:
        """The shard's number."""
        return int(self.header["shard"]["number"])

    @property
    def label(self) -> str:
        """The shard's name in messages."""
        return f"shard {self.number}/{self.header['shard']['of']}"

    @property
    def is_started(self) -> bool:
        """Whether its runner could be started."""
        return self.header["hello"] is not None


def _ci_run(environment: Mapping[str, str]) -> dict[str, str]:
    """The member for the number of the CI run, by which a merge detects a file of an earlier run."""
    number = next(filter(None, map(environment.get, _CI_RUNS)), None)
    return {} if number is None else {"ci_run": number[:100]}


def transcript_bytes(report: Report, *, fuzzed: bool = False) -> bytes:
    """The transcript of a shard; ``fuzzed`` if fuzzing follows, which has its own report."""
    session, options = report.session, report.options
    assert options.shard is not None
    body = [*report.lines.values(), *({"property": record} for record in report.properties.values())]
    header = {
        "schema": schema("transcript")["$id"],
        "kit_version": __version__,
        "spec": options.spec,
        "level": str(options.level),
        "command": options.command,
        "vectors": vector_set_json(report.every, report.newer),
        "options": {
            "patterns": list(options.patterns),
            "files": list(map(str, options.vector_files)),
            "classes": sorted(options.classes),
            "vectors_version": options.vectors_version,
            "oneshot": options.oneshot,
            "timeout": options.timeout,
            "fuzz": options.fuzz,
            "fuzz_seed": options.fuzz_seed,
            "again_seed": session.seed,
            "again_as_of_all": options.again_as_of_all,
        },
        "known_failures": None
        if session.known is None
        else {
            "file": str(options.known_failures),
            "entries": [asdict(entry) for entry in session.known.entries],
            "vectors": session.known.vectors and session.known.vectors.text,
        },
        "required": [asdict(offer) for offer in report.required],
        "shard": {"number": options.shard[0], "of": options.shard[1]},
        "selected": report.selected,
        "hello": None if session.hello is None else session.hello.packed(),
        **_ci_run(os.environ),
        "started_at": session.started_at,
        "start_up_seconds": round(session.start_up_seconds, 3),
        "duration_seconds": round(session.duration_seconds, 3),
        "problems": [problem for problem in session.problems if problem != session.interrupted],
        "interrupted": session.interrupted,
        **({"fuzzed": True} if fuzzed else {}),
        "lines": len(body),
    }
    text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in (header, *body))
    return gzip.compress(text.encode("ascii"), mtime=0)


def write_result(report: Report, document: Any) -> str | None:
    """Writes the report of a run, or a shard's transcript, if requested; a sentence if it can't be."""
    path = report.options.report
    if path is None or report.options.shard is None:
        return write_report(path, document)
    sentence = unwritten(path, transcript_bytes(report))
    return f"the transcript {sentence}" if sentence else None


def read_transcript(path: Path) -> Transcript:
    """Reads a transcript.

    Raises:
        ReportError: the file is not a transcript, or can't be used.
    """
    content, name = read_file(path), str(path)
    if content.startswith(PACKED):
        content = _unpacked(content, name)
    if not content.startswith(TRANSCRIPT):
        raise ReportError(
            f"{name} is not a transcript: merge the files that 'run --shard K/N --report FILE' wrote, or the "
            "folders of 'gate --shard K/N'"
        )
    try:
        header, *lines = map(strict_json, content.splitlines())
    except BadReplyError:
        raise ReportError(f"{name} is not JSON that can be read") from None
    if header["schema"] != schema("transcript")["$id"] or header.get("kit_version") != __version__:
        by = shortened(str(header.get("kit_version")), 30)
        raise ReportError(f"{name} was written by kit {by}, not by {__version__}: merge with that")
    for kind, value in (("head", header), *(("line", line) for line in lines)):
        if fault := first_fault(f"transcript#/$defs/{kind}", value):
            raise ReportError(f"{name} is not a transcript that this kit can read: {printable(fault)}")
    if len(lines) != header["lines"]:
        raise ReportError(f"{name} is cut off: it has {len(lines)} lines of {header['lines']}")
    return Transcript(name, header, lines)


def _unpacked(content: bytes, name: str) -> bytes:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        content = unpacker.decompress(content, _LONGEST + 1)
    except zlib.error:
        raise ReportError(f"{name} is not valid gzip") from None
    if len(content) > _LONGEST:
        raise ReportError(f"{name} is longer than a transcript may be, {_LONGEST >> 20} MiB")
    if not unpacker.eof:
        raise ReportError(f"{name} is cut off: its gzip data does not end")
    return content
