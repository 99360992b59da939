"""The conversation with a runner: pipelined requests, ordered replies, deadlines, restarts, and blame.

If the process dies, times out or writes a bad line, the first unanswered request is blamed, and the others
are asked again in a new process. The conversation stops after ``MAX_RESTARTS`` restarts in a row without a
good reply, and after 20 time-outs if more than one in ten replies is late.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from conformance.option_names import option
from conformance.runner.allowance import SPENT, Allowance, TooHeavyError, weighed
from conformance.runner.hello import NoTimeError, RunnerStartError, say_hello
from conformance.runner.leftovers import left_behind
from conformance.runner.process import LineTooLongError, RunnerProcess
from conformance.runner.reply_errors import too_late, too_often_late, unfinished, unusable
from conformance.runner.settings import PIPELINE, Settings, SettingsError, refuse_limits
from conformance.wire import messages
from conformance.wire.messages import Answer, BadReplyError, Failed, Hello, Reply, Request

__all__ = [
    "MAX_RESTARTS",
    "PIPELINE",
    "Conversation",
    "RunnerStartError",
    "Settings",
    "SettingsError",
    "refuse_limits",
]

MAX_RESTARTS = 5
_CLOSE_SECONDS = 2.0


@dataclass(slots=True)
class _Outstanding:
    request_id: int
    request: Request
    since: float


@dataclass(slots=True)
class Conversation:
    """A pipelined conversation with one process at a time; replies come in the order of ``submit``."""

    settings: Settings
    hello: Hello | None = None
    restarts: int = 0
    """The number of restarts of the runner."""
    answered: int = 0
    """The number of good replies."""
    parse: Callable[[bytes, int, Request], Answer] = lambda line, sent, _: messages.parse_reply(line, sent)
    until: float = math.inf
    """The time, by the monotonic clock, at which waiting ends with a NoTimeError."""
    _process: RunnerProcess | None = None
    _waiting: deque[Request] = field(default_factory=deque)
    _outstanding: deque[_Outstanding] = field(default_factory=deque)
    _replies: deque[Reply] = field(default_factory=deque)
    _next_id: int = 1
    _answered_at: float = 0.0
    _listening_since: float = 0.0
    _late: int = 0
    _fruitless_restarts: int = 0
    _stopped: str | None = None
    _stray: bool = False
    _allowance: Allowance = field(default_factory=Allowance)
    _problems: list[str] = field(default_factory=list)
    """Problems of the conversation as a whole."""
    _words: set[str] = field(default_factory=set)
    """The environment tokens of the processes so far, inherited by everything they started."""
    _before: list[str] = field(default_factory=list)
    """The keys of requests that the current process has answered."""
    _loaded: set[str] = field(default_factory=set)
    """The ops that it has answered."""
    _waited_for: set[str] = field(default_factory=set)
    """The ops whose first reply timed out despite the longer limit, which then no longer applies."""

    def start(self, meanwhile: Iterable[object] = ()) -> Hello:
        """Starts the runner and says hello; ``meanwhile`` is work to do in steps while it starts.

        Raises:
            RunnerStartError: the command can't be started, or its first line is not a reply to hello.
        """
        self.hello = self._new_process(meanwhile)
        return self.hello

    def _new_process(self, meanwhile: Iterable[object] = ()) -> Hello:
        process = RunnerProcess(self.settings.command, messages.LINE)
        self._words.add(process.word)
        try:
            hello = say_hello(process, self.settings, until=self.until, meanwhile=meanwhile)
        except BaseException:
            process.kill()
            raise
        self._process = process
        self._before.clear()
        self._loaded.clear()
        self._next_id = 1
        self._answered_at = time.monotonic()
        return hello

    def submit(self, request: Request) -> None:
        """Queues a request; it is sent when the pipeline has room."""
        self._waiting.append(request)

    def next_reply(self) -> Reply:
        """Return the reply to the oldest request without one; never waits beyond its deadline.

        Time during which no caller waits does not count, since a full pipe may block the runner.

        Raises:
            NoTimeError: ``until`` was reached first.
        """
        self._listening_since = time.monotonic()
        while not self._replies:
            if self._stopped is not None:
                return Reply(self._waiting.popleft().key, Failed("not-run", self._stopped), 0.0)
            if time.monotonic() >= self.until:
                raise NoTimeError
            if self._process is None:
                self._restart()
            else:
                self._exchange(self._process)
        return self._replies.popleft()

    def withdraw(self, count: int) -> None:
        """Drop the newest requests, which are still queued: after a failure, none is in flight."""
        for _ in range(count):
            self._waiting.pop()

    def _exchange(self, process: RunnerProcess) -> None:
        self._fill(process)
        pending = self._outstanding[0]
        process.line_limit = pending.request.line_limit
        allowed = self._allowed(pending.request.op)
        deadline = max(pending.since, self._answered_at, self._listening_since) + allowed
        try:
            lines = process.poll(max(0.0, min(deadline, self.until) - time.monotonic()))
            for line in lines:
                self._take(line)
                if self._stopped is not None:
                    return
        except (LineTooLongError, TooHeavyError) as error:
            self._blame("protocol-error", str(error))
            return
        except BadReplyError as bad:
            self._blame("protocol-error", unusable(bad, line))
            return
        if lines:
            self._fill(process)  # the runner keeps working while the replies are processed
            return
        late = time.monotonic() >= deadline
        if process.ended or (late and process.has_exited()):
            self._blame("crash", self._death(process))
        elif late:
            self._waited_for.add(pending.request.op)
            self._blame("timeout", too_late(allowed, process.unfinished_line()))
            self._late += 1
            self._stopped = too_often_late(self._late, self.answered)

    def _allowed(self, op: str) -> float:
        """Return the seconds that a reply may take; the first one of an op may have to load something."""
        if op in self._loaded or op in self._waited_for:
            return self.settings.reply_seconds
        return self.settings.first_seconds

    def _fill(self, process: RunnerProcess) -> None:
        if len(self._outstanding) > self.settings.pipeline // 2:  # a write for every reply takes longer
            return
        now = time.monotonic()
        batch = bytearray()
        while self._waiting and len(self._outstanding) < self.settings.pipeline:
            request = self._waiting.popleft()
            self._next_id += request.skip
            batch += messages.request_line(self._next_id, request.tail)
            self._outstanding.append(_Outstanding(self._next_id, request, now))
            self._next_id += 1
        if batch:
            process.send(bytes(batch))

    def _take(self, line: bytes) -> None:
        if not self._outstanding:
            if not self._waiting:
                self._stray = True
                return
            raise BadReplyError("no request was unanswered")
        pending = self._outstanding[0]
        weight = weighed(line)
        answer = self.parse(line, pending.request_id, pending.request)
        now = time.monotonic()
        seconds = now - max(pending.since, self._answered_at)
        self._outstanding.popleft()
        self._replies.append(Reply(pending.request.key, answer, seconds, weight=weight))
        self._before.append(pending.request.key)
        self._loaded.add(pending.request.op)
        self._answered_at = now
        self.answered += 1
        self._fruitless_restarts = 0
        if not self._allowance.take(pending.request, weight):
            self._stop(SPENT)

    def _stop(self, sentence: str) -> None:
        """End the conversation early."""
        self._stopped = sentence
        self._waiting.extendleft(item.request for item in reversed(self._outstanding))
        self._outstanding.clear()
        self.kill()

    def _death(self, process: RunnerProcess) -> str:
        end = process.how_it_ended()
        sentence = f"the runner {end} instead of replying"
        begun = process.unfinished_line()
        if begun:
            sentence += f", in the middle of a line: {unfinished(begun)}"
        elif end == "exited with code 0" and self.answered <= self.restarts + 1:  # none answered twice
            sentence += f" (a runner that answers one request per start needs {option('oneshot')})"
        return sentence

    def _blame(self, outcome: str, sentence: str) -> None:
        assert self._process is not None
        stderr = self._process.stderr_tail()
        self._process.kill()
        self._process = None
        now = time.monotonic()
        if not self._outstanding:  # an unexpected line: the next request will notice
            self._outstanding.append(_Outstanding(0, self._waiting.popleft(), now))
        pending = self._outstanding.popleft()
        seconds = now - max(pending.since, self._answered_at)
        failed = Failed(outcome, sentence)
        self._replies.append(Reply(pending.request.key, failed, seconds, stderr, tuple(self._before)))
        self._waiting.extendleft(item.request for item in reversed(self._outstanding))
        self._outstanding.clear()

    def _restart(self) -> None:
        if self._fruitless_restarts >= MAX_RESTARTS:
            self._stopped = (
                f"not run: the runner was started again {MAX_RESTARTS} times in a row without a good reply"
            )
            return
        self._fruitless_restarts += 1
        self.restarts += 1
        try:
            hello = self._new_process()
        except RunnerStartError as error:
            if self._fruitless_restarts >= MAX_RESTARTS:
                self._stopped = f"not run: the runner can't be started again: {error}"
            return
        if self.hello is not None and hello != self.hello:
            sentence = f"the runner's hello changed when it was restarted: {hello.unlike(self.hello)}"
            self._problems.append(sentence)
            self._stop(f"not run: {sentence}")

    def stderr_tail(self) -> str:
        """The end of the running process's stderr."""
        return self._process.stderr_tail() if self._process else ""

    def finish(self) -> list[str]:
        """Closes standard input, waits for the runner to end, and returns the problems."""
        process, problems = self._process, self._problems
        self._problems = []
        if process is None or self._outstanding or self._waiting:
            self.kill()  # stopped early: later output does not matter
            return problems
        process.close_stdin()
        until = time.monotonic() + _CLOSE_SECONDS
        try:
            while not (process.ended or self._stray) and time.monotonic() < until:
                self._stray = bool(process.poll(max(0.0, until - time.monotonic())))
        except LineTooLongError:
            self._stray = True
        if self._stray or process.unfinished_line():
            problems.append("the runner wrote to standard output after its last reply")
        self.kill()
        return problems

    def kill(self) -> None:
        """Kills the runner and everything that it started."""
        if self._process is not None:
            self._process.kill()
            self._process = None
        left_behind(self._words)
        self._words.clear()
