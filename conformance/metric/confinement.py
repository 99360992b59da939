"""Runs a stranger's command to its end, or to the limit, and leaves nothing of it running.

The command is a child of ``keeper``. Where the kernel has Landlock or namespaces it can change files in the
folders that it is given and nowhere else; ``protection`` says what this machine has.
"""

import codecs
import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.metric.findings import DEFAULT_SECONDS
from conformance.metric.protection import KEEPER, can_lock_writes, protections
from conformance.metric.scratch import bytes_in, copied, removed, scratch_folder

__all__ = ["MIB", "Ended", "Limits", "can_lock_writes", "run_confined"]

MIB = 1 << 20
_CHUNK = 1 << 16
_TAIL = 8192
_LOOK_SECONDS = 0.5
_KEEPER_SECONDS = 10.0
_MOST_ENTRIES = 500_000
_DEVICES = ("null", "zero", "full", "random", "urandom", "shm")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take."""

    seconds: float = DEFAULT_SECONDS
    printed: int = 64 * MIB
    """Bytes on standard output and on standard error."""
    file_bytes: int = 64 * MIB
    """The size of one file."""
    folder_bytes: int = 256 * MIB
    """All files in the run's folder."""
    memory_bytes: int = 8 << 30
    """Address space of one process."""
    processes: int = 200


@dataclass(slots=True)
class Ended:
    """How a run ended."""

    code: int | None = None
    """The exit code, a signal's number below 0; None where the command itself had not ended."""
    stopped: str | None = None
    """What it was stopped for: time, printed, written, processes or keeper (which it had ended itself);
    None where it ended by itself."""
    failure: str | None = None
    """Why it could not be started."""
    left: int = 0
    """Processes that had outlived the command."""
    stdout: bytes = b""
    stderr: bytes = b""
    """Their last bytes."""
    decodes: bool = True
    """Whether all of both is UTF-8."""
    seconds: float = 0.0


class _Stream:
    """One output of the command: counted, decoded and forgotten but for its end."""

    def __init__(self, on_line: Callable[[bytes], None] | None) -> None:
        self.count = 0
        self.tail = b""
        self.decodes = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._on_line = on_line
        self._unread = b""

    def take(self, chunk: bytes) -> bool:
        """Takes what was read; whether a line is complete."""
        self.count += len(chunk)
        self.tail = (self.tail + chunk)[-_TAIL:]
        if self.decodes:
            try:
                self._decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError:
                self.decodes = False
        if self._on_line is None:
            return False
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            self._on_line(line)
        return bool(lines)


class _Run:
    """One run, from start to end."""

    def __init__(
        self, places: Sequence[Path], limits: Limits, on_line: Callable[[bytes], None] | None
    ) -> None:
        self._folder, *self._others = places
        self._limits = limits
        self._before = self._taken()
        self._stdout, self._stderr = _Stream(on_line), _Stream(None)
        self._said = b""
        self._has_ended = False
        self._command: int | None = None
        self.ended = Ended()

    def _taken(self) -> int:
        """Bytes in the folders that it may write to; the others may hold many files from the start."""
        return bytes_in(self._folder) + sum(bytes_in(place, _MOST_ENTRIES) for place in self._others)

    def go(self, job: dict[str, Any]) -> Ended:
        began = time.monotonic()
        control_read, self._control = os.pipe()
        self._status, status_write = os.pipe()
        job |= {"control": control_read, "status": status_write}
        try:
            process = subprocess.Popen(
                [*KEEPER, json.dumps(job)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(control_read, status_write),
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            os.close(self._control)
            os.close(self._status)
            raise
        finally:
            os.close(control_read)
            os.close(status_write)
        assert process.stdout
        assert process.stderr
        try:
            self._follow({process.stdout.fileno(): self._stdout, process.stderr.fileno(): self._stderr})
        finally:
            os.close(self._control)
            self._let_the_keeper_end(process)
        ended = self.ended
        ended.stdout, ended.stderr = self._stdout.tail, self._stderr.tail
        ended.decodes = self._stdout.decodes and self._stderr.decodes
        ended.seconds = time.monotonic() - began
        return ended

    def _follow(self, streams: dict[int, _Stream]) -> None:
        deadline = time.monotonic() + self._limits.seconds
        next_look = time.monotonic() + _LOOK_SECONDS
        with selectors.DefaultSelector() as selector:
            for descriptor in (*streams, self._status):
                selector.register(descriptor, selectors.EVENT_READ)
            while len(selector.get_map()) > 1 or not self._has_ended:
                now = time.monotonic()
                if now >= deadline:
                    self.ended.stopped = "time"
                if now >= next_look:
                    next_look = now + _LOOK_SECONDS
                    if self._taken() - self._before > self._limits.folder_bytes:
                        self.ended.stopped = "written"
                if self.ended.stopped:
                    return
                for key, _ in selector.select(min(deadline, next_look) - now):
                    chunk = os.read(key.fd, _CHUNK)
                    if key.fd == self._status:
                        self._hear(chunk)
                        if not chunk:  # somebody ended the keeper itself
                            self.ended.stopped = "keeper"
                            return
                        continue
                    stream = streams[key.fd]
                    if stream.take(chunk):
                        deadline = time.monotonic() + self._limits.seconds
                    if not chunk:
                        selector.unregister(key.fd)
                    if stream.count > self._limits.printed:
                        self.ended.stopped = "printed"
                        return

    def _hear(self, chunk: bytes) -> None:
        *lines, self._said = (self._said + chunk).split(b"\n")
        for said in map(json.loads, lines):
            if "started" in said:
                self._command = int(said["started"])
            elif "ended" in said:
                self._has_ended, self.ended.code = True, said["ended"]
            elif "failed" in said:
                self.ended.failure = said["failed"]
            elif "crowd" in said:
                self.ended.stopped = "processes"
            elif "hoard" in said:
                self.ended.stopped = self.ended.stopped or "written"
            elif "lost" in said:
                self.ended.stopped = "keeper"
            elif "left" in said:
                self.ended.left = said["left"]

    def _let_the_keeper_end(self, process: "subprocess.Popen[bytes]") -> None:
        until = time.monotonic() + _KEEPER_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self._status, selectors.EVENT_READ)
            while selector.select(max(0.0, until - time.monotonic())):
                chunk = os.read(self._status, _CHUNK)
                if not chunk:
                    break
                self._hear(chunk)
        os.close(self._status)
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(_KEEPER_SECONDS)
        if self.ended.stopped == "keeper" and self._command is not None:
            with contextlib.suppress(OSError):
                os.killpg(self._command, signal.SIGKILL)
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()


def run_confined(
    command: Sequence[str],
    *,
    folder: Path,
    cwd: Path,
    environment: Mapping[str, str],
    limits: Limits,
    writable: Sequence[Path] = (),
    fresh: Sequence[Path] = (),
    levels: int = 1,
    lock_writes: bool = True,
    on_line: Callable[[bytes], None] | None = None,
) -> Ended:
    """Runs a command that may change files in ``folder``, ``writable`` and ``fresh``.

    What is in ``fresh``, small folders, is afterwards as it was. Of files that it leaves in the first
    ``levels`` levels, of which 1 is ``folder`` itself, the content is kept; of those below names and sizes.
    With ``on_line`` each line of standard output is handed over, and the time starts anew with it.
    """
    held = protections()
    places = [str(folder), *map(str, (*writable, *fresh)), *(f"/dev/{name}" for name in _DEVICES)]
    job = {
        "command": list(command),
        "cwd": str(cwd),
        "folder": str(folder),
        "fresh": [*map(str, fresh)],
        "levels": levels,
        "environment": dict(environment),
        "file_bytes": limits.file_bytes,
        "folder_bytes": limits.folder_bytes,
        "memory_bytes": limits.memory_bytes,
        "processes": limits.processes,
        "writable": places if lock_writes else None,
        "apart": held.namespaces,
        "filtered": held.seccomp,
    }
    with contextlib.nullcontext() if held.namespaces else _restored(fresh):
        return _Run([folder, *writable, *fresh], limits, on_line).go(job)


@contextlib.contextmanager
def _restored(folders: Sequence[Path]) -> Iterator[None]:
    """Afterwards what is in them is as before."""
    with scratch_folder() as backup:
        for number, folder in enumerate(folders):
            (backup / str(number)).mkdir()
            copied(folder, backup / str(number))
        try:
            yield
        finally:
            for number, folder in enumerate(folders):
                removed(folder)
                folder.mkdir()
                copied(backup / str(number), folder)
