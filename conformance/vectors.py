"""Vectors: reading their files, choosing among them, and turning one into a request."""

import fnmatch
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance import protocol
from conformance.conversation import Request
from conformance.numbers import spell_at
from conformance.ops import OPS, Op
from conformance.paths import spec_names, vectors_dir

__all__ = ["Vector", "VectorFileError", "load_file", "load_spec", "section_files", "select"]

NOT_SECTIONS = frozenset({"clauses.json", "flags.json", "lock.json"})
"""Files beside the sections that hold no vectors."""


class VectorFileError(Exception):
    """A vector file that can't be used; the message is one sentence."""


@dataclass(frozen=True)
class Vector:
    """One question to a runner, and harbor's answer."""

    id: str
    """``<spec>/<section>/<slug>``; never reused for another meaning."""
    op: Op
    rule: str
    """What a conforming runner must do here, in one sentence."""
    clause: str
    """The id of the clause that it traces, in clauses.json."""
    also: tuple[str, ...]
    """Further clauses that it exercises."""
    flags: tuple[str, ...]
    input: Any
    expected: dict[str, Any] | None
    """``{"ok": …}`` or ``{"error": {"type", "reason_code"}}``; None before ``regen`` has asked."""
    catches: str
    since: str
    provenance: str | None
    twin: str | None
    unordered: frozenset[str]
    """JSON pointers into ``ok`` to objects whose key order is free."""
    file: Path

    @property
    def section(self) -> str:
        """The section of the spec, which also names the file."""
        return self.id.split("/")[1]

    @property
    def conformance_class(self) -> str:
        """The class whose claim it decides."""
        return self.op.conformance_class

    @cached_property
    def _tail(self) -> bytes:
        return protocol.encode_tail(self.op.name, self.input)

    def request(self, *, numbers_as_strings: bool = False) -> Request:
        """The request to send; the expected answer is no part of it."""
        tail = self._tail
        if numbers_as_strings and self.op.input_numbers:
            spelled = spell_at(self.input, self.op.input_numbers, everything=True)
            tail = protocol.encode_tail(self.op.name, spelled)
        limit = protocol.LARGE_LINE if "large" in self.flags else protocol.LINE
        return Request(self.id, tail, limit)


def section_files(spec: str) -> list[Path]:
    """The vector files of a spec, sorted by name.

    Raises:
        VectorFileError: there is no such spec.
    """
    if spec not in spec_names():
        raise VectorFileError(f"there is no spec {spec!r}; choose one of {', '.join(spec_names())}")
    return sorted(path for path in vectors_dir(spec).glob("*.json") if path.name not in NOT_SECTIONS)


def load_file(path: Path) -> list[Vector]:
    """The vectors of one file, in their order.

    Raises:
        VectorFileError: the file can't be read, is not JSON, or holds something that is no vector.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise VectorFileError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise VectorFileError(f"{path} is not JSON: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("vectors"), list):
        raise VectorFileError(f'{path} is no vector file: it has no list "vectors"')
    return [_vector(entry, path, index) for index, entry in enumerate(document["vectors"])]


def _vector(entry: Any, path: Path, index: int) -> Vector:
    try:
        expected = entry.get("expected")
        if expected is not None and ("ok" in expected) == ("error" in expected):
            raise ValueError("expected must hold ok or error")
        return Vector(
            id=entry["id"],
            op=OPS[entry["op"]],
            rule=entry["rule"],
            clause=entry["clause"],
            also=tuple(entry.get("also", ())),
            flags=tuple(entry["flags"]),
            input=entry["input"],
            expected=expected,
            catches=entry["catches"],
            since=entry["since"],
            provenance=entry.get("provenance"),
            twin=entry.get("twin"),
            unordered=frozenset(entry.get("unordered", ())),
            file=path,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = entry.get("id", index) if isinstance(entry, dict) else index
        raise VectorFileError(f"{path}: vector {name} is no vector: {error!r}") from None


def load_spec(spec: str) -> list[Vector]:
    """All vectors of a spec, section by section.

    Raises:
        VectorFileError: as ``load_file`` and ``section_files``.
    """
    return [vector for path in section_files(spec) for vector in load_file(path)]


def select(vectors: Iterable[Vector], patterns: Iterable[str]) -> list[Vector]:
    """The vectors whose id equals or matches (as fnmatch) one of ``patterns``; all where there is none."""
    wanted = list(patterns)
    if not wanted:
        return list(vectors)
    return [
        vector
        for vector in vectors
        if any(vector.id == pattern or fnmatch.fnmatchcase(vector.id, pattern) for pattern in wanted)
    ]
