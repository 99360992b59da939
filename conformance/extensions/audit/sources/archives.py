"""Reads zip and tar archives on this machine with the standard library.

Names and sizes are checked. Nothing is unpacked except into the cache, no link in an archive is followed, and
a file is refused if its size is not the one that the archive states.
"""

import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import PlaceError
from conformance.extensions.audit.sources.cache import Entry, Store, checked_path, is_read
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

_BLOCK = 512
_MOST_RATIO = 250
"""The largest ratio of content to archive size, after a free allowance."""
_FREE = 1024 * MIB
_BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError),
    *(OSError, RuntimeError, NotImplementedError, ValueError, OverflowError, UnicodeDecodeError),
)
_SAYS_UTF_8 = 0x800
_TAR_MODES = {
    **dict.fromkeys((tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE), stat.S_IFREG),
    tarfile.DIRTYPE: stat.S_IFDIR,
    tarfile.SYMTYPE: stat.S_IFLNK,
    tarfile.FIFOTYPE: stat.S_IFIFO,
}
_Member = tuple[str, int, int, Callable[[], Any]]
"""Name, mode, size, and a function that opens a file's content."""


@contextmanager
def _sentences(where: str) -> Iterator[None]:
    """Turn errors of archives and of the system into a PlaceError."""
    try:
        yield
    except _BROKEN as error:
        problem = f"not a complete zip or tar archive ({type(error).__name__}); fetch or pack it again"
        if isinstance(error, OSError) and error.errno:
            problem = os.strerror(error.errno)
        raise PlaceError(f"{where}: {problem}") from None


def changed(path: Path, where: str, known: str | None) -> str | None:
    """Return a value that changes when the archive is rewritten; None if it equals `known`.

    Raises:
        PlaceError: the archive does not exist.
    """
    with _sentences(where):
        status = path.stat()
    version = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    return None if version == known else version


def open_archive(path: str, where: str, limits: Limits, store: Store) -> Iterator[Entry]:
    """Yield the entries of an archive, reading it once; `where` is its name in messages.

    `store` is called with each file that the audit may read, and its content.

    Raises:
        PlaceError: it does not exist, is not an archive, or can't be read completely.
    """
    with _sentences(where):
        with open(path, "rb") as start:
            members = _zip if start.read(4) in (b"PK\3\4", b"PK\5\6") else _tar
        for name, mode, size, opened in members(path, _Checks(where, os.stat(path).st_size)):
            entry = Entry(checked_path(name, where), mode, size)
            if mode == stat.S_IFREG and is_read(entry, limits):
                with opened() as file:
                    content = file.read(size + 1)
                if len(content) != size:
                    raise _refused(
                        where, name, "does not have the size that the archive states; nothing is read"
                    )
                store(entry, content)
            yield entry


def _refused(where: str, name: str, why: str) -> PlaceError:
    """Return the error for a member that can't be read."""
    return PlaceError(f"{where}: {shortened(repr(name), 200)} {why}")


class _Checks:
    """Limits the size of an archive's unpacked content."""

    def __init__(self, where: str, size: int) -> None:
        self.where, self._room = where, _FREE + _MOST_RATIO * size

    def count_bytes(self, size: int) -> None:
        """Count decompressed bytes.

        Raises:
            PlaceError: there are far more than an archive of this size should have.
        """
        self._room -= size
        if self._room < 0:
            raise PlaceError(
                f"{self.where}: its content is more than {_MOST_RATIO} times its size; "
                "if that is intended, unpack it yourself and name the folder"
            )


def _zip(path: str, checks: _Checks) -> Iterator[_Member]:
    """Yield the members of a zip archive, in its order."""
    with zipfile.ZipFile(path) as file:

        def opened(member: zipfile.ZipInfo) -> Any:
            if member.flag_bits & 1:
                why = "is encrypted: unpack the archive, and name the folder"
                raise _refused(checks.where, member.filename, why)
            checks.count_bytes(member.file_size)
            return file.open(member)

        for info in sorted(file.infolist(), key=lambda info: info.header_offset):
            mode = stat.S_IFMT(info.external_attr >> 16) or stat.S_IFREG  # 0 if there is no mode
            if "\0" in info.orig_filename:  # zipfile truncates the name there; other programs may not
                printed = shortened(repr(info.orig_filename), 200)
                raise PlaceError(f"{checks.where}: no file can have the name {printed}")
            name = info.filename
            if not info.flag_bits & _SAYS_UTF_8:  # many programs write UTF-8 without this flag
                with suppress(UnicodeError):
                    name = name.encode("cp437").decode("utf-8")
            yield name, stat.S_IFDIR if info.is_dir() else mode, info.file_size, partial(opened, info)


def _tar(path: str, checks: _Checks) -> Iterator[_Member]:
    """Yield the members of a tar archive, compressed or not, in its order."""
    with tarfile.open(path) as file:
        while (info := file.next()) is not None:
            file.members.clear()  # type: ignore[attr-defined]  # they are not needed any more
            checks.count_bytes(_BLOCK + info.size)  # skipped content is decompressed too
            if info.sparse is not None or info.islnk():
                kind = "hard link" if info.islnk() else "sparse file"
                raise _refused(
                    checks.where, info.name, f"is a {kind}: unpack the archive, and name the folder"
                )
            mode = _TAR_MODES.get(info.type, stat.S_IFBLK)
            yield info.name, mode, info.size, partial(file.extractfile, info)
        stream: Any = file.fileobj
        stream.seek(file.offset)  # tarfile mistakes a truncated header for the end
        if stream.read(_BLOCK) != bytes(_BLOCK):
            raise tarfile.ReadError("no end")
        while piece := stream.read(MIB):  # compressed data has its checksum at the end
            checks.count_bytes(len(piece))
