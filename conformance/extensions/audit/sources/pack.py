"""The cache of a place: one file with the contents that the audit reads, and a list of where each begins.

What was fetched is noted at once, so that a run that is killed loses nothing and the next one fetches
only what is missing or has changed. One process at a time writes.
"""

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.extensions.audit.sources.locations import PlaceError
from conformance.extensions.audit.sources.tree import Leaf, Names, Tree
from conformance.oracle.building import CACHE_VARIABLE, cache_dir

__all__ = ["Kept", "Pack", "packs"]

_CONTENTS, _FETCHED, _TREE = "contents", "fetched.jsonl", "tree.jsonl"
_FORM = 2
"""Raised when packs are laid out again; those in another form are made again."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file whose content the pack has."""

    version: str
    size: int
    offset: int


def _folder() -> Path:
    return cache_dir() / "places"


def packs() -> Iterator["Pack"]:
    """The packs that the cache has."""
    for root in sorted(_folder().glob("*/")):
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
        return cls(_folder() / key, where)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What can't be written becomes a sentence.

        Raises:
            PlaceError: the system refuses.
        """
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
        if self.head():
            listed = list(_lines(self.root / _TREE))[1:]
            rows = [[path, *rest] for path, _, *rest in listed if rest[-1] is not None]
        else:
            rows = []
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

    def put(self, path: str, version: str, pieces: Iterable[bytes]) -> Kept:
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
            kept = Kept(version, file.tell() - offset, offset)
            with (self.root / _FETCHED).open("a", encoding="utf-8") as notes:
                notes.write(json.dumps([path, version, kept.size, offset]) + "\n")
            self.kept[path] = kept
        return kept

    def complete(self, names: Names, **noted: object) -> None:
        """Notes the whole place, its files with a version where the pack has their content."""
        beside = self.root / "beside"
        with self.writing():
            with beside.open("w", encoding="utf-8") as file:
                head = {"form": _FORM, "place": self.where, **noted}
                file.write(json.dumps(head) + "\n")
                for path, leaf in _leaves(names):
                    kept = self.kept.get(path) if leaf and leaf.offset is not None else None
                    version = kept.version if kept else ""
                    row = (
                        (None, "", 0, None) if leaf is None else (leaf.mode, version, leaf.size, leaf.offset)
                    )
                    file.write(json.dumps([path, *row]) + "\n")
            beside.replace(self.root / _TREE)
            (self.root / _FETCHED).unlink(missing_ok=True)
            (self.root / _CONTENTS).touch(mode=0o600)

    def tree(self) -> Tree:
        """The whole place.

        Raises:
            PlaceError: the list is spoiled.
        """
        names: Names = {}
        try:
            for path, mode, _, size, offset in list(_lines(self.root / _TREE))[1:]:
                *above, name = path.split("/")
                folder: Any = names
                for part in above:
                    folder = folder[part]
                folder[name] = {} if mode is None else Leaf(mode, size, offset)
        except (ValueError, TypeError, KeyError):
            self.drop()
            raise PlaceError(f"the cache of {self.where} was spoiled: run this again") from None
        return Tree(str(self.root / _CONTENTS), names)


def _leaves(names: Mapping[str, Any]) -> Iterator[tuple[str, Leaf | None]]:
    """Every path, folders before what is in them; None for a folder."""
    waiting = [("", names)]
    while waiting:
        above, folder = waiting.pop()
        for name, of in folder.items():
            yield above + name, of if isinstance(of, Leaf) else None
            if isinstance(of, dict):
                waiting.append((f"{above}{name}/", of))


def _lines(path: Path) -> Iterator[Any]:
    """The lines of a list, as far as they are whole."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, ValueError):
        return
