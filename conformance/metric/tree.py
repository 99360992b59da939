"""Walks folders of any depth, as no path can name them all: counts, removes, copies what is in them.

Standard library alone: ``keeper`` uses it too. Links are not followed, and one descriptor is open at a time.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["ALL_LEVELS", "MOST_ENTRIES", "Entry", "bytes_below", "copy", "remove", "walk"]

MOST_ENTRIES = 20_000
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


class Entry(NamedTuple):
    """One entry of a folder, or the end of a folder below it."""

    folder: int
    """The folder's descriptor, valid until the next entry is asked for."""
    name: str
    status: os.stat_result
    kind: str
    """``file`` (also of a folder that can't be opened), ``enter`` or ``leave``."""


def walk(root: int) -> Iterator[Entry]:
    """Everything below an open folder; the folder's descriptor stays open.

    What changes meanwhile may be missed, but the walk never leaves the folder.
    """
    here = os.dup(root)
    trail: list[tuple[os.stat_result, list[tuple[str, os.stat_result]], str, os.stat_result | None]] = []
    try:
        own = os.fstat(here)
        trail.append((own, _entries(here), "", None))
        while trail:
            own, waiting, name, status = trail[-1]
            if waiting:
                name, status = waiting.pop()
                inner = _opened(here, name, status) if stat.S_ISDIR(status.st_mode) else None
                if inner is None:
                    yield Entry(here, name, status, "file")
                    continue
                try:
                    yield Entry(here, name, status, "enter")
                except BaseException:
                    os.close(inner)
                    raise
                os.close(here)
                here = inner
                trail.append((os.fstat(here), _entries(here), name, status))
                continue
            trail.pop()
            if trail and status is not None:
                outer = os.open("..", _OPEN, dir_fd=here)
                os.close(here)
                here = outer
                found = os.fstat(here)
                if (found.st_dev, found.st_ino) != (trail[-1][0].st_dev, trail[-1][0].st_ino):
                    return  # it was moved elsewhere meanwhile
                yield Entry(here, name, status, "leave")
    except OSError:
        return
    finally:
        os.close(here)


def _entries(folder: int) -> list[tuple[str, os.stat_result]]:
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found.append((entry.name, entry.stat(follow_symlinks=False)))
            if len(found) > MOST_ENTRIES:
                break
    return found


def _opened(folder: int, name: str, status: os.stat_result) -> int | None:
    """A folder's descriptor, also where its maker took its rights away."""
    for rights in (None, stat.S_IRWXU):
        with contextlib.suppress(OSError):
            if rights is not None:
                if os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino != status.st_ino:
                    return None
                os.chmod(name, rights, dir_fd=folder)
            return os.open(name, _OPEN, dir_fd=folder)
    return None


def bytes_below(root: int, most_entries: int = MOST_ENTRIES) -> int:
    """How much there is below an open folder, in bytes on disk; too many entries are a flood too."""
    total = 0
    entries = 0
    for entry in walk(root):
        if entry.kind != "leave":
            total += entry.status.st_blocks * 512
            entries += 1
            if entries > most_entries:
                return 1 << 62
    return total


def remove(name: str, folder: int | None = None) -> None:
    """Removes a file, or a folder with all that is in it, whatever its depth and rights; raises nothing."""
    for _ in range(100):  # a folder of very many entries is read in parts
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
            return
        with contextlib.suppress(OSError):
            os.chmod(name, stat.S_IRWXU, dir_fd=folder)
        try:
            root = os.open(name, _OPEN, dir_fd=folder)
        except OSError:
            return
        try:
            for entry in walk(root):
                with contextlib.suppress(OSError):
                    if entry.kind == "file" and not stat.S_ISDIR(entry.status.st_mode):
                        os.unlink(entry.name, dir_fd=entry.folder)
                    elif entry.kind == "leave":
                        os.rmdir(entry.name, dir_fd=entry.folder)
        finally:
            os.close(root)
        with contextlib.suppress(OSError):
            os.rmdir(name, dir_fd=folder)
            return


ALL_LEVELS = 1 << 30
"""However deep."""


def copy(source: int, target: int, content_bytes: int, levels: int = ALL_LEVELS) -> None:
    """Copies what is below one open folder into another: names, kinds, sizes.

    The content is copied too, up to ``content_bytes`` in all, of files in the first ``levels`` levels, of
    which 1 is the folder itself; other files get their size alone, as a hole. Pipes, sockets and devices
    become pipes.
    """
    here = os.dup(target)
    depth = 0
    try:
        for entry in walk(source):
            name, mode = entry.name, entry.status.st_mode
            if entry.kind == "leave":
                outer = os.open("..", _OPEN, dir_fd=here)
                os.close(here)
                here, depth = outer, depth - 1
            elif entry.kind == "enter":
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, stat.S_IRWXU, dir_fd=here)
                inner = os.open(name, _OPEN, dir_fd=here)
                os.close(here)
                here, depth = inner, depth + 1
            else:
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=here)
                if stat.S_ISLNK(mode):
                    os.symlink(os.readlink(name, dir_fd=entry.folder), name, dir_fd=here)
                elif stat.S_ISREG(mode):
                    wanted = entry.status.st_size if depth < levels else 0
                    content_bytes -= _copy_file(entry, here, min(wanted, max(0, content_bytes)))
                elif stat.S_ISDIR(mode):
                    os.mkdir(name, stat.S_IRWXU, dir_fd=here)
                else:
                    os.mkfifo(name, stat.S_IRUSR | stat.S_IWUSR, dir_fd=here)
    finally:
        os.close(here)


def _copy_file(entry: Entry, folder: int, wanted: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(entry.name, flags, stat.S_IMODE(entry.status.st_mode) | stat.S_IWUSR, dir_fd=folder)
    copied = 0
    try:
        if wanted:
            reading = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            origin = os.open(entry.name, reading, dir_fd=entry.folder)
            try:
                while copied < wanted and (chunk := os.read(origin, min(_CHUNK, wanted - copied))):
                    os.write(file, chunk)
                    copied += len(chunk)
            finally:
                os.close(origin)
        os.ftruncate(file, entry.status.st_size)
    finally:
        os.close(file)
    return copied
