"""The cache of one location: an SQLite file with its names, and the contents that the audit reads.

Fetched content is stored at once, so a killed run loses nothing, and the next one fetches only what is
missing or has changed. Only one process writes at a time. Untrusted names never become paths: a name is a
value in a row.
"""

import errno
import fcntl
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from conformance.extensions.audit.sources import PlaceError
from conformance.oracle.building import CACHE_VARIABLE, cache_dir
from conformance.wire.untrusted_files import Folder, Refused, TooManyEntriesError, allowed, quantity, refusal

_TABLES = """
    PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS noted (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE IF NOT EXISTS file (
        folder BLOB, name BLOB, mode INT, size INT, version TEXT, content BLOB, PRIMARY KEY (folder, name)
    );
"""
_PUT = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)"
_LIST = """
    INSERT INTO file VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET
    content = CASE WHEN (size, version) IS (excluded.size, excluded.version) THEN content END,
    mode = excluded.mode, size = excluded.size, version = excluded.version
"""
_PATIENCE = 60
"""Seconds that a reader waits for a writer."""


class Entry(NamedTuple):
    """An entry of a listing."""

    path: str
    """Relative to the location, with slashes."""
    mode: int = stat.S_IFREG
    size: int | None = None
    """Bytes of a file; None if unknown."""
    version: str | None = ""
    """A value that changes with the content; None if there is none."""
    source: Any = None

    def key(self) -> tuple[bytes, bytes]:
        """Its folder and its name, as in the table."""
        folder, _, name = _encoded(self.path).rpartition(b"/")
        return folder, name


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def caches() -> Iterator["Cache"]:
    """All caches, one for each location."""
    for root in sorted((cache_dir() / "places").glob("*/")):
        cache = Cache(root, "a place that was fetched in part")
        with suppress(sqlite3.Error), closing(_reading(cache.file)) as database:
            for (cache.where,) in database.execute("SELECT value FROM noted WHERE name = 'place'"):
                pass
        yield cache


class Cache:
    """The cache of one location."""

    def __init__(self, root: Path, where: str) -> None:
        self.root = root
        self.where = where
        self.file = root / "files"
        self._lock = threading.Lock()
        self._database: sqlite3.Connection

    @classmethod
    def of(cls, key: str, where: str) -> "Cache":
        """The cache of the location with that key, whether it exists or not."""
        return cls(cache_dir() / "places" / key, where)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turns errors of the system into a PlaceError."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise PlaceError(
                f"the cache {cache_dir()} can't be written ({why}): "
                f"fix that, or set {CACHE_VARIABLE} to another folder"
            ) from None

    @contextmanager
    def locked(self, show_progress: Callable[[str], None]) -> Iterator[None]:
        """Holds the lock for writing; other processes wait. Replaces a corrupt file.

        Raises:
            PlaceError: the cache can't be written.
        """
        with self.writing():
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                show_progress(f"another process is fetching {self.where}: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            with self.writing():
                try:
                    self._open()
                except sqlite3.DatabaseError as error:
                    if isinstance(error, sqlite3.OperationalError):  # it can't be written, or is in use
                        raise
                    self.file.unlink()
                    self._open()
            with closing(self._database):
                yield
        finally:
            os.close(lock)

    def _open(self) -> None:
        os.close(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self._database = sqlite3.connect(self.file, _PATIENCE, check_same_thread=False)
        self._database.executescript(_TABLES)

    def noted(self) -> dict[str, str]:
        """The note from when everything was fetched; empty if something is missing. Call it `locked`."""
        return dict(self._database.execute("SELECT name, value FROM noted"))

    def kept(self) -> dict[str, Entry]:
        """The files whose content is cached, by path."""
        rows = self._database.execute("SELECT * FROM file WHERE content IS NOT NULL")
        paths = ((b"/".join(filter(None, row[:2])).decode("utf-8", "surrogatepass"), row) for row in rows)
        return {path: Entry(path, *row[2:5]) for path, row in paths}

    def drop(self) -> None:
        """Deletes all of it."""
        with self.writing(), self._database:
            self._database.executescript("DELETE FROM noted; DELETE FROM file")

    def put(self, entry: Entry, pieces: Iterable[bytes]) -> Entry:
        """Adds a file's content, and returns the entry with its size; several threads may call it.

        Raises:
            PlaceError: it can't be written.
        """
        content = b"".join(pieces)
        entry = entry._replace(size=len(content))
        with self._lock, self.writing(), self._database:
            self._database.execute(_PUT, (*entry.key(), *entry[1:4], content))
        return entry

    def complete(self, entries: Iterable[Entry], **noted: str) -> None:
        """Records that everything was fetched; deletes entries that are not among these."""
        rows = {one.key(): one for one in entries}
        with self.writing(), self._database:
            known = self._database.execute("SELECT folder, name FROM file").fetchall()
            gone = [key for key in known if key not in rows]
            self._database.executemany("DELETE FROM file WHERE folder = ? AND name = ?", gone)
            self._database.executemany(_LIST, ((*key, *one[1:4]) for key, one in rows.items()))
            self._database.execute("DELETE FROM noted")
            every = {"place": self.where, **noted}
            self._database.executemany("INSERT INTO noted VALUES (?, ?)", every.items())


def _reading(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", _PATIENCE, uri=True)


def cached(file: str, below: str) -> Folder:
    """Opens a folder of a location.

    Raises:
        OSError: the cache is gone.
    """
    try:
        return _Cached(_reading(Path(file)), _encoded(below), top=True)
    except sqlite3.Error:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None


class _Cached(Folder):
    """A folder of a location."""

    __slots__ = ("database", "folder", "is_top")

    def __init__(self, database: sqlite3.Connection, folder: bytes, *, top: bool) -> None:
        super().__init__(-1)
        self.database, self.folder, self.is_top = database, folder, top

    def leave(self) -> None:
        if self.is_top:
            self.database.close()

    def enter(self, name: str) -> Folder | None:
        found = self._found(name)
        if found is None:
            return None
        if found[0] != stat.S_IFDIR:
            raise refusal(found[0], "a directory")
        return _Cached(self.database, b"/".join(filter(None, (self.folder, _encoded(name)))), top=False)

    def read(self, name: str, limit: int) -> bytes | None:
        found = self._found(name)
        if found is None:
            return None
        mode, size, content = found
        if mode != stat.S_IFREG:
            raise refusal(mode, "a file")
        if (size or 0) > limit:
            raise Refused("too-large", quantity(size, "bytes"), allowed(limit, "bytes", size))
        if content is None:
            raise Refused("unreadable", "a file that was not fetched", "a file that the audit reads")
        return bytes(content)

    def _found(self, name: str) -> tuple[int, Any, Any] | None:
        query = "SELECT mode, size, content FROM file WHERE folder = ? AND name = ?"
        found: tuple[int, Any, Any] | None
        found = self.database.execute(query, (self.folder, _encoded(name))).fetchone()
        return found

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        rows = self.database.execute("SELECT name, mode FROM file WHERE folder = ?", (self.folder,))
        for count, (name, mode) in enumerate(rows.fetchall(), start=1):
            if count > limit:
                raise TooManyEntriesError
            yield name.decode("utf-8", "surrogatepass"), mode
