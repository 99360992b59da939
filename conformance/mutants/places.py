"""Checks which generated deviations an op's vectors catch: a table of op, place and change.

A deviation is plausible if some implementers would make its change (``usual`` of 2 or more) at a place that
rules mention (docs/detection.md). One that no vector catches is tried on directed inputs (``directed``). It
is equal by schema if it changes none of them, or if no change at all shows at its place, since no rule reads
it. It is equal by proof if the inputs change and the answers do not. If an answer differs, it is a hole,
reported with an input that shows it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.table import Table

from conformance.console.tables import plain_table
from conformance.deviations import Deviation, Reference, References, Space, space_of, touches
from conformance.deviations.deviation import place_text
from conformance.deviations.space import vectors_of
from conformance.mutants.directed import Directed, differs
from conformance.suite.vectors import Vector
from conformance.wire.numbers import Path

__all__ = ["PLAUSIBLE", "Fate", "Row", "fates", "rows_of", "table_of", "tried"]

PLAUSIBLE = 2
"""The least ``usual`` of a plausible deviation."""
_NOTATION = "json"
"""The member of ``{"json": …}``, a value as its JSON text, which a runner parses before any rule sees it."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The outcome of a deviation."""

    deviation: Deviation
    caught_by: str | None
    """A vector that catches it."""
    touched: bool
    """Whether it changes the input or answer of some vector or directed input."""
    input: Any = None
    """An input that shows it, if no vector catches it."""


def tried(spec: str, op: str, least: int = PLAUSIBLE) -> Iterator[Fate]:
    """The fates of an op's deviations that are at least this usual; uncaught ones get directed inputs."""
    space, vectors, reference = space_of(spec, op), vectors_of(spec)[op], References(spec)
    directed = Directed(space, reference)
    plausible = (change for change in space if change.usual >= least and change.place[-1:] != (_NOTATION,))
    for fate in fates(space, vectors, reference, plausible):
        if fate.caught_by is not None:
            yield fate
        else:
            touched, example = directed.shows(fate.deviation)
            yield replace(fate, touched=touched or fate.touched, input=example)


def fates(
    space: Space, vectors: Sequence[Vector], reference: Reference, deviations: Iterable[Deviation]
) -> Iterator[Fate]:
    """The fate of each deviation under the vectors of the space.

    Vectors that caught the previous deviation run first, then those with small inputs.
    """
    pairs = sorted(zip(space.requests, vectors, strict=True), key=lambda pair: len(repr(pair[0].input)))
    for deviation in deviations:
        touched, caught = False, None
        for index, (request, vector) in enumerate(pairs):
            if touches(deviation, request):
                touched = True
                if differs(deviation, request, reference, vector.unordered):
                    caught = vector.id
                    pairs.insert(0, pairs.pop(index))
                    break
        yield Fate(deviation, caught, touched)


@dataclass(slots=True)
class Row:
    """The deviations of one kind at one place."""

    op: str
    place: str
    kind: str
    deviations: int = 0
    caught: int = 0
    schema: int = 0
    """Equal by schema: it changes no allowed value, or no rule reads the place."""
    proof: int = 0
    """Equal by proof: it changes directed inputs, but no answer."""
    left: dict[str, Any] = field(default_factory=dict)
    """The holes: an id, and an input that shows the deviation."""


def rows_of(results: Iterable[Fate], *, whole: bool = False) -> list[Row]:
    """A row for each place and kind of change, in the order of the space; with ``whole`` one for each op."""
    listed = list(results)
    read = {_leaf(fate.deviation) for fate in listed if fate.caught_by is not None or fate.input is not None}
    rows: dict[tuple[str, str, str], Row] = {}
    for fate in listed:
        change = fate.deviation
        key = (change.op, "all", "all")
        if not whole:
            key = (change.op, place_text((change.side, *change.place)), change.kind)
        row = rows.setdefault(key, Row(*key))
        row.deviations += 1
        if fate.caught_by is not None:
            row.caught += 1
        elif fate.input is not None:
            row.left[change.id] = fate.input
        elif fate.touched and _leaf(change) in read:
            row.proof += 1
        else:
            row.schema += 1
    return list(rows.values())


def _leaf(deviation: Deviation) -> tuple[str, str, Path]:
    return deviation.op, deviation.side, deviation.place


def table_of(rows: Iterable[Row]) -> Table:
    """The table as text."""
    table = plain_table()
    for name in ("op", "place", "change"):
        table.add_column(name)
    for name in ("deviations", "caught", "equal by schema", "equal by proof", "left"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = (row.deviations, row.caught, row.schema, row.proof, len(row.left))
        table.add_row(row.op, row.place, row.kind, *(f"{count:,}" for count in counts))
    return table
