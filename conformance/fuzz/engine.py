"""The loop of a fuzz run: draws inputs, asks, compares, groups disagreements by cause, shrinks them."""

import itertools
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.diagnosis.environments import agreeing_environments, environment_names
from conformance.diagnosis.giving import MistakeMatcher
from conformance.fuzz.asking import Asking, disagreement, open_talk, request_for
from conformance.fuzz.causes import Cause, Causes, Disagreement
from conformance.fuzz.expected import AGREED, Reference, holds_half_a_pair, parsed
from conformance.fuzz.inputs import Drawn, Inputs
from conformance.judging.environments import variants_of
from conformance.registry.ops import OPS
from conformance.registry.spec import MAIN
from conformance.run.options import RunOptions
from conformance.runner.conversation import Settings
from conformance.runner.hello import NoTimeError
from conformance.runner.one_shot import Talk
from conformance.suite.vectors import Vector
from conformance.wire.messages import BadReplyError, Failed, Hello, Ok, Reply, Unsupported

__all__ = ["SAMPLE", "Fuzz", "FuzzError", "Plan"]

_TICK = 0.1
"""Seconds between two progress updates."""
_GRACE = 1.0
"""Seconds to wait for outstanding replies when the time is over."""
_NO_AGREEMENT = 500
"""A runner that gets this many inputs wrong from the start, and none right, is not asked further."""
_MOST_FAILURES = 200
"""The number of crashes, time-outs and broken replies after which a runner is not asked further."""
_SHRINK_SECONDS = 5.0
"""The longest time spent on one counterexample."""
_SHRINK_SHARE = 0.4
"""The share of ``--time`` for all counterexamples together."""
_SHRINK_ALL = 60.0
"""Seconds for all counterexamples together without ``--time``."""
_DIAGNOSIS_SHARE = 0.15
"""The share of ``--time`` reserved for the diagnosis, if there is something to diagnose."""
_DIAGNOSIS_LEAST = 1.0
_DIAGNOSIS_MOST = 10.0
"""Bounds of that share, in seconds."""
SAMPLE = 100
"""Correctly answered inputs stored per op, as evidence for the diagnosis."""
_SAMPLE_BYTES = 8192


class FuzzError(Exception):
    """Nothing to fuzz; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run."""

    options: RunOptions
    settings: Settings
    """The options for starting the runner."""
    seed: int
    ops: Sequence[str]
    vectors: Sequence[Vector]
    """The vectors to derive inputs from."""
    seconds: float | None
    inputs: int | None


@dataclass(slots=True)
class Fuzz:
    """One run and its findings so far."""

    plan: Plan
    on_tick: Callable[[], None] = lambda: None
    on_cause: Callable[[Cause], None] = lambda _: None
    """Called with each new cause, and again once its counterexample is shrunk."""
    hello: Hello | None = None
    agreed: Counter[str] = field(default_factory=Counter)
    disagreed: Counter[str] = field(default_factory=Counter)
    unsupported: Counter[str] = field(default_factory=Counter)
    incomparable: int = 0
    """Inputs whose expected answer does not fit into a message."""
    failures: int = 0
    stopped: str | None = None
    """Why the run ended early, in a sentence."""
    seconds: float = 0.0
    start_up_seconds: float = 0.0
    looking_seconds: float = 0.0
    """Seconds spent on grouping and shrinking disagreements."""
    until: float = math.inf
    """The deadline of the whole run, including the diagnosis, by the monotonic clock."""
    not_fully_shrunk: int = 0
    """Counterexamples that there was no time to shrink fully."""
    unanswered: int = 0
    """Inputs whose replies were outstanding when the time was over."""
    sample: dict[str, list[tuple[Drawn, bytes]]] = field(default_factory=dict)
    """Correctly answered inputs by op, with the expected replies."""
    environments: frozenset[str] = frozenset()
    """The environments in which every answer so far is right; none if they are mixed."""
    distinguishing: int = 0
    """The number of inputs that distinguish environments."""
    causes: Causes = field(init=False)
    _shows: tuple[bytes, ...] = ()
    _asking: Asking = field(init=False)
    _reference: Reference = field(init=False)
    _began: float = 0.0
    _next_tick: float = 0.0

    def __post_init__(self) -> None:
        plan = self.plan
        self.environments = environment_names(plan.options.spec)
        self._shows = tuple(variant.shows.encode() for variant in variants_of(plan.options.spec).values())
        matcher = MistakeMatcher(plan.options.level)
        self._reference = Reference(plan.options.spec)
        self.causes = Causes(plan.options.level, matcher, plan.options.spec)
        self._asking = Asking(plan.options, plan.settings, self._reference, matcher)

    @property
    def compared(self) -> int:
        """The number of inputs on which runner and reference were compared."""
        return self.agreed.total() + self.disagreed.total()

    @property
    def asking_until(self) -> float:
        """When asking ends: earlier if something was found, to leave time for the diagnosis."""
        if self.plan.seconds is None or not self.causes.found:
            return self.until
        share = max(_DIAGNOSIS_LEAST, min(_DIAGNOSIS_SHARE * self.plan.seconds, _DIAGNOSIS_MOST))
        return self.until - min(share, self.plan.seconds / 2)

    @property
    def rate(self) -> float:
        """Comparisons per second, without the time spent on disagreements."""
        seconds = self.seconds - self.looking_seconds
        return self.compared / seconds if seconds > 0 else 0.0

    @property
    def asked_ops(self) -> list[str]:
        """The requested ops that hello names."""
        named = self.hello.ops if self.hello else frozenset()
        return [op for op in self.plan.ops if op in named]

    def run(self) -> None:
        """Asks until time or inputs run out, or the runner is given up.

        Findings up to an interruption are kept.

        Raises:
            RunnerStartError: the runner could not be tried.
            FuzzError: hello names none of the requested ops.
        """
        plan = self.plan
        talk = open_talk(plan.settings, oneshot=plan.options.oneshot)
        before = time.monotonic()
        try:
            self.hello = talk.start()
            self._began = time.monotonic()
            self.start_up_seconds = self._began - before
            if not self.asked_ops:
                raise FuzzError("the runner's hello names none of the ops to ask: nothing was compared")
            self._asking.hello = self.hello
            self._loop(talk)
            if self.stopped is None:
                talk.finish()
        finally:
            if self._began:
                self.seconds = time.monotonic() - self._began
            talk.kill()
            self._asking.close()

    def _loop(self, talk: Talk) -> None:
        plan = self.plan
        stream = iter(Inputs(plan.seed, self.asked_ops, plan.vectors, plan.options.spec))
        if plan.inputs is not None:
            stream = itertools.islice(stream, plan.inputs)
        if plan.seconds is not None:
            self.until = self._began + plan.seconds
        ahead = 2 * plan.settings.pipeline
        waiting: deque[tuple[Drawn, bytes]] = deque()
        while self.stopped is None:
            now, until = time.monotonic(), self.asking_until
            if now < until:
                for drawn in itertools.islice(stream, ahead - len(waiting)):
                    waiting.append((drawn, self._submit(talk, drawn)))
            if not waiting:
                return
            talk.until = until + _GRACE
            try:
                reply = talk.next_reply()
            except NoTimeError:
                self.unanswered = len(waiting)
                return
            self._count_reply(*waiting.popleft(), reply)
            if now >= self._next_tick:
                self._next_tick = now + _TICK
                self.seconds = now - self._began
                self.on_tick()

    def _submit(self, talk: Talk, drawn: Drawn) -> bytes:
        assert self.hello is not None
        expected = self._reference.reply(drawn.op, drawn.input)
        talk.submit(request_for(drawn.op, drawn.input, expected, self.hello))
        return expected

    def _count_reply(self, drawn: Drawn, expected: bytes, reply: Reply) -> None:
        """Counts one reply, and examines a disagreement."""
        judged = None
        right_in = self._environments_agreeing(drawn, expected, reply)
        if reply.answer is not AGREED and not right_in:
            if isinstance(reply.answer, Unsupported):
                if holds_half_a_pair(expected):  # not every language can represent it as a string
                    self.incomparable += 1
                else:
                    self.unsupported[drawn.op] += 1
                return
            if isinstance(reply.answer, Failed) and reply.answer.outcome == "not-run":
                self.stopped = reply.answer.sentence.removeprefix("not run: ")
                return
            try:
                judged = disagreement(
                    drawn.number, drawn.op, drawn.input, drawn.base, expected, reply, self.plan.options.level
                )
            except BadReplyError:
                self.incomparable += 1
                return
        if judged is None:
            self.agreed[drawn.op] += 1
            if right_in is None or MAIN in right_in:
                self._keep(drawn, expected)
        else:
            self.disagreed[drawn.op] += 1
            began = time.monotonic()
            try:
                self._examine(*judged)
            finally:
                self.looking_seconds += time.monotonic() - began

    def _environments_agreeing(self, drawn: Drawn, expected: bytes, reply: Reply) -> frozenset[str] | None:
        """The environments in which a reply is right; None if it distinguishes none."""
        if reply.answer is AGREED and self.environments == {MAIN}:  # does not distinguish others
            return None
        if not isinstance(reply.answer, Ok) or not any(shows in expected for shows in self._shows):
            return None
        try:
            right = parsed(expected)
        except BadReplyError:
            return None
        free, options = OPS[drawn.op].free_order(drawn.input, right), self.plan.options
        actual = right if reply.answer is AGREED else reply.answer
        right_in = agreeing_environments(
            drawn.op, drawn.input, right, actual, options.level, free, spec=options.spec
        )
        if not right_in:
            return None
        self.distinguishing += 1
        self.environments &= right_in
        return right_in

    def _keep(self, drawn: Drawn, expected: bytes) -> None:
        """Stores the first of the correctly answered inputs."""
        kept = self.sample.setdefault(drawn.op, [])
        if len(kept) < SAMPLE and len(expected) <= _SAMPLE_BYTES:
            kept.append((drawn, expected))

    def _examine(self, disagreement: Disagreement, kind: str) -> None:
        cause, new = self.causes.add(disagreement, kind)
        if self.causes.count == self.plan.options.max_failures:
            self.stopped = f"--max-failures was reached, {self.causes.count}"
        if isinstance(disagreement.actual, Failed):
            self.failures += 1
            if self.failures >= _MOST_FAILURES:
                self.stopped = f"the runner failed to answer {self.failures} times"
        if not self.agreed and self.causes.count >= _NO_AGREEMENT:
            self.stopped = f"the runner got all of the first {self.causes.count} inputs wrong"
        if not new:
            return
        self.on_cause(cause)
        self._shrink(cause, kind)
        if not self.causes.merge_if_repeated(cause):
            self.on_cause(cause)

    def _shrink(self, cause: Cause, kind: str) -> None:
        budget = _SHRINK_ALL if self.plan.seconds is None else _SHRINK_SHARE * self.plan.seconds
        seconds = min(_SHRINK_SECONDS, budget - self.looking_seconds, self.asking_until - time.monotonic())
        if seconds <= 0:
            self.not_fully_shrunk += 1
            return
        shrunk = self._asking.shrunk(cause.examples[0], kind, cause, seconds)
        self.not_fully_shrunk += self._asking.cut_short
        cause.smallest, cause.repeats = shrunk, shrunk is not None
