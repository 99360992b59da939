"""Shares counterexamples between machines through hypothesis's databases.

Several are combined (``MultiplexedDatabase``). An unreachable one is reported and ignored: it only makes a
search faster, and no verdict may depend on a network.
"""

import socket
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import platformdirs
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    GitHubArtifactDatabase,
    MultiplexedDatabase,
    ReadOnlyDatabase,
)

from conformance import __version__
from conformance.run.databases import Database
from conformance.wire.text import shortened

__all__ = ["Databases", "Keyed"]

_MARKS = (b".secondary", b".pareto")
_SECONDS = 10.0
"""Seconds that a server may take to answer."""


class Databases:
    """The databases of a run."""

    def __init__(self, places: Sequence[Database], folder: Path) -> None:
        """Opens nothing yet; ``folder`` is the local database if the others are read-only."""
        self.notes: list[str] = []
        """A sentence for each unreachable database."""
        self._guarded = [_Guarded(place, self.notes) for place in places]
        if places and all(place.kind == "github" for place in places):
            own = str(folder / "database")
            self._guarded.insert(0, _Guarded(Database("folder", own, own), self.notes))

    def of(self, property_id: str, spec: str) -> "Keyed | None":
        """The database of one property; None if there is none.

        It stores choices, which only this version of the kit's generators can turn into an input.
        """
        if not self._guarded:
            return None
        key = f"harbor-conformance {__version__} {spec} {property_id} "
        return Keyed(key.encode(), MultiplexedDatabase(*self._guarded))


class Keyed(ExampleDatabase):
    """A database with our own keys: hypothesis derives its keys from a function that all properties share."""

    def __init__(self, key: bytes, kept: ExampleDatabase) -> None:
        super().__init__()
        self._key, self._kept = key, kept
        self.closed = False
        """Whether to store nothing more: an interrupted search would store its current input."""

    def kept_unless_interrupted(self, attempt: Callable[[Any], bool]) -> Callable[[Any], bool]:
        """Wraps the attempt so that nothing is stored after an interruption."""

        def tried(given: Any) -> bool:
            try:
                return attempt(given)
            except BaseException as error:
                self.closed = not isinstance(error, Exception)
                raise

        return tried

    def _own(self, key: bytes) -> bytes:
        """Our key for hypothesis's key, keeping the suffixes that mark kinds of entries."""
        return self._key + next((mark for mark in _MARKS if key.endswith(mark)), b"")

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """See ``ExampleDatabase``."""
        return self._kept.fetch(self._own(key))

    def save(self, key: bytes, value: bytes) -> None:
        """See ``ExampleDatabase``; stores only during the search."""
        if not self.closed:
            self._kept.save(self._own(key), value)

    def delete(self, key: bytes, value: bytes) -> None:
        """See ``ExampleDatabase``."""
        self._kept.delete(self._own(key), value)

    def move(self, src: bytes, dest: bytes, value: bytes) -> None:
        """See ``ExampleDatabase``."""
        self._kept.move(self._own(src), self._own(dest), value)


class _Guarded(ExampleDatabase):
    """A database that is ignored after its first failure."""

    def __init__(self, place: Database, notes: list[str]) -> None:
        super().__init__()
        self._place, self._notes = place, notes
        self._kept: ExampleDatabase | None = None
        self._failed = False

    def fetch(self, key: bytes) -> Iterable[bytes]:
        found: list[bytes] = []
        self._try(lambda kept: found.extend(kept.fetch(key)))
        return found

    def save(self, key: bytes, value: bytes) -> None:
        self._try(lambda kept: kept.save(key, value))

    def delete(self, key: bytes, value: bytes) -> None:
        self._try(lambda kept: kept.delete(key, value))

    def move(self, src: bytes, dest: bytes, value: bytes) -> None:
        self._try(lambda kept: kept.move(src, dest, value))

    def _try(self, work: Callable[[ExampleDatabase], object]) -> None:
        if self._failed:
            return
        try:
            with warnings.catch_warnings(record=True) as caught, _bounded(self._place.kind):
                warnings.simplefilter("always")
                if self._kept is None:
                    self._kept = _opened(self._place)
                work(self._kept)
            if caught and self._place.kind == "github":  # it disables itself, or uses its cached state
                self._note(f"counterexample database {self._place.shown}: {caught[0].message}")
        except Exception as error:
            self._failed = True
            why = _masked(f"{type(error).__name__}: {error}", self._place)
            self._note(f"counterexample database {self._place.shown} is ignored: {why}")

    def _note(self, sentence: str) -> None:
        self._notes.append(shortened(" ".join(sentence.split()), 400))


@contextmanager
def _bounded(kind: str) -> Iterator[None]:
    """Limits the wait for GitHub's servers; hypothesis has no time-out, and redis gets its own."""
    before = socket.getdefaulttimeout()
    if kind == "github":
        socket.setdefaulttimeout(_SECONDS)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def _opened(place: Database) -> ExampleDatabase:
    if place.kind == "redis":
        from hypothesis.extra.redis import RedisExampleDatabase
        from redis import Redis

        client = Redis.from_url(place.given, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS)
        return RedisExampleDatabase(client)
    if place.kind == "github":
        owner, name, artifact = place.github
        cache = (
            platformdirs.user_cache_path("harbor-conformance", appauthor=False)
            / "counterexamples"
            / owner
            / name
            / artifact
        )
        cache.mkdir(parents=True, exist_ok=True)
        return ReadOnlyDatabase(GitHubArtifactDatabase(owner, name, artifact, path=cache))
    folder = Path(place.given)
    folder.mkdir(parents=True, exist_ok=True)  # hypothesis would silently ignore an error
    return DirectoryBasedExampleDatabase(folder)


def _masked(text: str, place: Database) -> str:
    """The text without the user name and password in an address."""
    if not place.secret:
        return text
    user, _, password = urlsplit(place.given).netloc.rpartition("@")[0].partition(":")
    for secret in (place.given, password, unquote(password), user, unquote(user)):
        if secret:
            text = text.replace(secret, "***")
    return text
