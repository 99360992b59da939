"""The loop: both sides asked ahead, their answers compared, what differs sorted and made small."""

import itertools
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.releases.changes import Changes, Differing, Sort, what_changed
from conformance.extensions.releases.questions import Question, questions
from conformance.extensions.releases.sides import NOT_ASKED, Side
from conformance.extensions.releases.small import make_examples
from conformance.registry.op import Op
from conformance.suite.vectors import Vector
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported

__all__ = ["KINDS", "Comparison", "Counts", "NothingToAskError"]

KINDS = ("vectors", "played", "random")
"""The kinds of question."""
_TICK = 0.1
"""Seconds between two words of progress."""
_SMALL_SECONDS = 40.0
"""What making examples small may take in all."""
_MOST_AGAIN = 40
"""Unanswered questions that are asked again."""
_MOST_REASONS = 20
"""Reasons kept of what a side can't answer, of one op; any further ones count under the last."""


class NothingToAskError(Exception):
    """The two offer no operation in common; the message is one sentence."""


@dataclass(slots=True)
class Counts:
    """What became of the questions of one op."""

    same: int = 0
    differ: int = 0
    incomparable: int = 0
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
    asked: Counter[str] = field(default_factory=Counter)
    """Questions that both were asked, by kind."""
    differing: Counter[str] = field(default_factory=Counter)
    """Those of them that differ, by kind."""
    counts: dict[str, Counts] = field(default_factory=dict)
    unsupported: tuple[dict[str, Counter[str]], dict[str, Counter[str]]] = field(
        default_factory=lambda: ({}, {})
    )
    """Of either side: op to reasons, each with how many questions."""
    changes: Changes = field(default_factory=Changes)
    cut: list[str] = field(default_factory=list)
    """What there was no time for, a sentence each."""
    seconds: float = 0.0
    start_up_seconds: tuple[float, float] = (0.0, 0.0)
    finished: bool = False

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both, the old one first."""
        return self.old, self.new

    @property
    def total(self) -> int:
        """About how many questions there are."""
        return self._to_ask

    _to_ask: int = 0

    def offered(self) -> frozenset[str]:
        """What both offer, as far as a question is about it."""
        assert self.old.hello is not None
        assert self.new.hello is not None
        return self.old.hello.ops & self.new.hello.ops

    def lacking(self, side: Side) -> list[str]:
        """The spec's ops that a side does not offer."""
        named = side.hello.ops if side.hello else frozenset[str]()
        return [op.name for op in self.ops if op.name not in named]

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
            self._start()
            self._ask_all()
            self._ask_again()
            self.on_step("making the differing inputs small")
            self._make_small()
            self.finished = True
        finally:
            self.seconds = time.monotonic() - began
            for side in self.sides:
                side.stop()

    def _start(self) -> None:
        took = []
        for side in self.sides:
            self.on_step(f"starting {side.subject}")
            before = time.monotonic()
            side.start()
            took.append(time.monotonic() - before)
        self.start_up_seconds = (took[0], took[1])
        if not self.offered() & {op.name for op in self.ops}:
            raise NothingToAskError(
                f"{self.old.subject} and {self.new.subject} offer no operation of {self.spec} in common"
            )

    def _stream(self) -> Iterator[Question]:
        offered = self.offered()
        stream = questions(self.vectors, self.seed, self.inputs, offered)
        return (question for question in stream if question.name in offered)

    def _ask_all(self) -> None:
        self.on_step("asking both")
        offered = self.offered()
        asked = sum(vector.op.name in offered for vector in self.vectors)
        self._to_ask = asked + self.inputs
        stream = self._stream()
        ahead = 2 * self.old.settings.pipeline
        waiting: deque[Question] = deque()
        next_tick = 0.0
        while True:
            for question in itertools.islice(stream, ahead - len(waiting)):
                waiting.append(question)
                for side in self.sides:
                    side.submit(question, question.input)
            if not waiting:
                return
            old, new = (side.next_answer() for side in self.sides)
            self._take(waiting.popleft(), old, new)
            if (now := time.monotonic()) >= next_tick:
                next_tick = now + _TICK
                self.on_tick()

    def _take(self, question: Question, old: Answer, new: Answer) -> None:
        counts = self.counts.setdefault(question.name, Counts())
        self.asked[question.kind] += 1
        reached = [self._reached(place, question, answer) for place, answer in enumerate((old, new))]
        if not all(reached) or (isinstance(old, Failed) and isinstance(new, Failed)):
            counts.incomparable += 1
            return
        found = what_changed(question, question.input, old, new)
        if found is None:
            counts.same += 1
            return
        counts.differ += 1
        self.differing[question.kind] += 1
        self.changes.add(Differing(question, old, new), *found)

    def _reached(self, place: int, question: Question, answer: Answer) -> bool:
        """Notes what a side can't answer; whether it gave what can be compared."""
        if isinstance(answer, Unsupported):
            reason = answer.reason
        elif isinstance(answer, Failed) and answer.outcome == NOT_ASKED:
            reason = f"not asked: {answer.sentence}"
        else:
            return True
        reasons = self.unsupported[place].setdefault(question.name, Counter())
        reason = re.sub("[0-9]+", "N", reason)[:300]
        if reason not in reasons and len(reasons) >= _MOST_REASONS:
            reason = list(reasons)[-1]
        reasons[reason] += 1
        return False

    def _ask_again(self) -> None:
        """Asks again what a side gave no answer to: on a loaded machine a time-out may mean nothing."""
        failed = [change for change in self.changes.found if change.sort is Sort.FAILED]
        again = [one for change in failed for one in (*change.vectors, *change.kept)][:_MOST_AGAIN]
        if again:
            self.on_step("asking again what was not answered")
        hopeless = set[str]()
        for one in again:
            question = one.question
            if question.name in hopeless or not all(side.ready() for side in self.sides):
                continue
            for side in self.sides:
                side.submit(question, question.input)
            old, new = (side.next_answer() for side in self.sides)
            if not (isinstance(old, Ok | Refused) and isinstance(new, Ok | Refused)):
                hopeless.add(question.name)
                continue
            self.changes.drop(one)
            self.counts[question.name].differ -= 1
            self.differing[question.kind] -= 1
            self.asked[question.kind] -= 1
            self._take(question, old, new)

    def _make_small(self) -> None:
        until = time.monotonic() + _SMALL_SECONDS
        late = 0
        ranked = self.changes.ranked()
        for number, change in enumerate(ranked):
            # Each change gets its share of what is left: a long list must not starve its end.
            now = time.monotonic()
            share = (until - now) / (len(ranked) - number) if now < until else 0.0
            late += not make_examples(change, self.sides, now + max(share, 0.0))
            self.on_tick()
        if late:
            self.cut.append(f"examples of {late} change{'s' * (late != 1)} may be larger than need be")

    def interrupted(self) -> None:
        """Sees to it that each change has an example, whatever there was time for."""
        for change in self.changes.found:
            if not change.examples:
                make_examples(change, self.sides, 0.0)

    def failed(self) -> list[str]:
        """Which side failed to answer how often, a sentence each."""
        said = []
        for side in self.sides:
            for op, count in sorted(side.failures.items()):
                given_up = (
                    f", and was not asked it any more: {side.given_up[op]}" if op in side.given_up else ""
                )
                said.append(
                    f"{side.subject} failed to answer {op} {count} time{'s' * (count != 1)}{given_up}"
                )
            if side.dead:
                said.append(f"{side.subject}: {side.dead}")
        return said

    def difference_count(self) -> int:
        """How many questions differ."""
        return self.differing.total()

    def as_counts(self) -> dict[str, Any]:
        """What was asked and what differs, by kind."""
        return {kind: {"asked": self.asked[kind], "differ": self.differing[kind]} for kind in KINDS}
