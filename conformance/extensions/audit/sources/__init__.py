"""Opens a location that the user names: a folder, an archive, or a URL of either, possibly through the cache.

- `archives`, `remote`: list and fetch the content, with retries;
- `cache`: checks names, selects the files that the audit reads, and stores them.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.extensions.audit.reading import Limits
from conformance.wire.text import printable
from conformance.wire.untrusted_files import Folder

if TYPE_CHECKING:
    from conformance.extensions.audit.sources.cache import Cache

MARKS = ("metadata.yaml", "metadata.yml", "metadata.json")
"""The files that mark a folder as a submission."""
METADATA_FILES = (*MARKS, "submission.yaml", "submission.yml", "submission.json")
"""All metadata files."""
_ARCHIVE = re.compile(r"\.(zip|tar|tar\.(gz|bz2|xz)|tgz|tbz2?|txz)$", re.IGNORECASE)
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_CHAIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://.*?)?::[A-Za-z]", re.DOTALL)
_ENDPOINT = re.compile(r"(AWS|HF|FSSPEC)_.*ENDPOINT.*|STORAGE_EMULATOR_HOST")
"""Environment variables that select the server for a URL."""
_SAME = {"s3a": "s3", "gcs": "gs", "local": "file"}
_SECRET_PATHS = ("http", "https", "ftp", "sftp", "webdav")
"""URL schemes whose query may be a signature."""
_ShowProgress = Callable[[str], None]


class PlaceError(Exception):
    """A location that can't be read; the message says what to do, and contains no credentials."""


@dataclass(frozen=True, slots=True)
class Location:
    """A parsed location."""

    url: str
    """The URL of the folder or archive, or its path on this machine."""
    scheme: str = ""
    archive: bool = False
    """Whether it has an archive's file extension."""

    def key(self) -> str:
        """Return its key in the cache, which is equal for the same location on the same server."""
        from hashlib import sha256  # slow to load

        parts = [self.scheme, os.path.realpath(self.url), str(self.archive)]
        if self.scheme:
            parts[1] = _without_user(self.url).rstrip("/")
            parts += [f"{k}={v}" for k, v in sorted(os.environ.items()) if _ENDPOINT.fullmatch(k)]
        return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def parse_location(named: str) -> Location:
    """Parse a location as the user names it.

    Raises:
        PlaceError: it chains URLs.
    """
    if _CHAIN.match(named):
        raise PlaceError(f"{printable_location(named)}: chained URLs are not supported: name the archive")
    match = _URL.match(named)
    scheme = match[1].lower() if match else ""
    scheme, url = _SAME.get(scheme, scheme), named
    if match and scheme == "file":
        scheme, url = "", named[match.end() :]
    path = _without_query(url) if scheme in _SECRET_PATHS else url
    return Location(url, scheme, bool(_ARCHIVE.search(path)))


def printable_location(named: str) -> str:
    """Return a printable location, without the user, the password, and a query that may be a signature."""
    match = _URL.search(named)
    bare = _without_user(named) if match else named
    if match and (match[1].lower() in _SECRET_PATHS or any(f"{name}://" in bare for name in _SECRET_PATHS)):
        bare = _without_query(bare)
    return printable(bare)


def _without_user(url: str) -> str:
    return re.sub(r"://[^/@?#]*@", "://", url)


def _without_query(url: str) -> str:
    return re.sub(r"[?#].*", "", url, flags=re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that this process, or another one on this machine, can open."""

    path: str = ""
    """Its path; for a remote location or an archive, the path of the cache file."""
    cached: str | None = None

    def top(self) -> Folder:
        """Open the folder; call `leave` on it afterwards.

        Raises:
            OSError: it does not exist, or may not be read.
            ValueError: the path is impossible.
        """
        if self.cached is None:
            return Folder.top(self.path)
        from conformance.extensions.audit.sources.cache import cached

        return cached(self.path, self.cached)

    def below(self, parts: Iterable[str]) -> "Place":
        """Return a folder inside it."""
        if self.cached is None:
            return replace(self, path=os.path.join(self.path, *parts))
        return replace(self, cached="/".join(filter(None, (self.cached, *parts))))


def located(
    location: str, limits: Limits, *, offline: bool = False, show_progress: _ShowProgress = lambda _: None
) -> Place:
    """Return the folder at a location, after fetching the files that an audit reads.

    Files that exceed the `limits` are not fetched; if `offline`, only the cache is read. `show_progress` is
    called with a text at each step.

    Raises:
        PlaceError: a remote location does not exist, or can't be fetched.
    """
    parsed = parse_location(location)
    if not parsed.scheme and (os.path.isdir(parsed.url) or not parsed.archive):
        return Place(parsed.url)
    from conformance.extensions.audit.sources.cache import Cache  # slow to load

    cache = Cache.for_key(parsed.key(), printable_location(location))
    with cache.locked(show_progress):
        if not (offline and parsed.scheme):
            _fetch(cache, parsed, limits, show_progress)
        elif not cache.noted():
            has = "has only part of" if cache.kept() else "does not have"
            raise PlaceError(f"the cache {has} {cache.where}: run once without --offline")
        return Place(str(cache.file), "")


@contextmanager
def _silent() -> Iterator[None]:
    """Silence the libraries' logs and warnings, which contain URLs with signatures."""
    import logging  # slow to load
    import warnings

    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # for all loggers: libraries create theirs when they are imported
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _fetch(cache: "Cache", location: Location, limits: Limits, show_progress: _ShowProgress) -> None:
    """Fetch the files that the audit reads, unless an unchanged archive was read with the same limits."""
    from conformance.extensions.audit.sources.archives import changed, open_archive

    noted, within = cache.noted(), repr(limits)
    known = noted.get("archive") if noted.get("within") == within else None
    path = cache.root / "archive" if location.scheme else Path(location.url)
    if not location.scheme:
        version = changed(path, cache.where, known)
    else:
        from conformance.extensions.audit.sources.remote import remote

        with _silent():
            source = remote(location, cache.where)
            if not location.archive:
                return cache.fill(lambda _: source.entries(), source.fetch, limits, show_progress)
            with cache.writing():
                version = source.archive(path, known, show_progress)
    if version is not None:
        cache.drop()
        entries = partial(open_archive, str(path), cache.where, limits)
        cache.fill(entries, lambda *_: None, limits, show_progress, archive=version, within=within)
        if location.scheme:
            path.unlink()
    return None
