"""A mirror: the folder in the cache that has what the audit reads of a place.

Each file is there whole or not at all: it is written beside and renamed. What was fetched is noted
in `fetched.jsonl`, a line a file, as soon as it is there, so that a run that is killed loses nothing
and the next one fetches only what is missing or has changed. One process at a time writes.
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.check.places.locations import PlaceError
from conformance.oracle.building import CACHE_VARIABLE, cache_dir

__all__ = ["Fetched", "Mirror", "mirrors"]

_FETCHED = "fetched.jsonl"
_COMPLETE = "complete.json"
_FORM_FILE = "form.json"
_FORM = 1
"""Raised when mirrors are laid out anew; those in another form are made again."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that was fetched."""

    version: str
    size: int


def places_dir() -> Path:
    """The folder of all mirrors."""
    return cache_dir() / "places"


def mirrors() -> Iterator["Mirror"]:
    """The mirrors that the cache has."""
    try:
        found = sorted(entry for entry in places_dir().iterdir() if entry.is_dir())
    except OSError:
        return
    for root in found:
        told = _json(root / _COMPLETE)
        yield Mirror(root, str(told.get("place", "a place that was fetched in part")))


@dataclass(frozen=True)
class Mirror:
    """The mirror of one place."""

    root: Path
    """A folder of the cache."""
    where: str
    """The place, for people."""

    @classmethod
    def of(cls, key: str, where: str) -> "Mirror":
        """The mirror of the place with that key, whether there is one or not."""
        return cls(places_dir() / key, where)

    @property
    def tree(self) -> Path:
        """The folder that is audited."""
        return self.root / "tree"

    @property
    def beside(self) -> Path:
        """Where files are until they are whole."""
        return self.root / "beside"

    def told(self) -> dict[str, Any]:
        """What was noted when it was complete; empty if it is not."""
        told = _json(self.root / _COMPLETE)
        return told if told.get("form") == _FORM and self.tree.is_dir() else {}

    @contextmanager
    def locked(self, tell: Callable[[str], None]) -> Iterator[None]:
        """While this process writes; another one waits.

        Raises:
            PlaceError: the cache can't be written.
        """
        with self.writing():
            self.root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(f"{self.root}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                tell(f"another process is fetching {self.where}: waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

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
                f"mend that, or set {CACHE_VARIABLE} to another folder"
            ) from None

    def prepare(self) -> None:
        """Makes its folders; what is there in another form is removed. Call it `locked`.

        Raises:
            PlaceError: the cache can't be written.
        """
        with self.writing():
            if _json(self.root / _FORM_FILE).get("form") != _FORM:
                shutil.rmtree(self.root, ignore_errors=True)
            shutil.rmtree(self.beside, ignore_errors=True)
            for folder in (self.root, self.tree, self.beside):
                folder.mkdir(exist_ok=True, mode=0o700)
            (self.root / _FORM_FILE).write_text(json.dumps({"form": _FORM}))

    def begin(self) -> dict[str, Fetched]:
        """From now on it is not complete; the files that it has already, by path. Call it `prepare`d."""
        with self.writing():
            (self.root / _COMPLETE).unlink(missing_ok=True)
        found: dict[str, Fetched] = {}
        try:
            lines = (self.root / _FETCHED).read_bytes().splitlines()
        except OSError:
            return found
        for line in lines:
            try:
                path, version, size = json.loads(line)
                found[path] = Fetched(version, size)
            except (ValueError, TypeError):  # the run was killed while it wrote this line
                continue
        return found

    @contextmanager
    def noting(self) -> Iterator[Callable[[str, Fetched], None]]:
        """Notes what was fetched; may be called by several threads."""
        with self.writing():
            lines = os.open(self.root / _FETCHED, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            end = os.lseek(lines, 0, os.SEEK_END)
            if end and os.pread(lines, 1, end - 1) != b"\n":
                os.write(lines, b"\n")
            yield lambda path, got: _write(lines, path, got)
        finally:
            os.close(lines)

    def complete(self, has: dict[str, Fetched], **told: Any) -> None:
        """Notes that it is complete, and what it `has`."""
        beside = self.beside / "list"
        with self.writing():
            with beside.open("w", encoding="utf-8") as file:
                for path, got in has.items():
                    file.write(json.dumps([path, got.version, got.size]) + "\n")
            beside.replace(self.root / _FETCHED)
            noted = {"form": _FORM, "place": self.where, "at": time.time(), **told}
            beside.write_text(json.dumps(noted), encoding="utf-8")
            beside.replace(self.root / _COMPLETE)

    def forget(self, tell: Callable[[str], None] = lambda _: None) -> bool:
        """Removes it; whether there was anything."""
        with self.locked(tell):
            if not self.root.exists():
                return False
            with self.writing():
                shutil.rmtree(self.root)
            return True


def _write(lines: int, path: str, got: Fetched) -> None:
    os.write(lines, json.dumps([path, got.version, got.size]).encode() + b"\n")


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
