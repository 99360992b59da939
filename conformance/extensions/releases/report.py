"""What a comparison has found, as JSON (schema ``spec-diff``)."""

import math
from dataclasses import dataclass, field
from typing import Any

from conformance import __version__
from conformance.extensions.releases.changes import Change, Example, told
from conformance.extensions.releases.engine import Comparison
from conformance.extensions.releases.sides import Side
from conformance.wire.text import printable

__all__ = ["SCHEMA", "DiffReport"]

SCHEMA = "urn:harbor-conformance:spec-diff:1"
_LONGEST = 4096
"""Characters of an example's input or answer, as JSON, that a report repeats."""


@dataclass(slots=True)
class DiffReport:
    """The account of one comparison."""

    comparison: Comparison
    specs: list[str]
    """The specs whose vectors were asked."""
    started_at: str
    problems: list[str] = field(default_factory=list)
    """Why it could not be tried, one sentence each."""
    interrupted: int | None = None
    """The exit code that a signal left; None where none came."""

    @property
    def ended(self) -> str:
        """``complete``, ``interrupted``, or ``not-tried``."""
        if self.interrupted is not None:
            return "interrupted"
        return "complete" if self.comparison.finished else "not-tried"

    @property
    def exit_code(self) -> int:
        """0: nothing differs; 1: something does; 2: it could not be tried; else the signal's."""
        if self.interrupted is not None:
            return self.interrupted
        if self.problems or not self.comparison.compared:
            return 2 if not self.comparison.changes.found else 1
        return 1 if self.comparison.changes.found else 0

    def as_json(self) -> dict[str, Any]:
        """The report as its schema describes it."""
        one = self.comparison
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "spec": one.spec,
            "specs": self.specs,
            "old": self._side(0),
            "new": self._side(1),
            "started_at": self.started_at,
            "duration_seconds": round(one.seconds, 3),
            "seed": one.seed,
            "ended": self.ended,
            "exit_code": self.exit_code,
            "problems": self.problems,
            "cut": one.cut,
            "inputs": one.as_counts(),
            "ops": {
                op: {"same": count.same, "differ": count.differ, "not_compared": count.incomparable}
                for op, count in sorted(one.counts.items())
            },
            "changes": [_change(change) for change in one.changes.ranked()],
        }

    def _side(self, place: int) -> dict[str, Any]:
        side: Side = self.comparison.sides[place]
        hello = side.hello
        return {
            "subject": side.subject,
            "runner": hello.runner if hello else None,
            "version": hello.version if hello else None,
            "start_up_seconds": round(self.comparison.start_up_seconds[place], 3),
            "not_offered": self.comparison.lacking(side) if hello else [],
            "failures": dict(sorted(side.failures.items())),
            "unsupported": {
                op: [{"reason": printable(reason), "count": count} for reason, count in reasons.most_common()]
                for op, reasons in sorted(self.comparison.unsupported[place].items())
            },
        }


def _change(change: Change) -> dict[str, Any]:
    by_vector = {one.question.clause for one in change.vectors}
    return {
        "op": change.op,
        "sort": change.sort.value,
        "what": printable(change.what),
        "vectors": [
            {
                "id": one.question.vector.id,
                "clause": one.question.clause,
                "played": one.question.kind == "played",
                "old": shown(told(one.old)),
                "new": shown(told(one.new)),
            }
            for one in change.vectors
            if one.question.vector is not None
        ],
        "random": change.random,
        "clauses": [
            {"id": clause, "inputs": count, "guessed": clause not in by_vector}
            for clause, count in change.ranked()
        ],
        "unsteady": change.unsteady,
        "examples": [_example(example) for example in change.examples],
    }


def _example(example: Example) -> dict[str, Any]:
    question = example.question
    vector = question.vector or question.base
    return {
        "input": shown(example.input),
        "old": shown(told(example.old)),
        "new": shown(told(example.new)),
        "small": example.small,
        "number": question.number,
        "of": vector.id if vector else None,
    }


def shown(value: Any) -> Any:
    """A value as a report can hold it: null where it is very long, its non-finite numbers as texts."""
    return None if _size(value) > _LONGEST else _finite(value)


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 2 + sum(len(key) + _size(item) for key, item in value.items())
    if isinstance(value, list):
        return 2 + sum(_size(item) for item in value)
    if isinstance(value, str):
        return len(value)
    return value.bit_length() // 3 if isinstance(value, int) else 8


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
