"""Asks a runner the vectors and judges its replies, for pytest items and the command line."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.judging.environments import judge_in_each
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict
from conformance.option_names import option
from conformance.registry.ops import OPS
from conformance.run.flaky import BROKEN, Allowance, settled
from conformance.run.options import RunOptions
from conformance.runner.allowance import Keeping
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.runner.hello import NoTimeError
from conformance.runner.one_shot import OneShot, Talk
from conformance.suite.vectors import Vector
from conformance.wire.messages import Failed, Hello, Ok, Reply, Request, Unsupported
from conformance.wire.text import first_and_last

__all__ = ["Dispatcher", "start_failure"]


_UNKEPT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS, Outcome.UNSUPPORTED, Outcome.NOT_RUN})
"""Outcomes without a stored answer."""


@dataclass(slots=True)
class Dispatcher:
    """Asks a runner vectors in the background, and judges each on request.

    ``prefetch`` announces vectors in order; ``verdict`` waits for one.
    """

    options: RunOptions
    settings: Settings
    """How to start the runner."""
    known: KnownFailures | None = None
    hello: Hello | None = None
    start_up_seconds: float = 0.0
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each vector with a failed exchange, the keys that the same process had answered before."""
    keeping: Keeping = field(default_factory=Keeping)
    """Limits the memory for wrong answers."""
    hear: Callable[[Reply, Verdict], None] | None = None
    """Called with each reply and its verdict."""
    out_of_time: bool = False
    """Whether ``--max-time`` has passed."""
    allowance: Allowance = field(default_factory=Allowance)
    """How many more failures may be asked again."""
    _talk: Talk = field(init=False)
    _gave_up: str | None = None
    _failures: int = 0
    _requested: set[str] = field(default_factory=set)
    _later: deque[Iterator[Vector]] = field(default_factory=deque)
    """Announced vectors that are not encoded yet, which happens while the runner works."""
    _unanswered: int = 0
    _request_count: int = 0
    _replies_by_key: dict[str, Reply] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._talk = self.new_talk()

    def start(self, meanwhile: Iterable[object] = ()) -> Hello:
        """Starts the runner; ``meanwhile`` is work to do in steps while it starts.

        Raises:
            RunnerStartError: it could not be tried.
        """
        began = time.monotonic()
        if self.options.max_time is not None:
            self._talk.until = began + self.options.max_time
        try:
            self.hello = self._talk.start(meanwhile)
        except NoTimeError:
            raise RunnerStartError(
                f"the runner did not answer hello before {option('max-time')} was over"
            ) from None
        self.start_up_seconds = time.monotonic() - began
        return self.hello

    def stop(self, sentence: str) -> None:
        """Stop asking; the remaining vectors are not-run, with the sentence as the reason."""
        if self._gave_up is None:
            self._gave_up = sentence
            self.kill()

    def failed(self, verdict: Verdict) -> None:
        """Count a failure; after ``--max-failures`` of them, stop asking."""
        if not verdict.failed or verdict.outcome is Outcome.NOT_RUN:
            return
        self._failures += 1
        if self._failures == self.options.max_failures:
            count = "1 failure" if self._failures == 1 else f"{self._failures} failures"
            self.stop(f"{option('max-failures')} was reached, {count}")

    def _next_reply(self) -> bool:
        """Get the next reply; return whether it came before ``--max-time``."""
        try:
            reply = self._talk.next_reply()
        except NoTimeError:
            self.out_of_time = True
            self.stop(f"{option('max-time')} was over, {self.options.max_time:g} s")
            return False
        self._unanswered -= 1
        self._replies_by_key[reply.key] = reply
        return True

    def supports(self, vector: Vector) -> bool:
        """Return whether hello names the vector's op."""
        assert self.hello is not None
        return vector.op.name in self.hello.ops

    def prefetch(self, vectors: Iterable[Vector]) -> None:
        """Announce vectors, which are asked in the background; verdicts must be requested in this order."""
        self._later.append(iter(vectors))

    def _submit(self, vector: Vector) -> None:
        assert self.hello is not None
        self._talk.submit(vector.request(numbers_as_strings=self.hello.numbers_as_strings))
        self._unanswered += 1

    def _next_vector(self) -> Vector | None:
        """Return the next vector to ask; None if there is none."""
        while self._later:
            for vector in self._later[0]:
                if vector.id not in self._requested and self.supports(vector):
                    self._requested.add(vector.id)
                    return vector
            self._later.popleft()
        return None

    def verdict(self, vector: Vector) -> Verdict:
        """Return the verdict on a vector, which is asked now if necessary; a failure is asked again."""
        reply = self._reply(vector)
        verdict = self.judge(vector, reply)
        # A runner that never replied would only be waited for as long again.
        hopeless = verdict.outcome is Outcome.TIMEOUT and not self._talk.answered
        if not hopeless and self._gave_up is None and (times := self.allowance.times(verdict)):
            broken = verdict.outcome in BROKEN
            again = self._again(vector, times, in_new_process=broken)
            verdict = settled(verdict, again)
            if broken and again and verdict.outcome is not Outcome.FLAKY:  # no earlier request matters
                self.before.pop(vector.id, None)
        if self.hear is not None:
            self.hear(reply, verdict)
        self.failed(verdict)
        return verdict

    def _again(self, vector: Vector, times: int, *, in_new_process: bool) -> list[Verdict]:
        """Ask a vector again, with ``in_new_process`` in one of its own; return the verdicts."""
        assert self.hello is not None
        request = vector.request(numbers_as_strings=self.hello.numbers_as_strings)
        requests = [replace(request, key=f"{vector.id} again {number + 1}") for number in range(times)]
        replies = self._ask_new_process(requests) if in_new_process else list(self._replies(requests))
        return [
            judge_in_each(vector, self._meant(vector.op.name, reply), self.options.level) for reply in replies
        ]

    def _replies(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Send requests after all earlier ones, and yield the replies; ends early if the run is stopped."""
        for request in requests:
            self._talk.submit(request)
        self._unanswered += len(requests)
        for request in requests:
            while request.key not in self._replies_by_key:
                if not self._next_reply():
                    return
            yield self._replies_by_key.pop(request.key)

    def _ask_new_process(self, requests: Sequence[Request]) -> list[Reply]:
        """Ask a new process; return no replies if it can't be started or answers too late."""
        talk = self.new_talk()
        talk.until = self._talk.until
        try:
            talk.start()
            for request in requests:
                talk.submit(request)
            return [talk.next_reply() for _ in requests]
        except (NoTimeError, RunnerStartError):
            return []
        finally:
            talk.kill()

    def new_talk(self) -> Talk:
        """A new conversation with the runner."""
        return OneShot(self.settings) if self.options.oneshot else Conversation(self.settings)

    def _not_run(self, key: str) -> Reply:
        return Reply(key, Failed("not-run", f"not run: {self._gave_up}"), 0.0)

    def _reply(self, vector: Vector) -> Reply:
        """The raw reply to a vector."""
        if self._gave_up is not None:
            return self._not_run(vector.id)
        if not self.supports(vector):
            assert self.hello is not None
            op = vector.op.name
            reason = self.hello.unsupported.get(op, f"{op} is not among the ops that hello named")
            return Reply(vector.id, Unsupported(reason), 0.0)
        while vector.id not in self._replies_by_key:
            # keep the conversation supplied with twice the pipeline's depth
            most = 2 * self.settings.pipeline
            while self._unanswered < most and (following := self._next_vector()) is not None:
                self._submit(following)
            if not self._unanswered:  # not announced, or requested again
                self._submit(vector)
            elif not self._next_reply():
                return self._not_run(vector.id)
        reply = self._replies_by_key.pop(vector.id)
        if reply.before:
            self.before[vector.id] = reply.before
        return reply

    def ask(self, op: str, input_: Any) -> Reply:
        """Return the reply to a request that is not a vector."""
        return self.ask_all([(op, input_)])[0]

    def ask_all(self, requests: Sequence[tuple[str, Any]]) -> list[Reply]:
        """Return the replies to requests that are not vectors, pipelined.

        The first failure is the last reply: later requests are not asked again.
        """
        queued = [self._request(*request) for request in requests]
        replies: list[Reply] = []
        if self._gave_up is None:
            for (op, _), reply in zip(requests, self._replies(queued), strict=False):
                replies.append(self._meant(op, reply))
                if isinstance(reply.answer, Failed):
                    break
        if self._gave_up is not None:  # before, or because time was over
            return [*replies, *(self._not_run(queued[len(replies)].key) for _ in queued[len(replies) :][:1])]
        if len(replies) < len(queued):
            self._talk.withdraw(len(queued) - len(replies))
            self._unanswered -= len(queued) - len(replies)
        return replies

    def _request(self, op: str, input_: Any) -> Request:
        """A request that is not a vector."""
        self._request_count += 1
        as_strings = self.hello is not None and self.hello.numbers_as_strings
        return Request(f"{op} {self._request_count}", op, OPS[op].tail(input_, numbers_as_strings=as_strings))

    def _meant(self, op: str, reply: Reply) -> Reply:
        """Return the reply with its numbers read as the runner's hello demands."""
        if self.hello is None or not isinstance(reply.answer, Ok):
            return reply
        return Reply(reply.key, OPS[op].meant(reply.answer, self.hello), reply.seconds, weight=reply.weight)

    def judge(self, vector: Vector, reply: Reply) -> Verdict:
        """The verdict on a raw reply."""
        meant = self._meant(vector.op.name, reply)
        verdict = judge_in_each(vector, meant, self.options.level, self.known, self.options.classes)
        outcomes = {per_variant.outcome for per_variant in verdict.each.values()} or {verdict.outcome}
        if outcomes <= _UNKEPT or self.keeping.keeps(reply.weight):
            return verdict
        by_variant = {name: replace(per_variant, kept=False) for name, per_variant in verdict.each.items()}
        return replace(verdict, kept=False, each=by_variant)

    def stderr_tail(self) -> str:
        """The end of the runner's stderr so far."""
        return self._talk.stderr_tail()

    def finish(self) -> list[str]:
        """Ends the conversation; returns a sentence for each problem at the end."""
        return self._talk.finish()

    def kill(self) -> None:
        """Kills the runner."""
        self._talk.kill()


def start_failure(error: RunnerStartError, command: str) -> str:
    """Return the text for a failed start: one sentence, and the end of the runner's stderr."""
    text = f"could not try the runner {command!r}: {error}"
    words = "\n".join(first_and_last(error.stderr))
    for module, why in _NO_MODULE.items():
        if f"No module named '{module}" in error.stderr:
            text += f"; {why}"
            break
    return f"{text}.\nIts stderr:\n{words}" if words else text


_NO_MODULE = {
    "conformance.": "a file or folder next to it has the name of the kit's package, conformance: rename it",
    "conformance'": "its Python does not have the kit: activate the kit's environment, or name its python",
}
"""Why a runner can't import `conformance.shim`."""
