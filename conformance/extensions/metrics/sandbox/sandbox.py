"""A sandbox for untrusted commands: starts them, enforces limits, and reads their files."""

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

__all__ = ["Sandbox"]

_LOOK_SECONDS, _START_SECONDS, _END_SECONDS = 0.25, 30.0, 3.0
_MOST_ENTRIES, _MOST_NAMES = 500_000, 10_000
_SHARE = 8
"""A sandbox is replaced when its calls have used one in this many parts of a call's limits."""
_SLACK = MIB
"""How much larger than the limit /tmp is, so that exceeding the limit is noticed."""
_INSIDE = Path(__file__).with_name("inside.py")


@dataclass
class Sandbox:
    """A sandbox with a folder for untrusted commands. Use it in a ``with`` statement.

    Commands see only ``mounts`` and the folder at ``path``. Without bubblewrap they see everything.

    Raises:
        CannotTryError: the program inside can't be started.
    """

    limits: Limits
    python: Interpreter
    mounts: Mounts = field(default_factory=Mounts)
    path: str = "/tmp/metric"
    host: str = "sandbox"
    is_alive: bool = True

    def __enter__(self) -> "Sandbox":
        self._bwrap = bubblewrap()
        self._token = leftovers.new_token()
        with contextlib.ExitStack() as stack:
            if self._bwrap is None:
                self.path = os.path.realpath(tempfile.mkdtemp(prefix="harbor-conformance-metric-"))
                stack.callback(remove, Path(self.path))
            self._roots = TEMPORARY if self._bwrap else (self.path,)
            self._socket, theirs = socket.socketpair()
            stack.callback(self._socket.close)
            with theirs:
                self._process = self._start_process(theirs.fileno())
            assert self._process.stderr
            stack.callback(self._process.stderr.close)
            stack.callback(self._kill)
            self._folders = self._receive_folders()
            for folder in self._folders:
                stack.callback(folder.leave)
            self._known = {self.path, *(path for top in self._roots for path in self._paths_in(top))}
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start_process(self, socket_within: int) -> "subprocess.Popen[bytes]":
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

    def _receive_folders(self) -> list[Folder]:
        user = SANDBOX_USER if self._bwrap else None
        self._socket.settimeout(_START_SECONDS)
        with contextlib.suppress(OSError):
            self._send({"user": user, "limits": self.limits.of_a_process(), "tops": self._roots})
            if descriptors := socket.recv_fds(self._socket, 8, len(self._roots))[1]:
                self._socket.settimeout(_END_SECONDS)
                return [Folder(descriptor) for descriptor in descriptors]
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
        """Run a command until it ends or reaches a limit.

        ``folders`` and ``files`` are created first. The command may use this many ``processors``, or all if
        0. ``on_line`` is called with each line of standard output, which also restarts the time limit.
        """
        ended = Ended()
        names = (os.path.relpath(name, self.path).partition("/")[0] for name in (*folders, *(files or ())))
        self._known |= {f"{self.path}/{name}" for name in names}
        streams = (Stream(on_line), Stream(None))
        marked = {} if self._bwrap else leftovers.marked(self._token)
        order: dict[str, Any] = {"command": list(words), "environment": {**environment, **marked}, "cwd": cwd}
        order |= {"folders": list(folders), "files": dict(files or {}), "processors": processors}
        try:
            with contextlib.suppress(OSError):  # the program inside has ended, which the next read notices
                self._send(order, [stream.writing for stream in streams])
            for stream in streams:
                os.close(stream.writing)
            self._wait(ended, streams)
        finally:
            for stream in streams:
                os.close(stream.reading)
        if not ended.stopped:
            left = self._remaining_processes()
            ended.left, ended.stopped = (0, "keeper") if left is None else (left, None)
        if ended.stopped or ended.left:
            self._kill()
        ended.stdout, ended.stderr = (stream.tail for stream in streams)
        ended.decodes = all(stream.decodes for stream in streams)
        return ended

    def _wait(self, ended: Ended, streams: Sequence[Stream]) -> None:
        limits = self.limits
        deadline = time.monotonic() + limits.seconds
        next_look = time.monotonic() + _LOOK_SECONDS
        heard = False
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, selectors.EVENT_READ)
            for stream in streams:
                selector.register(stream.reading, selectors.EVENT_READ, stream)
            while not heard or any(stream.is_open for stream in streams):
                now = time.monotonic()
                if now >= next_look:
                    next_look = now + _LOOK_SECONDS
                    ended.stopped = self._exceeded_limit()
                if now >= deadline:
                    ended.stopped = "time"
                if ended.stopped:
                    return
                for key, _ in selector.select(max(0.0, min(deadline, next_look) - now)):
                    if key.data is None:
                        selector.unregister(key.fd)
                        if not (heard := self._receive_answer(ended)):
                            ended.stopped = "keeper"
                            return
                        continue
                    if key.data.read_available():
                        deadline = time.monotonic() + limits.seconds
                    if not key.data.is_open:
                        selector.unregister(key.fd)
                    if key.data.count > limits.printed:
                        ended.stopped = "printed"
                        return
        ended.stopped = self._exceeded_limit(ended=True)

    def _send(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        text = marshal.dumps(request, 2)
        socket.send_fds(self._socket, [b"%08x" % len(text)], descriptors)
        self._socket.sendall(text)

    def _receive_answer(self, ended: Ended) -> bool:
        """Receive the answer to a call; return whether it is valid."""
        with contextlib.suppress(ConnectionError):
            return ended.parse_answer(self._socket.recv(TAIL))
        return False

    def _exceeded_limit(self, *, ended: bool = False) -> str | None:
        """Return the exceeded limit, of those that the kernel does not enforce."""
        limits = self.limits
        if self._bwrap is not None:
            size, entries = self._usage()
            if size > limits.folder_bytes or entries > _MOST_ENTRIES:
                return "written"
        below = [] if ended else descendants(self._process.pid)
        if len(below) - 3 * (self._bwrap is not None) > limits.processes:
            return "processes"
        return "memory" if memory_of(below, limits.memory_bytes) > limits.memory_bytes else None

    def _usage(self) -> tuple[int, int]:
        """Return the size and the number of all files."""
        usage = os.fstatvfs(self._folders[0].descriptor)
        return (usage.f_blocks - usage.f_bfree) * usage.f_frsize, usage.f_files - usage.f_ffree

    def is_clean(self) -> bool:
        """Return whether it can be used again without traces of earlier calls."""
        if not self.is_alive or self._bwrap is None:
            return False
        size, entries = self._usage()
        most = self.limits.folder_bytes // _SHARE
        return size <= most and entries <= _MOST_ENTRIES // _SHARE and not self.unexpected_files()

    def _remaining_processes(self) -> int | None:
        """Return the number of remaining processes; None if there is no answer."""
        if self._bwrap is None:
            return leftovers.left_behind({self._token})
        ended = Ended()
        try:
            self._send({})
            self._receive_answer(ended)
        except TimeoutError:  # the machine is busy; a late answer would be mistaken for that of another call
            self._kill()
            return 0
        except OSError:
            return None
        return ended.code

    def _kill(self) -> None:
        """Kill everything inside; the folder can still be read.

        Bubblewrap waits for its first process inside, which the kernel ends last.
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
                leftovers.left_behind({self._token})

    # Files left by commands

    def read(self, path: str, most: int) -> bytes | None:
        """Return a file that a command wrote, or None if it does not exist; ``path`` is a path inside.

        Raises:
            Refused: it is not a regular file, or is larger than ``most`` bytes.
        """
        with self._open_folder(os.path.dirname(path)) as folder:
            return None if folder is None else folder.read(os.path.basename(path), most)

    def names(self, path: str) -> list[str] | None:
        """Return the sorted names in a folder inside; None if it can't be listed."""
        try:
            with self._open_folder(path) as folder:
                return None if folder is None else sorted(name for name, _ in folder.entries(_MOST_NAMES))
        except (OSError, Refused, TooManyEntriesError):
            return None

    def unexpected_files(self) -> list[str]:
        """Return the paths of unexpected files."""
        roots = [*self._roots, self.path] if self._bwrap else []
        return [path for top in roots for path in self._paths_in(top) if path not in self._known]

    def _paths_in(self, top: str) -> list[str]:
        return [f"{top}/{name}" for name in self.names(top) or ()]

    @contextlib.contextmanager
    def _open_folder(self, path: str) -> Iterator[Folder | None]:
        top = next(number for number, top in enumerate(self._roots) if f"{path}/".startswith(f"{top}/"))
        folder = self._folders[top].below(os.path.relpath(path, self._roots[top]))
        try:
            yield folder
        finally:
            if folder is not None:
                folder.leave()
