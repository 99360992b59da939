"""Trying one property: inputs are drawn, the check asks, and a failure is shrunk within a bounded time.

A usual run draws from a seed (``conformance.drawing.kept``), in a hundredth of hypothesis's time, and asks
for many inputs at once. Where more is wanted (``searching``), hypothesis draws: it varies what it drew
before, and asks for one input after the other.

A check is a plain function that asks and reads the answer. To ask for many inputs at once, it is run until it
asks what is not answered yet, and run again from its beginning when the answers are there: so it must not
change its input.
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
from typing import TYPE_CHECKING, Any

from conformance.drawing.kept import Kept, drawn_by, shrink
from conformance.judging.comparison import Level
from conformance.properties.asking import Ask, Asker, BrokenError, Exchange, NotOfferedError, SilentError
from conformance.properties.registry import Check
from conformance.runner.allowance import LIGHT
from conformance.wire.messages import Reply
from conformance.wire.text import shortened

if TYPE_CHECKING:
    from conformance.properties.databases import Keyed

__all__ = ["MOST_SILENCES", "SHRINKING_SECONDS", "AskAll", "Failure", "Trial", "seed_of", "try_property"]

AskAll = Callable[[Sequence[tuple[str, Any]]], list[Reply]]
"""Asks the runner several requests at once; the replies in order, ending with the first that failed."""

SHRINKING_SECONDS = 5.0
"""How long a failure may be made smaller; a running request is waited for."""
MOST_SILENCES = 3
"""How many requests of one property may end in a crash, a time-out or a protocol error."""
_OUTCOMES = ("mismatch", "crash", "timeout", "protocol-error", "not-run")
_MOST_EVIDENCE = 100
"""How many exchanges of inputs that passed are kept."""
_BATCHES = (1, 4, 16, 64)
"""How many inputs are asked for at once, first few: a runner that is always wrong, or slow, shows it soon."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One input for which the property does not hold."""

    given: Any
    outcome: str
    """mismatch, or crash, timeout, protocol-error, not-run."""
    sentence: str
    exchanges: tuple[Exchange, ...]
    """What was asked, in order."""


@dataclass(slots=True)
class Trial:
    """What came of trying a property."""

    seed: int
    examples: int = 0
    """How many different inputs were tried before the first failure, it included."""
    failure: Failure | None = None
    """The smallest that was found."""
    unsupported: tuple[str, str] | None = None
    """An op that the runner did not offer after all, and what it said; no failure was found then."""
    seconds: float = 0.0
    passed: deque[Exchange] = field(default_factory=lambda: deque(maxlen=_MOST_EVIDENCE))
    """Exchanges of inputs for which it held."""
    environments: frozenset[str] | None = None
    """The environments in which it held for every input; None where they all answer alike."""


def seed_of(property_id: str, seed: int) -> int:
    """The seed of one property in a run with this seed: each has its own, whichever others are tried."""
    return int.from_bytes(hashlib.sha256(f"{seed} {property_id}".encode()).digest()[:8], "big")


class _EnoughError(BaseException):
    """Ends a search; not an Exception, so that it is no failure to hypothesis."""


class _UnansweredError(BaseException):
    """A check asks what is not answered yet; ``args`` are the op and its input."""


@functools.cache
def _error(outcome: str) -> type[Exception]:
    """An exception type for each outcome: hypothesis never shrinks a failure into one of another type."""
    return type(f"{outcome}Error", (Exception,), {})


def _key(given: Any) -> str:
    return json.dumps(given, default=repr)


class _Attempt:
    """Runs the check on one input after another, each once, and keeps count of the time."""

    def __init__(self, check: Check, ask: Ask, level: Level, trial: Trial, silences: int) -> None:
        self._check, self._ask, self._level, self._trial = check, ask, level, trial
        self._most_silences = silences
        self._known: dict[str, Failure | None] = {}
        self._failed_at: float | None = None
        self._silences = 0

    def __call__(self, given: Any) -> bool:
        """Whether the input is a new one; raises where it fails."""
        before = len(self._known)
        if self.fails(given):
            assert self._trial.failure is not None
            raise _error(self._trial.failure.outcome)
        return len(self._known) > before

    def fails(self, given: Any) -> bool:
        """Whether an input fails; it is the failure then."""
        failure = self._outcome(given)
        if failure is not None:
            self._trial.failure = failure
        return failure is not None

    def fails_alike(self, given: Any) -> bool:
        """Whether an input fails with the outcome of the failure so far; it is the failure then."""
        failure = self._outcome(given)
        assert self._trial.failure is not None
        if failure is None or failure.outcome != self._trial.failure.outcome:
            return False
        self._trial.failure = failure
        return True

    def smallest(self) -> Failure | None:
        """The shortest failure so far, for where the search was ended."""
        failures = ((len(key), failure) for key, failure in self._known.items() if failure is not None)
        return min(failures, key=lambda item: item[0], default=(0, None))[1]

    def _outcome(self, given: Any) -> Failure | None:
        key = _key(given)
        if key in self._known:
            return self._known[key]
        if self._failed_at is None:
            self._trial.examples += 1
        elif time.monotonic() - self._failed_at > SHRINKING_SECONDS or self._silences >= self._most_silences:
            raise _EnoughError
        failure = self._try(given, self._ask)
        self._judged(key, failure)
        return failure

    def _judged(self, key: str, failure: Failure | None) -> None:
        self._known[key] = failure
        if failure is not None:
            self._silences += failure.outcome != "mismatch"
            if self._failed_at is None:
                self._failed_at = time.monotonic()

    def first_failing(self, inputs: Sequence["_Input"], ask_all: AskAll) -> int | None:
        """Tries different inputs at once; the place of the first that fails, which is then the failure."""
        answers: list[list[Reply]] = [[] for _ in inputs]
        running = list(range(len(inputs)))
        while running:
            asked: list[tuple[int, tuple[str, Any]]] = []
            for place in running:
                try:
                    failure = self._try(inputs[place].given, _answering(answers[place]))
                except _UnansweredError as wanted:
                    asked.append((place, wanted.args))
                    continue
                self._judged(inputs[place].key, failure)
                if failure is not None:
                    self._trial.examples += place + 1
                    self._trial.failure = failure
                    return place
            if not asked:
                break
            replies = ask_all([request for _, request in asked])
            for (place, _), reply in zip(
                asked, replies, strict=False
            ):  # those behind a failure are not asked
                answers[place].append(reply)
            running = [place for place, _ in asked[: len(replies)]]
        self._trial.examples += len(inputs)
        return None

    def _try(self, given: Any, ask: Ask) -> Failure | None:
        asker = Asker(ask, self._level)
        try:
            self._check.function(asker, given)
        except NotOfferedError as error:
            op, reason = error.args
            self._trial.unsupported = (op, reason)
            return None
        except SilentError as error:
            outcome, sentence = error.args
            return Failure(given, outcome, sentence, tuple(asker.exchanges))
        except BrokenError as error:
            return Failure(given, "mismatch", str(error), tuple(asker.exchanges))
        except Exception as error:  # an answer of another shape than the op's
            sentence = f"an answer is not of the op's shape: {shortened(repr(error), 200)}"
            return Failure(given, "mismatch", sentence, tuple(asker.exchanges))
        if asker.environments is not None:
            before = self._trial.environments
            self._trial.environments = asker.environments if before is None else before & asker.environments
        self._trial.passed.extend(one for one in asker.exchanges if one.reply.weight <= LIGHT)
        return None


def _answering(replies: Sequence[Reply]) -> Ask:
    """Answers a check with the replies so far, in order."""
    following = iter(replies)

    def ask(op: str, given: Any) -> Reply:
        reply = next(following, None)
        if reply is None:
            raise _UnansweredError(op, given)
        return reply

    return ask


@dataclass(frozen=True, slots=True)
class _Input:
    key: str
    """The same for the same input."""
    given: Any
    source: Kept


def _different(drawn: Iterator[tuple[Any, Kept]], count: int) -> Iterator[_Input]:
    """At most so many different inputs, out of twice as many draws."""
    seen: set[str] = set()
    for given, source in itertools.islice(drawn, 2 * count):
        key = _key(given)
        if key not in seen:
            seen.add(key)
            yield _Input(key, given, source)
            if len(seen) == count:
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
    database: "Keyed | None" = None,
) -> Trial:
    """Tries a property with inputs that ``seed`` decides: ``examples`` of them, or as many as it names.

    The same seed draws the same inputs from every runner that answers the same. After so many ``silences``
    a failure is not made smaller any more.

    Args:
        check: the property.
        ask: asks the runner one request.
        seed: what the inputs depend on.
        level: how strictly answers are compared.
        examples: how many inputs.
        shrinking: whether a failure is made smaller.
        silences: how many requests may be met with silence.
        ask_all: asks it several at once; without it the inputs are tried one by one.
        searching: whether hypothesis draws, from what it drew before, one input after the other.
        database: inputs that failed elsewhere, to begin such a search with, and where those that fail go.
    """
    trial = Trial(seed)
    attempt = _Attempt(check, ask, level, trial, silences)
    began = time.monotonic()
    examples = examples or check.examples
    if searching:
        from conformance.drawing.by_hypothesis import search  # takes half a second to import

        tried = attempt if database is None else database.kept_unless_interrupted(attempt)
        try:
            with contextlib.suppress(*map(_error, _OUTCOMES)):
                search(
                    *(check.draw, tried),
                    seed=seed,
                    examples=examples,
                    shrinking=shrinking,
                    database=database,
                )
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
    inputs = _different(drawn_by(check.draw, seed), examples)
    failed: Kept | None = None
    if ask_all is None:
        failed = next((one.source for one in inputs if attempt.fails(one.given)), None)
    else:
        for size in itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1])):
            batch = list(itertools.islice(inputs, size))
            if not batch:
                break
            place = attempt.first_failing(batch, ask_all)
            if place is not None:
                failed = batch[place].source
                break
    if failed is not None and shrinking:
        with contextlib.suppress(_EnoughError):
            shrink(check.draw, failed, attempt.fails_alike)
