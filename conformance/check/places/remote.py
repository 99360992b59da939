"""Buckets, hubs and whatever else fsspec knows: one listing, then whole files."""

import io
import logging
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar

from conformance.check.places.entries import Entry, Kind, checked_path
from conformance.check.places.locations import Location, PlaceError
from conformance.check.places.patience import Incomplete, Pace
from conformance.check.reading.limits import MIB, quantity

__all__ = ["Remote", "has_room", "read", "remote", "room", "silent"]

BLOCK = 2**24
"""Bytes of a large file that are asked for at once."""
KEPT_FREE = 64 * MIB
"""Bytes of the cache's disk that are left alone."""
_INSTALL = "pip install 'harbor-conformance[remote]'"
_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "checksum", "blob_id", "xet_hash")
_TIMES = ("LastModified", "mtime", "updated", "last_modified", "created")

FileSystem = Any
"""An fsspec file system; the library has no types."""


@contextmanager
def silent() -> Iterator[None]:
    """While the libraries log nothing and warn of nothing: they write URLs, with the signatures in them."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # all: a library sets up its own loggers when it is loaded
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def file_system(place: Location, where: str) -> tuple[FileSystem, str]:
    """The file system of a URL and its path there. It is a new one: it knows no listing of an earlier run.

    Raises:
        PlaceError: there is none, or its library is not installed.
    """
    try:
        import fsspec
    except ImportError:
        raise PlaceError(f"{where}: to read this, install {_INSTALL}") from None
    options: dict[str, Any] = {} if place.scheme == "memory" else {"skip_instance_cache": True}
    try:
        system, path = fsspec.core.url_to_fs(place.url, **options)
    except ImportError:
        raise PlaceError(f"{where}: to read this, install {_INSTALL}") from None
    except Exception as error:
        known = "protocol not known" in str(error).lower()
        what = (
            f"fsspec knows no {place.scheme}://" if known else f"it can't be opened ({type(error).__name__})"
        )
        raise PlaceError(f"{where}: {what}") from None
    return system, path


class Remote:
    """A folder elsewhere, a source of entries."""

    streams: ClassVar[bool] = False

    def __init__(self, system: FileSystem, path: str, where: str, workers: int, pace: Pace) -> None:
        self.system = system
        self.path = path.rstrip("/")
        self.where = where
        self.workers = workers
        self.pace = pace

    def stop(self) -> None:
        """Ends every wait."""
        self.pace.stop()

    def close(self) -> None:
        """Nothing is open."""

    def entries(self) -> Iterator[Entry]:
        """All that is below it, in one listing."""
        for name, info in self.infos():
            path = self.below(name)
            if path is not None:
                kind = Kind.FOLDER if info.get("type") == "directory" or name.endswith("/") else Kind.FILE
                size = info.get("size")
                yield Entry(path, kind, size if isinstance(size, int) else None, version_of(info), name)

    def infos(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Names as the file system has them, and what it says of each."""
        found = self.pace.ask(self.where, lambda: self.system.find(self.path, withdirs=True, detail=True))
        yield from found.items()

    def below(self, name: str) -> str | None:
        """The path below the location; None for itself."""
        if name.rstrip("/") == self.path:
            return None
        if self.path and not name.startswith(f"{self.path}/"):
            raise PlaceError(f"{self.where}: the server lists what lies elsewhere; nothing is read")
        return checked_path(name[len(self.path) + 1 :] if self.path else name, self.where) or None

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        """Writes one file, whole."""
        size = entry.size
        if size is None:
            raise PlaceError(f"{self.where}/{entry.path}: the server tells no size; nothing is read")

        def get() -> None:
            target.unlink(missing_ok=True)
            if not size:
                target.touch()
                return
            self.get(str(entry.source), target, size)
            if target.stat().st_size != size:
                raise Incomplete

        self.pace.ask(f"{self.where}/{entry.path}", get)
        return entry.version or ""

    def get(self, name: str, target: Path, size: int) -> None:
        """Asks once for a file of that size.

        Raises:
            Incomplete: there is more.
        """
        from fsspec.callbacks import Callback

        def held(_: Any, value: int, **__: Any) -> None:
            if value > size:
                raise Incomplete

        self.system.get_file(name, str(target), callback=Callback(hooks={"held": held}))

    def archive(
        self, target: Path, noted: Path, known: str | None, tell: Callable[[str], None]
    ) -> str | None:
        """Fetches this place itself, a file, from where an earlier run was broken off.

        `noted` says which version the beginning in `target` is of. The version; None if it still is
        what is `known`.
        """
        info = self.pace.ask(self.where, lambda: self.system.info(self.path, **self.fresh))
        version, size = version_of(info) or "", info.get("size")
        if info.get("type") == "directory" or not isinstance(size, int):
            raise PlaceError(f"{self.where}: no file of a known size")
        told = f"{size} {version}"
        if version and known == told:
            return None
        room(target, size, self.where)
        if not version or read(noted) != told:
            target.unlink(missing_ok=True)
        noted.write_text(told, encoding="utf-8")
        with target.open("ab") as file:
            while (begin := file.tell()) < size:
                end = min(begin + BLOCK, size)
                block = self.pace.ask(self.where, lambda: self._block(begin, end))  # noqa: B023
                file.write(block)
                file.flush()
                tell(f"fetching {self.where}: {quantity(end, 'bytes')} of {quantity(size, 'bytes')}")
        return told

    fresh: ClassVar[dict[str, Any]] = {}
    """How a file system is told to ask, rather than to remember."""

    def _block(self, begin: int, end: int) -> bytes:
        block: bytes = self.system.cat_file(self.path, start=begin, end=end)
        if len(block) != end - begin:
            raise Incomplete
        return block


def read(noted: Path) -> str:
    """What a small file says; nothing if there is none."""
    try:
        return noted.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def has_room(target: Path, size: int) -> bool:
    """Whether the cache has room for a file."""
    return size + KEPT_FREE <= shutil.disk_usage(target.parent).free


def room(target: Path, size: int, where: str) -> None:
    """Raises where a file has no room in the cache."""
    if not has_room(target, size):
        free = shutil.disk_usage(target.parent).free
        told = f"{quantity(size, 'bytes')} are to be fetched, {quantity(free, 'bytes')} are free"
        raise PlaceError(f"{where}: {told} in the cache {target.parent.parent}")


class S3(Remote):
    """A bucket, or a part of it: listed page by page."""

    page: ClassVar[int] = 1000
    """The most names that a page has."""

    def infos(self) -> Iterator[tuple[str, dict[str, Any]]]:
        bucket, _, key = self.path.partition("/")
        asked = {"Bucket": bucket, "Prefix": f"{key}/" if key else "", "MaxKeys": self.page}
        token: dict[str, str] = {}
        while True:
            page = self.pace.ask(self.where, lambda: self.system.call_s3("list_objects_v2", **asked, **token))  # noqa: B023
            for one in page.get("Contents") or ():
                info = {"size": one["Size"], "ETag": one["ETag"], "LastModified": one["LastModified"]}
                yield f"{bucket}/{one['Key']}", {**info, "type": "file"}
            if not page.get("IsTruncated"):
                return
            token = {"ContinuationToken": page["NextContinuationToken"]}


class Hub(Remote):
    """A repository of huggingface's hub."""

    fresh: ClassVar[dict[str, Any]] = {"refresh": True}

    def infos(self) -> Iterator[tuple[str, dict[str, Any]]]:
        found = self.pace.ask(self.where, self._find)
        yield from found.items()

    def _find(self) -> dict[str, dict[str, Any]]:
        self.path = self.system.resolve_path(self.path).unresolve()
        found: dict[str, dict[str, Any]] = self.system.find(
            self.path, withdirs=True, detail=True, refresh=True
        )
        return found

    def get(self, name: str, target: Path, size: int) -> None:
        from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars

        if not are_progress_bars_disabled():
            disable_progress_bars()
        with target.open("wb") as file, _Held(file, size) as held:
            try:
                self.system.get_file(name, outfile=held)
            except OSError as error:
                if type(error) is OSError and error.errno is None:  # another length than it was told
                    raise Incomplete from None
                raise


class _Held(io.BufferedIOBase):
    """A file that takes so many bytes."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size

    def write(self, content: Any) -> int:
        if self._file.tell() + len(content) > self._size:
            raise Incomplete
        return self._file.write(content)

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, to: int, whence: int = 0) -> int:
        return self._file.seek(to, whence)

    def truncate(self, size: int | None = None) -> int:
        return self._file.truncate(size)


def version_of(info: dict[str, Any]) -> str | None:
    """What changes with a file's content; None if nothing is known that does."""
    lfs = info.get("lfs")
    told = [str(lfs.get("sha256") or lfs.get("oid"))] if isinstance(lfs, dict) else []
    told += [f"{name}={info[name]}" for name in _VERSIONS if info.get(name)]
    told += [] if told else [f"{name}={info[name]}" for name in _TIMES if info.get(name)]
    return " ".join(told) or None


def remote(place: Location, where: str, connections: int) -> Remote:
    """The source of a URL."""
    from conformance.check.places.web import Web  # it needs a library that only it needs

    system, path = file_system(place, where)
    kind = {"s3": S3, "hf": Hub, "http": Web, "https": Web}.get(place.scheme, Remote)
    return kind(system, path, where, connections, Pace(where))
