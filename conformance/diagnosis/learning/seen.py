"""What templates are held to: all that is due, place by place, and what came there."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.diagnosis.deviation import Deviation
from conformance.diagnosis.effects import UNCHANGED
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.learning.conditions import Conditions
from conformance.diagnosis.places import place
from conformance.diagnosis.predictions import Predictions
from conformance.judging.comparison import Nature, nodes
from conformance.wire.messages import Ok

__all__ = ["Node", "Seen"]


@dataclass(frozen=True, slots=True)
class Node:
    """A value that is due somewhere, and what came."""

    index: int
    path: str
    due: Any
    came: Any
    """``UNCHANGED`` where it came as it is due."""
    deviation: Deviation | None


class Seen:
    """The evidence as templates look at it."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self.evidence: Sequence[Evidence] = predictions.evidence
        self.conditions = Conditions(predictions)
        self.nodes: Mapping[str, Mapping[str, list[Node]]] = {
            op: _nodes_of(predictions, op) for op in predictions.failures
        }
        """What is due, by op and place, in the places where some answer departs."""


def _nodes_of(predictions: Predictions, op: str) -> dict[str, list[Node]]:
    """What is due, by place, in the places where some answer departs."""
    wanted = {
        place(op, one.path)
        for index in predictions.failures[op]
        for one in predictions.departures[index]
        if one.nature is not None
    }
    wanted |= {where.rpartition("/")[0] for where in wanted}
    found: dict[str, list[Node]] = defaultdict(list)
    for index in (*predictions.failures[op], *predictions.passes[op]):
        item = predictions.evidence[index]
        wrong = predictions.wrong.get(index, {})
        if not isinstance(item.expected, Ok) or (
            "" in wrong and predictions.departures[index][0].nature is None
        ):
            continue
        by_path = {one.path: one for one in predictions.departures.get(index, ())}
        try:
            every = list(nodes(item.op, item.expected.value))
        except (ValueError, RecursionError):
            continue
        for path, due in every:
            where = place(op, path)
            if where not in wanted:
                continue
            one = by_path.get(path)
            if (
                one is None
                and wrong
                and any(
                    path.startswith(f"{other}/") and by_path[other].nature is not Nature.ORDER
                    for other in wrong
                )
            ):
                continue  # hidden by what departs above it
            found[where].append(Node(index, path, due, UNCHANGED if one is None else one.actual, one))
    return found
