"""Looks for an outcome line in a job's logs and holds it to `result.json`."""

import os
from collections.abc import Iterable, Sequence

from conformance.check.differences import JOB_FILE
from conformance.check.files import Folder, Limits, Refused, reason
from conformance.check.findings import Finding, Findings
from conformance.check.json_files import NotJsonError, parse, plain, show
from conformance.judging.comparison import Level
from conformance.wire.text import decoded
from reference_impl import summarise
from reference_impl.outcome import RESULT_PREFIX

__all__ = ["is_log", "judge_logs", "judge_named_log", "last_line", "line_findings"]

_PREFIX = RESULT_PREFIX.encode()
_PIECE = 2**20
_LONGEST = 2**20
_NAMES = ("stdout", "stdout.txt", "output.txt")


def is_log(name: str) -> bool:
    """Whether a file of that name may hold the line."""
    return name.endswith((".log", ".out")) or name in _NAMES


def last_line(descriptor: int) -> tuple[int, str] | None:
    """The last line with the prefix and its number, None if there is none. Memory is bounded."""
    found: tuple[int, bytes] | None = None
    number, rest = 1, b""
    while piece := os.read(descriptor, _PIECE):
        lines = (rest + piece).split(b"\n")
        rest = lines.pop()[:_LONGEST]
        for line in lines:
            if line.startswith(_PREFIX):
                found = (number, line)
            number += 1
    if rest.startswith(_PREFIX):
        found = (number, rest)
    return None if found is None else (found[0], decoded(found[1].rstrip(b"\r")))


def judge_logs(
    folder: Folder, names: Iterable[str], contents: Sequence[bytes], findings: Findings, limits: Limits
) -> str | None:
    """Judges the line of every log in a job's directory; the last of them."""
    last = None
    for name in sorted(names):
        try:
            opened = folder.open(name, limits.log_bytes)
        except Refused as refused:
            if refused.kind == "too-large":
                findings.note(f"{show(name)} is too large to look for an outcome line")
            else:
                findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
            continue
        if opened is not None:
            last = _judge(name, opened[0], contents, findings) or last
    return last


def judge_named_log(path: str, contents: Sequence[bytes], findings: Findings) -> str | None:
    """Judges the line of a log that the user names; there has to be one.

    Raises:
        OSError: it can't be opened.
    """
    line = _judge(path, os.open(path, os.O_RDONLY | os.O_CLOEXEC), contents, findings)
    if line is None:
        what = ("no outcome line", "a line that begins with BASE_BENCHMARK_RESULT=")
        findings.add(Finding("outcome-line", path, "", *what, "003-5-read-no-line"))
    return line


def _judge(name: str, descriptor: int, contents: Sequence[bytes], findings: Findings) -> str | None:
    """Judges a log's line and closes the log; None if there is no line."""
    try:
        line = last_line(descriptor)
    except OSError as error:
        findings.add(Finding("unreadable", name, "", reason(error), "a readable file", None))
        return ""
    finally:
        os.close(descriptor)
    if line is None:
        return None
    for finding in line_findings(name, *line, contents):
        findings.add(finding)
    return line[1]


def line_findings(file: str, number: int, line: str, contents: Iterable[bytes]) -> list[Finding]:
    """What is wrong with a line; `contents` are the file as it stands, and as it should.

    A line that one of them gives is right: what is wrong with the file is not said twice.
    """
    gaps = [_gap(line, content) for content in contents]
    if not all(gaps):
        return []
    gap = gaps[0]
    assert gap is not None
    level, due, likely = gap
    where = f"{due}, from {JOB_FILE}"
    return [
        Finding(
            "outcome-line",
            file,
            "",
            f"line {number}: {show(line)}",
            where,
            "003-5-line-format",
            likely,
            level,
        )
    ]


def _gap(line: str, content: bytes) -> tuple[Level, str, str | None] | None:
    summary = summarise(content)
    due = summary.line()
    if line == due:
        return None
    try:
        said, meant = (
            plain(parse(line.removeprefix(RESULT_PREFIX).encode())),
            plain(parse(due.removeprefix(RESULT_PREFIX).encode())),
        )
    except NotJsonError:
        return Level.VALUE, due, "the line holds no JSON"
    if said != meant:
        return Level.VALUE, due, None
    if repr(said) != repr(meant) and any(type(said.get(key)) is not type(meant[key]) for key in meant):
        return Level.EXACT, due, "an int where a float is due, or the reverse"
    return Level.BYTES, due, "keys are sorted, and white space is as Python's json.dumps writes it"
