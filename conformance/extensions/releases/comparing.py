"""The loop of ``spec diff``: both sides asked, their answers compared, what differs sorted and made small."""

import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.releases.asking import NOT_ASKED, Question, Side, ask_both, questions
from conformance.extensions.releases.changes import Change, Changes, Example, Sort, what_changed
from conformance.fuzz.shrinking import OutOfBudgetError, shrink, weight
from conformance.registry.op import Op
from conformance.suite.vectors import Vector
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported

__all__ = ["KINDS", "Comparison", "Counts", "NothingToAskError"]

KINDS = ("vectors", "played", "random")
"""The kinds of question."""
_AT_ONCE = 128
"""Questions that both are asked before the answers of either are compared."""
_SMALL_SECONDS = 40.0
"""What making examples small may take in all."""
_EXAMPLE_SECONDS = 3.0
"""The longest time spent on one example."""
_MOST_AGAIN = 40
"""Unanswered questions that are asked again."""
_MOST_REASONS = 20
"""Reasons kept of what a side can't answer, of one op; any further ones count under the last."""
_STARTS, _RANDOM = 12, 4
"""How many inputs of a change are made small, of different clauses; how many of these are random ones, where
vectors show it too."""
_MOST_REQUESTS = 1500
"""The most that both are asked for one example."""
_SHORT = 160
"""Vectors whose JSON is no longer are shown as they are: each was written to show one thing, and a smaller
input that changes in the same way may show another."""
_LONGEST = 1 << 20
"""Inputs whose JSON is longer are shown as they are: making them smaller takes too long."""


class NothingToAskError(Exception):
    """The two offer no operation in common; the message is one sentence."""


@dataclass(slots=True)
class Counts:
    """What became of the questions of one op."""

    same: int = 0
    differ: int = 0
    not_compared: int = 0
    """Those that one side, or both, gave no answer to that could be compared."""


@dataclass(slots=True)
class Comparison:
    """One comparison of two releases, and what it has found so far."""

    old: Side
    new: Side
    spec: str
    vectors: Sequence[Vector]
    ops: Sequence[Op]
    """The ops of the spec."""
    seed: int
    inputs: int
    """How many random inputs are compared."""
    on_tick: Callable[[], None] = lambda: None
    on_step: Callable[[str], None] = lambda _: None
    """Hears of steps that take time."""
    answered: Callable[[Question, Answer, Answer], None] = lambda *_: None
    """Hears of each pair of answers."""
    asked: Counter[str] = field(default_factory=Counter)
    """Questions that both were asked, by kind."""
    differing: Counter[str] = field(default_factory=Counter)
    """Those of them that differ, by kind."""
    counts: dict[str, Counts] = field(default_factory=dict)
    unsupported: tuple[dict[str, Counter[str]], ...] = field(default_factory=lambda: ({}, {}))
    """Of either side: op to reasons, each with how many questions."""
    changes: Changes = field(default_factory=Changes)
    cut: list[str] = field(default_factory=list)
    """What there was no time for, a sentence each."""
    seconds: float = 0.0
    start_up_seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    finished: bool = False
    _again: int = _MOST_AGAIN
    _hopeless: set[str] = field(default_factory=set)
    """Ops that failed when they were asked again."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both, the old one first."""
        return self.old, self.new

    def lacking(self, side: Side) -> list[str]:
        """The spec's ops that a side does not offer."""
        offered = side.hello.ops if side.hello else frozenset[str]()
        return [op.name for op in self.ops if op.name not in offered]

    @property
    def compared(self) -> int:
        """Questions whose answers were compared."""
        return sum(count.same + count.differ for count in self.counts.values())

    def run(self) -> None:
        """Asks all, then makes examples small. What was found until an interruption stays.

        Raises:
            RunnerStartError: one of the two can't be tried.
            NothingToAskError: they have no operation in common.
        """
        began = time.monotonic()
        try:
            offered = self._start()
            self.on_step("asking both")
            stream = questions(self.vectors, self.seed, self.inputs, offered)
            while some := [(one, one.input) for one in itertools.islice(stream, _AT_ONCE)]:
                for (question, _), answers in zip(some, ask_both(self.sides, some), strict=True):
                    self._take(question, *answers)
                self.on_tick()
            self.on_step("making the differing inputs small")
            self._make_small()
            self.finished = True
        finally:
            self.seconds = time.monotonic() - began
            for side in self.sides:
                side.stop()

    def _start(self) -> frozenset[str]:
        """Starts both; what both offer."""
        offered = []
        for position, side in enumerate(self.sides):
            self.on_step(f"starting {side.subject}")
            before = time.monotonic()
            side.start()
            self.start_up_seconds[position] = time.monotonic() - before
            assert side.hello is not None
            offered.append(side.hello.ops)
        if not offered[0] & offered[1] & {op.name for op in self.ops}:
            names = f"{self.old.subject} and {self.new.subject}"
            raise NothingToAskError(f"{names} offer no operation of {self.spec} in common")
        return offered[0] & offered[1]

    def _take(self, question: Question, old: Answer, new: Answer) -> None:
        if any(isinstance(one, Failed) and one.outcome != NOT_ASKED for one in (old, new)):
            old, new = self._asked_again(question, old, new)
        self.answered(question, old, new)
        counts = self.counts.setdefault(question.name, Counts())
        self.asked[question.kind] += 1
        reached = [
            self._reached(of_side, question, answer)
            for of_side, answer in zip(self.unsupported, (old, new), strict=True)
        ]
        if not all(reached) or (isinstance(old, Failed) and isinstance(new, Failed)):
            counts.not_compared += 1
        elif found := what_changed(question, question.input, old, new):
            counts.differ += 1
            self.differing[question.kind] += 1
            self.changes.add(Example(question, question.input, old, new), *found)
        else:
            counts.same += 1

    def _asked_again(self, question: Question, old: Answer, new: Answer) -> tuple[Answer, Answer]:
        """Asks again what a side gave no answer to: on a loaded machine a time-out may mean nothing."""
        if question.name in self._hopeless or not self._again:
            return old, new
        self._again -= 1
        [(old_again, new_again)] = ask_both(self.sides, [(question, question.input)])
        if isinstance(old_again, Ok | Refused) and isinstance(new_again, Ok | Refused):
            return old_again, new_again
        self._hopeless.add(question.name)
        return old, new

    def _reached(self, of_side: dict[str, Counter[str]], question: Question, answer: Answer) -> bool:
        """Notes what a side can't answer; whether it gave what can be compared."""
        if isinstance(answer, Unsupported):
            reason = answer.reason
        elif isinstance(answer, Failed) and answer.outcome == NOT_ASKED:
            reason = f"not asked: {answer.sentence}"
        else:
            return True
        reasons = of_side.setdefault(question.name, Counter())
        reason = re.sub("[0-9]+", "N", reason)[:300]
        if reason not in reasons and len(reasons) >= _MOST_REASONS:
            reason = list(reasons)[-1]
        reasons[reason] += 1
        return False

    def _make_small(self) -> None:
        until = time.monotonic() + _SMALL_SECONDS
        late = 0
        ranked = self.changes.ranked()
        for number, change in enumerate(ranked):
            # Each change gets its share of what is left: a long list must not starve its end.
            now = time.monotonic()
            share = max(0.0, (until - now) / (len(ranked) - number))
            late += not self._make_examples(change, now + share)
            self.on_tick()
        if late:
            self.cut.append(f"examples of {late} change{'s' * (late != 1)} may be larger than need be")

    def interrupted(self) -> None:
        """Gives an example to each change that has none."""
        for change in self.changes.values():
            change.examples = change.examples or _starts(change)[:1]

    def _make_examples(self, change: Change, until: float) -> bool:
        """Fills in a change's examples; whether all that was to be tried again was, and made small."""
        whole = True
        chosen = _starts(change)
        for one in chosen:
            found: Example | None = one
            # A played job has no shape to keep to, and whatever fails a side would cost a process each time.
            if change.sort is Sort.FAILED or one.question.played:
                change.examples = change.examples or [one]
                continue
            if time.monotonic() >= until:
                whole = False
                found = None if change.examples else one
            else:
                found, ended = self._shrunk(change, one, min(until, time.monotonic() + _EXAMPLE_SECONDS))
                whole = whole and ended
                change.unsteady += found is None
            if found is not None and not any(_alike(found, other) for other in change.examples):
                change.examples.append(found)
        change.examples = change.examples or chosen[:1]  # nothing showed it a second time
        return whole

    def _shrunk(self, change: Change, one: Example, until: float) -> tuple[Example | None, bool]:
        """The example made small, None where it does not show the change again; whether it got to its end."""
        question, asked = one.question, 0
        best: list[Example] = []

        def still(candidates: list[Any]) -> int | None:
            nonlocal asked
            if time.monotonic() > until or asked >= _MOST_REQUESTS:
                raise OutOfBudgetError
            asked += len(candidates)
            answers = ask_both(self.sides, [(question, given) for given in candidates])
            for index, (given, (old, new)) in enumerate(zip(candidates, answers, strict=True)):
                if what_changed(question, given, old, new) == (change.sort, change.what):
                    best.append(Example(question, given, old, new, small=True))
                    return index
            return None

        try:
            if still([question.input]) is None:
                return None, True
            length = weight(question.input)[1]
            if question.vector is not None and length <= _SHORT:
                return one, True
            if length <= _LONGEST:
                shrink(question.op.name, question.input, still)
            ended = time.monotonic() <= until and asked < _MOST_REQUESTS
        except OutOfBudgetError:
            ended = False
        return best[-1] if best else one, ended


def _starts(change: Change) -> list[Example]:
    """The inputs that a change's examples are made from: the lightest of each clause, then random ones."""
    first: dict[str, Example] = {}
    for one in sorted(change.vectors, key=lambda one: weight(one.question.input)):
        first.setdefault(one.question.clause, one)
    vectors = [first[clause] for clause, count, _ in change.by_clause() if count]
    random = sorted(change.kept, key=lambda one: weight(one.question.input))
    few = vectors[: _STARTS - min(_RANDOM, len(random))]
    return [*few, *random[: _STARTS - len(few)]]


def _alike(one: Example, other: Example) -> bool:
    """Whether two examples ask the same but for the numbers in it."""
    texts = [re.sub(r"[0-9]+", "0", json.dumps(example.input)) for example in (one, other)]
    return texts[0] == texts[1]
