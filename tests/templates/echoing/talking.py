"""A talk with a runner through real pipes, as people's own scripts have it: any line, answered or not."""

import contextlib
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds that a reply may take on a busy machine; what must be quick is timed by its test."""


class NoReplyError(AssertionError):
    """The runner did not answer; says what it did instead."""


class Talk:
    def __init__(self, command: Sequence[str], folder: Path) -> None:
        # As bare as a runner may find it: no locale, and nothing that flushes in its place.
        bare = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process: Any = subprocess.Popen(list(command), cwd=folder, env=bare | {"LC_ALL": "C"}, **pipes)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._said: list[bytes] = []
        self._heard = threading.Event()
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _listen(self) -> None:
        for line in self.process.stderr:
            self._said.append(line)
            self._heard.set()

    def hear(self) -> str:
        """What came on standard error, where something must: its pipe may lag behind that of the replies."""
        self._heard.wait(PATIENCE)
        return self.said

    @property
    def said(self) -> str:
        return b"".join(self._said).decode("utf-8", "replace")

    def send(self, content: bytes) -> None:
        """Writes as it is; a runner that has gone is told of when its reply is expected."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(content)
            self.process.stdin.flush()

    def receive(self) -> bytes:
        try:
            line = self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            raise NoReplyError(f"no reply in {PATIENCE} s; it said: {self.said[-2000:]}") from None
        if not line:
            self._lines.put(b"")
            code = self.process.wait(PATIENCE)
            raise NoReplyError(f"it ended with {code} in place of a reply; it said: {self.said[-2000:]}")
        return line

    def ask_all(self, lines: Sequence[bytes]) -> list[bytes]:
        """All lines, written by a thread: neither side may wait for the other."""
        writer = threading.Thread(target=lambda: [self.send(line + b"\n") for line in lines], daemon=True)
        writer.start()
        replies = [self.receive() for _ in lines]
        writer.join(PATIENCE)
        return replies

    def end(self) -> tuple[int, list[bytes]]:
        """Ends its input; the exit code, and what it still wrote."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        for thread in self._threads:
            thread.join(PATIENCE)
        left = []
        with contextlib.suppress(queue.Empty):
            while line := self._lines.get(timeout=1):
                left.append(line)
        return self.process.wait(PATIENCE), left

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


class Runner:
    """A runner that serves, or one that is started for every request."""

    def __init__(self, command: Sequence[str], folder: Path, *, strings: bool, oneshot: bool) -> None:
        self.command = [*command, *(["--strings"] if strings else [])]
        self.folder = folder
        self.strings = strings
        self.oneshot = oneshot
        self._talk: Talk | None = None
        self._said = ""

    @property
    def said(self) -> str:
        return self._said + (self._talk.said if self._talk else "")

    def hear(self) -> str:
        """What came on standard error, where something must."""
        return self._talk.hear() if self._talk else self._said

    def start(self) -> Talk:
        return Talk(self.command, self.folder)

    def ask(self, line: bytes) -> bytes:
        """One line, and its reply before anything else is written."""
        return self.ask_all([line])[0]

    def ask_all(self, lines: Sequence[bytes]) -> list[bytes]:
        """Many lines, pipelined; of a runner that answers one, several processes at a time."""
        if self.oneshot:
            with ThreadPoolExecutor(4) as pool:
                return list(pool.map(self._alone, lines))
        if self._talk is None:
            self._talk = self.start()
        return self._talk.ask_all(lines)

    def _alone(self, line: bytes) -> bytes:
        """Ends its input before the reply is awaited, as the kit does: some awks read a pipe to its end."""
        talk = self.start()
        try:
            talk.send(line + b"\n")
            code, replies = talk.end()
        finally:
            talk.kill()
        self._said += talk.said
        assert (code, len(replies)) == (0, 1), f"exit code {code}, not one line: {replies}; {talk.said}"
        return replies[0]

    def close(self) -> None:
        """Ends its process, which must have nothing more to say."""
        if self._talk is None:
            return
        try:
            code, more = self._talk.end()
        finally:
            self._talk.kill()
        assert (code, more) == (0, []), f"exit code {code}, more than was asked: {more}"
