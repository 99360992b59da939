"""Groups disagreements by cause: the same op, kind of difference and known mistakes."""

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from conformance.diagnosis.giving import MistakeMatcher
from conformance.diagnosis.pointers import pattern_of
from conformance.fuzz.shrinking import weight
from conformance.judging.comparison import Difference, Level, Nature, differences_of, reached
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, op_of
from conformance.runner.allowance import Keeping
from conformance.wire.messages import Answer, Failed, Ok, Refused
from conformance.wire.pointers import shown

__all__ = ["Cause", "Causes", "Disagreement", "kind_of", "nature_of"]

_LAST_DIGITS = 64
"""If floats differ by at most this many units in the last place, only their computation differs."""
_EXAMPLES = 12
"""Disagreements stored per cause, for the diagnosis."""
_MOST_CAUSES = 200
"""The most causes; further disagreements count under the last cause of their op."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An input that the runner answers differently from the reference."""

    number: int
    """Its position in the stream of inputs."""
    op: str
    input: Any
    base: str | None
    expected: Ok | Refused
    actual: Answer
    unordered: frozenset[str]
    stderr: str = ""
    weight: int = 0
    """The approximate memory of the runner's answer, in bytes."""
    seed: int | None = None
    """The seed of the stream, if it is not the run's own."""


@dataclass(slots=True)
class Cause:
    """Disagreements considered to have the same cause."""

    op: str
    kind: str
    """The kind of difference, for people."""
    mistakes: frozenset[str]
    """Known mistakes that give the runner's answer in all examples checked."""
    all_asked: bool = True
    """Whether every known mistake of the op was tried; if not, others may give the same answers."""
    count: int = 0
    examples: list[Disagreement] = field(default_factory=list)
    smallest: Disagreement | None = None
    """The first example, shrunk."""
    repeats: bool = True
    """Whether the first example disagreed again in a new process; true until tried."""

    @property
    def shown(self) -> Disagreement:
        """The example to show."""
        return self.smallest or self.examples[0]


def nature_of(difference: Difference) -> str:
    """The sort of difference, without values."""
    one, other = difference.expected, difference.actual
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return difference.nature.value if difference.nature is not Nature.CONTENT else "another value"
    if difference.breaks is Level.EXACT:
        return "an int for a float or the reverse" if type(one) is not type(other) else "only an equal double"
    if not (math.isfinite(_double(one)) and math.isfinite(_double(other))):
        return "another number, one of the two not finite"
    floats = isinstance(one, float) and isinstance(other, float)
    near = floats and abs(one - other) <= _LAST_DIGITS * math.ulp(one)
    return "a number with other last digits" if near else "another number"


def _double(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def kind_of(
    op: str, expected: Ok | Refused, actual: Answer, unordered: frozenset[str], level: Level
) -> str | None:
    """The kind of a disagreement in words; None if the two agree at ``level``."""
    match expected, actual:
        case (_, Failed(outcome, sentence)):
            return f"{outcome}: {re.sub('[0-9]+', 'N', sentence)}"
        case (Ok() as mine, Ok() as theirs):
            found = differences_of(OPS[op], mine, theirs, unordered)
            if reached(found) >= level:
                return None
            first = next(difference for difference in found if difference.breaks <= level)
            return f"at {shown(pattern_of(op, first.path))}: {nature_of(first)}"
        case (Refused(mine_type, mine_code, _), Refused(their_type, their_code, _)):
            if mine_type != their_type:
                return f"the error {their_type[:80]} instead of {mine_type}"
            if mine_code != their_code:
                return f"the reason_code {str(their_code)[:80]} instead of {mine_code}"
            return None
        case (Ok(), Refused(their_type, _, _)):
            return f"the error {their_type[:80]} where a value is expected"
        case (Refused(mine_type, _, _), _):
            return f"a value where the error {mine_type} is expected"
    return "no answer"


class Causes:
    """Sorts disagreements by cause, and keeps a few of each."""

    def __init__(self, level: Level, matcher: MistakeMatcher, spec: str = DEFAULT_SPEC) -> None:
        self.level = level
        self.matcher = matcher
        self.spec = spec
        self.found: list[Cause] = []
        self.count = 0
        self._keeping = Keeping()
        self._by_kind: dict[tuple[str, str], list[Cause]] = {}

    def add(self, one: Disagreement, kind: str) -> tuple[Cause, bool]:
        """Counts a disagreement under its cause; returns whether the cause is new."""
        self.count += 1
        known = self._by_kind.setdefault((one.op, kind), [])
        cause = self._matching_cause(known, one)
        new = cause is None
        if cause is None:
            cause = self._new_cause(known, one, kind)
        cause.count += 1
        if not cause.examples or (len(cause.examples) < _EXAMPLES and self._keeping.keeps(one.weight)):
            cause.examples.append(one)
        return cause, new and cause.count == 1

    def merge_if_repeated(self, cause: Cause) -> bool:
        """Merges a cause into an earlier one if both shrink to the same input; returns whether it did."""
        small = cause.smallest
        for other in self._by_kind[cause.op, cause.kind]:
            if other is cause or other.smallest is None or small is None:
                continue
            if json.dumps(other.smallest.input) == json.dumps(small.input):
                other.count += cause.count
                other.examples += cause.examples[: _EXAMPLES - len(other.examples)]
                other.mistakes &= cause.mistakes
                self._by_kind[cause.op, cause.kind].remove(cause)
                self.found.remove(cause)
                return True
        return False

    def join(self, other: Cause) -> None:
        """Adds a cause found by another run to the matching cause, if there is one."""
        self.count += other.count
        known = self._by_kind.setdefault((other.op, other.kind), [])
        for cause in known:
            if cause.mistakes & other.mistakes or not (cause.mistakes or other.mistakes):
                cause.count += other.count
                cause.examples += other.examples[: _EXAMPLES - len(cause.examples)]
                cause.mistakes &= other.mistakes
                cause.all_asked &= other.all_asked
                if other.repeats and not cause.repeats:
                    cause.repeats, cause.smallest = True, other.smallest
                elif cause.smallest and other.smallest:
                    cause.smallest = min(cause.smallest, other.smallest, key=lambda one: weight(one.input))
                return
        known.append(other)
        self.found.append(other)

    def _matching_cause(self, known: list[Cause], one: Disagreement) -> Cause | None:
        """The existing cause that explains the disagreement."""
        for cause in known:
            if cause.mistakes:
                asked = (op_of(self.spec, one.op), one.input, one.actual, one.unordered)
                few = cause.count < _EXAMPLES  # later, finding one is enough
                if fitting := self.matcher.still_matching(cause.mistakes, *asked, all_of_them=few):
                    cause.mistakes = fitting
                    return cause
        # Unexplained ones may have several causes: after a few, only the 4th, 8th, 16th, … is examined.
        unexplained = (cause for cause in known if not cause.mistakes)
        return next((one for one in unexplained if one.count >= 4 and one.count & (one.count - 1)), None)

    def _new_cause(self, known: list[Cause], one: Disagreement, kind: str) -> Cause:
        mistakes = self.matcher.matching(op_of(self.spec, one.op), one.input, one.actual, one.unordered)
        unexplained = [cause for cause in known if not cause.mistakes]
        if not mistakes and unexplained:
            return unexplained[0]
        if len(self.found) >= _MOST_CAUSES:
            same = [cause for cause in self.found if cause.op == one.op] or self.found
            return same[-1]
        cause = Cause(one.op, kind, mistakes, all_asked=not self.matcher.cut_short)
        known.append(cause)
        self.found.append(cause)
        return cause
