"""A runner's process: writes and reads lines, and stores both ends of stderr, without blocking forever."""

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence

from conformance import interrupts
from conformance.confinement.runners import program_of, require_program
from conformance.errors import UserError
from conformance.runner.leftovers import marked, new_token
from conformance.runner.reply_errors import too_long
from conformance.wire.text import left_out

__all__ = ["LineTooLongError", "RunnerProcess", "RunnerStartError", "end_runners"]

_CHUNK = 1 << 16
_REAP_SECONDS = 2.0
_running: set[int] = set()
"""The process groups of running runners."""


def end_runners() -> None:
    """Kills runners that an interruption left without an owner."""
    for group in list(_running):
        _end(group)


def _end(group: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    _running.discard(group)


class RunnerStartError(UserError):
    """The runner could not be started; the message is one sentence, and ``stderr`` the end of its stderr."""

    def __init__(self, sentence: str, stderr: str = "") -> None:
        super().__init__(sentence)
        self.stderr = stderr


class LineTooLongError(Exception):
    """The runner wrote a line longer than the limit; the message is one sentence."""


_HEAD = 8192
_TAIL = 8192


class KeptStderr:
    """Stores the first and last bytes of standard error since ``begin``, or the last ones from before.

    The last bytes alone could lose a panic's message, which comes before its backtrace. Both parts are
    limited, since a runner may write gigabytes.
    """

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._since = 0
        """The number of bytes since ``begin``."""
        self._line_feeds = 0
        """The number of line feeds among them."""

    def begin(self) -> None:
        """Start again after a reply, since later output belongs to the next one."""
        self._head.clear()
        self._since = self._line_feeds = 0

    def add(self, chunk: bytes) -> None:
        """Adds output."""
        room = _HEAD - len(self._head)
        if room > 0:
            self._head += chunk[:room]
        self._since += len(chunk)
        self._line_feeds += chunk.count(b"\n")
        self._tail += chunk
        del self._tail[:-_TAIL]

    def text(self) -> str:
        """Return the text since ``begin``, or both of its ends with the number of omitted lines.

        If there is none, returns the end of the earlier text.
        """
        missing = self._since - len(self._head) - len(self._tail)
        if missing <= 0:
            whole = self._head + self._tail[-missing:] if self._since else self._tail
            return whole.decode("utf-8", "replace")
        lines = self._line_feeds - self._head.count(b"\n") - self._tail.count(b"\n")
        beginning, tail = (end.decode("utf-8", "replace") for end in (self._head, self._tail))
        return f"{beginning}\n{left_out(max(1, lines))}\n{tail}"


class RunnerProcess:
    """A runner's process, with its three pipes read and written concurrently.

    ``line_limit`` is the longest line accepted, in bytes; the owner may change it between polls.
    """

    def __init__(self, command: Sequence[str], line_limit: int) -> None:
        self.word = new_token()
        """The token in the environment of everything that it starts."""
        program = program_of(command)
        try:
            require_program(command)
            with interrupts.held():
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                    env={**os.environ, **marked(self.word)},
                )
                _running.add(self._process.pid)
        except FileNotFoundError:
            which = "the interpreter of the command" if shutil.which(program) else "the command"
            hint = f": no shell runs it, so write env {program}" if "=" in program else ""
            raise RunnerStartError(f"{which} {program!r} does not exist{hint}") from None
        except PermissionError:
            raise RunnerStartError(f"the command {program!r} may not be executed") from None
        except (OSError, ValueError) as error:
            raise RunnerStartError(f"the command {program!r} could not be started: {error}") from None
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._pipes = [pipe for pipe in pipes if pipe]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self.line_limit = line_limit
        self.ended = False
        """Standard output has ended: no more lines will come."""
        self._out = bytearray()
        self._unread = bytearray()
        self._kept_stderr = KeptStderr()
        self._selector = selectors.DefaultSelector()
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)
        self._more_to_read = False
        """Standard output may hold unread data."""
        self._killed = False
        self._writing = False
        self._stdin_open = True
        self._close_when_written = False

    def send(self, line: bytes) -> None:
        """Queues a line; it is written here and in ``poll`` as the runner reads."""
        self._out += line
        self._write()

    def close_stdin(self) -> None:
        """Closes standard input once all queued lines are written."""
        self._close_when_written = True
        self._write()

    def poll(self, timeout: float) -> list[bytes]:
        """The lines read so far, without line feeds, waiting up to ``timeout`` seconds for one.

        Once standard output has ended it does not wait.

        Raises:
            LineTooLongError: a line is longer than ``line_limit``.
        """
        until = time.monotonic() + timeout
        while True:
            lines = self._pump(0.0 if self.ended else max(0.0, until - time.monotonic()))
            if lines or self.ended or time.monotonic() >= until:
                return lines

    def _pump(self, timeout: float) -> list[bytes]:
        lines: list[bytes] = []
        ready = {key.fd for key, _ in self._selector.select(timeout)}
        if self._stdin in ready:
            self._write()
        self._more_to_read = False
        if self._stdout in ready:
            lines = self._read_lines()
            if lines:
                self._kept_stderr.begin()
        # Read stderr after the reply, or the start of later output would count as the reply's.
        if self._stderr in ready and not self._more_to_read:
            self._read_stderr()
        return lines

    def _write(self) -> None:
        while self._stdin_open and self._out:
            try:
                written = os.write(self._stdin, memoryview(self._out)[:_CHUNK])
            except BlockingIOError:
                break
            except OSError:  # the runner closed its end: its answers still count
                self._out.clear()
                self._shut_stdin()
                return
            del self._out[:written]
        if self._stdin_open and self._close_when_written and not self._out:
            self._shut_stdin()
        wanted = self._stdin_open and bool(self._out)
        if wanted and not self._writing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif self._writing and not wanted and self._stdin_open:
            self._selector.unregister(self._stdin)
        self._writing = wanted

    def _shut_stdin(self) -> None:
        if self._writing:
            self._selector.unregister(self._stdin)
            self._writing = False
        self._stdin_open = False
        with contextlib.suppress(OSError):
            self._pipes[0].close()

    def _read(self, pipe: int) -> bytes | None:
        """Read from a pipe; return None if it has no data yet, and nothing at its end."""
        try:
            chunk = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            chunk = b""
        if not chunk:
            self._selector.unregister(pipe)
        return chunk

    def _read_lines(self) -> list[bytes]:
        chunk = self._read(self._stdout)
        if not chunk:
            self.ended = chunk is not None
            return []
        self._more_to_read = len(chunk) == _CHUNK
        self._unread += chunk
        if b"\n" not in chunk:
            if len(self._unread) > self.line_limit:
                raise LineTooLongError(too_long(self.line_limit))
            return []
        *lines, unfinished = bytes(self._unread).split(b"\n")
        self._unread = bytearray(unfinished)
        if len(lines[0]) > self.line_limit:
            raise LineTooLongError(too_long(self.line_limit))
        return lines

    def _read_stderr(self) -> None:
        self._kept_stderr.add(self._read(self._stderr) or b"")

    def stderr_tail(self) -> str:
        """The runner's latest stderr: the first and the last 8 KiB since its last reply."""
        if not self._killed and self._stderr in self._selector.get_map():
            self._read_stderr()
        return self._kept_stderr.text()

    def unfinished_line(self) -> bytes:
        """The data after the last line feed."""
        return bytes(self._unread)

    def has_exited(self) -> bool:
        """Return whether the process has exited; its children may still hold its pipes open."""
        return self._process.poll() is not None

    def how_it_ended(self) -> str:
        """Return a clause on how the process ended, after its output has ended."""
        try:
            code = self._process.wait(_REAP_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        if code >= 0:
            return f"exited with code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"

    def kill(self) -> None:
        """Kills the process and everything in its session; safe to call twice."""
        if self._killed:
            return
        self.stderr_tail()
        _end(self._process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)
        self._selector.close()
        self._killed = self.ended = True
        self._stdin_open = False
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()
