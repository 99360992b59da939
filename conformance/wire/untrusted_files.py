"""Reads untrusted files, and never anything outside their directory.

Directories are opened one by one, each relative to its parent, and no symbolic link is followed except the
job directory itself, which the user names. A file's type is checked before opening, so that a device, a FIFO
or a socket is never opened, and checked again afterwards, so that one that appeared meanwhile is not read.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from math import ceil

__all__ = ["MIB", "MOST_RAISED", "Folder", "Refused", "TooManyEntriesError", "allowed", "quantity", "reason"]

MIB = 2**20
MOST_RAISED = 1000
"""The largest factor for raising limits."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def quantity(number: int, unit: str) -> str:
    """A quantity as text; large numbers of bytes in MiB."""
    if unit == "bytes" and number >= MIB:
        return f"{number / MIB:.0f} MiB"
    return f"{number} {unit}"


def allowed(limit: int, unit: str, found: int | None = None) -> str:
    """The text for a limit, and the option that raises it enough for what was `found`."""
    raised = "--limits 2 doubles the limits"
    if found is not None:
        factor = ceil(found / max(limit, 1))
        raised = f"--limits {factor} allows it" if factor <= MOST_RAISED else "far too much"
    return f"at most {quantity(limit, unit)} ({raised})"


class Refused(Exception):  # noqa: N818 - it is an answer, not an error of the program
    """The file is not read; `kind` is a kind of finding."""

    def __init__(self, kind: str, found: str, expected: str) -> None:
        super().__init__(f"{found}, {expected} is expected")
        self.kind = kind
        self.found = found
        self.expected = expected
        self.where = ""
        """The path, set if more than one name is tried."""


class TooManyEntriesError(Exception):
    """The directory has more entries than the limit."""


_SPECIAL = (
    (stat.S_ISLNK, "symbolic-link", "a symbolic link"),
    (stat.S_ISFIFO, "special-file", "a FIFO"),
    (stat.S_ISSOCK, "special-file", "a socket"),
    (stat.S_ISBLK, "special-file", "a block device"),
    (stat.S_ISCHR, "special-file", "a character device"),
    (stat.S_ISDIR, "wrong-type", "a directory"),
    (stat.S_ISREG, "wrong-type", "a file"),
)


def refusal(mode: int, expected: str) -> Refused:
    """The refusal to read a file of that mode."""
    for is_kind, kind, found in _SPECIAL:
        if is_kind(mode):
            return Refused(kind, found, expected)
    return Refused("special-file", "neither a file nor a directory", expected)


def reason(error: OSError) -> str:
    """The system's error message, without the path."""
    return os.strerror(error.errno) if error.errno else str(error)


def _unreadable(error: OSError, expected: str) -> Refused:
    return Refused("unreadable", reason(error), expected)


class Folder:
    """An open directory."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def top(cls, path: str) -> "Folder":
        """Opens the directory that the user names, which may be a symbolic link. Call `leave` afterwards.

        Raises:
            OSError: it does not exist, or may not be read.
        """
        return cls(os.open(path, _FOLDER & ~os.O_NOFOLLOW))

    def enter(self, name: str) -> "Folder | None":
        """Opens a subdirectory; None if it does not exist. Call `leave` afterwards.

        Raises:
            Refused: it is not a directory, or can't be opened.
        """
        try:
            return Folder(os.open(name, _FOLDER, dir_fd=self.descriptor))
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                with contextlib.suppress(OSError):
                    mode = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False).st_mode
                    raise refusal(mode, "a directory") from None
                return None
            raise _unreadable(error, "a directory") from None
        except ValueError:  # an impossible file name
            raise Refused("wrong-type", "a name with a NUL", "a directory") from None

    def below(self, path: str) -> "Folder | None":
        """Opens the directory at a relative path of plain directories; otherwise as `enter`."""
        folder = Folder(os.dup(self.descriptor))
        for name in path.split("/"):
            try:
                inner = folder.enter(name)
            finally:
                folder.leave()
            if inner is None:
                return None
            folder = inner
        return folder

    def leave(self) -> None:
        """Close the directory."""
        os.close(self.descriptor)

    def read(self, name: str, limit: int) -> bytes | None:
        """The bytes of a file in this directory; None if it does not exist.

        Raises:
            Refused: it is not a file, is too large, changes meanwhile or can't be read.
        """
        opened = self.open(name, limit)
        if opened is None:
            return None
        descriptor, size = opened
        try:
            content = os.read(descriptor, size + 1)
            piece = content if len(content) != size else b""  # a short read, or the file grows
            while piece and len(content) <= limit:
                piece = os.read(descriptor, min(MIB, limit + 1 - len(content)))
                content += piece
        except OSError as error:
            raise _unreadable(error, "a readable file") from None
        finally:
            os.close(descriptor)
        if len(content) > limit:
            raise Refused("too-large", f"more than {quantity(limit, 'bytes')}", allowed(limit, "bytes"))
        return content

    def open(self, name: str, limit: int) -> tuple[int, int] | None:
        """A file's descriptor and size; None if it does not exist.

        Raises:
            Refused: as for `read`.
        """
        try:
            before = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
            if stat.S_IFMT(before.st_mode) != stat.S_IFREG:
                raise refusal(before.st_mode, "a file")
            size = before.st_size
            if size > limit:
                raise Refused("too-large", quantity(size, "bytes"), allowed(limit, "bytes", size))
            descriptor = os.open(name, _FILE, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(error, "a readable file") from None
        after = os.fstat(descriptor)
        size = after.st_size
        if after.st_ino != before.st_ino or after.st_dev != before.st_dev or size > limit:
            os.close(descriptor)
            raise Refused("unreadable", "a file that changes while it is read", "a file at rest")
        return descriptor, size

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        """The names in this directory with their types (a mode without permissions), unordered.

        Files that vanish meanwhile are omitted.

        Raises:
            TooManyEntriesError: there are more than `limit`.
            OSError: it can't be listed.
        """
        with os.scandir(self.descriptor) as listing:
            for count, entry in enumerate(listing, start=1):
                if count > limit:
                    raise TooManyEntriesError
                try:
                    if entry.is_dir(follow_symlinks=False):
                        mode = stat.S_IFDIR
                    elif entry.is_file(follow_symlinks=False):
                        mode = stat.S_IFREG
                    else:
                        mode = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                except OSError:
                    continue
                yield entry.name, mode
