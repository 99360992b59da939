"""Runners without processes: what tests/runners and the kit's own would say, said in this process.

``played`` puts ``Played`` in the place of ``RunnerProcess``, and a clock that goes on where nobody answers:
a time-out takes no time. What only a process can show (pipes, signals, children) tests/runner shows.
"""

import shutil
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from conformance.mistakes.catalogue import find_mistakes, made
from conformance.paths import DEFAULT_SPEC
from conformance.rephrasing.choosing import RephrasedVectors
from conformance.runner.process import KeptStderr, LineTooLongError, RunnerProcess, RunnerStartError
from conformance.runner.reply_errors import too_long
from reference_impl.runner import serving
from tests.runners import hostile, lying

__all__ = ["Played", "play"]

CHUNK = 1 << 16


class DoneError(BaseException):  # no runner catches it
    """A runner says nothing any more."""


class Waited(threading.local):
    """Seconds that a thread has waited for nothing; other runners are asked in other threads meanwhile."""

    seconds = 0.0


class Played:
    """What the kit takes for a process, and the ``Out`` of runners/hostile.py at once."""

    waited = Waited()
    started = 0
    in_process: Any = None
    """What answers for the command ``in-process``: see tests/contract/conftest.py."""

    def __init__(self, command, line_limit) -> None:
        Played.started += 1
        self.word, self.line_limit = "", line_limit
        self.ended = False
        self._end: str | None = None
        self._silent = False
        self._waits = 0
        self._input, self._pipe, self._unread = b"", bytearray(), bytearray()
        self._said = KeptStderr()
        self._closed: Callable[[], None] = lambda: None
        self._hear = self._doing(lambda: self._program(*command)) or (lambda _: None)

    def _program(self, *command):
        if command == ("in-process",):
            runner = Played.in_process
            runner.starts += 1
            self._closed = lambda: self.say(runner.last_words)
            return lambda line: runner.hear(self, line)
        if command[-2:] == ("-m", "reference_impl"):
            return lambda line: self.say(serving.reply(line))
        if "conformance.mistakes" in command:
            names, *spec = command[command.index("conformance.mistakes") + 1 :]
            program = made(*find_mistakes(names, spec[0] if spec else DEFAULT_SPEC)).module("runner.serving")
            program.HELLO["runner"] = f"mistake:{names}"
            return lambda line: self.say(program.reply(line))
        for place, word in enumerate(command):
            if word.endswith("runners/hostile.py"):
                runner = hostile.Hostile(*command[place + 1 :], out=self)
                self._closed, runner.otherwise = runner.end, serving.reply
                return runner.hear
            if word.endswith("runners/lying.py"):
                return lambda line: self._lie(line, *command[place + 1 :])
        raise RunnerStartError(f"the command {command[0]!r} does not exist")

    def _lie(self, line, *how):
        lying.die = self._die
        self.say(lying.reply(line, *how))

    def _die(self):
        self.err(b"last words\n")
        self.leave(3)

    def _doing(self, what):
        try:
            return what()
        except DoneError:
            return None

    def say(self, line) -> None:
        self._pipe += line
        if line.endswith(b"\n"):
            self._said.begin()

    def err(self, text) -> None:
        self._said.add(text)

    def leave(self, code) -> None:
        self._end = f"exited with code {code}"
        raise DoneError

    def kill_itself(self) -> None:
        self._end = "was killed by SIGKILL"
        raise DoneError

    def mute(self) -> None:
        self._end = "closed its standard output"
        raise DoneError

    def stay(self) -> None:
        self._silent = True
        raise DoneError

    def pause(self) -> None:
        Played.waited.seconds += 0.1

    def send(self, data) -> None:
        self._input += data
        *lines, self._input = self._input.split(b"\n")
        for line in lines:
            if self._end is None and not self._silent:
                self._doing(lambda line=line: self._hear(line))

    def close_stdin(self) -> None:
        if self._end is None and not self._silent:
            self._doing(self._closed)
            self._end = self._end or (None if self._silent else "exited with code 0")

    def poll(self, timeout):
        lines = []
        while self._pipe and not lines:
            self._unread += self._pipe[:CHUNK]
            del self._pipe[:CHUNK]
            *lines, rest = bytes(self._unread).split(b"\n")
            if len(lines[0] if lines else rest) > self.line_limit:
                raise LineTooLongError(too_long(self.line_limit))
            self._unread = bytearray(rest)
        if not lines and self._end is not None:
            self.ended = True
        elif not lines:
            Played.waited.seconds += timeout
            self._waits += 1
            assert self._waits < 10_000, "it waits for ever"
        return lines

    def stderr_tail(self):
        return self._said.text()

    def unfinished_line(self):
        return bytes(self._unread)

    def has_exited(self):
        return self._end is not None

    def how_it_ended(self):
        return self._end or ""

    def kill(self) -> None:
        self.ended = True


def started(command, line_limit):
    """The runner; a process where nobody plays it, which no quick test starts."""
    known = any(word in ("reference_impl", "conformance.mistakes") for word in command)
    known = known or any(word.endswith(("runners/hostile.py", "runners/lying.py")) for word in command)
    if known or shutil.which(command[0]) is None:
        return Played(command, line_limit)
    return RunnerProcess(command, line_limit)


_some = RephrasedVectors._sample
_chosen = {}


def _some_once(asking, vectors, wanted):
    """What is asked again, which takes most of the time of a small run, of the same vectors only once."""
    key = (asking.seed, wanted, tuple(one.id for one in vectors))
    if key not in _chosen:
        _chosen[key] = _some(asking, vectors, wanted)
    return _chosen[key]


def play(monkeypatch) -> None:
    """From now on no runner is a process."""
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + Played.waited.seconds)
    for name in ("runner.conversation", "runner.one_shot", "run.dispatcher"):
        monkeypatch.setattr(f"conformance.{name}.time", clock)
    for name in ("conversation", "one_shot"):
        monkeypatch.setattr(f"conformance.runner.{name}.RunnerProcess", started)
        monkeypatch.setattr(f"conformance.runner.{name}.left_behind", lambda _: 0)
    monkeypatch.setattr(RephrasedVectors, "_sample", _some_once)
    monkeypatch.setattr(Played, "started", 0)
    monkeypatch.setattr(Played, "waited", Waited())
