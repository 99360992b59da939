"""Buckets, hubs, web servers and everything else that fsspec supports: one listing, then whole files."""

import io
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from stat import S_IFDIR, S_IFREG
from typing import Any, ClassVar

from conformance.extensions.audit.sources import Location, PlaceError
from conformance.extensions.audit.sources.cache import Entry, Put, checked_path
from conformance.extensions.audit.sources.retry import Incomplete, RetryPolicy
from conformance.wire.untrusted_files import quantity

CONNECTIONS = 16
"""Files that are fetched at the same time."""
CONNECT_TIMEOUT = 3
"""Seconds for connecting to a bucket's server."""
_SECONDS = 60
"""Seconds that a web server may be silent."""
_INSTALL = "pip install 'harbor-conformance[remote]'"
_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "checksum", "blob_id", "xet_hash")
_TIMES = ("LastModified", "mtime", "updated", "last_modified", "created", "Last-Modified")
_ONE_ATTEMPT = {"connect_timeout": CONNECT_TIMEOUT, "retries": {"total_max_attempts": 1}}
"""Settings for the library: `RetryPolicy` handles retries."""

FileSystem = Any
"""An fsspec file system; the library has no types."""


@contextmanager
def silent() -> Iterator[None]:
    """Silences the libraries' logs and warnings: they contain URLs with signatures."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # all: a library sets up its own loggers when it is loaded
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


class Remote:
    """A remote folder, as a lister."""

    fresh: ClassVar[dict[str, Any]] = {}
    """Options that make a file system query the server instead of its own cache."""

    def __init__(self, system: FileSystem, path: str, where: str) -> None:
        self.system = system
        self.path = path.rstrip("/")
        self.where = where
        self.pace = RetryPolicy()

    def entries(self) -> Iterator[Entry]:
        """Everything in it, from one listing."""
        for name, info in self.pace.ask(self.where, self.find).items():
            if self.path and name.rstrip("/") != self.path and not name.startswith(f"{self.path}/"):
                raise PlaceError(f"{self.where}: the server lists files of another location; nothing is read")
            below = name[len(self.path) + 1 :] if self.path else name
            if path := "" if name.rstrip("/") == self.path else checked_path(below, self.where):
                mode = S_IFDIR if info.get("type") == "directory" or name.endswith("/") else S_IFREG
                size = info["size"] if isinstance(info.get("size"), int) else None
                yield Entry(path, mode, size, version_of(info), source=name)

    def find(self) -> dict[str, dict[str, Any]]:
        """Names as the file system spells them, with its information on each."""
        found: dict[str, dict[str, Any]]
        found = self.system.find(self.path, withdirs=True, detail=True, **self.fresh)
        return found

    def fetch(self, wanted: Sequence[Entry], put: Put) -> None:
        """Fetches files, several at once; if one fails, those already fetched stay."""

        def fetch_one(entry: Entry) -> None:
            where = f"{self.where}/{entry.path}"
            if entry.size is None:
                raise PlaceError(f"{where}: the server gives no size; nothing is read")
            get = partial(self.get, str(entry.source), entry.size)
            put(entry, self.pace.ask(where, get) if entry.size else b"")

        workers = max(1, min(CONNECTIONS, len(wanted)))
        with ThreadPoolExecutor(workers, thread_name_prefix="fetching") as pool:
            try:
                list(pool.map(fetch_one, wanted))
            finally:
                self.pace.stop.set()

    def get(self, name: str, size: int) -> bytes:
        """Requests a file of that size once.

        Raises:
            Incomplete: it has another one.
        """
        content: bytes = self.system.cat_file(name, start=0, end=size + 1)
        if len(content) != size:
            raise Incomplete
        return content

    def archive(self, target: Path, known: str | None, show_progress: Callable[[str], None]) -> str | None:
        """Fetches this location itself, a file. Returns its version; None if it is still `known`."""
        info = self.pace.ask(self.where, lambda: self.system.info(self.path, **self.fresh))
        version, size = version_of(info) or "", info.get("size")
        if info.get("type") == "directory":
            raise PlaceError(f"{self.where}: it is a folder, not an archive")
        if version and known == f"{size} {version}":
            return None

        def get() -> None:
            self.download(target)
            if size is not None and target.stat().st_size != size:
                raise Incomplete

        show_progress(f"fetching {self.where}" + (f": {quantity(size, 'bytes')}" if size else ""))
        self.pace.ask(self.where, get)
        return f"{size} {version}"

    def download(self, target: Path) -> None:
        """Requests the location itself once."""
        self.system.get_file(self.path, str(target))


class _Hub(Remote):
    """A repository on Hugging Face's hub."""

    fresh: ClassVar[dict[str, Any]] = {"refresh": True}

    def find(self) -> dict[str, dict[str, Any]]:
        self.path = self.system.resolve_path(self.path).unresolve()
        return super().find()

    def get(self, name: str, size: int) -> bytes:
        from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars

        if not are_progress_bars_disabled():
            disable_progress_bars()
        held = _BoundedBuffer()
        held.size = size
        try:
            self.system.get_file(name, outfile=held)  # one request; `cat_file` makes three
        except OSError as error:
            if type(error) is OSError and error.errno is None:  # another length than was listed
                raise Incomplete from None
            raise
        return held.getvalue()


class _BoundedBuffer(io.BytesIO):
    """A file that accepts `size` bytes."""

    size = 0

    def write(self, content: Any) -> int:
        if self.tell() + len(content) > self.size:
            raise Incomplete
        return super().write(content)


class _Web(Remote):
    """A file on a web server."""

    def entries(self) -> Iterator[Entry]:
        """Refuses: web servers have no listing that programs can rely on."""
        raise PlaceError(f"{self.where}: a web server does not list folders: name an archive, or a bucket")

    def download(self, target: Path) -> None:
        headers = {**self.system.kwargs.get("headers", {}), "Accept-Encoding": "identity"}
        self.system.get_file(self.path, str(target), headers=headers)


def version_of(info: dict[str, Any]) -> str | None:
    """A value that changes with a file's content; None if there is none."""
    lfs = info.get("lfs")
    found = [str(lfs.get("sha256") or lfs.get("oid"))] if isinstance(lfs, dict) else []
    found += [f"{name}={info[name]}" for name in _VERSIONS if info.get(name)]
    found += [] if found else [f"{name}={info[name]}" for name in _TIMES if info.get(name)]
    return " ".join(found) or None


def remote(place: Location, where: str) -> Remote:
    """The source for a URL, with a new file system, so that no earlier listing is reused.

    Raises:
        PlaceError: there is none, or its library is not installed.
    """
    options: dict[str, Any] = {} if place.scheme == "memory" else {"skip_instance_cache": True}
    if place.scheme == "s3":
        options["config_kwargs"] = _ONE_ATTEMPT
    elif place.scheme in ("http", "https"):
        options["encoded"] = True  # a signature covers the spelling
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(place.url, **options)
    except ImportError:
        raise PlaceError(f"{where}: to read this, install {_INSTALL}") from None
    except Exception as error:
        known = "protocol not known" in str(error).lower()
        unopened = f"it can't be opened ({type(error).__name__})"
        raise PlaceError(f"{where}: {f'fsspec knows no {place.scheme}://' if known else unopened}") from None
    if place.scheme == "s3":
        system.retries = 1
    elif place.scheme in ("http", "https"):
        from aiohttp import ClientTimeout

        patience = ClientTimeout(total=None, sock_connect=_SECONDS, sock_read=_SECONDS)
        system.client_kwargs = {"timeout": patience, **system.client_kwargs}
    kind = {"hf": _Hub, "http": _Web, "https": _Web}.get(place.scheme, Remote)
    return kind(system, path, where)
