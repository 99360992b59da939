"""Zip and tar archives on this machine, with the standard library alone.

Only names and sizes are believed, and only as far as they can be: whatever is written has a place
that this kit worked out, is a plain file, and ends at the size that was told. No link of an archive
is made; where one stands there is one in the mirror too, which leads nowhere.
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
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from conformance.check.places.entries import Entry, Kind, checked_path
from conformance.check.places.locations import PlaceError
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import MIB

__all__ = ["Archive", "is_archive", "open_archive", "version_of_archive"]

_PIECE = 2**20
_BLOCK = 512
_MOST_RATIO = 250
"""How much larger than the archive its content may be, beyond what is free."""
_FREE = 1024 * MIB
_BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError),
    *(OSError, RuntimeError, NotImplementedError, ValueError, OverflowError, UnicodeDecodeError),
)
_TAR_KINDS = (
    (tarfile.TarInfo.isreg, Kind.FILE),
    (tarfile.TarInfo.isdir, Kind.FOLDER),
    (tarfile.TarInfo.issym, Kind.LINK),
    (tarfile.TarInfo.isfifo, Kind.FIFO),
)
_SAYS_UTF_8 = 0x800
_ZIP_KINDS = {
    0: Kind.FILE,  # made where files have no mode
    stat.S_IFREG: Kind.FILE,
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.FIFO,
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
    """An open archive, a source of entries."""

    workers = 1
    """Its members are read one after the other."""
    streams = False

    def __init__(self, where: str, inside: str, size: int, version: str) -> None:
        self.where = where
        self.version = version
        self._above = f"{inside}/" if inside else ""
        self._room = _FREE + _MOST_RATIO * size

    def _entry(self, name: str, kind: Kind, size: int, source: object, position: int = 0) -> Entry | None:
        path = checked_path(name, self.where)
        if not path.startswith(self._above):
            return None
        return Entry(path[len(self._above) :], kind, size, self.version, source, position)

    def _spend(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise PlaceError(
                f"{self.where}: it holds more than {_MOST_RATIO} times its own size; "
                "if that is no mistake, unpack it yourself and name the folder"
            )

    def _write(self, content: IO[bytes], entry: Entry, target: Path) -> None:
        size = entry.size or 0
        self._spend(size)
        left = size
        with target.open("xb") as file:
            while left and (piece := content.read(min(left, _PIECE))):
                left -= len(piece)
                file.write(piece)
        if left or content.read(1):
            raise PlaceError(
                f"{self.where}: {show(entry.path)} has another size than it says; nothing is read"
            )

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """What it holds, in the order in which it is best fetched."""

    @abstractmethod
    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        """Writes a file of it to a new file; its version."""

    @abstractmethod
    def close(self) -> None:
        """Ends reading."""

    def stop(self) -> None:  # noqa: B027 - a remote place has something to stop
        """Nothing is waited for here."""


class _Zip(Archive):
    def __init__(self, path: str, *told: str) -> None:
        where, inside, version = told
        super().__init__(where, inside, os.stat(path).st_size, version)
        self._file = zipfile.ZipFile(path)

    def entries(self) -> Iterator[Entry]:
        for info in sorted(self._file.infolist(), key=lambda info: info.header_offset):
            mode = stat.S_IFMT(info.external_attr >> 16)
            kind = Kind.FOLDER if info.is_dir() else _ZIP_KINDS.get(mode, Kind.DEVICE)
            if "\0" in info.orig_filename:  # zipfile ends the name there; other programs may not
                raise PlaceError(f"{self.where}: no file can have the name {show(info.orig_filename)}")
            entry = self._entry(_name(info), kind, info.file_size, info)
            if entry is not None:
                yield entry

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        info = cast(zipfile.ZipInfo, entry.source)
        if info.flag_bits & 1:
            raise PlaceError(f"{self.where}: {show(entry.path)} is encrypted: unpack it, and name the folder")
        with self._file.open(info) as content:
            self._write(content, entry, target)
        return entry.version

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


class _Metered:
    """A decompressed stream that is read only so far."""

    def __init__(self, stream: IO[bytes], spend: Callable[[int], None]) -> None:
        self._stream = stream
        self._spend = spend
        self._furthest = 0

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        self._count()
        return content

    def seek(self, to: int, whence: int = 0) -> int:
        place = self._stream.tell()
        target = to if whence == 0 else place + to
        while place < target:  # what is passed over is decompressed all the same
            place = self._stream.seek(min(target, place + 64 * _PIECE))
            self._count()
        return self._stream.seek(target)

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        self._stream.close()

    def _count(self) -> None:
        place = self._stream.tell()
        if place > self._furthest:
            self._spend(place - self._furthest)
            self._furthest = place


_COMPRESSED: tuple[tuple[bytes, Callable[[str], Any]], ...] = (
    (b"\x1f\x8b", gzip.GzipFile),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ", lzma.LZMAFile),
)


class _Tar(Archive):
    streams = True

    def __init__(self, path: str, *told: str) -> None:
        where, inside, version = told
        size = os.stat(path).st_size
        super().__init__(where, inside, size, version)
        with open(path, "rb") as file:
            begin = file.read(6)
        opener = next((opener for mark, opener in _COMPRESSED if begin.startswith(mark)), None)
        self._stream = open(path, "rb") if opener is None else opener(path)  # noqa: SIM115
        self._metered = cast(IO[bytes], _Metered(self._stream, lambda count: Archive._spend(self, count)))
        try:
            self._file = tarfile.open(fileobj=self._metered, mode="r:")  # noqa: SIM115
        except BaseException:
            self._stream.close()
            raise

    def _spend(self, size: int) -> None:
        """What is written was counted as it was decompressed; of links to one file each counts."""

    def entries(self) -> Iterator[Entry]:
        files: dict[str, tarfile.TarInfo] = {}
        while (info := self._file.next()) is not None:
            self._file.__dict__["members"].clear()  # those that are needed are kept here
            if info.sparse is not None:
                raise PlaceError(
                    f"{self.where}: {show(info.name)} is a sparse file: unpack it, name the folder"
                )
            kind = next((kind for is_kind, kind in _TAR_KINDS if is_kind(info)), Kind.DEVICE)
            size, source = info.size, info
            if info.islnk():  # a second name of a file before it
                known = files.get(checked_path(info.linkname, self.where))
                if known is None:
                    raise PlaceError(f"{self.where}: {show(info.name)} is a link to nothing; nothing is read")
                kind, size, source = Kind.FILE, known.size, known
            entry = self._entry(info.name, kind, size, source, source.offset_data)
            if kind is Kind.FILE:
                files[checked_path(info.name, self.where)] = source
            if entry is not None:
                yield entry
        self._metered.seek(self._file.offset)  # tarfile takes a header that is cut off for the end
        if self._metered.read(_BLOCK) != bytes(_BLOCK):
            raise tarfile.ReadError("no end")
        while self._metered.read(_PIECE):  # what is compressed has its checksum at the end
            pass

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        content = self._file.extractfile(cast(tarfile.TarInfo, entry.source))
        assert content is not None
        with content:
            self._write(content, entry, target)
        return entry.version

    def close(self) -> None:
        self._file.close()
        self._stream.close()


class _Reworded(Archive):
    """An archive whose errors are sentences."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.where = archive.where
        self.streams = archive.streams

    def entries(self) -> Iterator[Entry]:
        found = self._archive.entries()
        while True:
            try:
                entry = next(found, None)
            except _BROKEN as error:
                raise _broken(self.where, error) from None
            if entry is None:
                return
            yield entry

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        try:
            return self._archive.fetch(entry, target, known, most)
        except _BROKEN as error:
            raise _broken(self.where, error) from None

    def close(self) -> None:
        with suppress(*_BROKEN):
            self._archive.close()


def _broken(where: str, error: Exception) -> PlaceError:
    if isinstance(error, OSError) and error.errno:
        return PlaceError(f"{where}: {os.strerror(error.errno)}")
    return PlaceError(
        f"{where}: no whole zip or tar archive ({type(error).__name__}); fetch or pack it again"
    )


def version_of_archive(path: str, where: str) -> str:
    """What changes where an archive of this machine is made anew.

    Raises:
        PlaceError: it is not there.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise _broken(where, error) from None
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def open_archive(path: str, where: str, inside: str, version: str) -> Archive:
    """An archive of this machine; `where` is what messages call it, `inside` a folder in it.

    Raises:
        PlaceError: it is not there, or no archive.
    """
    try:
        kind = _Zip if _is_zip(path) else _Tar
        return _Reworded(kind(path, where, inside, version))
    except _BROKEN as error:
        raise _broken(where, error) from None
