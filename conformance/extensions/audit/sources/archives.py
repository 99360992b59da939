"""Zip and tar archives on this machine, with the standard library alone.

Only names and sizes are believed, and only as far as they can be: nothing is unpacked but into the
pack, no link of an archive is followed, and each file ends at the size that was given.
"""

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, cast

from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.sources.filling import Entry, Got, checked_path, likely_limit
from conformance.extensions.audit.sources.locations import PlaceError
from conformance.extensions.audit.sources.pack import Kept
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

_BLOCK = 512
_MOST_RATIO = 250
"""How much larger than the archive its content may be, beyond what is free."""
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
    """Whether a file begins as a zip or a tar does, compressed or not."""
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
    """An open archive, a lister."""

    def __init__(self, path: str, where: str, inside: str, limits: Limits) -> None:
        self.where = where
        self.limits = limits
        self._above = f"{inside}/" if inside else ""
        self._room = _FREE + _MOST_RATIO * os.stat(path).st_size

    def entries(self, got: Got, known: Mapping[str, Kept]) -> Iterator[Entry]:
        """What it holds."""
        with _sentences(self.where):
            yield from self._entries(got)

    def fetch(self, wanted: Sequence[tuple[Entry, int]], got: Got, known: Mapping[str, Kept]) -> None:
        """Reads members in the order in which they come: going back means decompressing again."""
        with _sentences(self.where):
            for entry, _ in sorted(wanted, key=lambda one: self._position(one[0].source)):
                self._get(entry, got)

    @abstractmethod
    def _entries(self, got: Got) -> Iterator[Entry]: ...

    @abstractmethod
    def _open(self, entry: Entry) -> IO[bytes]: ...

    @abstractmethod
    def _position(self, info: Any) -> int: ...

    @abstractmethod
    def close(self) -> None:
        """Ends reading."""
        ...

    def _entry(self, name: str, mode: int, size: int, source: object) -> Entry | None:
        path = checked_path(name, self.where)
        if not path.startswith(self._above):
            return None
        return Entry(path[len(self._above) :], mode, size, "", source)

    def spend(self, size: int) -> None:
        """Counts what is decompressed.

        Raises:
            PlaceError: it is far more than the archive should have.
        """
        self._room -= size
        if self._room < 0:
            raise PlaceError(
                f"{self.where}: it holds more than {_MOST_RATIO} times its own size; "
                "if that is no mistake, unpack it yourself and name the folder"
            )

    def _get(self, entry: Entry, got: Got) -> None:
        with self._open(entry) as content:
            got(entry, "", self._pieces(entry, content), None)

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
    """What an archive or the system raises becomes a PlaceError."""
    try:
        yield
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno:
            raise PlaceError(f"{where}: {os.strerror(error.errno)}") from None
        what = f"no whole zip or tar archive ({type(error).__name__}); fetch or pack it again"
        raise PlaceError(f"{where}: {what}") from None


class _Zip(Archive):
    def __init__(self, path: str, where: str, inside: str, limits: Limits) -> None:
        super().__init__(path, where, inside, limits)
        self._file = zipfile.ZipFile(path)

    def _entries(self, got: Got) -> Iterator[Entry]:
        for info in sorted(self._file.infolist(), key=lambda info: info.header_offset):
            mode = stat.S_IFMT(info.external_attr >> 16) or stat.S_IFREG  # 0 where files have no mode
            if "\0" in info.orig_filename:  # zipfile ends the name there; other programs may not
                shown = shortened(repr(info.orig_filename), 200)
                raise PlaceError(f"{self.where}: no file can have the name {shown}")
            mode = stat.S_IFDIR if info.is_dir() else mode
            if (entry := self._entry(_name(info), mode, info.file_size, info)) is not None:
                yield entry

    def _open(self, entry: Entry) -> IO[bytes]:
        info = cast(zipfile.ZipInfo, entry.source)
        if info.flag_bits & 1:
            path = shortened(repr(entry.path), 200)
            raise PlaceError(f"{self.where}: {path} is encrypted: unpack it, and name the folder")
        self.spend(info.file_size)
        return self._file.open(info)

    def _position(self, info: Any) -> int:
        position: int = info.header_offset
        return position

    def close(self) -> None:
        self._file.close()


def _name(info: zipfile.ZipInfo) -> str:
    """A member's name: many programs write UTF-8 without the flag that says so, which means a code page."""
    if info.flag_bits & _SAYS_UTF_8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


_COMPRESSED: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.GzipFile),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ", lzma.LZMAFile),
)


class _Tar(Archive):
    def __init__(self, path: str, where: str, inside: str, limits: Limits) -> None:
        super().__init__(path, where, inside, limits)
        with open(path, "rb") as file:
            begin = file.read(6)
        opener = next((opener for mark, opener in _COMPRESSED if begin.startswith(mark)), None)
        self._stream = open(path, "rb") if opener is None else opener(path)  # noqa: SIM115
        try:
            self._file = tarfile.open(fileobj=self._stream, mode="r:")  # noqa: SIM115
        except BaseException:
            self._stream.close()
            raise

    def _entries(self, got: Got) -> Iterator[Entry]:
        """Reads it once, from the first byte to the last; what the audit reads is got meanwhile."""
        files: dict[str, tarfile.TarInfo] = {}
        while (info := self._file.next()) is not None:
            self._file.__dict__["members"].clear()  # those that are needed are kept here
            self.spend(_BLOCK + info.size)  # what is passed over is decompressed all the same
            shown = shortened(repr(info.name), 200)
            if info.sparse is not None:
                raise PlaceError(f"{self.where}: {shown} is a sparse file: unpack it, and name the folder")
            mode, size, source = _TAR_MODES.get(info.type, stat.S_IFBLK), info.size, info
            if info.islnk():  # a second name of a file before it
                known = files.get(checked_path(info.linkname, self.where))
                if known is None:
                    raise PlaceError(f"{self.where}: {shown} is a link to nothing; nothing is read")
                mode, size, source = stat.S_IFREG, known.size, known
            entry = self._entry(info.name, mode, size, source)
            if mode == stat.S_IFREG:
                files[checked_path(info.name, self.where)] = source
            if entry is not None:
                limit = likely_limit(entry.path, self.limits) if source is info else None
                if mode == stat.S_IFREG and limit is not None and size <= limit:
                    self._get(entry, got)
                yield entry
        self._stream.seek(self._file.offset)  # tarfile takes a header that is cut off for the end
        if self._stream.read(_BLOCK) != bytes(_BLOCK):
            raise tarfile.ReadError("no end")
        while piece := self._stream.read(MIB):  # what is compressed has its checksum at the end
            self.spend(len(piece))

    def _open(self, entry: Entry) -> IO[bytes]:
        content = self._file.extractfile(cast(tarfile.TarInfo, entry.source))
        assert content is not None
        return content

    def _position(self, info: Any) -> int:
        position: int = info.offset_data
        return position

    def close(self) -> None:
        self._file.close()
        self._stream.close()


def version_of_archive(path: str, where: str) -> str:
    """What changes where an archive of this machine is made again.

    Raises:
        PlaceError: it is not there.
    """
    with _sentences(where):
        status = os.stat(path)
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


@contextmanager
def open_archive(path: str, where: str, inside: str, limits: Limits) -> Iterator[Archive]:
    """An archive of this machine; `where` is what messages call it, `inside` a folder in it.

    Raises:
        PlaceError: it is not there, or no archive.
    """
    with _sentences(where):
        archive = (_Zip if _is_zip(path) else _Tar)(path, where, inside, limits)
    try:
        yield archive
    finally:
        archive.close()
