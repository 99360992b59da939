"""Finds the known mistakes that give a runner's answer to one input, within a time limit.

``diagnose`` decides whether a mistake is likely, as it compares it with all evidence.
"""

import time
from collections.abc import Collection

from conformance.diagnosis.evidence import agree
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes
from conformance.registry.op import Op
from conformance.wire.messages import Answer, Ok, Refused

__all__ = ["MistakeMatcher", "mistakes_shown_by"]

_SECONDS = 1.0
"""The time limit for one answer, in processor time, so that other load does not change the result."""
_SHARE = 0.05
"""The share of all time that may be spent, beyond the first second."""


def mistakes_shown_by(op: Op) -> dict[str, Mistake]:
    """The mistakes that may show in an op's answers, by name, the op's own first."""
    known = all_mistakes(op.spec)
    own = {name: mistake for name, mistake in known.items() if mistake.op == op.name}
    shared = {name: mistake for name, mistake in known.items() if mistake.op in op.shows or "*" in op.shows}
    return own | shared


class MistakeMatcher:
    """Asks known mistakes for their answers, within its share of the time."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self.cut_short = False
        """Whether the last call ran out of time before it had asked all mistakes."""
        self._spent = 0.0
        self._since = time.process_time()

    def matching(
        self, op: Op, input_: object, actual: Answer, unordered: frozenset[str] = frozenset()
    ) -> frozenset[str]:
        """The mistakes that give the runner's answer, as far as time allows."""
        began = time.process_time()
        self.cut_short = False
        if not isinstance(actual, Ok | Refused) or self._spent > _SECONDS + _SHARE * (began - self._since):
            return frozenset()
        names = set()
        copy = scratch(op.spec)
        called = copy.called(op.name, input_)
        for mistake in mistakes_shown_by(op).values():
            footprint = copy.footprint(mistake)
            touched = footprint is None or not footprint.isdisjoint(called)
            if touched and self._gives(mistake, op, input_, actual, unordered):
                names.add(mistake.name)
            if time.process_time() - began > _SECONDS:
                self.cut_short = True
                break
        self._spent += time.process_time() - began
        return frozenset(names)

    def still_matching(
        self,
        names: Collection[str],
        op: Op,
        input_: object,
        actual: Answer,
        unordered: frozenset[str] = frozenset(),
        *,
        all_of_them: bool,
    ) -> frozenset[str]:
        """The named mistakes that give the runner's answer; without ``all_of_them``, all if any does."""
        if not isinstance(actual, Ok | Refused):
            return frozenset()
        known = all_mistakes(op.spec)
        gives = (name for name in sorted(names) if self._gives(known[name], op, input_, actual, unordered))
        if all_of_them:
            return frozenset(gives)
        return frozenset(names) if any(gives) else frozenset()

    def _gives(
        self, mistake: Mistake, op: Op, input_: object, actual: Ok | Refused, unordered: frozenset[str]
    ) -> bool:
        copy = scratch(op.spec)
        copy.make(mistake)
        return agree(op, copy.answer(op.name, input_), actual, self._level, unordered)
