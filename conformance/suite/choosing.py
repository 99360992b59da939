"""Selects vectors by versions, patterns and ids, also as people paste them: without spec, or as node ids."""

import difflib
import fnmatch
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from conformance.option_names import option
from conformance.paths import vectors_dir
from conformance.registry.ops import SPECS, lineage
from conformance.suite.vectors import Vector, VectorFileError, is_of_kit, load_checked, load_spec
from conformance.wire.text import printable, shortened

__all__ = [
    "newer_than",
    "newest",
    "nothing_has",
    "refuse_folder",
    "select",
    "whole_id",
    "whole_ids",
    "with_preceding",
]

_CLOSE = 0.7
"""How similar to the pattern a suggestion must be."""
_MOST = 5
"""The most candidates listed."""
_NUMBER = re.compile(r"\d+")


def select(vectors: Iterable[Vector], patterns: Iterable[str]) -> list[Vector]:
    """The vectors whose id or its end matches one of ``patterns`` (see fnmatch); all without patterns."""
    wanted = list(patterns)
    return [vector for vector in vectors if not wanted or any(_matches(vector.id, glob) for glob in wanted)]


def _matches(whole: str, pattern: str) -> bool:
    """Whether the pattern is the id or matches it, or what follows one of its slashes."""
    return (
        whole == pattern or fnmatch.fnmatchcase(whole, pattern) or fnmatch.fnmatchcase(whole, f"*/{pattern}")
    )


def nothing_has(pattern: str, vectors: Iterable[Vector]) -> str:
    """The message for a pattern that matches no vector, with a suggestion or all sections' patterns."""
    ids = [vector.id for vector in vectors]
    is_pattern = any(character in pattern for character in "*?[")
    message = f"no vector {'matches' if is_pattern else 'has the id'} {printable(pattern)!r}"
    spec = pattern.partition("/")[0]
    if spec in SPECS and all(vector_id.partition("/")[0] != spec for vector_id in ids):
        return f"{message}: give its spec too, --spec {spec}"
    sections = list(dict.fromkeys(f"{vector_id.rpartition('/')[0]}/*" for vector_id in ids))
    if close := difflib.get_close_matches(pattern, [*sections, *ids], 1, _CLOSE):
        return f"{message}; did you mean {close[0]!r}?"
    return f"{message}: there are {', '.join(sections)}"


def refuse_folder(path: Path, spec: str) -> None:
    """Refuses the folder of another spec, which would look like an empty one.

    Raises:
        VectorFileError: ``path`` is such a folder.
    """
    if path.name in SPECS and path.name not in lineage(spec) and path == vectors_dir(path.name):
        raise VectorFileError(
            f"{path} holds the vectors of {path.name}: run it with {option('spec')} {path.name}"
        )


def with_preceding(vectors: Sequence[Vector], chosen: Sequence[Vector], count: int) -> list[Vector]:
    """The chosen vectors, each preceded by the ``count`` before it in ``vectors``, without duplicates."""
    ids = {vector.id for vector in chosen}
    wanted: set[int] = set()
    for index, vector in enumerate(vectors):
        if vector.id in ids:
            wanted.update(range(max(0, index - count), index + 1))
    return [vectors[index] for index in sorted(wanted)]


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
    named = [vector_id for vector_id in ids if vector_id == pattern or vector_id.endswith(f"/{pattern}")]
    if pattern in named or not named:
        return pattern
    if len(named) > 1:
        more = f" and {len(named) - _MOST} more" if len(named) > _MOST else ""
        raise VectorFileError(
            f"{printable(pattern)!r} ends the ids of {len(named)} vectors, {', '.join(islice(named, _MOST))}"
            f"{more}: give the section too"
        )
    return named[0]


def newest(versions: Iterable[str]) -> str:
    """The newest of the versions."""
    return max(versions, key=_age, default="0")


def _age(version: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(version)]


def newer_than(version: str | None, all_vectors: Iterable[Vector], spec: str) -> frozenset[str]:
    """The ids of the spec's own vectors that are newer than a version.

    Raises:
        VectorFileError: there is no such version.
    """
    if version is None:
        return frozenset()
    all_vectors = list(all_vectors)
    versions = sorted({vector.since for vector in all_vectors if is_of_kit(vector)}, key=_age)
    if version not in versions:
        raise VectorFileError(
            f"{option('vectors-version')}: {spec} has no vectors of version {shortened(version, 40)}; "
            f"choose one of {', '.join(versions)}"
        )
    behind = set(versions[versions.index(version) + 1 :])
    return frozenset(vector.id for vector in all_vectors if vector.since in behind and is_of_kit(vector))
