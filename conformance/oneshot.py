"""A talk with a runner that answers one request a start: a new process for every request, several at once."""

import os
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from conformance import protocol
from conformance.conversation import (
    MAX_RESTARTS,
    Reply,
    Request,
    RunnerStartError,
    Settings,
    say_hello,
)
from conformance.process import LineTooLongError, RunnerProcess, SpawnError
from conformance.protocol import BadReplyError, Failed, Hello

__all__ = ["OneShot"]


@dataclass(slots=True)
class OneShot:
    """The same interface as ``Conversation``; each process reads one line and its input ends."""

    settings: Settings
    _asked: deque[tuple[Request, Future[Reply]]] = field(default_factory=deque)
    _pool: ThreadPoolExecutor | None = None
    _fruitless: int = 0

    def start(self) -> Hello:
        """Starts the runner for hello alone.

        Raises:
            RunnerStartError: the command can't be started, or its line is no reply to hello.
        """
        try:
            process = RunnerProcess(self.settings.command, protocol.LINE)
        except SpawnError as error:
            raise RunnerStartError(str(error)) from None
        try:
            hello = say_hello(process, self.settings, then_close=True)
        finally:
            process.kill()
        workers = min(self.settings.pipeline, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="oneshot")
        return hello

    def submit(self, request: Request) -> None:
        """Queues a request for a process of its own."""
        assert self._pool is not None
        self._asked.append((request, self._pool.submit(self._ask, request)))

    def next_reply(self) -> Reply:
        """What became of the oldest request not yet returned."""
        request, future = self._asked.popleft()
        if self._fruitless > MAX_RESTARTS:
            future.cancel()
            sentence = f"not run: the runner failed {MAX_RESTARTS + 1} times in a row without a good reply"
            return Reply(request.key, Failed("not-run", sentence), 0.0)
        reply = future.result()
        self._fruitless = self._fruitless + 1 if isinstance(reply.answer, Failed) else 0
        return reply

    def _ask(self, request: Request) -> Reply:
        began = time.monotonic()
        try:
            process = RunnerProcess(self.settings.command, request.line_limit)
        except SpawnError as error:
            return Reply(request.key, Failed("crash", str(error)), 0.0)
        try:
            process.send(protocol.request_line(1, request.tail))
            process.close_stdin()
            answer: protocol.Answer = self._one_answer(process, began + self.settings.timeout)
        except LineTooLongError:
            limit = request.line_limit >> 20
            answer = Failed("protocol-error", f"the runner's reply is longer than {limit} MiB")
        except BadReplyError as bad:
            answer = Failed("protocol-error", f"the runner's reply can't be used: {bad}")
        finally:
            process.kill()
        stderr = process.stderr_tail() if isinstance(answer, Failed) else ""
        return Reply(request.key, answer, time.monotonic() - began, stderr)

    def _one_answer(self, process: RunnerProcess, deadline: float) -> protocol.Answer:
        lines: list[bytes] = []
        while not process.ended and time.monotonic() < deadline:
            lines += process.poll(max(0.0, deadline - time.monotonic()))
            if len(lines) > 1:
                raise BadReplyError("more than one line came in reply")
        if lines:
            if process.unfinished_line():
                raise BadReplyError("more than one line came in reply")
            return protocol.parse_reply(lines[0], 1)
        if process.ended or process.has_exited():
            return Failed("crash", f"the runner {process.how_it_ended()} instead of replying")
        return Failed(
            "timeout",
            f"no reply within {self.settings.timeout:g} s; --runner-timeout raises that limit",
        )

    def stderr_tail(self) -> str:
        """Each process has its own stderr; it stands in the replies that failed."""
        return ""

    def finish(self) -> list[str]:
        """Waits for what is still running."""
        self.kill()
        return []

    def kill(self) -> None:
        """Drops what was not yet asked."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
