"""The list of a spec's properties as data: the name, the ops and the rule of each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from conformance.paths import vectors_dir
from conformance.registry.op import Op
from conformance.registry.ops import SPEC_TABLE, lineage, op_of
from conformance.suite.clauses import successors
from conformance.suite.vectors import Vector

__all__ = ["PROPERTIES_FILE", "Property", "load_properties", "properties_file", "property_ids"]

PROPERTIES_FILE = "properties.json"
"""The file next to a spec's vectors."""


@dataclass(frozen=True)
class Property:
    """One entry of the list."""

    id: str
    """``<spec>/properties/<slug>``; vectors have no such ids."""
    op: Op
    """The op whose class the property belongs to."""
    also: tuple[Op, ...]
    """Further ops that it asks; the property is skipped if the runner lacks one of them."""
    clause: str
    """The id of the clause that it traces."""
    rule: str
    """The statement that holds for every input, in one sentence."""
    file: Path

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    @property
    def ops(self) -> tuple[Op, ...]:
        """Every op that it asks."""
        return (self.op, *self.also)

    @cached_property
    def as_vector(self) -> Vector:
        """A vector that represents the property for judging and reporting, without input and answer."""
        return Vector(self.id, self.op, self.rule, self.clause, file=self.file)


def properties_file(spec: str) -> Path:
    """The file of a spec's properties, or its base's if it has none."""
    paths = [vectors_dir(name) / PROPERTIES_FILE for name in lineage(spec)]
    return next((path for path in paths if path.is_file()), paths[0])


def load_properties(spec: str) -> list[Property]:
    """The properties of a spec, in the order of the list; none if there is no list.

    An overlay has its base's properties first, without those that its list omits.
    """
    if spec not in SPEC_TABLE:
        return []
    path = vectors_dir(spec) / PROPERTIES_FILE
    document = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"properties": []}
    own = [
        Property(
            entry["id"],
            op_of(spec, entry["op"]),
            tuple(op_of(spec, name) for name in entry.get("also", ())),
            entry["clause"],
            entry["rule"],
            path,
        )
        for entry in document["properties"]
    ]
    base = SPEC_TABLE[spec].base
    if base is None:
        return own
    gone = {entry["id"] for entry in document.get("left_out", ())}
    ended = successors(spec)
    of_base = [_inherited(property_, spec, ended) for property_ in load_properties(base)]
    return [*(property_ for property_ in of_base if property_.id not in gone), *own]


def _inherited(property_: Property, spec: str, ended: Mapping[str, str | None]) -> Property:
    """A base's property as inherited by the spec."""
    return replace(
        property_,
        id=f"{spec}/{property_.id.partition('/')[2]}",
        op=op_of(spec, property_.op.name),
        also=tuple(op_of(spec, op.name) for op in property_.also),
        clause=ended.get(property_.clause) or property_.clause,
    )


def property_ids(spec: str) -> list[str]:
    """The ids of a spec's properties."""
    return [property_.id for property_ in load_properties(spec)]
