"""The list of a spec's properties, as data: what each is called, what it asks for, and the rule it holds."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conformance.paths import vectors_dir
from conformance.registry.op import Op
from conformance.registry.ops import OPS
from conformance.suite.vectors import Vector

__all__ = ["PROPERTIES_FILE", "Property", "load_properties", "property_ids"]

PROPERTIES_FILE = "properties.json"
"""The file beside a spec's vectors."""


@dataclass(frozen=True)
class Property:
    """What the list says of one property."""

    id: str
    """``<spec>/properties/<slug>``; no vector has such an id."""
    op: Op
    """The op whose class the property decides about."""
    also: tuple[Op, ...]
    """Further ops that it asks; a runner without one of them is not tried."""
    clause: str
    """The id of the clause that it traces."""
    rule: str
    """What holds for every input, in one sentence."""
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
        """A vector in its place, for those who judge and tell: it has no input and no expected answer."""
        return Vector(
            id=self.id,
            op=self.op,
            rule=self.rule,
            clause=self.clause,
            also=(),
            flags=(),
            input={},
            expected=None,
            catches="",
            since="",
            provenance=None,
            twin=None,
            unordered=frozenset(),
            file=self.file,
        )


def load_properties(spec: str) -> list[Property]:
    """The properties of a spec, in the order of the list; none where the spec has no list."""
    path = vectors_dir(spec) / PROPERTIES_FILE
    if not path.is_file():
        return []
    entries = json.loads(path.read_text(encoding="utf-8"))["properties"]
    return [
        Property(
            entry["id"],
            OPS[entry["op"]],
            tuple(OPS[name] for name in entry.get("also", ())),
            entry["clause"],
            entry["rule"],
            path,
        )
        for entry in entries
    ]


def property_ids(spec: str) -> list[str]:
    """The ids of a spec's properties."""
    return [one.id for one in load_properties(spec)]
