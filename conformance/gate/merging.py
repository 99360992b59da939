"""The shards of a run, from wherever the jobs of a matrix left their reports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.publishing.merging import merged
from conformance.publishing.reading import PublishingError, read

__all__ = ["merged_parts"]

_NAME = "report.json"


def merged_parts(paths: Sequence[Path]) -> dict[str, Any]:
    """The whole run's report; shards that are missing are among its problems.

    Raises:
        PublishingError: there is no report, or they are not of one run.
    """
    found = [file for path in paths for file in _reports(path)]
    if not found:
        raise PublishingError(f"there is no {_NAME} in {', '.join(map(str, paths))}: no shard left one")
    return merged([read(file) for file in found])


def _reports(path: Path) -> list[Path]:
    return sorted(path.rglob(_NAME)) if path.is_dir() else [path]
