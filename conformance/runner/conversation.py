"""The talk with a runner: requests pipelined, replies in order, deadlines, restarts, and who is to blame.

On death, time-out or a bad line the first unanswered request is blamed and the rest are asked again of a
new process. After ``MAX_RESTARTS`` restarts in a row without a good reply the talk stops.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from conformance.option_names import option
from conformance.runner.allowance import SPENT, Allowance, TooHeavyError, weighed
from conformance.runner.hello import RunnerStartError, say_hello
from conformance.runner.leftovers import left_behind
from conformance.runner.process import LineTooLongError, RunnerProcess, SpawnError
from conformance.runner.reply_errors import too_late, too_long, unfinished, unusable
from conformance.runner.settings import (
    LOADING,
    PIPELINE,
    TIMEOUT,
    Settings,
    SettingsError,
    refuse_limits,
)
from conformance.runner.talk import NoTimeError
from conformance.wire import messages
from conformance.wire.messages import Answer, BadReplyError, Failed, Hello, Reply, Request

__all__ = [
    "LOADING",
    "MAX_RESTARTS",
    "PIPELINE",
    "TIMEOUT",
    "Conversation",
    "RunnerStartError",
    "Settings",
    "SettingsError",
    "refuse_limits",
    "say_hello",
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
    """A pipelined talk with one process at a time. ``next_reply`` answers in the order of ``submit``."""

    settings: Settings
    hello: Hello | None = None
    restarts: int = 0
    """How often the runner had to be started again."""
    parse: Callable[[bytes, int, Request], Answer] = lambda line, due, _: messages.parse_reply(line, due)
    until: float = math.inf
    """When waiting ends with a NoTimeError, by the monotonic clock, whatever the runner may take."""
    _process: RunnerProcess | None = None
    _waiting: deque[Request] = field(default_factory=deque)
    _outstanding: deque[_Outstanding] = field(default_factory=deque)
    _replies: deque[Reply] = field(default_factory=deque)
    _next_id: int = 1
    _answered_at: float = 0.0
    _listening_since: float = 0.0
    _answered: int = 0
    _fruitless_restarts: int = 0
    _stopped: str | None = None
    _stray: bool = False
    _allowance: Allowance = field(default_factory=Allowance)
    _problems: list[str] = field(default_factory=list)
    """What was wrong with the talk as a whole."""
    _words: set[str] = field(default_factory=set)
    """What is in the environment of the processes so far, and of all that they left behind."""
    _before: list[str] = field(default_factory=list)
    """What the process that runs has answered so far, by key."""
    _loaded: set[str] = field(default_factory=set)
    """The ops that it has answered."""
    _waited_for: set[str] = field(default_factory=set)
    """The ops whose first reply did not come though it was given more time: that is not done twice."""

    def start(self) -> Hello:
        """Starts the runner and says hello.

        Raises:
            RunnerStartError: the command can't be started, or its first line is no reply to hello.
        """
        self.hello = self._new_process()
        return self.hello

    def _new_process(self) -> Hello:
        try:
            process = RunnerProcess(self.settings.command, messages.LINE)
        except SpawnError as error:
            raise RunnerStartError(str(error)) from None
        self._words.add(process.word)
        try:
            hello = say_hello(process, self.settings, until=self.until)
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
        """Queues a request; it is sent as the pipeline has room."""
        self._waiting.append(request)

    def next_reply(self) -> Reply:
        """What became of the oldest request not yet returned. Never waits beyond its deadline.

        Time in which nobody waited here does not count: a full pipe may have held the runner up.

        Raises:
            NoTimeError: ``until`` has come first.
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
        """Drops the newest requests; behind a failure nothing is outstanding, so all of them wait."""
        for _ in range(count):
            self._waiting.pop()

    def _exchange(self, process: RunnerProcess) -> None:
        self._fill(process)
        head = self._outstanding[0]
        process.line_limit = head.request.line_limit
        allowed = self._allowed(head.request.op)
        deadline = max(head.since, self._answered_at, self._listening_since) + allowed
        try:
            lines = process.poll(max(0.0, min(deadline, self.until) - time.monotonic()))
            for line in lines:
                self._take(line)
                if self._stopped is not None:
                    return
        except LineTooLongError:
            self._blame("protocol-error", too_long(process.line_limit))
            return
        except TooHeavyError as heavy:
            self._blame("protocol-error", str(heavy))
            return
        except BadReplyError as bad:
            self._blame("protocol-error", unusable(bad, line))
            return
        if lines:
            self._fill(process)  # the runner works on while the replies are looked at
            return
        late = time.monotonic() >= deadline
        if process.ended or (late and process.has_exited()):
            self._blame("crash", self._death(process))
        elif late:
            self._waited_for.add(head.request.op)
            self._blame("timeout", too_late(allowed, self.settings.command, process.unfinished_line()))

    def _allowed(self, op: str) -> float:
        """Seconds that a reply may take: the first of an op may have to load what the op needs."""
        if op in self._loaded or op in self._waited_for:
            return self.settings.reply_seconds
        return self.settings.first_seconds

    def _fill(self, process: RunnerProcess) -> None:
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
        head = self._outstanding[0]
        weight = weighed(line)
        answer = self.parse(line, head.request_id, head.request)
        now = time.monotonic()
        seconds = now - max(head.since, self._answered_at)
        self._outstanding.popleft()
        self._replies.append(Reply(head.request.key, answer, seconds, weight=weight))
        self._before.append(head.request.key)
        self._loaded.add(head.request.op)
        self._answered_at = now
        self._answered += 1
        self._fruitless_restarts = 0
        if not self._allowance.take(head.request, weight):
            self._stop(SPENT)

    def _stop(self, sentence: str) -> None:
        """Ends the talk before its time: nothing is asked any more."""
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
        elif end == "exited with code 0" and self._answered <= self.restarts + 1:  # none has answered two
            sentence += f" (a runner that answers one request a start needs {option('oneshot')})"
        return sentence

    def _blame(self, outcome: str, sentence: str) -> None:
        assert self._process is not None
        stderr = self._process.stderr_tail()
        self._process.kill()
        self._process = None
        now = time.monotonic()
        if not self._outstanding:  # an uncalled-for line: the next request finds the talk broken
            self._outstanding.append(_Outstanding(0, self._waiting.popleft(), now))
        head = self._outstanding.popleft()
        seconds = now - max(head.since, self._answered_at)
        failed = Failed(outcome, sentence)
        self._replies.append(Reply(head.request.key, failed, seconds, stderr, tuple(self._before)))
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
            sentence = f"the runner says another hello when it is started again: {hello.unlike(self.hello)}"
            self._problems.append(sentence)
            self._stop(f"not run: {sentence}")

    def stderr_tail(self) -> str:
        """The last words of the process that is running now."""
        return self._process.stderr_tail() if self._process else ""

    def finish(self) -> list[str]:
        """Closes standard input, waits for the runner to end, and returns what was wrong with that."""
        process, problems = self._process, self._problems
        self._problems = []
        if process is None or self._outstanding or self._waiting:
            self.kill()  # stopped early: what is still to come is nobody's concern
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
        """Ends the runner at once, and what it left behind."""
        if self._process is not None:
            self._process.kill()
            self._process = None
        left_behind(self._words)
        self._words.clear()
