"""The cache of one location: an SQLite file with all names, and the contents of files that the audit reads.

Fetched content is stored at once, so a killed run loses nothing, and the next one fetches only files that are
missing or have changed. Only one process writes at a time. Names in a listing are untrusted: they are
checked, and stored as values in rows, never used as paths.
"""

import errno
import fcntl
import os
import re
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import METADATA_FILES, PlaceError
from conformance.oracle.building import CACHE_VARIABLE, cache_dir
from conformance.wire.text import shortened
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
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_LONGEST_NAME, _LONGEST_PATH = 255, 3000
"""In bytes."""
_OF_JOB = ("config.json", "lock.json")
_UNREAD_IN_TRIAL = (*_OF_JOB, "agent", "artifacts")
_IN_TRIAL = ("verifier", "agent", "trial.log")


class Entry(NamedTuple):
    """An entry of a listing."""

    path: str
    """Relative to the location, with slashes."""
    mode: int = stat.S_IFREG
    size: int | None = None
    """The size of a file in bytes; None if unknown."""
    version: str | None = ""
    """A value that changes with the content; None if unknown."""
    source: Any = None

    def key(self) -> tuple[bytes, bytes]:
        """Return its folder and its name, as in the table."""
        folder, _, name = _encoded(self.path).rpartition(b"/")
        return folder, name


Store = Callable[[Entry, bytes], None]
"""A function that stores an entry's content."""


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def caches() -> Iterator["Cache"]:
    """Yield all caches, one for each location."""
    for root in sorted((cache_dir() / "places").glob("*/")):
        cache = Cache(root, "a partly fetched location")
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
    def for_key(cls, key: str, where: str) -> "Cache":
        """Return the cache of the location with that key, which may not exist yet."""
        return cls(cache_dir() / "places" / key, where)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn errors of the system into a PlaceError."""
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
        """Hold the lock for writing, for which other processes wait. Replaces a corrupt file.

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
                    if isinstance(error, sqlite3.OperationalError):  # not corrupt, but read-only or in use
                        raise
                    self.file.unlink()
                    self._open()
            with closing(self._database):
                yield
        finally:
            os.close(lock)

    def _open(self) -> None:
        os.close(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self._database = sqlite3.connect(self.file, timeout=_PATIENCE, check_same_thread=False)
        try:
            self._database.executescript(_TABLES)
        except sqlite3.Error:
            self._database.close()
            raise

    def noted(self) -> dict[str, str]:
        """Return the notes of a complete fetch; empty if files are missing. The cache must be `locked`."""
        return dict(self._database.execute("SELECT name, value FROM noted"))

    def kept(self) -> dict[tuple[bytes, bytes], tuple[int, str]]:
        """Return the size and version of each file whose content is cached, by folder and name."""
        where = "content IS NOT NULL AND version IS NOT NULL"
        rows = self._database.execute(f"SELECT folder, name, size, version FROM file WHERE {where}")  # noqa: S608
        return {(folder, name): (size, version) for folder, name, size, version in rows}

    def drop(self) -> None:
        """Delete all content."""
        with self.writing(), self._database:
            self._database.executescript("DELETE FROM noted; DELETE FROM file")

    def fill(
        self,
        entries: Callable[[Store], Iterable[Entry]],
        fetch: Callable[[Sequence[Entry], Store], None],
        limits: Limits,
        show_progress: Callable[[str], None],
        **noted: str,
    ) -> None:
        """Bring a `locked` cache up to date: list the entries, and fetch the missing files.

        Raises:
            PlaceError: the location can't be listed or fetched, or contains something that can't be read.
        """
        count, total = 0, 0

        def store(entry: Entry, content: bytes) -> None:
            nonlocal count
            with self._lock, self.writing(), self._database:
                self._database.execute(_PUT, (*entry.key(), *entry[1:4], content))
                count += 1
            show_progress(f"fetching {self.where}: {count:,} of {total:,} files")

        show_progress(f"listing {self.where}")
        names = _by_path(entries(store), self.where, limits.entries)
        if not names:
            raise PlaceError(f"there is nothing at {self.where}")
        kept, rows = self.kept(), {entry.key(): entry for entry in names.values()}
        wanted = [
            entry
            for key, entry in rows.items()
            if entry.mode == stat.S_IFREG
            and is_read(entry, limits)
            and kept.get(key) != (entry.size, entry.version)
            and not _is_of_trial(entry.path, names)
        ]
        total = count + len(wanted)
        fetch(wanted, store)
        with self.writing(), self._database as database:
            known = database.execute("SELECT folder, name FROM file").fetchall()
            gone = [key for key in known if key not in rows]
            database.executemany("DELETE FROM file WHERE folder = ? AND name = ?", gone)
            database.executemany(_LIST, ((*key, *entry[1:4]) for key, entry in rows.items()))
            database.execute("DELETE FROM noted")
            database.executemany("INSERT INTO noted VALUES (?, ?)", {"place": self.where, **noted}.items())


def checked_path(name: str, where: str) -> str:
    """Return a name in a listing as a path relative to the location; empty for the location itself.

    Raises:
        PlaceError: it leads out of the location, or is impossible.
    """
    printed = shortened(repr(name), 200)
    if name.startswith("/") or _DRIVE.match(name):
        raise PlaceError(f"{where}: the name {printed} is an absolute path; nothing is read")
    names = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in names:
        raise PlaceError(f"{where}: the name {printed} leads out of it; nothing is read")
    lengths = [len(_encoded(part)) for part in names]
    if "\0" in name or max(lengths, default=0) > _LONGEST_NAME or sum(lengths) + len(names) > _LONGEST_PATH:
        raise PlaceError(f"{where}: no file can have the name {printed}; nothing is read")
    return "/".join(names)


def is_read(entry: Entry, limits: Limits) -> bool:
    """Return whether the audit may read a file, by its name and its size."""
    *folders, name = entry.path.split("/")
    most = -1
    if name in (JOB_FILE, *_OF_JOB, *METADATA_FILES):
        most = max(limits.record_bytes, limits.job_bytes)
    elif name in ("reward.json", "reward.txt") and folders[-1:] == ["verifier"]:
        most = limits.reward_bytes
    return (entry.size or 0) <= most


def _is_of_trial(path: str, names: dict[str, Entry]) -> bool:
    """Return whether a file is one of those in a trial's folder that the audit skips."""
    parts = path.split("/")
    folders = ["/".join([*parts[:index], ""]) for index, part in enumerate(parts) if part in _UNREAD_IN_TRIAL]
    return any(top + JOB_FILE in names and any(top + file in names for file in _IN_TRIAL) for top in folders)


def _by_path(entries: Iterable[Entry], where: str, most: int) -> dict[str, Entry]:
    """Return the entries by path, with the folders that are implied by their content.

    Raises:
        PlaceError: there are more than `most`, or two entries have the same path.
    """
    by_path: dict[str, Entry] = {}
    for count, entry in enumerate(entries, start=1):
        if count > most:
            raise PlaceError(f"{where}: more than {most} names; --limits 2 doubles the limits")
        while entry.path:
            known = by_path.get(entry.path)
            folders = [item.mode == stat.S_IFDIR for item in (entry, known) if item is not None]
            if known is None or (folders[0] and _is_marker(known)):
                by_path[entry.path] = entry
            elif all(folders) or (folders[1] and _is_marker(entry)):
                break
            else:
                text = f"two entries have the name {shortened(repr(entry.path), 200)}"
                raise PlaceError(f"{where}: {text}{', one of them a folder' * any(folders)}; nothing is read")
            entry = Entry(entry.path.rpartition("/")[0], stat.S_IFDIR)
    return by_path


def _is_marker(entry: Entry) -> bool:
    """Return whether an entry is an empty object that marks a folder in a bucket."""
    return entry.mode == stat.S_IFREG and entry.size == 0 and bool(entry.version)


def _reading(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", timeout=_PATIENCE, uri=True)


def cached(file: str, below: str) -> Folder:
    """Open a folder of a location.

    Raises:
        OSError: the cache does not exist any more.
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
        if self._entry(name, stat.S_IFDIR, "a directory") is None:
            return None
        return _Cached(self.database, b"/".join(filter(None, (self.folder, _encoded(name)))), top=False)

    def read(self, name: str, limit: int) -> bytes | None:
        if (row := self._entry(name, stat.S_IFREG, "a file")) is None:
            return None
        size, content = row
        if (size or 0) > limit:
            raise Refused("too-large", quantity(size, "bytes"), allowed(limit, "bytes", size))
        if content is None:
            raise Refused("unreadable", "a file that was not fetched", "a file that the audit reads")
        return bytes(content)

    def _entry(self, name: str, kind: int, wanted: str) -> tuple[Any, Any] | None:
        """Return the size and the content of an entry; None if there is none.

        Raises:
            Refused: it is of another kind.
        """
        query = "SELECT mode, size, content FROM file WHERE folder = ? AND name = ?"
        for mode, size, content in self.database.execute(query, (self.folder, _encoded(name))):
            if mode != kind:
                raise refusal(mode, wanted)
            return size, content
        return None

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        rows = self.database.execute("SELECT name, mode FROM file WHERE folder = ?", (self.folder,))
        for count, (name, mode) in enumerate(rows.fetchall(), start=1):
            if count > limit:
                raise TooManyEntriesError
            yield name.decode("utf-8", "surrogatepass"), mode
