"""The cache of a place: one file with the contents that the audit reads, and lists of where each begins.

What was fetched is noted at once, so that a run that is killed loses nothing and the next one fetches
only what is missing or has changed. One process at a time writes. The audit enters the place as a tree of
names in memory: nothing that a stranger named is ever made a path, a name leads to an offset.
"""

import fcntl
import json
import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from conformance.extensions.audit.sources.locations import PlaceError
from conformance.oracle.building import CACHE_VARIABLE, cache_dir
from conformance.wire.untrusted_files import (
    MIB,
    Folder,
    Refused,
    TooManyEntriesError,
    allowed,
    quantity,
    refusal,
)

_CONTENTS, _FETCHED, _TREE = "contents", "fetched.jsonl", "tree.jsonl"
_FORM = 3
"""Raised when packs are laid out again; those in another form are made again."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file whose content the pack has."""

    version: str
    size: int
    offset: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """Anything but a folder."""

    mode: int
    size: int = 0
    offset: int | None = None
    """Where its content begins in the file of contents; None if the audit does not read it."""


Names = dict[str, Union["Names", Leaf]]
"""A folder: each name with a folder, or with anything else."""


def packs() -> Iterator["Pack"]:
    """The packs that the cache has."""
    for root in sorted((cache_dir() / "places").glob("*/")):
        yield Pack(root, str(Pack(root, "").head().get("place", "a place that was fetched in part")))


@dataclass
class Pack:
    """What the cache has of one place."""

    root: Path
    where: str
    """The place, for people."""
    kept: dict[str, Kept] = field(default_factory=dict)
    """The files that it has, by path, once it is `opened`."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, key: str, where: str) -> "Pack":
        """That of the place with that key, whether there is one or not."""
        return cls(cache_dir() / "places" / key, where)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raises PlaceError, a sentence, where the system refuses to write."""
        try:
            yield
        except OSError as error:
            raise PlaceError(
                f"the cache {cache_dir()} can't be written ({error.strerror or type(error).__name__}): "
                f"fix that, or set {CACHE_VARIABLE} to another folder"
            ) from None

    @contextmanager
    def locked(self, tell: Callable[[str], None]) -> Iterator[None]:
        """While this process writes; another one waits.

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
                tell(f"another process is fetching {self.where}: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def head(self) -> dict[str, Any]:
        """What was noted when all was there; empty if not all is, or in another form."""
        head: Any = next(_lines(self.root / _TREE), None)
        return head if isinstance(head, dict) and head.get("form") == _FORM else {}

    def open(self) -> None:
        """Reads what it has; call it `locked`. Contents that nothing leads to any more are dropped."""
        self.kept = {}
        rows = [row[:4] for row in _lines(self.root / _TREE) if isinstance(row, list)] if self.head() else []
        rows += _lines(self.root / _FETCHED)
        try:
            end = (self.root / _CONTENTS).stat().st_size
        except OSError:
            end = 0
        for row in rows:
            match row:
                case [str(path), str(version), int(size), int(offset)] if 0 <= size <= end - offset:
                    self.kept[path] = Kept(version, size, offset)
        if end > 2 * sum(one.size for one in self.kept.values()) + 2**26:
            self.drop()

    def drop(self) -> None:
        """Forgets all of it."""
        self.kept = {}
        with self.writing():
            for name in (_TREE, _FETCHED, _CONTENTS):
                (self.root / name).unlink(missing_ok=True)

    def put(self, path: str, version: str, pieces: Iterable[bytes]) -> None:
        """Adds a file's content; several threads may call it.

        Raises:
            PlaceError: it can't be written.
        """
        with self._lock, self.writing(), (self.root / _CONTENTS).open("ab") as file:
            os.chmod(file.fileno(), 0o600)
            offset = file.tell()
            for piece in pieces:
                file.write(piece)
            file.flush()
            self.kept[path] = kept = Kept(version, file.tell() - offset, offset)
            with (self.root / _FETCHED).open("a", encoding="utf-8") as notes:
                notes.write(json.dumps([path, version, kept.size, offset]) + "\n")

    def complete(self, leaves: Iterable[tuple[str, int, int, bool]], **noted: object) -> None:
        """Notes the whole place: each path with its mode and size, and whether its content is wanted."""
        new = self.root / "new"
        with self.writing():
            with new.open("w", encoding="utf-8") as file:
                file.write(json.dumps({"form": _FORM, "place": self.where, **noted}) + "\n")
                for path, mode, size, wanted in leaves:
                    kept = self.kept.get(path) if wanted else None
                    row = (None, size, None) if kept is None else (kept.version, kept.size, kept.offset)
                    file.write(json.dumps([path, *row, mode]) + "\n")
            new.replace(self.root / _TREE)
            (self.root / _FETCHED).unlink(missing_ok=True)
            (self.root / _CONTENTS).touch(mode=0o600)

    def tree(self) -> "Tree":
        """The whole place.

        Raises:
            PlaceError: the list is spoiled.
        """
        names: Names = {}
        try:
            for path, _, size, offset, mode in list(_lines(self.root / _TREE))[1:]:
                *above, name = path.split("/")
                folder: Any = names
                for part in above:
                    folder = folder[part]
                folder[name] = {} if mode == stat.S_IFDIR else Leaf(mode, size, offset)
        except (ValueError, TypeError, KeyError):
            self.drop()
            raise PlaceError(f"the cache of {self.where} was spoiled: run this again") from None
        return Tree(str(self.root / _CONTENTS), names)


def _lines(path: Path) -> Iterator[Any]:
    """The lines of a list, as far as they are whole."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, ValueError):
        return


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of a place. It can be sent to another process of this machine."""

    contents: str
    """The file that has the contents."""
    names: Names

    def top(self) -> Folder:
        """The folder, opened.

        Raises:
            OSError: the contents are gone.
        """
        return _Packed(os.open(self.contents, os.O_RDONLY | os.O_CLOEXEC), self.names)

    def below(self, parts: Iterable[str]) -> "Tree":
        """A folder in it."""
        names: Any = self.names
        for part in parts:
            names = names[part]
        return Tree(self.contents, names)


class _Packed(Folder):
    """A folder of a tree; its descriptor is that of the contents."""

    __slots__ = ("names",)

    def __init__(self, descriptor: int, names: Names) -> None:
        super().__init__(descriptor)
        self.names = names

    def enter(self, name: str) -> Folder | None:
        found = self.names.get(name)
        if isinstance(found, Leaf):
            raise refusal(found.mode, "a directory")
        return None if found is None else _Packed(os.dup(self.descriptor), found)

    def read(self, name: str, limit: int) -> bytes | None:
        leaf = self._leaf(name, limit)
        return None if leaf is None else self._part(leaf, 0, leaf.size)

    def open(self, name: str, limit: int) -> tuple[int, int] | None:
        leaf = self._leaf(name, limit)
        if leaf is None:
            return None
        import tempfile  # slow to load, and logs are rare

        with tempfile.TemporaryFile() as file:
            for at in range(0, leaf.size, MIB):
                file.write(self._part(leaf, at, min(MIB, leaf.size - at)))
            file.seek(0)
            return os.dup(file.fileno()), leaf.size

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        if len(self.names) > limit:
            raise TooManyEntriesError
        for name, of in self.names.items():
            yield name, of.mode if isinstance(of, Leaf) else stat.S_IFDIR

    def _leaf(self, name: str, limit: int) -> Leaf | None:
        found = self.names.get(name)
        if found is None:
            return None
        if not isinstance(found, Leaf) or found.mode != stat.S_IFREG:
            raise refusal(found.mode if isinstance(found, Leaf) else stat.S_IFDIR, "a file")
        if found.size > limit:
            raise Refused("too-large", quantity(found.size, "bytes"), allowed(limit, "bytes", found.size))
        return found

    def _part(self, leaf: Leaf, at: int, size: int) -> bytes:
        content = b"" if leaf.offset is None else os.pread(self.descriptor, size, leaf.offset + at)
        if len(content) != size:
            raise Refused("unreadable", "a file that was not fetched", "a file that the audit reads")
        return content
