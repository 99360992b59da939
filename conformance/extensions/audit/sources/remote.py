"""Reads buckets, hubs, web servers and everything else that fsspec supports: one listing, then whole files.

Requests are retried where that can help, and a failure is explained in one sentence. Only the status and
class of the libraries' errors are used: their messages contain URLs, which may contain signatures.
"""

import io
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from stat import S_IFDIR, S_IFREG
from typing import Any, ClassVar, NamedTuple, TypeVar

from conformance.extensions.audit.sources import Location, PlaceError
from conformance.extensions.audit.sources.cache import Entry, Store, checked_path
from conformance.wire.untrusted_files import quantity

_T = TypeVar("_T")
_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
_BUSY_STATUS = (429, 503)
MAX_REQUESTS = 8
"""The most requests for one file."""
FIRST_CONNECT_ATTEMPTS = 2
"""The most attempts to reach a server that never answered, and probably does not exist."""
FIRST_DELAY = 0.5
"""Seconds before the second attempt; doubled for each further one."""
LONGEST_DELAY = 60.0
"""The most seconds between two attempts, unless the server demands more."""
MAX_RETRY_AFTER = 600.0
"""The most seconds that a server may demand."""
_HTTP = ("aiohttp", "aiobotocore", "botocore", "fsspec", "google", "httpcore", "httpx", "requests", "urllib3")
"""The prefixes of network libraries."""
_NETWORK_ERRORS = ("TimeoutError", "IncompleteRead")


class Incomplete(Exception):  # noqa: N818 - it is an answer, not an error of the program
    """A truncated response, or a file whose size differs from the listing."""


class _Failure(NamedTuple):
    """The relevant parts of an error from any of the libraries."""

    name: str
    status: int | None = None
    after: float = 0.0
    network: bool = False
    """Whether there was no response, or an incomplete one."""

    @classmethod
    def from_error(cls, error: BaseException) -> "_Failure":
        """Return the error's name, and the first status in its chain of causes."""
        name, chain = type(error).__name__, list[BaseException]()
        cause: BaseException | None = error
        while cause is not None and len(chain) < 10:  # a chain may be circular
            chain.append(cause)
            cause = cause.__cause__ or cause.__context__
        for status, headers in map(_http_status, chain):
            if status is not None:
                return cls(name, status, _retry_after(headers))
        refused = isinstance(error, PermissionError) or "Credentials" in name
        network = (type(link).__name__ for link in chain if not refused and _is_network(link))
        return next((cls(kind, network=True) for kind in network), cls(name))

    def sentence(self, subject: str, count: int, seconds: float) -> str:
        """Return a sentence on the failure, and what to do about it."""
        times = f"after {count} attempts in {seconds:.0f} s" if count > 1 else "after one attempt"
        status, later = self.status, "run this again later; fetched files are kept"
        why = f"it can't be fetched ({self.name})"
        if status in (401, 403) or self.name in ("NoCredentialsError", "PermissionError"):
            why = f"access is denied{f' ({status})' if status else ''}: check the credentials of the "
            why += "library that fetches it (see the guide `checking-a-leaderboard`)"
        elif status in (404, 410) or (status is None and self.name == "FileNotFoundError"):
            why = "it does not exist"
        elif status is not None and status >= 400:
            why = f"the server returned {status} {times}{f': {later}' * (status in _RETRIED_STATUS)}"
        elif self.network:
            part = "the size differs from the listing" if self.name == "Incomplete" else "no connection"
            why = f"{part} ({self.name}) {times}: check the network, then {later}"
        return f"{subject}: {why}"


class RetryPolicy:
    """Retries requests to a server; a Retry-After on one connection delays all."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        """Once set, every wait ends with an error."""
        self._not_before = 0.0
        self._answered = False

    def ask(self, subject: str, call: Callable[[], _T]) -> _T:
        """Return the result of a call, with retries; `subject` names the requested file in the error.

        Raises:
            PlaceError: all attempts failed.
        """
        began, count = time.monotonic(), 0
        while True:
            while (left := self._not_before - time.monotonic()) > 0:
                self._sleep(left + random.random() * min(left, 1.0) / 2, subject)  # noqa: S311 - not all at the same moment
            self._sleep(0, subject)
            count += 1
            try:
                result = call()
                self._answered = True
                return result
            except PlaceError:
                raise
            except Exception as error:
                failure = _Failure.from_error(error)
            self._answered |= "Connect" not in failure.name
            most = MAX_REQUESTS if self._answered else FIRST_CONNECT_ATTEMPTS
            can_help = failure.status in _RETRIED_STATUS or failure.network
            if not can_help or count >= most or failure.after > MAX_RETRY_AFTER:
                raise PlaceError(failure.sentence(subject, count, time.monotonic() - began))
            pause = min(LONGEST_DELAY, FIRST_DELAY * 2 ** (count - 1)) * random.uniform(0.5, 1)  # noqa: S311
            pause = max(failure.after, pause)
            if failure.status in _BUSY_STATUS:
                self._not_before = max(self._not_before, time.monotonic() + pause)
            else:
                self._sleep(pause, subject)

    def _sleep(self, seconds: float, subject: str) -> None:
        if self.stop.wait(seconds):
            raise PlaceError(f"{subject}: not fetched")


def _is_network(error: BaseException) -> bool:
    kind = type(error)
    known = isinstance(error, Incomplete | ConnectionError | TimeoutError | EOFError)
    return known or kind.__module__.startswith(_HTTP) or kind.__name__ in _NETWORK_ERRORS


def _http_status(error: BaseException) -> tuple[int | None, Any]:
    """Return the HTTP status and headers in an error of botocore, httpx, requests, aiohttp or gcsfs."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):
        metadata = response.get("ResponseMetadata", {})
        status, headers = metadata.get("HTTPStatusCode"), metadata.get("HTTPHeaders")
    else:
        name = "code" if type(error).__module__.startswith("gcsfs") else "status"  # elsewhere `code` differs
        status = getattr(response, "status_code", None) or getattr(error, name, None) or None
        headers = getattr(response, "headers", None) or getattr(error, "headers", None)
    with suppress(TypeError, ValueError):
        return int(status), headers
    return None, None


def _retry_after(headers: Any) -> float:
    """Return the seconds in Retry-After; 0 if it is missing, or a date."""
    values = headers if isinstance(headers, Mapping) else {}
    seconds = str(values.get("Retry-After") or values.get("retry-after") or "")
    return float(seconds) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", seconds) else 0.0


CONNECTIONS = 16
"""How many files are fetched at the same time."""
CONNECT_TIMEOUT = 3
"""Seconds for connecting to a bucket's server."""
_SILENT_SECONDS = 60
"""Seconds to wait for a silent web server."""
_INSTALL = "pip install 'harbor-conformance[remote]'"
_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "checksum", "blob_id", "xet_hash")
_TIMES = ("LastModified", "mtime", "updated", "last_modified", "created", "Last-Modified")
_NO_LIBRARY_RETRIES = {"connect_timeout": CONNECT_TIMEOUT, "retries": {"total_max_attempts": 1}}
"""Settings for botocore, since `RetryPolicy` handles retries."""

FileSystem = Any
"""An fsspec file system; the library has no types."""


class Remote:
    """A remote folder."""

    fresh: ClassVar[dict[str, Any]] = {}
    """Options that make the file system query the server instead of its own cache."""

    def __init__(self, system: FileSystem, path: str, where: str) -> None:
        self.system = system
        self.path = path.rstrip("/")
        self.where = where
        self.pace = RetryPolicy()

    def entries(self) -> Iterator[Entry]:
        """Yield everything in the folder, from one listing."""
        for name, info in self.pace.ask(self.where, self.find).items():
            if self.path and name.rstrip("/") != self.path and not name.startswith(f"{self.path}/"):
                raise PlaceError(f"{self.where}: the server lists files of another location; nothing is read")
            below = name[len(self.path) + 1 :] if self.path else name
            if path := "" if name.rstrip("/") == self.path else checked_path(below, self.where):
                mode = S_IFDIR if info.get("type") == "directory" or name.endswith("/") else S_IFREG
                size = info["size"] if isinstance(info.get("size"), int) else None
                yield Entry(path, mode, size, version_of(info), source=name)

    def find(self) -> dict[str, dict[str, Any]]:
        """Return the file system's information on each file and folder, by full name."""
        files: dict[str, dict[str, Any]]
        files = self.system.find(self.path, withdirs=True, detail=True, **self.fresh)
        return files

    def fetch(self, wanted: Sequence[Entry], store: Store) -> None:
        """Fetch files, several at once; if one fails, those already fetched stay."""

        def fetch_one(entry: Entry) -> None:
            where = f"{self.where}/{entry.path}"
            if entry.size is None:
                raise PlaceError(f"{where}: the server does not state the size; nothing is read")
            get = partial(self.get, str(entry.source), entry.size)
            store(entry, self.pace.ask(where, get) if entry.size else b"")

        workers = max(1, min(CONNECTIONS, len(wanted)))
        with ThreadPoolExecutor(workers, thread_name_prefix="fetching") as pool:
            try:
                list(pool.map(fetch_one, wanted))
            finally:
                self.pace.stop.set()

    def get(self, name: str, size: int) -> bytes:
        """Request a file of that size once.

        Raises:
            Incomplete: it has another size.
        """
        content: bytes = self.system.cat_file(name, start=0, end=size + 1)
        if len(content) != size:
            raise Incomplete
        return content

    def archive(self, target: Path, known: str | None, show_progress: Callable[[str], None]) -> str | None:
        """Fetch the location itself, which is a file. Return its version; None if it is the `known` one."""
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
        """Request the location itself once."""
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
            if type(error) is OSError and error.errno is None:  # the size differs from the listing
                raise Incomplete from None
            raise
        return held.getvalue()


class _BoundedBuffer(io.BytesIO):
    """A file that accepts at most `size` bytes."""

    size = 0

    def write(self, content: Any) -> int:
        if self.tell() + len(content) > self.size:
            raise Incomplete
        return super().write(content)


class _Web(Remote):
    """A file on a web server."""

    def entries(self) -> Iterator[Entry]:
        """Raise a PlaceError, since web servers have no reliable listing."""
        raise PlaceError(f"{self.where}: a web server does not list folders: name an archive, or a bucket")

    def download(self, target: Path) -> None:
        headers = {**self.system.kwargs.get("headers", {}), "Accept-Encoding": "identity"}
        self.system.get_file(self.path, str(target), headers=headers)


def version_of(info: dict[str, Any]) -> str | None:
    """Return a value that changes with a file's content; None if unknown."""
    lfs = info.get("lfs")
    parts = [str(lfs.get("sha256") or lfs.get("oid"))] if isinstance(lfs, dict) else []
    parts += [f"{name}={info[name]}" for name in _VERSIONS if info.get(name)]
    parts += [] if parts else [f"{name}={info[name]}" for name in _TIMES if info.get(name)]
    return " ".join(parts) or None


def remote(location: Location, where: str) -> Remote:
    """Return the source for a URL, with a new file system, so that no earlier listing is reused.

    Raises:
        PlaceError: the URL is not supported, or its library is not installed.
    """
    options: dict[str, Any] = {} if location.scheme == "memory" else {"skip_instance_cache": True}
    if location.scheme == "s3":
        options["config_kwargs"] = _NO_LIBRARY_RETRIES
    elif location.scheme in ("http", "https"):
        options["encoded"] = True  # a signature covers the spelling
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(location.url, **options)
    except ImportError:
        raise PlaceError(f"{where}: to read this, install {_INSTALL}") from None
    except Exception as error:
        known = "protocol not known" in str(error).lower()
        unopened = f"it can't be opened ({type(error).__name__})"
        raise PlaceError(
            f"{where}: {f'fsspec does not support {location.scheme}://' if known else unopened}"
        ) from None
    if location.scheme == "s3":
        system.retries = 1
    elif location.scheme in ("http", "https"):
        from aiohttp import ClientTimeout

        patience = ClientTimeout(total=None, sock_connect=_SILENT_SECONDS, sock_read=_SILENT_SECONDS)
        system.client_kwargs = {"timeout": patience, **system.client_kwargs}
    kind = {"hf": _Hub, "http": _Web, "https": _Web}.get(location.scheme, Remote)
    return kind(system, path, where)
