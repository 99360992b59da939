"""A session with a runner, from start to end, for the command line and pytest.

The caller chooses vectors and receives verdicts. The session handles failing starts, interruptions, rephrased
vectors, and the environment that explains the answers.
"""

import datetime
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from conformance import interrupts
from conformance.judging.environments import AGREEING, Environments
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict
from conformance.run.dispatcher import Dispatcher, start_failure
from conformance.run.options import REPHRASED_SUFFIX, RunOptions, base_id
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello

__all__ = ["Rephrasing", "Session"]


_STEP = 64
"""How many vectors are prepared before checking again whether the runner has started."""


class Rephrasing(Protocol):
    """The rephrased vectors (``conformance.rephrasing``)."""

    @property
    def seed(self) -> int:
        """The seed that chooses them."""

    def rephrased(self, vector: Vector) -> Vector | None:
        """The rephrased vector; None if it is not chosen."""

    def remark(self, vector: Vector) -> str:
        """Explain a rephrased vector."""


@dataclass(slots=True)
class Session:
    """One runner, from its start to its end."""

    options: RunOptions
    every: Sequence[Vector]
    """The whole set, selected or not."""
    dispatcher: Dispatcher
    rephrasing: Rephrasing | None = None
    take: Callable[[Verdict], None] = lambda _: None
    """Called with each final verdict; some are final only at the end of the run."""
    hello: Hello | None = None
    problems: list[str] = field(default_factory=list)
    """A sentence for each problem not tied to a vector; any problem fails the run."""
    could_not_try: bool = False
    interrupted: str | None = None
    """A sentence on how far an interrupted run came, which has no verdict."""
    started_at: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )
    start_up_seconds: float = 0.0
    duration_seconds: float = 0.0
    environments: Environments = field(init=False)
    began: float = 0.0
    """When the first request was sent, by the monotonic clock."""
    judged_count: int = 0
    """The number of judged vectors."""
    _waiting: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts on vectors that depend on the environment."""
    _again: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts on rephrased vectors, which depend on the whole run if they are unsupported."""
    _partial: set[str] = field(default_factory=set)
    """The ops that hello offers but the runner does not fully support."""

    def __post_init__(self) -> None:
        self.environments = Environments(self.options.spec)

    @property
    def known(self) -> KnownFailures | None:
        """The run's list of known failures."""
        return self.dispatcher.known

    @property
    def seed(self) -> int | None:
        """The seed of rephrased vectors; None if there are none."""
        return None if self.rephrasing is None else self.rephrasing.seed

    def start(self, vectors: Sequence[Vector] = ()) -> None:
        """Starts the runner; meanwhile, prepares the vectors.

        Raises:
            RunnerStartError: it could not be tried; the session records that.
        """
        try:
            self.hello = self.dispatcher.start(self._prepare(vectors))
        except RunnerStartError as error:
            if interrupts.taken() is None:
                self.could_not_try = True
                self.problems.append(start_failure(error, self.options.command))
            raise
        self.start_up_seconds = self.dispatcher.start_up_seconds
        self.began = time.monotonic()

    def _prepare(self, vectors: Sequence[Vector]) -> Iterator[None]:
        """Rephrase and encode vectors in steps; the rest is done when they are asked."""
        for number, vector in enumerate(vectors):
            self._rephrased(vector)
            vector.tail  # noqa: B018 - caches the encoded form
            if not number % _STEP:
                yield

    def announce(self, vectors: Iterable[Vector]) -> None:
        """Announces vectors whose verdicts will be requested, in this order."""
        self.dispatcher.prefetch(self._in_order(vectors))

    def _in_order(self, vectors: Iterable[Vector]) -> Iterator[Vector]:
        """Yield the vectors, each followed by its rephrased version."""
        for vector in vectors:
            yield vector
            if (again := self._rephrased(vector)) is not None:
                yield again

    def _rephrased(self, vector: Vector) -> Vector | None:
        return None if self.rephrasing is None else self.rephrasing.rephrased(vector)

    def rephrased_verdict(self, verdict: Verdict) -> Verdict | None:
        """Return the verdict on the rephrased vector; None if there is none, or the vector did not pass."""
        rephrased = self._rephrased(verdict.vector) if verdict.outcome is Outcome.PASSED else None
        return None if rephrased is None else self.dispatcher.verdict(rephrased)

    def ask(self, vectors: Sequence[Vector], tick: Callable[[], None] = lambda: None) -> None:
        """Ask all vectors, calling ``tick`` after each; record a failed start and interruptions."""
        try:
            with interrupts.released():
                self.start(vectors)
                self.announce(vectors)
                for vector in vectors:
                    verdict = self.dispatcher.verdict(vector)
                    self.record(verdict)
                    if (again := self.rephrased_verdict(verdict)) is not None:
                        self.record(again)
                    tick()
        except (RunnerStartError, KeyboardInterrupt):
            if not self.could_not_try:  # otherwise by a signal before hello
                self.interrupted = f"interrupted after {self.judged_count:,} of {len(vectors):,} vectors"
        except BaseException:
            self.dispatcher.kill()
            raise

    def record(self, verdict: Verdict) -> None:
        """Record a verdict, from any process."""
        vector = verdict.vector
        if vector.id.endswith(REPHRASED_SUFFIX):
            self._again[vector.id] = verdict
            return
        self.judged_count += 1
        if verdict.outcome is Outcome.UNSUPPORTED:
            self._partial.add(vector.op.name)
        if verdict.each:
            self._hold(self._waiting, verdict)
        else:
            self.take(verdict)

    def _hold(self, waiting: dict[str, Verdict], verdict: Verdict) -> None:
        waiting[verdict.vector.id] = verdict
        right_in = [name for name, per_variant in verdict.each.items() if per_variant.outcome in AGREEING]
        self.environments.add(verdict.vector.id, right_in)

    def close(self, interrupted: str | None = None) -> None:
        """End the exchange, and pass on deferred verdicts; ``interrupted`` says if it was interrupted."""
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
                self.interrupted = self.interrupted or f"interrupted after {self.judged_count:,} vectors"
        if self.interrupted is not None:
            self.problems.append(self.interrupted)
        self._settle()

    def _settle(self) -> None:
        """Pass on deferred verdicts: on rephrased vectors, and those that depend on the environment."""
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
        """Return the final verdict on a rephrased vector, after all vectors are judged.

        A runner that supports every vector of an op must support the rephrased ones too.
        """
        partly = verdict.vector.op.name in self._partial
        if verdict.outcome is not Outcome.UNSUPPORTED or verdict.demanded or partly or self.options.shard:
            return verdict
        sentence = f"{verdict.sentence}, although it answers {base_id(verdict.vector.id)}"
        return replace(verdict, demanded=True, sentence=sentence)

    def supporting_vector(self, key: str) -> str | None:
        """Return a vector that supports the environment, for an answer that contradicts it, or None."""
        if key not in self.environments.against:
            return None
        return next((id_ for id_ in self.environments.distinguishing if id_ in self._waiting), None)
