"""The loop of ``spec diff``: asks both sides, compares answers, groups differences and shrinks examples."""

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
"""The number of questions per batch."""
_SMALL_SECONDS = 40.0
"""Seconds for shrinking all examples."""
_EXAMPLE_SECONDS = 3.0
"""The longest time spent on one example."""
_MOST_AGAIN = 40
"""The most unanswered questions to ask again."""
_MOST_REASONS = 20
"""The most reasons per op for missing answers; further ones count under the last."""
_STARTS, _RANDOM = 12, 4
"""The number of inputs per change to shrink, of different clauses, and how many of these may be random if
vectors show the change too."""
_MOST_REQUESTS = 1500
"""The most questions for shrinking one example."""
_SHORT = 160
"""Vectors with JSON of at most this length are not shrunk: each was written to show one thing, and a smaller
input with the same change may show another."""
_LONGEST = 1 << 20
"""Inputs with longer JSON are not shrunk, since that takes too long."""


class NothingToAskError(Exception):
    """The two sides have no operation in common; the message is one sentence."""


@dataclass(slots=True)
class Counts:
    """The results of one op's questions."""

    same: int = 0
    differ: int = 0
    not_compared: int = 0
    """The questions without two comparable answers."""


@dataclass(slots=True)
class Comparison:
    """One comparison of two releases and its findings so far."""

    old: Side
    new: Side
    spec: str
    vectors: Sequence[Vector]
    ops: Sequence[Op]
    """The ops of the spec."""
    seed: int
    inputs: int
    """The number of random inputs to compare."""
    on_step: Callable[[str], None] = lambda _: None
    """Called with the names of slow steps."""
    answered: Callable[[Question, Answer, Answer], None] = lambda *_: None
    """Called with each pair of answers."""
    asked: Counter[str] = field(default_factory=Counter)
    """The number of questions that both were asked, by kind."""
    differing: Counter[str] = field(default_factory=Counter)
    """The number of these that differ, by kind."""
    counts: dict[str, Counts] = field(default_factory=dict)
    unsupported: tuple[dict[str, Counter[str]], ...] = field(default_factory=lambda: ({}, {}))
    """For each side, the reasons for missing answers by op, with counts."""
    changes: Changes = field(default_factory=Changes)
    cut: list[str] = field(default_factory=list)
    """A sentence for each thing that there was no time for."""
    seconds: float = 0.0
    start_up_seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    finished: bool = False
    _again: int = _MOST_AGAIN
    _hopeless: set[str] = field(default_factory=set)
    """Ops that failed again when repeated."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides, the old one first."""
        return self.old, self.new

    def lacking(self, side: Side) -> list[str]:
        """The spec's ops that a side does not offer."""
        offered = side.hello.ops if side.hello else frozenset[str]()
        return [op.name for op in self.ops if op.name not in offered]

    @property
    def compared(self) -> int:
        """The number of questions whose answers were compared."""
        return sum(count.same + count.differ for count in self.counts.values())

    def run(self) -> None:
        """Asks everything, then shrinks examples. Findings up to an interruption are kept.

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
            self.on_step("shrinking the differing inputs")
            self._make_small()
            self.finished = True
        finally:
            self.seconds = time.monotonic() - began
            for side in self.sides:
                side.stop()

    def _start(self) -> frozenset[str]:
        """Starts both sides; returns the ops that both offer."""
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
        """Repeats questions without an answer, since a time-out on a loaded machine may mean nothing."""
        if question.name in self._hopeless or not self._again:
            return old, new
        self._again -= 1
        [(old_again, new_again)] = ask_both(self.sides, [(question, question.input)])
        if isinstance(old_again, Ok | Refused) and isinstance(new_again, Ok | Refused):
            return old_again, new_again
        self._hopeless.add(question.name)
        return old, new

    def _reached(self, of_side: dict[str, Counter[str]], question: Question, answer: Answer) -> bool:
        """Records a missing answer; returns whether there is an answer to compare."""
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
            # Each change gets its share of the remaining time, so that the last ones get some.
            now = time.monotonic()
            share = max(0.0, (until - now) / (len(ranked) - number))
            late += not self._make_examples(change, now + share)
        if late:
            self.cut.append(f"examples of {late} change{'s' * (late != 1)} may be larger than need be")

    def interrupted(self) -> None:
        """Adds an example to each change without one."""
        for change in self.changes.values():
            change.examples = change.examples or _starts(change)[:1]

    def _make_examples(self, change: Change, until: float) -> bool:
        """Adds a change's examples; returns whether all were repeated and shrunk in time."""
        whole = True
        chosen = _starts(change)
        for one in chosen:
            found: Example | None = one
            # A played job has no shape, and each failure would cost a process.
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
        change.examples = change.examples or chosen[:1]  # nothing repeated it
        return whole

    def _shrunk(self, change: Change, one: Example, until: float) -> tuple[Example | None, bool]:
        """The shrunk example, or None if it does not repeat the change; and whether shrinking finished."""
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
    """The inputs for a change's examples: the smallest of each clause, then random ones."""
    first: dict[str, Example] = {}
    for one in sorted(change.vectors, key=lambda one: weight(one.question.input)):
        first.setdefault(one.question.clause, one)
    vectors = [first[clause] for clause, count, _ in change.by_clause() if count]
    random = sorted(change.kept, key=lambda one: weight(one.question.input))
    few = vectors[: _STARTS - min(_RANDOM, len(random))]
    return [*few, *random[: _STARTS - len(few)]]


def _alike(one: Example, other: Example) -> bool:
    """Whether two examples differ only in numbers."""
    texts = [re.sub(r"[0-9]+", "0", json.dumps(example.input)) for example in (one, other)]
    return texts[0] == texts[1]
