"""A sandboxed folder for untrusted commands: starts them, enforces limits, reads their files."""

import contextlib
import marshal
import os
import selectors
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.confinement.bubblewrap import (
    SANDBOX_USER,
    TEMPORARY,
    Interpreter,
    Mounts,
    bubblewrap,
    command,
)
from conformance.extensions.metrics.checker import CannotTryError
from conformance.extensions.metrics.sandbox.limits import Ended, Limits, call_filter, last_line
from conformance.extensions.metrics.sandbox.outputs import TAIL, Stream, descendants, memory_of, remove
from conformance.runner import leftovers
from conformance.wire.untrusted_files import MIB, Folder, Refused, TooManyEntriesError

__all__ = ["Room"]

_LOOK_SECONDS, _START_SECONDS, _END_SECONDS = 0.25, 30.0, 3.0
_MOST_ENTRIES, _MOST_NAMES = 500_000, 10_000
_SHARE = 8
"""A room is abandoned when its calls have used this share of one call's limits."""
_SLACK = MIB
"""The size of /tmp beyond the limit, so that exceeding it is noticed."""
_INSIDE = Path(__file__).with_name("inside.py")


@dataclass
class Room:
    """A folder in which untrusted commands run. Use it in a ``with`` statement.

    Commands see only ``mounts``; ``path`` is the folder's path inside. Without a sandbox they see everything.

    Raises:
        CannotTryError: the program inside can't be started.
    """

    limits: Limits
    python: Interpreter
    mounts: Mounts = field(default_factory=Mounts)
    path: str = "/tmp/metric"
    host: str = "sandbox"
    is_alive: bool = True

    def __enter__(self) -> "Room":
        self._bwrap = bubblewrap()
        self._word = leftovers.new_token()
        with contextlib.ExitStack() as stack:
            if self._bwrap is None:
                self.path = os.path.realpath(tempfile.mkdtemp(prefix="harbor-conformance-metric-"))
                stack.callback(remove, Path(self.path))
            self._tops = TEMPORARY if self._bwrap else (self.path,)
            self._kit, theirs = socket.socketpair()
            stack.callback(self._kit.close)
            with theirs:
                self._process = self._started(theirs.fileno())
            assert self._process.stderr
            stack.callback(self._process.stderr.close)
            stack.callback(self._kill)
            self._folders = self._heard_folders()
            for folder in self._folders:
                stack.callback(folder.leave)
            self._known = {self.path, *(path for top in self._tops for path in self._below(top))}
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, socket_within: int) -> "subprocess.Popen[bytes]":
        words = [self.python.base, "-I", "-S", "-c", _INSIDE.read_text("utf-8")]
        passed: list[int] = []
        if self._bwrap is not None:
            mounts = replace(
                self.mounts,
                readable=[*self.mounts.readable, *self.python.folders],
                links=[*self.mounts.links, *self.python.links],
                bytes=self.limits.folder_bytes + _SLACK,
            )
            if filtering := call_filter():
                reading, writing = os.pipe()
                os.write(writing, filtering)
                os.close(writing)
                passed.append(reading)
            words = command(self._bwrap, mounts, words, passed[0] if passed else None, self.host)
        try:
            streams: Any = {"stdin": socket_within, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            return subprocess.Popen(
                words, **streams, cwd="/", env={}, pass_fds=passed, start_new_session=True
            )
        except OSError as error:
            raise CannotTryError(f"{words[0]} can't be started: {error}") from None
        finally:
            for descriptor in passed:
                os.close(descriptor)

    def _heard_folders(self) -> list[Folder]:
        user = SANDBOX_USER if self._bwrap else None
        self._kit.settimeout(_START_SECONDS)
        with contextlib.suppress(OSError):
            self._say({"user": user, "limits": self.limits.of_a_process(), "tops": self._tops})
            if found := socket.recv_fds(self._kit, 8, len(self._tops))[1]:
                self._kit.settimeout(_END_SECONDS)
                return [Folder(descriptor) for descriptor in found]
        self._kill()
        error = self._process.stderr.read(TAIL) if self._process.stderr else b""
        why = last_line(error) or "it did not answer"
        raise CannotTryError(f"{self.python.base} can't be started in a sandbox: {why}")

    def call(
        self,
        words: Sequence[str],
        *,
        environment: Mapping[str, str],
        cwd: str,
        folders: Sequence[str] = (),
        files: Mapping[str, str] | None = None,
        processors: int = 0,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Ended:
        """Runs a command until it ends or reaches a limit.

        ``folders`` and ``files`` are created first. The command may use this many ``processors``, or all.
        ``on_line`` is called with each line of standard output, which restarts the time limit.
        """
        ended = Ended()
        made = (os.path.relpath(name, self.path).partition("/")[0] for name in (*folders, *(files or ())))
        self._known |= {f"{self.path}/{name}" for name in made}
        streams = (Stream(on_line), Stream(None))
        marked = {} if self._bwrap else leftovers.marked(self._word)
        asked: dict[str, Any] = {"command": list(words), "environment": {**environment, **marked}, "cwd": cwd}
        asked |= {"folders": list(folders), "files": dict(files or {}), "processors": processors}
        try:
            with contextlib.suppress(OSError):  # it has ended, as the next read will show
                self._say(asked, [stream.writing for stream in streams])
            for stream in streams:
                os.close(stream.writing)
            self._follow(ended, streams)
        finally:
            for stream in streams:
                os.close(stream.reading)
        if not ended.stopped:
            left = self._left()
            ended.left, ended.stopped = (0, "keeper") if left is None else (left, None)
        if ended.stopped or ended.left:
            self._kill()
        ended.stdout, ended.stderr = (stream.tail for stream in streams)
        ended.decodes = all(stream.decodes for stream in streams)
        return ended

    def _follow(self, ended: Ended, streams: Sequence[Stream]) -> None:
        limits = self.limits
        deadline = time.monotonic() + limits.seconds
        next_look = time.monotonic() + _LOOK_SECONDS
        heard = False
        with selectors.DefaultSelector() as selector:
            selector.register(self._kit, selectors.EVENT_READ)
            for stream in streams:
                selector.register(stream.reading, selectors.EVENT_READ, stream)
            while not heard or any(stream.is_open for stream in streams):
                now = time.monotonic()
                if now >= next_look:
                    next_look = now + _LOOK_SECONDS
                    ended.stopped = self._over()
                if now >= deadline:
                    ended.stopped = "time"
                if ended.stopped:
                    return
                for key, _ in selector.select(max(0.0, min(deadline, next_look) - now)):
                    if key.data is None:
                        selector.unregister(key.fd)
                        if not (heard := self._heard(ended)):
                            ended.stopped = "keeper"
                            return
                        continue
                    if key.data.take():
                        deadline = time.monotonic() + limits.seconds
                    if not key.data.is_open:
                        selector.unregister(key.fd)
                    if key.data.count > limits.printed:
                        ended.stopped = "printed"
                        return
        ended.stopped = self._over(ended=True)

    def _say(self, asked: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        text = marshal.dumps(asked, 2)
        socket.send_fds(self._kit, [b"%08x" % len(text)], descriptors)
        self._kit.sendall(text)

    def _heard(self, ended: Ended) -> bool:
        """Hears the answer to a call; returns whether it is one."""
        with contextlib.suppress(ConnectionError):
            return ended.understand(self._kit.recv(TAIL))
        return False

    def _over(self, *, ended: bool = False) -> str | None:
        """The exceeded limit, of those that the kernel does not enforce."""
        limits = self.limits
        if self._bwrap is not None:
            taken, entries = self._taken()
            if taken > limits.folder_bytes or entries > _MOST_ENTRIES:
                return "written"
        below = [] if ended else descendants(self._process.pid)
        if len(below) - 3 * (self._bwrap is not None) > limits.processes:
            return "processes"
        return "memory" if memory_of(below, limits.memory_bytes) > limits.memory_bytes else None

    def _taken(self) -> tuple[int, int]:
        """The size and number of all files."""
        found = os.fstatvfs(self._folders[0].descriptor)
        return (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_files - found.f_ffree

    def is_clean(self) -> bool:
        """Whether more calls can be made without traces of earlier ones."""
        if not self.is_alive or self._bwrap is None:
            return False
        taken, entries = self._taken()
        most = self.limits.folder_bytes // _SHARE
        return taken <= most and entries <= _MOST_ENTRIES // _SHARE and not self.unexpected_files()

    def _left(self) -> int | None:
        """The number of remaining processes; None without an answer."""
        if self._bwrap is None:
            return leftovers.left_behind({self._word})
        ended = Ended()
        try:
            self._say({})
            self._heard(ended)
        except TimeoutError:  # a loaded machine; a late answer would be taken for another call's
            self._kill()
            return 0
        except OSError:
            return None
        return ended.code

    def _kill(self) -> None:
        """Kills everything inside; the folder can still be read.

        bubblewrap waits for its first process inside, which the kernel ends last.
        """
        self.is_alive = False
        if self._process.returncode is None:
            if self._bwrap is not None and (first := descendants(self._process.pid)):
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    os.kill(first[0], signal.SIGKILL)
                    self._process.wait(_END_SECONDS)
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            if self._bwrap is None:
                leftovers.left_behind({self._word})

    # Files left by commands

    def read(self, path: str, most: int) -> bytes | None:
        """A file that a command wrote, or None if it does not exist; ``path`` starts with the room's.

        Raises:
            Refused: it is not a regular file, or is larger.
        """
        with self._entered(os.path.dirname(path)) as folder:
            return None if folder is None else folder.read(os.path.basename(path), most)

    def names(self, path: str) -> list[str] | None:
        """The sorted names in one of the room's folders; None if it can't be listed."""
        try:
            with self._entered(path) as folder:
                return None if folder is None else sorted(name for name, _ in folder.entries(_MOST_NAMES))
        except (OSError, Refused, TooManyEntriesError):
            return None

    def unexpected_files(self) -> list[str]:
        """The paths of unexpected files."""
        tops = [*self._tops, self.path] if self._bwrap else []
        return [path for top in tops for path in self._below(top) if path not in self._known]

    def _below(self, top: str) -> list[str]:
        return [f"{top}/{name}" for name in self.names(top) or ()]

    @contextlib.contextmanager
    def _entered(self, path: str) -> Iterator[Folder | None]:
        top = next(number for number, top in enumerate(self._tops) if f"{path}/".startswith(f"{top}/"))
        folder = self._folders[top].below(os.path.relpath(path, self._tops[top]))
        try:
            yield folder
        finally:
            if folder is not None:
                folder.leave()
