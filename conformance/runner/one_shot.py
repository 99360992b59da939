"""The conversation with a runner that answers one request per process, with several processes at once."""

import concurrent.futures
import math
import os
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from conformance.runner.allowance import SPENT, Allowance, TooHeavyError, weighed
from conformance.runner.conversation import MAX_RESTARTS, Conversation
from conformance.runner.hello import NoTimeError, RunnerStartError, say_hello
from conformance.runner.leftovers import left_behind
from conformance.runner.process import LineTooLongError, RunnerProcess
from conformance.runner.reply_errors import too_late, too_often_late, unfinished, unusable
from conformance.runner.settings import MAX_TIMEOUT, Settings
from conformance.wire import messages
from conformance.wire.messages import BadReplyError, Failed, Hello, Reply, Request

__all__ = ["OneShot", "Talk"]

_LONGEST = 2 * MAX_TIMEOUT
"""A time-out in seconds that is longer than any reply's own."""
_FRUITLESS = f"not run: the runner failed {MAX_RESTARTS + 1} times in a row without a good reply"
_GLANCE = 0.1
"""Seconds between two checks whether the conversation was ended."""


@dataclass(slots=True)
class OneShot:
    """A conversation in which each process gets one request, and then the end of its input."""

    settings: Settings
    until: float = math.inf
    """The time, by the monotonic clock, at which waiting ends with a NoTimeError."""
    answered: int = 0
    """The number of good replies."""
    _waiting: deque[tuple[Request, Future[Reply]]] = field(default_factory=deque)
    _pool: ThreadPoolExecutor | None = None
    _fruitless: int = 0
    _late: int = 0
    _stopped: str | None = None
    _killed: bool = False
    _words: set[str] = field(default_factory=set)
    """The environment tokens of the processes so far, inherited by everything they started."""
    _allowance: Allowance = field(default_factory=Allowance)
    _waited_for: set[str] = field(default_factory=set)
    """The ops whose reply timed out in spite of the longer limit, which then no longer applies."""

    def start(self, meanwhile: Iterable[object] = ()) -> Hello:
        """Starts the runner for hello; ``meanwhile`` is work to do in steps while it starts.

        Raises:
            RunnerStartError: the command can't be started, or its line is not a reply to hello.
        """
        process = RunnerProcess(self.settings.command, messages.LINE)
        self._words.add(process.word)
        try:
            hello = say_hello(process, self.settings, then_close=True, until=self.until, meanwhile=meanwhile)
        finally:
            process.kill()
        workers = min(self.settings.pipeline, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="oneshot")
        return hello

    def submit(self, request: Request) -> None:
        """Queues a request for a new process."""
        assert self._pool is not None
        self._waiting.append((request, self._pool.submit(self._ask, request)))

    def next_reply(self) -> Reply:
        """The reply to the oldest request not yet returned.

        Raises:
            NoTimeError: ``until`` was reached first.
        """
        request, future = self._waiting.popleft()
        if self._stopped is not None:
            future.cancel()
            return Reply(request.key, Failed("not-run", self._stopped), 0.0)
        try:
            reply = future.result(min(max(0.0, self.until - time.monotonic()), _LONGEST))
        except concurrent.futures.TimeoutError:
            raise NoTimeError from None
        if not isinstance(reply.answer, Failed):
            self._fruitless = 0
            self.answered += 1
        elif reply.answer.outcome != "not-run":
            self._fruitless += 1
            if reply.answer.outcome == "timeout":
                self._late += 1
                self._stopped = too_often_late(self._late, self.answered)
            if self._fruitless > MAX_RESTARTS:
                self._stopped = _FRUITLESS
        return reply

    def withdraw(self, count: int) -> None:
        """Drop the newest requests, without waiting for processes that were already started for them."""
        for _ in range(count):
            _, future = self._waiting.pop()
            future.cancel()

    def _ask(self, request: Request) -> Reply:
        began = time.monotonic()
        answer: messages.Answer
        weight = 0
        if self._allowance.left < 0:
            return Reply(request.key, Failed("not-run", SPENT), 0.0)
        try:
            process = RunnerProcess(self.settings.command, request.line_limit)
        except RunnerStartError as error:
            return Reply(request.key, Failed("crash", str(error)), 0.0)
        self._words.add(process.word)
        try:
            process.send(messages.request_line(1, request.tail))
            process.close_stdin()
            answer, weight = self._one_answer(process, request.op, began)
            self._allowance.take(request, weight)
        except (LineTooLongError, TooHeavyError) as error:
            answer = Failed("protocol-error", str(error))
        finally:
            process.kill()
        stderr = process.stderr_tail() if isinstance(answer, Failed) else ""
        return Reply(request.key, answer, time.monotonic() - began, stderr, weight=weight)

    def _one_answer(self, process: RunnerProcess, op: str, began: float) -> tuple[messages.Answer, int]:
        """The answer and its weight."""
        settings = self.settings
        allowed = settings.reply_seconds if op in self._waited_for else settings.first_seconds
        deadline = began + allowed
        lines: list[bytes] = []
        while len(lines) < 2 and not process.ended and time.monotonic() < deadline and not self._killed:
            lines += process.poll(min(_GLANCE, max(0.0, deadline - time.monotonic())))
        begun = process.unfinished_line()
        if lines:
            line = lines[0]
            weight = weighed(line)
            try:
                if len(lines) > 1 or begun:
                    messages.parse_reply(line, 1)  # otherwise that is the error
                    line = lines[1] if len(lines) > 1 else begun
                    raise BadReplyError("more than one line came in reply")
                return messages.parse_reply(line, 1), weight
            except BadReplyError as bad:
                return Failed("protocol-error", unusable(bad, line)), 0
        if process.ended or process.has_exited():
            sentence = f"the runner {process.how_it_ended()} instead of replying"
            if begun:
                sentence += f", in the middle of a line: {unfinished(begun)}"
            return Failed("crash", sentence), 0
        self._waited_for.add(op)
        return Failed("timeout", too_late(allowed, begun)), 0

    def stderr_tail(self) -> str:
        """Empty: each process has its own stderr, which is in the failed replies."""
        return ""

    def finish(self) -> list[str]:
        """Ends the conversation; unanswered requests are dropped."""
        self.kill()
        return []

    def kill(self) -> None:
        """Drops queued requests and kills the running processes."""
        self._killed = True
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        left_behind(self._words)
        self._words.clear()


Talk = Conversation | OneShot
"""A conversation with a runner, whether a process answers many requests or one."""
