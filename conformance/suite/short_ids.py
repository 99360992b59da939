"""Resolves vector ids as people paste them: without spec or section, or as pytest node ids."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from conformance.suite.vectors import VectorFileError, load_checked, load_spec
from conformance.wire.text import printable

__all__ = ["whole_id", "whole_ids"]

_MOST = 5
"""The most candidates listed."""


def whole_ids(patterns: Sequence[str], spec: str, files: Iterable[Path] = ()) -> tuple[str, ...]:
    """The patterns, with each that is the end of exactly one vector's id replaced by that id.

    Raises:
        VectorFileError: several ids match, or a file can't be used.
    """
    if all(any(mark in pattern for mark in "*?[") for pattern in patterns):
        return tuple(patterns)
    vectors = [vector for path in files for vector in load_checked(path)] or load_spec(spec, package=True)
    ids = dict.fromkeys(vector.id for vector in vectors)
    return tuple(whole_id(pattern, ids) for pattern in patterns)


def whole_id(pattern: str, ids: Iterable[str]) -> str:
    """The only id that equals or ends with `pattern`; `pattern` itself if there is none.

    Raises:
        VectorFileError: several ids match.
    """
    pattern = pattern.rpartition("::")[2]
    found = [one for one in ids if one == pattern or one.endswith(f"/{pattern}")]
    if pattern in found or not found:
        return pattern
    if len(found) > 1:
        more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
        raise VectorFileError(
            f"{printable(pattern)!r} ends the ids of {len(found)} vectors, {', '.join(islice(found, _MOST))}"
            f"{more}: give the section too"
        )
    return found[0]
