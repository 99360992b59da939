"""Finds the command that repeats a failure, even one that depends on earlier requests.

A runner that keeps state between requests may crash on its seventh, or only after a certain other one. The
vector alone, asked in a new process, would then pass, and its ``repeat:`` would mislead. So a vector with a
crash, a time-out or a protocol error is asked again alone; if it is answered, the earlier requests are asked
too, and halved as long as it still fails. A run has a fixed number of such tries, and a fixed time for them.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.judging.verdict import Outcome, Verdict
from conformance.option_names import option
from conformance.paths import vectors_dir
from conformance.run.options import (
    REPHRASED_SUFFIX,
    RunOptions,
    base_id,
    repeat_vector,
)
from conformance.run.session import Session
from conformance.runner.conversation import Conversation, RunnerStartError
from conformance.suite.vectors import Vector, is_of_kit
from conformance.wire.messages import Failed

__all__ = ["Repeat", "Repeats"]

_BROKEN = {Outcome.CRASH: "crash", Outcome.TIMEOUT: "time-out", Outcome.PROTOCOL_ERROR: "protocol error"}
"""The outcomes of a failed exchange."""
_TRIES = 80
"""The most restarts of a runner for this, for all failures together."""
_SECONDS = 20.0
"""Seconds for all failures together."""


_FEW = 10
"""The most vectors that a command lists if a number can replace them."""


class _SpentError(Exception):
    """No tries or no time left."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """How to repeat a failure."""

    command: str
    before: str = ""
    """A remark about earlier requests; empty if the vector alone repeats it."""


class Repeats:
    """Finds the commands that repeat the failures of one run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._dispatcher = session.dispatcher
        self._by_id = {vector.id: vector for vector in session.every}
        self._tries = _TRIES
        self._seconds = _SECONDS
        self._why_spent = "other failures used up the time for that"

    @property
    def _options(self) -> RunOptions:
        return self._dispatcher.options

    def stop(self) -> None:
        """Starts no more runners, since the run was interrupted."""
        self._tries, self._why_spent = 0, "the run was interrupted"

    def of(self, verdict: Verdict) -> Repeat:
        """The command for one failure; may ask the runner again."""
        vector, rephrasing = verdict.vector, self._session.rephrasing
        if rephrasing is not None and vector.id.endswith(REPHRASED_SUFFIX):
            words = ["--again-seed", str(rephrasing.seed)]
            return Repeat(repeat_vector(self._options, vector, words=words), rephrasing.remark(vector))
        if (after := self._session.supporting_vector(vector.id)) is not None:
            return Repeat(self._in_order(self._by_id[after], vector))
        alone = repeat_vector(self._options, vector)
        keys = self._dispatcher.before.get(vector.id, ())
        outcome = verdict.actual or verdict.outcome  # the original outcome of a flaky one
        if outcome not in _BROKEN or not keys:
            return Repeat(alone)
        before = [self._by_id[key] for key in keys if key in self._by_id]
        what = _BROKEN[outcome]
        try:
            if self._shows([], vector):
                return Repeat(alone)
        except _SpentError:
            note = f"not asked alone ({self._why_spent}); {len(keys)} requests came before it in its process"
            return Repeat(alone, note)
        every = self._earlier(keys)
        try:
            again = self._shows(before, vector)
            rephrased = not again and len(every) > len(before) and self._shows(every, vector)
        except _SpentError:
            note = f"asked alone it is answered: the {what} may depend on the {len(keys)} requests before it"
            return Repeat(self._command(before, vector), f"{note} (not tried: {self._why_spent})")
        if rephrased:
            assert rephrasing is not None
            words = ["--again-seed", str(rephrasing.seed)]
            which = f"after {len(every)} requests, some of rephrased vectors"
            note = f"asked alone it is answered: the {what} comes {which}, so the runner keeps state"
            return Repeat(repeat_vector(self._options, words=words), note)
        if not again:
            note = f"asked alone it is answered, and after the {len(before)} vectors before it too"
            return Repeat(alone, f"{note}: the {what} comes and goes")
        few = self._fewest(before, vector)
        which = "after 1 vector before it" if len(few) == 1 else f"after {len(few)} vectors before it"
        note = f"asked alone it is answered: the {what} comes {which}, so the runner keeps state"
        return Repeat(self._command(few, vector), note)

    def _earlier(self, keys: Sequence[str]) -> list[Vector]:
        """The vectors of earlier requests, rephrased ones included."""
        rephrasing, found = self._session.rephrasing, list[Vector]()
        for key in keys:
            vector: Vector | None = self._by_id.get(base_id(key))
            if vector is not None and key.endswith(REPHRASED_SUFFIX):
                vector = None if rephrasing is None else rephrasing.of(vector)
            found += [] if vector is None else [vector]
        return found

    def _shows(self, before: Sequence[Vector], last: Vector) -> bool:
        """Whether a new process that is asked ``before`` fails on ``last``, and only on it.

        Raises:
            _SpentError: there are no tries, no time, or no second process.
        """
        if self._dispatcher.out_of_time:
            self._tries, self._why_spent = 0, f"{option('max-time')} was over"
        if self._tries <= 0 or self._seconds <= 0:
            raise _SpentError
        self._tries -= 1
        began = time.monotonic()
        settings = self._dispatcher.settings
        talk = Conversation(replace(settings, timeout=min(settings.reply_seconds, self._seconds)))
        try:
            hello = talk.start()
            sequence = [*before, last]
            for vector in sequence:
                talk.submit(vector.request(numbers_as_strings=hello.numbers_as_strings))
            for vector in sequence:
                if time.monotonic() - began > self._seconds:
                    raise _SpentError
                if isinstance(talk.next_reply().answer, Failed):
                    return vector is last
            return False
        except RunnerStartError:
            self._tries, self._why_spent = 0, "no second process of the runner could be started"
            raise _SpentError from None
        finally:
            talk.kill()
            self._seconds -= time.monotonic() - began

    def _fewest(self, before: Sequence[Vector], last: Vector) -> list[Vector]:
        """The shortest end of ``before`` that suffices, or its first vector, if that alone does."""
        kept, too_few = list(before), 0
        try:
            while len(kept) - too_few > 1:
                some = (too_few + len(kept)) // 2
                if self._shows(kept[-some:], last):
                    kept = kept[-some:]
                else:
                    too_few = some
            return kept[:1] if self._shows(kept[:1], last) else kept
        except _SpentError:
            return kept  # good enough

    def _command(self, before: Sequence[Vector], last: Vector) -> str:
        """The command that asks ``before`` and then ``last``, by a number if possible."""
        home = self._home(last)
        inside = [vector for vector in self._session.every if self._home(vector) == home]
        places = {vector.id: place for place, vector in enumerate(inside)}
        if all(vector.id in places for vector in before):
            first, end = places[before[0].id], places[last.id]
            between = [vector for vector in inside[first:end] if self._dispatcher.supports(vector)]
            same = [vector.id for vector in between] == [vector.id for vector in before]
            if same or (len(before) > _FEW and first < end):
                return repeat_vector(self._options, last, words=["--before", str(end - first)])
        return self._in_order(*before, last)

    def _in_order(self, *vectors: Vector) -> str:
        return repeat_vector(self._options, *vectors, words=["--in-order"])

    def _home(self, vector: Vector) -> object:
        """Where the repeat command finds a vector: among the spec's vectors, or in one file."""
        return vectors_dir(self._options.spec) if is_of_kit(vector) else vector.file
