"""Selects vectors by ids and patterns, also by ids as people paste them: without spec, or as node ids."""

import difflib
import fnmatch
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from conformance.registry.ops import SPECS
from conformance.suite.vectors import Vector, VectorFileError, load_checked, load_spec
from conformance.wire.text import printable

__all__ = ["nothing_has", "select", "whole_id", "whole_ids", "with_preceding"]

_MOST = 5
"""The most candidates listed."""


def select(vectors: Iterable[Vector], patterns: Iterable[str]) -> list[Vector]:
    """The vectors whose id equals or matches (as in fnmatch) one of ``patterns``; all if there are none."""
    wanted = list(patterns)
    if not wanted:
        return list(vectors)
    return [
        vector
        for vector in vectors
        if any(vector.id == pattern or fnmatch.fnmatchcase(vector.id, pattern) for pattern in wanted)
    ]


def nothing_has(pattern: str, vectors: Iterable[Vector]) -> str:
    """The message for a pattern that matches no vector, with suggestions.

    Ids contain their section's name, which is not always the name of an op or a class.
    """
    every = list(vectors)
    is_pattern = any(character in pattern for character in "*?[")
    message = f"no vector {'matches' if is_pattern else 'has the id'} {printable(pattern)!r}"
    folders = Counter(vector.id.rpartition("/")[0] for vector in every)
    folder, _, last = pattern.rpartition("/")
    spec = folder.partition("/")[0]
    if spec in SPECS and all(vector.id.partition("/")[0] != spec for vector in every):
        return f"{message}: give its spec too, --spec {spec}"
    if folder in folders:
        ids = [vector.id for vector in every if vector.id.startswith(f"{folder}/")]
        (meant, *_) = [*difflib.get_close_matches(pattern, ids, 1, 0.8), f"{folder}/*"]
        return f"{message}; did you mean {meant!r}?"
    word = (folder.rpartition("/")[2] or last).strip("*").replace("-", "_").lower()
    names: dict[str, Counter[str]] = {}
    for vector in every:
        section = vector.id.rpartition("/")[0]
        for name in (section.rpartition("/")[2], vector.op.conformance_class, vector.op.name):
            names.setdefault(name.replace("-", "_"), Counter())[section] += 1
    close = [word] if word in names else difflib.get_close_matches(word, names, 1)
    if close:
        where = " or ".join(repr(f"{section}/*") for section, _ in names[close[0]].most_common(3))
        return f"{message}; did you mean {where}?"
    return f"{message}: there are {', '.join(f'{section}/*' for section in folders)}"


def with_preceding(vectors: Sequence[Vector], chosen: Sequence[Vector], count: int) -> list[Vector]:
    """The chosen vectors, each preceded by the ``count`` before it in ``vectors``, without duplicates."""
    ids = {vector.id for vector in chosen}
    wanted: set[int] = set()
    for place, vector in enumerate(vectors):
        if vector.id in ids:
            wanted.update(range(max(0, place - count), place + 1))
    return [vectors[place] for place in sorted(wanted)]


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
