"""A session with a runner: opened, asked, closed, the same for every face of the kit.

A face chooses vectors and takes verdicts. What is between them is here: the start that fails, the end that a
user or a signal makes, what is asked again in other words, and the environment that explains the answers.
"""

import datetime
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance import interrupts
from conformance.judging.environments import AGREEING
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict
from conformance.run.dispatcher import Dispatcher, start_failure
from conformance.run.environments import Environments
from conformance.run.options import AGAIN, RunOptions, base_id
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello

__all__ = ["Rephrasing", "Session"]


class Rephrasing(Protocol):
    """Which vectors are asked again in other words (``conformance.rephrasing``)."""

    @property
    def seed(self) -> int:
        """What decides which they are."""

    def of(self, vector: Vector) -> Vector | None:
        """The vector in other words; None where it is not asked again."""


@dataclass(slots=True)
class Session:
    """One runner, from its start to its end."""

    options: RunOptions
    every: Sequence[Vector]
    """The whole set, of which some are asked."""
    dispatcher: Dispatcher
    rephrasing: Rephrasing | None = None
    take: Callable[[Verdict], None] = lambda _: None
    """Hears each verdict once it is final, some only at the end of the run."""
    hello: Hello | None = None
    problems: list[str] = field(default_factory=list)
    """What went wrong apart from any one vector, a sentence each; any problem fails the run."""
    could_not_try: bool = False
    interrupted: str | None = None
    """How far the run had come when somebody ended it: there is no verdict then."""
    started_at: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )
    start_up_seconds: float = 0.0
    duration_seconds: float = 0.0
    environments: Environments = field(init=False)
    began: float = 0.0
    """When the runner was asked first, by the monotonic clock."""
    taken: int = 0
    """How many vectors were judged."""
    _waiting: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts on vectors that depend on the environment."""
    _again: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts on what was asked again: whether unsupported fails there, the whole run decides."""
    _partial: set[str] = field(default_factory=set)
    """The ops of which hello offers what the runner does not support throughout."""

    def __post_init__(self) -> None:
        self.environments = Environments(self.options.spec)

    @property
    def known(self) -> KnownFailures | None:
        """The list that the run is held to."""
        return self.dispatcher.known

    @property
    def seed(self) -> int | None:
        """What decides what is asked again; None where nothing is."""
        return None if self.rephrasing is None else self.rephrasing.seed

    def start(self) -> None:
        """Starts the runner.

        Raises:
            RunnerStartError: it could not be tried; the session knows it, too.
        """
        try:
            self.hello = self.dispatcher.start()
        except RunnerStartError as error:
            if interrupts.taken() is None:
                self.could_not_try = True
                self.problems.append(start_failure(error, self.options.command))
            raise
        self.start_up_seconds = self.dispatcher.start_up_seconds
        self.began = time.monotonic()

    def ahead(self, vectors: Iterable[Vector]) -> None:
        """Hears of vectors whose verdicts will be wanted, in this order."""
        self.dispatcher.prefetch(self._in_order(vectors))

    def _in_order(self, vectors: Iterable[Vector]) -> Iterator[Vector]:
        """The vectors, each followed by the same in other words: these are chosen while the runner works."""
        for vector in vectors:
            yield vector
            if (again := self._rephrased(vector)) is not None:
                yield again

    def _rephrased(self, vector: Vector) -> Vector | None:
        return None if self.rephrasing is None else self.rephrasing.of(vector)

    def again(self, verdict: Verdict) -> Verdict | None:
        """The verdict on a vector in other words; None where it is not asked again, or did not pass."""
        asked = self._rephrased(verdict.vector) if verdict.outcome is Outcome.PASSED else None
        return None if asked is None else self.dispatcher.verdict(asked)

    def ask(self, vectors: Sequence[Vector], tick: Callable[[], None] = lambda: None) -> None:
        """Asks for all of them, and ticks at each. What prevents that is known afterwards, not raised."""
        try:
            with interrupts.released():
                self.start()
                self.ahead(vectors)
                for vector in vectors:
                    verdict = self.dispatcher.verdict(vector)
                    self.took(verdict)
                    if (again := self.again(verdict)) is not None:
                        self.took(again)
                    tick()
        except (RunnerStartError, KeyboardInterrupt):
            if not self.could_not_try:  # else by a signal, before it had said hello
                self.interrupted = f"interrupted after {self.taken:,} of {len(vectors):,} vectors"
        except BaseException:
            self.dispatcher.kill()
            raise

    def took(self, verdict: Verdict) -> None:
        """Takes a verdict, in whichever process it was found."""
        vector = verdict.vector
        if vector.id.endswith(AGAIN):
            self._again[vector.id] = verdict
            return
        self.taken += 1
        if verdict.outcome is Outcome.UNSUPPORTED:
            self._partial.add(vector.op.name)
        if verdict.each:
            self._hold(self._waiting, verdict)
        else:
            self.take(verdict)

    def _hold(self, waiting: dict[str, Verdict], verdict: Verdict) -> None:
        waiting[verdict.vector.id] = verdict
        right_in = [name for name, one in verdict.each.items() if one.outcome in AGREEING]
        self.environments.add(verdict.vector.id, right_in)

    def close(self, interrupted: str | None = None) -> None:
        """Ends the exchange, and settles what waited for that; ``interrupted`` where somebody ended it."""
        self.interrupted = self.interrupted or interrupted
        if self.began:
            self.duration_seconds = time.monotonic() - self.began
        with interrupts.ending():
            try:
                if self.interrupted is not None:
                    self.dispatcher.kill()
                with interrupts.released():
                    self.problems += self.dispatcher.finish()
            except KeyboardInterrupt:
                self.dispatcher.kill()
                self.interrupted = self.interrupted or f"interrupted after {self.taken:,} vectors"
        if self.interrupted is not None:
            self.problems.append(self.interrupted)
        self._settle()

    def _settle(self) -> None:
        """Hands on what waited: what was asked again, and what the environment decides."""
        waiting = dict(self._waiting)
        for verdict in map(self._settled, self._again.values()):
            if verdict.each:
                self._hold(waiting, verdict)
            else:
                self.take(verdict)
        self.environments.settle()
        for key, verdict in waiting.items():
            final = verdict.each[self.environments.chosen]
            if key in self.environments.against:
                final = replace(final, sentence=self.environments.mixing(key))
            self.take(final)

    def _settled(self, verdict: Verdict) -> Verdict:
        """The verdict on what was asked again, when all vectors are judged.

        Whoever supports every vector of an op has no reason to say unsupported to the same in other words.
        """
        partly = verdict.vector.op.name in self._partial
        if verdict.outcome is not Outcome.UNSUPPORTED or verdict.demanded or partly or self.options.shard:
            return verdict
        sentence = f"{verdict.sentence}, though it answers {base_id(verdict.vector.id)}"
        return replace(verdict, demanded=True, sentence=sentence)

    def beside(self, key: str) -> str | None:
        """For what speaks against the environment that explains the run, a vector that speaks for it."""
        if key not in self.environments.against:
            return None
        return next((other for other in self.environments.telling if other in self._waiting), None)
