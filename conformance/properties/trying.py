"""Tries one property: draws inputs, runs the check, and shrinks a failure within a time limit.

A normal run draws from a seed (``conformance.drawing.kept``), a hundred times as fast as hypothesis, and asks
about many inputs at once. With ``searching``, hypothesis draws: it varies earlier inputs, and asks about one
input after the other.

A check is a plain function that asks and reads the answer. To ask about many inputs at once, it runs until
its first unanswered request, and is restarted once the answers are available. So it must not modify its
input.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.drawing.kept import Kept, drawn_by, shrink
from conformance.judging.comparison import Level
from conformance.properties.asking import Ask, Asker, BrokenError, Exchange, NotOfferedError, SilentError
from conformance.properties.registry import Check
from conformance.runner.allowance import LIGHT
from conformance.wire.messages import Reply
from conformance.wire.text import shortened

__all__ = ["MOST_SILENCES", "SHRINKING_SECONDS", "AskAll", "Failure", "Trial", "seed_of", "try_property"]

AskAll = Callable[[Sequence[tuple[str, Any]]], list[Reply]]
"""Asks the runner several requests at once; returns the replies in order, up to the first failure."""

SHRINKING_SECONDS = 5.0
"""Seconds for shrinking a failure; a running request is still awaited."""
MOST_SILENCES = 3
"""The most requests of one property that may end in a crash, a time-out or a protocol error."""
_OUTCOMES = ("mismatch", "crash", "timeout", "protocol-error", "not-run")
_MOST_EVIDENCE = 100
"""The most exchanges of passing inputs to store."""
_BATCHES = (1, 4, 16, 64)
"""Batch sizes; the first are small, so that a broken or slow runner is noticed early."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One input for which the property does not hold."""

    given: Any
    outcome: str
    """mismatch, or crash, timeout, protocol-error, not-run."""
    sentence: str
    exchanges: tuple[Exchange, ...]
    """The exchanges, in order."""


@dataclass(slots=True)
class Trial:
    """The result of trying a property."""

    seed: int
    examples: int = 0
    """The number of distinct inputs tried, up to and including the first failure."""
    failure: Failure | None = None
    """The smallest failure found."""
    unsupported: tuple[str, str] | None = None
    """An unsupported op and the runner's reason, if there was no failure."""
    seconds: float = 0.0
    passed: deque[Exchange] = field(default_factory=lambda: deque(maxlen=_MOST_EVIDENCE))
    """Exchanges of inputs for which the property held."""
    environments: frozenset[str] | None = None
    """The environments in which it held for every input; None if they do not differ."""


def seed_of(property_id: str, seed: int) -> int:
    """The seed of one property in a run with this seed, independent of other properties."""
    return int.from_bytes(hashlib.sha256(f"{seed} {property_id}".encode()).digest()[:8], "big")


class _EnoughError(BaseException):
    """Ends a search; not an Exception, so that hypothesis does not treat it as a failure."""


class _UnansweredError(BaseException):
    """A check needs an answer that is not available yet; ``args`` are the op and its input."""


@functools.cache
def _error(outcome: str) -> type[Exception]:
    """An exception type for each outcome, since hypothesis never shrinks a failure into another type."""
    return type(f"{outcome}Error", (Exception,), {})


def _key(input_: Any) -> str:
    return json.dumps(input_, default=repr)


class _Attempt:
    """Runs the check on one input after another, each once, and measures the time."""

    def __init__(self, check: Check, ask: Ask, level: Level, trial: Trial, silences: int) -> None:
        self._check, self._ask, self._level, self._trial = check, ask, level, trial
        self._most_silences = silences
        self._known: dict[str, Failure | None] = {}
        self._failed_at: float | None = None
        self._silences = 0

    def __call__(self, input_: Any) -> bool:
        """Returns whether the input is new; raises if it fails."""
        before = len(self._known)
        if self.fails(input_):
            assert self._trial.failure is not None
            raise _error(self._trial.failure.outcome)
        return len(self._known) > before

    def fails(self, input_: Any) -> bool:
        """Whether an input fails; stores it as the failure."""
        failure = self._outcome(input_)
        self._trial.failure = failure or self._trial.failure
        return failure is not None

    def fails_alike(self, input_: Any) -> bool:
        """Whether an input fails with the same outcome as the stored failure; replaces it then."""
        failure = self._outcome(input_)
        assert self._trial.failure is not None
        if failure is None or failure.outcome != self._trial.failure.outcome:
            return False
        self._trial.failure = failure
        return True

    def smallest(self) -> Failure | None:
        """The shortest failure so far, for an interrupted search."""
        failures = ((len(key), failure) for key, failure in self._known.items() if failure is not None)
        return min(failures, key=lambda item: item[0], default=(0, None))[1]

    def _outcome(self, input_: Any) -> Failure | None:
        key = _key(input_)
        if key in self._known:
            return self._known[key]
        if self._failed_at is None:
            self._trial.examples += 1
        elif time.monotonic() - self._failed_at > SHRINKING_SECONDS or self._silences >= self._most_silences:
            raise _EnoughError
        failure = self._try(input_, self._ask)
        self._judged(key, failure)
        return failure

    def _judged(self, key: str, failure: Failure | None) -> None:
        self._known[key] = failure
        if failure is not None:
            self._silences += failure.outcome != "mismatch"
            self._failed_at = self._failed_at or time.monotonic()

    def first_failing(self, inputs: Sequence["_Input"], ask_all: AskAll) -> int | None:
        """Tries distinct inputs at once; returns the index of the first failure and stores it."""
        answers: list[list[Reply]] = [[] for _ in inputs]
        running = list(range(len(inputs)))
        while running:
            waiting: list[tuple[int, tuple[str, Any]]] = []
            for index in running:
                try:
                    failure = self._try(inputs[index].value, _answering(answers[index]))
                except _UnansweredError as wanted:
                    waiting.append((index, wanted.args))
                    continue
                self._judged(inputs[index].key, failure)
                if failure is not None:
                    self._trial.examples += index + 1
                    self._trial.failure = failure
                    return index
            if not waiting:
                break
            replies = ask_all([request for _, request in waiting])
            for (index, _), reply in zip(waiting, replies, strict=False):  # none after a failure
                answers[index].append(reply)
            running = [index for index, _ in waiting[: len(replies)]]
        self._trial.examples += len(inputs)
        return None

    def _try(self, input_: Any, ask: Ask) -> Failure | None:
        asker = Asker(ask, self._level)
        try:
            self._check.function(asker, input_)
        except NotOfferedError as error:
            op, reason = error.args
            self._trial.unsupported = (op, reason)
            return None
        except SilentError as error:
            outcome, sentence = error.args
            return Failure(input_, outcome, sentence, tuple(asker.exchanges))
        except BrokenError as error:
            return Failure(input_, "mismatch", str(error), tuple(asker.exchanges))
        except Exception as error:  # an answer of another shape than the op's
            sentence = f"an answer does not have the op's shape: {shortened(repr(error), 200)}"
            return Failure(input_, "mismatch", sentence, tuple(asker.exchanges))
        if asker.environments is not None:
            before = self._trial.environments
            self._trial.environments = asker.environments if before is None else before & asker.environments
        self._trial.passed.extend(exchange for exchange in asker.exchanges if exchange.reply.weight <= LIGHT)
        return None


def _answering(replies: Sequence[Reply]) -> Ask:
    """Answers a check from the replies so far, in order."""
    following = iter(replies)

    def next_reply(op: str, input_: Any) -> Reply:
        reply = next(following, None)
        if reply is None:
            raise _UnansweredError(op, input_)
        return reply

    return next_reply


@dataclass(frozen=True, slots=True)
class _Input:
    key: str
    """A key that is equal for equal inputs."""
    value: Any
    source: Kept


def _distinct(drawn: Iterator[tuple[Any, Kept]], count: int) -> Iterator[_Input]:
    """At most this many distinct inputs, from twice as many draws."""
    keys: set[str] = set()
    for value, source in itertools.islice(drawn, 2 * count):
        key = _key(value)
        if key not in keys:
            keys.add(key)
            yield _Input(key, value, source)
            if len(keys) == count:
                return


def try_property(
    check: Check,
    ask: Ask,
    *,
    seed: int,
    level: Level = Level.BYTES,
    examples: int | None = None,
    shrinking: bool = True,
    silences: int = MOST_SILENCES,
    ask_all: AskAll | None = None,
    searching: bool = False,
) -> Trial:
    """Tries a property on inputs drawn from ``seed``: ``examples`` of them, or the check's own number.

    A seed gives the same inputs for all runners with the same answers. After this many ``silences``, a
    failure is not shrunk further.

    Args:
        check: the property.
        ask: asks the runner one request.
        seed: the seed of the inputs.
        level: the level of comparison.
        examples: the number of inputs.
        shrinking: whether to shrink a failure.
        silences: the most requests without an answer.
        ask_all: asks several requests at once; without it, inputs are tried one by one.
        searching: whether hypothesis searches, one input after the other.
    """
    trial = Trial(seed)
    attempt = _Attempt(check, ask, level, trial, silences)
    began = time.monotonic()
    examples = examples or check.examples
    if searching:
        from conformance.drawing.by_hypothesis import search  # takes half a second to import

        try:
            with contextlib.suppress(*map(_error, _OUTCOMES)):
                search(check.draw, attempt, seed=seed, examples=examples, shrinking=shrinking)
        except _EnoughError:
            trial.failure = attempt.smallest()
    else:
        _try_usual(check, attempt, seed, examples, ask_all, shrinking=shrinking)
    trial.seconds = time.monotonic() - began
    if trial.failure is not None:
        trial.unsupported = None
    return trial


def _try_usual(
    check: Check, attempt: _Attempt, seed: int, examples: int, ask_all: AskAll | None, *, shrinking: bool
) -> None:
    inputs = _distinct(drawn_by(check.draw, seed), examples)
    failed: Kept | None = None
    if ask_all is None:
        failed = next((input_.source for input_ in inputs if attempt.fails(input_.value)), None)
    else:
        sizes = itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1]))
        while failed is None and (batch := list(itertools.islice(inputs, next(sizes)))):
            index = attempt.first_failing(batch, ask_all)
            failed = None if index is None else batch[index].source
    if failed is not None and shrinking:
        with contextlib.suppress(_EnoughError):
            shrink(check.draw, failed, attempt.fails_alike)
