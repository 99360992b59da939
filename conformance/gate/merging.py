"""Merges the shards of a run from the transcripts of a CI matrix's jobs."""

from collections.abc import Sequence
from pathlib import Path

from conformance.gate.asking import require_offer
from conformance.gate.folder import TRANSCRIPT
from conformance.outcomes.merging import merged
from conformance.outcomes.reading import Document, ReportError, read
from conformance.outcomes.report import Report
from conformance.outcomes.transcript import read_transcript
from conformance.run.commands import CommandError

__all__ = ["merged_shards"]

_FUZZED = "fuzz.json"
"""The name of a shard's fuzz report."""


def merged_shards(paths: Sequence[Path]) -> tuple[Report, list[Document]]:
    """Return the report of the whole run, and the fuzz reports next to the transcripts.

    Missing shards and missing fuzz reports are among the report's problems.

    Raises:
        ReportError: there is no transcript, they belong to different runs, or a report can't be read.
    """
    files = [file for path in paths for file in (sorted(path.rglob(TRANSCRIPT)) if path.is_dir() else [path])]
    if not files:
        where = ", ".join(map(str, paths))
        raise ReportError(f"there is no {TRANSCRIPT} in {where}: no shard wrote one")
    shards = list(map(read_transcript, files))
    report = merged(shards)
    try:
        require_offer(report)  # shards of `run` may have required nothing
    except CommandError as error:
        report.problems.append(str(error))
        report.session.could_not_try = True
    fuzzed = []
    for file, shard in zip(files, shards, strict=True):
        path = file.with_name(_FUZZED)
        if path.exists():
            fuzzed.append(read(path))
            if fuzzed[-1].kind != "fuzz":
                raise ReportError(f"{fuzzed[-1].name} is not a fuzz report")
        elif shard.header.get("fuzzed"):
            report.problems.append(f"{shard.label} was fuzzed, but its {_FUZZED} is missing")
    return report, fuzzed
