"""The shards of a run, from wherever the jobs of a matrix left their reports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.publishing.merging import merged
from conformance.publishing.reading import Document, PublishingError, read

__all__ = ["fuzzed_parts", "merged_parts"]

_NAME, _FUZZED = "report.json", "fuzz.json"


def merged_parts(paths: Sequence[Path]) -> dict[str, Any]:
    """The whole run's report; shards that are missing are among its problems.

    Raises:
        PublishingError: there is no report, or they are not of one run.
    """
    found = [file for path in paths for file in _reports(path, _NAME)]
    if not found:
        raise PublishingError(f"there is no {_NAME} in {', '.join(map(str, paths))}: no shard left one")
    return merged([read(file) for file in found])


def fuzzed_parts(paths: Sequence[Path]) -> list[Document]:
    """What was fuzzed in the shards that are there, each with inputs of its own.

    Raises:
        PublishingError: a report of that can't be read.
    """
    found = [read(file) for path in paths if path.is_dir() for file in _reports(path, _FUZZED)]
    for document in found:
        if document.kind != "fuzz":
            raise PublishingError(f"{document.name} is no report of fuzz")
    return found


def _reports(path: Path, name: str) -> list[Path]:
    return sorted(path.rglob(name)) if path.is_dir() else [path]
