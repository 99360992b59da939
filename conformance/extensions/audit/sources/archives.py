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
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.sources.cache import Entry
from conformance.extensions.audit.sources.filling import OnFetched, checked_path, limit_of
from conformance.extensions.audit.sources.places import PlaceError
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


def is_archive(path: str) -> bool:
    """Whether a file starts like a zip or a tar, compressed or not."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        if _is_zip(path):
            return True
        with tarfile.open(path):
            return True
    except _BROKEN:
        return False


def _is_zip(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) in (b"PK\3\4", b"PK\5\6")


class Archive(ABC):
    """An open archive, as a lister.

    The source of an entry is the offset of its content, and the member.
    """

    def __init__(self, file: Any, path: str, where: str, limits: Limits) -> None:
        self.file = file
        self.where = where
        self.limits = limits
        self._room = _FREE + _MOST_RATIO * os.stat(path).st_size

    def entries(self, on_fetched: OnFetched) -> Iterator[Entry]:
        """The entries of the archive."""
        with _sentences(self.where):
            yield from self._entries(on_fetched)

    def fetch(self, wanted: Sequence[Entry], on_fetched: OnFetched) -> None:
        """Reads members in the order of the archive: going back would mean decompressing again."""
        with _sentences(self.where):
            for entry in sorted(wanted, key=lambda one: one.source[0]):
                self._get(entry, on_fetched)

    @abstractmethod
    def _entries(self, on_fetched: OnFetched) -> Iterator[Entry]: ...

    @abstractmethod
    def _open(self, entry: Entry) -> IO[bytes]: ...

    def _entry(self, name: str, mode: int, size: int, source: object) -> Entry:
        return Entry(checked_path(name, self.where), mode, size, source=source)

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

    def _get(self, entry: Entry, on_fetched: OnFetched) -> None:
        with self._open(entry) as content:
            on_fetched(entry, self._pieces(entry, content))

    def _pieces(self, entry: Entry, content: IO[bytes]) -> Iterator[bytes]:
        left = entry.size or 0
        while left and (piece := content.read(min(left, MIB))):
            left -= len(piece)
            yield piece
        if left or content.read(1):
            path = shortened(repr(entry.path), 200)
            raise PlaceError(f"{self.where}: {path} has another size than it says; nothing is read")


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

    def _entries(self, on_fetched: OnFetched) -> Iterator[Entry]:
        for info in sorted(self.file.infolist(), key=lambda info: info.header_offset):
            mode = stat.S_IFMT(info.external_attr >> 16) or stat.S_IFREG  # 0 if files have no mode
            if "\0" in info.orig_filename:  # zipfile cuts the name there; other programs may not
                shown = shortened(repr(info.orig_filename), 200)
                raise PlaceError(f"{self.where}: no file can have the name {shown}")
            mode = stat.S_IFDIR if info.is_dir() else mode
            source = (info.header_offset, info)
            yield self._entry(_name(info), mode, info.file_size, source)

    def _open(self, entry: Entry) -> IO[bytes]:
        info: zipfile.ZipInfo = entry.source[1]
        if info.flag_bits & 1:
            path = shortened(repr(entry.path), 200)
            raise PlaceError(f"{self.where}: {path} is encrypted: unpack it, and name the folder")
        self.count_bytes(info.file_size)
        return cast(IO[bytes], self.file.open(info))


def _name(info: zipfile.ZipInfo) -> str:
    """A member's name: many programs write UTF-8 without setting the flag, which then means a code page."""
    if info.flag_bits & _SAYS_UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


class _Tar(Archive):
    opened = tarfile.open

    def _entries(self, on_fetched: OnFetched) -> Iterator[Entry]:
        """Reads the archive once, from start to end; fetches the files that the audit reads on the way."""
        files: dict[str, tarfile.TarInfo] = {}
        while (info := self.file.next()) is not None:
            self.file.members.clear()  # those that are needed are stored here
            self.count_bytes(_BLOCK + info.size)  # skipped content is decompressed all the same
            shown = shortened(repr(info.name), 200)
            if info.sparse is not None:
                raise PlaceError(f"{self.where}: {shown} is a sparse file: unpack it, and name the folder")
            mode, size, source = _TAR_MODES.get(info.type, stat.S_IFBLK), info.size, info
            if info.islnk():  # a second name for an earlier file
                known = files.get(checked_path(info.linkname, self.where))
                if known is None:
                    raise PlaceError(f"{self.where}: {shown} is a link to nothing; nothing is read")
                mode, size, source = stat.S_IFREG, known.size, known
            entry = self._entry(info.name, mode, size, (source.offset_data, source))
            if mode == stat.S_IFREG:
                files[checked_path(info.name, self.where)] = source
            limit = limit_of(entry.path, self.limits) if source is info else None
            if mode == stat.S_IFREG and limit is not None and size <= limit:
                self._get(entry, on_fetched)
            yield entry
        stream = self.file.fileobj
        stream.seek(self.file.offset)  # tarfile takes a truncated header for the end
        if stream.read(_BLOCK) != bytes(_BLOCK):
            raise tarfile.ReadError("no end")
        while piece := stream.read(MIB):  # compressed data has its checksum at the end
            self.count_bytes(len(piece))

    def _open(self, entry: Entry) -> IO[bytes]:
        return cast(IO[bytes], self.file.extractfile(entry.source[1]))


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
        of_kind: Any = _Zip if _is_zip(path) else _Tar
        file = of_kind.opened(path)
    with file:
        yield of_kind(file, path, where, limits)
