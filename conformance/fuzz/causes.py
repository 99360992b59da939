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
    mine, theirs = difference.expected, difference.actual
    if not (isinstance(mine, int | float) and isinstance(theirs, int | float)):
        return difference.nature.value if difference.nature is not Nature.CONTENT else "another value"
    if difference.breaks is Level.EXACT:
        same_type = type(mine) is type(theirs)
        return "only an equal double" if same_type else "an int for a float or the reverse"
    if not (math.isfinite(_double(mine)) and math.isfinite(_double(theirs))):
        return "another number, one of the two not finite"
    floats = isinstance(mine, float) and isinstance(theirs, float)
    near = floats and abs(mine - theirs) <= _LAST_DIGITS * math.ulp(mine)
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
            differences = differences_of(OPS[op], mine, theirs, unordered)
            if reached(differences) >= level:
                return None
            first = next(difference for difference in differences if difference.breaks <= level)
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

    def add(self, example: Disagreement, kind: str) -> tuple[Cause, bool]:
        """Counts a disagreement under its cause; returns whether the cause is new."""
        self.count += 1
        known = self._by_kind.setdefault((example.op, kind), [])
        cause = self._matching_cause(known, example)
        new = cause is None
        if cause is None:
            cause = self._new_cause(known, example, kind)
        cause.count += 1
        if not cause.examples or (len(cause.examples) < _EXAMPLES and self._keeping.keeps(example.weight)):
            cause.examples.append(example)
        return cause, new and cause.count == 1

    def merge_if_repeated(self, cause: Cause) -> bool:
        """Merges a cause into an earlier one if both shrink to the same input; returns whether it did."""
        small = cause.smallest
        for earlier in self._by_kind[cause.op, cause.kind]:
            if earlier is cause or earlier.smallest is None or small is None:
                continue
            if json.dumps(earlier.smallest.input) == json.dumps(small.input):
                earlier.count += cause.count
                earlier.examples += cause.examples[: _EXAMPLES - len(earlier.examples)]
                earlier.mistakes &= cause.mistakes
                self._by_kind[cause.op, cause.kind].remove(cause)
                self.found.remove(cause)
                return True
        return False

    def join(self, new: Cause) -> None:
        """Adds a cause found by another run to the matching cause, if there is one."""
        self.count += new.count
        known = self._by_kind.setdefault((new.op, new.kind), [])
        for cause in known:
            if cause.mistakes & new.mistakes or not (cause.mistakes or new.mistakes):
                cause.count += new.count
                cause.examples += new.examples[: _EXAMPLES - len(cause.examples)]
                cause.mistakes &= new.mistakes
                cause.all_asked &= new.all_asked
                if new.repeats and not cause.repeats:
                    cause.repeats, cause.smallest = True, new.smallest
                elif cause.smallest and new.smallest:
                    cause.smallest = min(cause.smallest, new.smallest, key=lambda item: weight(item.input))
                return
        known.append(new)
        self.found.append(new)

    def _matching_cause(self, known: list[Cause], example: Disagreement) -> Cause | None:
        """The existing cause that explains the disagreement."""
        for cause in known:
            if cause.mistakes:
                question = (op_of(self.spec, example.op), example.input, example.actual, example.unordered)
                few = cause.count < _EXAMPLES  # later, finding one is enough
                if fitting := self.matcher.still_matching(cause.mistakes, *question, all_of_them=few):
                    cause.mistakes = fitting
                    return cause
        # Unexplained ones may have several causes: after a few, only the 4th, 8th, 16th, … is examined.
        unexplained = (cause for cause in known if not cause.mistakes)
        return next((kept for kept in unexplained if kept.count >= 4 and kept.count & (kept.count - 1)), None)

    def _new_cause(self, known: list[Cause], example: Disagreement, kind: str) -> Cause:
        op = op_of(self.spec, example.op)
        mistakes = self.matcher.matching(op, example.input, example.actual, example.unordered)
        unexplained = [cause for cause in known if not cause.mistakes]
        if not mistakes and unexplained:
            return unexplained[0]
        if len(self.found) >= _MOST_CAUSES:
            same = [cause for cause in self.found if cause.op == example.op] or self.found
            return same[-1]
        cause = Cause(example.op, kind, mistakes, all_asked=not self.matcher.cut_short)
        known.append(cause)
        self.found.append(cause)
        return cause
