"""Zip and tar archives on this machine, with the standard library alone.

Only names and sizes are used, and both are checked: nothing is unpacked except into the cache, no link in
an archive is followed, and a file with another size than the archive states is refused.
"""

import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import PlaceError
from conformance.extensions.audit.sources.cache import Entry, Put, checked_path, is_read
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

_BLOCK = 512
_MOST_RATIO = 250
"""The largest ratio of content to archive size, beyond a free allowance."""
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


def _is_zip(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) in (b"PK\3\4", b"PK\5\6")


_Member = tuple[str, int, int, Callable[[], Any]]
"""Name, mode, size, and what opens the content of a file."""


class Archive:
    """An open archive, which is read once, from start to end."""

    opened: Any
    """Opens the file."""

    def __init__(self, path: str, where: str, limits: Limits) -> None:
        self.file = self.opened(path)
        self.where = where
        self.limits = limits
        self._room = _FREE + _MOST_RATIO * os.stat(path).st_size

    def entries(self, put: Put) -> Iterator[Entry]:
        """The entries of the archive; the content of those that the audit may read is `put` away."""
        with _sentences(self.where):
            for name, mode, size, opened in self.members():
                entry = Entry(checked_path(name, self.where), mode, size)
                if mode == stat.S_IFREG and is_read(entry, self.limits):
                    with opened() as file:
                        content = file.read(size + 1)
                    if len(content) != size:
                        raise self.refused(name, "has another size than it says; nothing is read")
                    put(entry, content)
                yield entry

    def fetch(self, wanted: Sequence[Entry], put: Put) -> None:
        """Does nothing: what the audit may read was read with the names."""

    def members(self) -> Iterator[_Member]:
        """The members, in the order of the archive."""
        raise NotImplementedError

    def refused(self, name: str, why: str) -> PlaceError:
        """The error for a member that can't be read."""
        return PlaceError(f"{self.where}: {shortened(repr(name), 200)} {why}")

    def count_bytes(self, size: int) -> None:
        """Counts decompressed bytes.

        Raises:
            PlaceError: it is far more than the archive should have.
        """
        self._room -= size
        if self._room < 0:
            raise PlaceError(
                f"{self.where}: it holds more than {_MOST_RATIO} times its own size; "
                "if that is no mistake, unpack it yourself and name the folder"
            )


@contextmanager
def _sentences(where: str) -> Iterator[None]:
    """Turns errors of archives and of the system into a PlaceError."""
    try:
        yield
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno:
            raise PlaceError(f"{where}: {os.strerror(error.errno)}") from None
        what = f"not a complete zip or tar archive ({type(error).__name__}); fetch or pack it again"
        raise PlaceError(f"{where}: {what}") from None


class _Zip(Archive):
    opened = zipfile.ZipFile

    def members(self) -> Iterator[_Member]:
        for info in sorted(self.file.infolist(), key=lambda info: info.header_offset):
            mode = stat.S_IFMT(info.external_attr >> 16) or stat.S_IFREG  # 0 if files have no mode
            if "\0" in info.orig_filename:  # zipfile cuts the name there; other programs may not
                shown = shortened(repr(info.orig_filename), 200)
                raise PlaceError(f"{self.where}: no file can have the name {shown}")
            name = info.filename
            if not info.flag_bits & _SAYS_UTF_8:  # many programs write UTF-8 all the same
                with suppress(UnicodeError):
                    name = name.encode("cp437").decode("utf-8")
            yield name, stat.S_IFDIR if info.is_dir() else mode, info.file_size, partial(self._open, info)

    def _open(self, member: zipfile.ZipInfo) -> Any:
        if member.flag_bits & 1:
            raise self.refused(member.filename, "is encrypted: unpack it, and name the folder")
        self.count_bytes(member.file_size)
        return self.file.open(member)


class _Tar(Archive):
    opened = tarfile.open

    def members(self) -> Iterator[_Member]:
        while (info := self.file.next()) is not None:
            self.file.members.clear()  # they are not needed again
            self.count_bytes(_BLOCK + info.size)  # skipped content is decompressed all the same
            if info.sparse is not None or info.islnk():
                what = "a second name of another" if info.islnk() else "a sparse"
                raise self.refused(info.name, f"is {what} file: unpack it, and name the folder")
            mode = _TAR_MODES.get(info.type, stat.S_IFBLK)
            yield info.name, mode, info.size, partial(self.file.extractfile, info)
        stream = self.file.fileobj
        stream.seek(self.file.offset)  # tarfile takes a truncated header for the end
        if stream.read(_BLOCK) != bytes(_BLOCK):
            raise tarfile.ReadError("no end")
        while piece := stream.read(MIB):  # compressed data has its checksum at the end
            self.count_bytes(len(piece))


def changed(path: Path, where: str, known: str | None) -> str | None:
    """A value that changes if an archive on this machine is rewritten; None if it equals `known`.

    Raises:
        PlaceError: it is not there.
    """
    with _sentences(where):
        status = path.stat()
    version = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
    return None if version == known else version


@contextmanager
def open_archive(path: str, where: str, limits: Limits) -> Iterator[Archive]:
    """Opens an archive on this machine; `where` is its name in messages.

    Raises:
        PlaceError: it is not there, or no archive.
    """
    with _sentences(where):
        archive = (_Zip if _is_zip(path) else _Tar)(path, where, limits)
    with archive.file:
        yield archive
