"""Reads the output of an untrusted command, and copies a folder for it to see instead of the original.

Only regular files and folders are copied; hidden files are skipped, and links are not followed. So a copy
contains no hidden secrets, pipes, sockets or devices.
"""

import codecs
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from conformance.wire.untrusted_files import MIB, Folder, Refused, TooManyEntriesError

__all__ = [
    "MOST_OF_A_SCRIPT", "TAIL", "Stream", "bytes_of", "copies_of", "copy_visible", "descendants", "memory_of",
    "remove",
]  # fmt: skip

_CHUNK = 1 << 16
TAIL = 8192


def remove(folder: Path) -> None:
    """Remove a folder of any depth, even without permissions."""
    with contextlib.suppress(RecursionError):  # enough for most folders
        shutil.rmtree(folder, ignore_errors=True)
    for words in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwX", "--"], ["rm", "-rf", "--"]):
        if folder.exists():
            subprocess.run([*words, str(folder)], stderr=subprocess.DEVNULL, check=False)


class Stream:
    """One output stream of a call: counts and decodes its bytes, and stores only the last ones."""

    def __init__(self, on_line: Callable[[bytes], None] | None) -> None:
        self.reading, self.writing = os.pipe()
        self.count, self.tail, self._unread = 0, b"", b""
        self.is_open = self.decodes = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._on_line = on_line

    def read_available(self) -> bool:
        """Read available data; return whether it completes a line."""
        chunk = os.read(self.reading, _CHUNK)
        self.is_open = bool(chunk)
        self.count += len(chunk)
        self.tail = (self.tail + chunk)[-TAIL:]
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
    """Return the descendants of a process except zombies; none without /proc."""
    children: dict[int, list[tuple[int, bool]]] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                state, starter = file.read().rpartition(b")")[2].split()[:2]
                children.setdefault(int(starter), []).append((int(name), state == b"Z"))
    processes: list[int] = []
    waiting = [root]
    while waiting:
        for process, dead in children.get(waiting.pop(), ()):
            waiting.append(process)
            if not dead:
                processes.append(process)
    return processes


def memory_of(processes: list[int], most: int) -> int:
    """Return the memory of these processes in bytes; if it exceeds ``most``, shared memory counts once."""
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


MOST_BYTES, MOST_OF_A_SCRIPT = 64 * MIB, 16 * MIB
MOST_FILES = 5000
DEEPEST = 6
_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "site-packages"}


def bytes_of(path: Path, most: int) -> bytes:
    """Return the bytes of a user's file; links are followed.

    Raises:
        Refused: it is not a regular file, or has more than ``most`` bytes.
        OSError: it does not exist.
    """
    real = Path(os.path.realpath(path))
    folder = Folder.top(str(real.parent))
    try:
        content = folder.read(real.name, most)
    finally:
        folder.leave()
    if content is None:
        raise FileNotFoundError(f"{path} does not exist")
    return content


def copies_of(source: str, folder: Path, mounted: Collection[str]) -> tuple[Path, list[str]]:
    """Copy a metric's folder to a new one in ``folder``; return it, and a note if the copy is incomplete.

    Nothing is copied from ``/`` and ``/tmp``.
    """
    target = Path(tempfile.mkdtemp(prefix="copy-", dir=folder))
    target.chmod(0o755)
    whole = source in ("/", "/tmp") or copy_visible(source, target, mounted)
    return target, [] if whole else [f"The metric sees only a part of {source}, which is too large."]


def copy_visible(source: str, target: Path, mounted: Collection[str]) -> bool:
    """Copy the visible files of a folder and its subfolders; return whether all of them were copied.

    ``target`` must exist and be empty. Folders for mounts below ``source`` are created.
    """
    left, whole, waiting = [MOST_BYTES, MOST_FILES], True, [("", 0)]
    for below, depth in waiting:
        with contextlib.suppress(OSError, Refused), contextlib.ExitStack() as stack:
            top = Folder.top(source)
            stack.callback(top.leave)
            if (folder := top.below(below or ".")) is None:
                continue
            stack.callback(folder.leave)
            try:
                names = sorted(folder.entries(MOST_FILES))
            except TooManyEntriesError:
                names, whole = [], False
            for name, mode in names:
                path = os.path.join(below, name)
                if name.startswith(".") or name in _SKIPPED_FOLDERS:
                    continue
                if mode == 0o040000 and depth < DEEPEST and os.path.join(source, path) not in mounted:
                    waiting.append((path, depth + 1))
                    (target / path).mkdir(mode=0o755)
                elif mode == 0o100000 and left[1]:
                    whole = _copied(folder, name, target / path, left) and whole
    for path in mounted:
        if path.startswith(source.rstrip("/") + "/"):
            (target / os.path.relpath(path, source)).mkdir(mode=0o755, parents=True, exist_ok=True)
    return whole and left[1] > 0


def _copied(folder: Folder, name: str, target: Path, left: list[int]) -> bool:
    """Copy a file if the remaining bytes and files allow it; return False if it is too large."""
    try:
        content = folder.read(name, left[0])
    except Refused as error:
        return error.kind != "too-large"
    if content is not None:
        target.write_bytes(content)
        target.chmod(0o755)
        left[:] = left[0] - len(content), left[1] - 1
    return True
