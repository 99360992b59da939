"""The vectors of an overlay spec: those of its base, with its own changes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, op_of
from conformance.suite.clauses import successors

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.suite.vectors import Vector

__all__ = [
    "DIFFERS",
    "LEFT_OUT",
    "OVERRIDES",
    "differing",
    "inherited",
    "left_out",
    "renamed",
    "with_valid_twin",
]

DIFFERS = "differs"
"""The member of a vector file that lists base vectors with a different answer."""
LEFT_OUT = "left_out"
"""The member of a vector file that lists base vectors that do not apply to this release."""
OVERRIDES = ("rule", "clause", "also", "flags", "unordered", "twin", "catches", "since")
"""The members that may differ from the base's vector; op and input stay."""


def renamed(vector_id: str, spec: str) -> str:
    """The id of a base's vector in an overlay."""
    return f"{spec}/{vector_id.partition('/')[2]}"


def inherited(vectors: "Iterable[Vector]", spec: str) -> "dict[str, Vector]":
    """A base's vectors as inherited by the spec, by their new ids."""
    base = SPEC_TABLE[spec].base
    assert base is not None
    ended = successors(spec)
    provenance = {SPEC_TABLE[base].oracle.provenance: SPEC_TABLE[spec].oracle.provenance}
    environments = {variant.name for variant in SPEC_TABLE[spec].oracle.variants}
    by_id = {}
    for vector in vectors:
        now = [ended.get(clause, clause) for clause in (vector.clause, *vector.also)]
        clause = now[0] or vector.clause
        op = op_of(spec, vector.op.name)
        source = vector.provenance or ""
        by_id[renamed(vector.id, spec)] = replace(
            vector,
            id=renamed(vector.id, spec),
            op=op,
            clause=clause,
            also=tuple(dict.fromkeys(related for related in now[1:] if related not in (None, clause))),
            twin=renamed(vector.twin, spec) if vector.twin else None,
            provenance=provenance.get(source, source) if op.source == ORACLE else vector.provenance,
            variants={name: answer for name, answer in vector.variants.items() if name in environments},
        )
    return by_id


def differing(entry: Mapping[str, Any], known: "Mapping[str, Vector]", path: "Path") -> "Vector":
    """A base's vector with a different answer.

    Raises:
        ValueError: the base has no such vector.
        KeyError, TypeError: the entry is malformed.
    """
    vector = known.get(entry["id"])
    if vector is None:
        raise ValueError(f"{SPEC_TABLE[entry['id'].partition('/')[0]].base} has no vector {entry['id']!r}")
    members: dict[str, Any] = {name: entry[name] for name in OVERRIDES if name in entry}
    for name in ("also", "flags"):
        if name in members:
            members[name] = tuple(members[name])
    members["unordered"] = frozenset(members.get("unordered", vector.unordered))
    if "error" in entry["expected"]:
        members["unordered"] = frozenset()
    elif "twin" not in members and vector.expected is not None and "error" in vector.expected:
        members["twin"] = None  # its twin was an error
    return replace(
        vector,
        **members,
        expected=entry["expected"],
        variants=entry.get("variants", {}),
        provenance=entry["provenance"],
        file=path,
    )


def left_out(document: Mapping[str, Any], known: "Mapping[str, Vector]") -> set[str]:
    """The ids of base vectors that a file omits.

    Raises:
        ValueError: the base has no such vector.
        KeyError, TypeError: the file's list is malformed.
    """
    ids = {str(entry["id"]) for entry in document.get(LEFT_OUT, ())}
    unknown = sorted(ids - known.keys())
    if unknown:
        raise ValueError(f"the base has no vector {unknown[0]!r} that could be omitted")
    return ids


def with_valid_twin(vector: "Vector", by_id: "Mapping[str, Vector]") -> "Vector":
    """The vector; if it and its twin are both errors in this spec, with the twin's twin."""
    twin = by_id.get(vector.twin or "")
    if twin is None or any("error" not in (either.expected or {}) for either in (twin, vector)):
        return vector
    return replace(vector, twin=twin.twin or vector.twin)
