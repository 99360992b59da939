"""Reads what an untrusted command leaves: its output, its folder, and processes in /proc."""

import codecs
import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

__all__ = ["TAIL", "Stream", "descendants", "memory_of", "remove"]

_CHUNK = 1 << 16
TAIL = 8192
"""The number of bytes stored of an output's end."""


def remove(folder: Path) -> None:
    """Removes a folder of any depth, even without permissions."""
    with contextlib.suppress(RecursionError):  # most are small and need no new process
        shutil.rmtree(folder, ignore_errors=True)
    for words in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwX", "--"], ["rm", "-rf", "--"]):
        if folder.exists():
            subprocess.run([*words, str(folder)], stderr=subprocess.DEVNULL, check=False)


class Stream:
    """One output of a call: counted and decoded; only its end is stored."""

    def __init__(self, on_line: Callable[[bytes], None] | None) -> None:
        self.reading, self.writing = os.pipe()
        self.count = 0
        self.tail = b""
        self.decodes = True
        self.is_open = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._on_line = on_line
        self._unread = b""

    def take(self) -> bool:
        """Reads available data; returns whether a line is complete."""
        chunk = os.read(self.reading, _CHUNK)
        self.is_open = bool(chunk)
        self.count += len(chunk)
        self.tail = (self.tail + chunk)[-TAIL:]
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


def descendants(root: int) -> list[int]:
    """The descendants of ``root`` except zombies; none without /proc."""
    children: dict[int, list[tuple[int, bool]]] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                state, starter = file.read().rpartition(b")")[2].split()[:2]
                children.setdefault(int(starter), []).append((int(name), state == b"Z"))
    found: list[int] = []
    waiting = [root]
    while waiting:
        for process, dead in children.get(waiting.pop(), ()):
            waiting.append(process)
            if not dead:
                found.append(process)
    return found


def memory_of(processes: list[int], most: int) -> int:
    """The memory of these processes in bytes; shared memory counts once if that matters for ``most``."""
    total = sum(map(_resident, processes))
    return total if total <= most else sum(map(_proportional, processes))


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # it has ended
        return 0


def _proportional(process: int) -> int:
    try:
        with open(f"/proc/{process}/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except OSError:  # not readable
        return _resident(process)
