"""Trying one property: hypothesis draws, the check asks, and a failure is shrunk within a bounded time."""

import contextlib
import functools
import hashlib
import json
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from conformance.drawing.by_hypothesis import search
from conformance.judging.comparison import Level
from conformance.properties.asking import Ask, Asker, BrokenError, Exchange, NotOfferedError, SilentError
from conformance.properties.registry import Check
from conformance.wire.text import shortened

__all__ = ["MOST_SILENCES", "SHRINKING_SECONDS", "Failure", "Trial", "seed_of", "try_property"]

SHRINKING_SECONDS = 5.0
"""How long a failure may be made smaller; a running request is waited for."""
MOST_SILENCES = 3
"""How many requests of one property may end in a crash, a time-out or a protocol error."""
_OUTCOMES = ("mismatch", "crash", "timeout", "protocol-error", "not-run")
_MOST_EVIDENCE = 100
"""How many exchanges of inputs that passed are kept."""


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


def seed_of(property_id: str, seed: int) -> int:
    """The seed of one property in a run with this seed: each has its own, whichever others are tried."""
    return int.from_bytes(hashlib.sha256(f"{seed} {property_id}".encode()).digest()[:8], "big")


class _EnoughError(BaseException):
    """Ends hypothesis's search; not an Exception, so that it is no failure to hypothesis."""


@functools.cache
def _error(outcome: str) -> type[Exception]:
    """An exception type for each outcome: hypothesis never shrinks a failure into one of another type."""
    return type(f"{outcome}Error", (Exception,), {})


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
        failure = self._outcome(given)
        if failure is not None:
            self._trial.failure = failure
            raise _error(failure.outcome)
        return len(self._known) > before

    def smallest(self) -> Failure | None:
        """The shortest failure so far, for where the search was ended."""
        failures = ((len(key), failure) for key, failure in self._known.items() if failure is not None)
        return min(failures, key=lambda item: item[0], default=(0, None))[1]

    def _outcome(self, given: Any) -> Failure | None:
        key = json.dumps(given, default=repr)
        if key in self._known:
            return self._known[key]
        if self._failed_at is None:
            self._trial.examples += 1
        elif time.monotonic() - self._failed_at > SHRINKING_SECONDS or self._silences >= self._most_silences:
            raise _EnoughError
        failure = self._try(given)
        self._known[key] = failure
        if failure is not None:
            self._silences += failure.outcome != "mismatch"
            if self._failed_at is None:
                self._failed_at = time.monotonic()
        return failure

    def _try(self, given: Any) -> Failure | None:
        asker = Asker(self._ask, self._level)
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
        self._trial.passed.extend(asker.exchanges)
        return None


def try_property(
    check: Check,
    ask: Ask,
    *,
    seed: int,
    level: Level = Level.BYTES,
    examples: int | None = None,
    shrinking: bool = True,
    silences: int = MOST_SILENCES,
) -> Trial:
    """Tries a property with inputs that ``seed`` decides: ``examples`` of them, or as many as it is due.

    The same seed draws the same inputs from every runner that answers the same. After so many ``silences``
    a failure is not made smaller any more.
    """
    trial = Trial(seed)
    attempt = _Attempt(check, ask, level, trial, silences)
    began = time.monotonic()
    try:
        with contextlib.suppress(*map(_error, _OUTCOMES)):
            search(check.draw, attempt, seed=seed, examples=examples or check.examples, shrinking=shrinking)
    except _EnoughError:
        trial.failure = attempt.smallest()
    trial.seconds = time.monotonic() - began
    if trial.failure is not None:
        trial.unsupported = None
    return trial
