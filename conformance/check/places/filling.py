"""Fills a mirror: lists what is there, and fetches what the audit reads and the mirror lacks."""

import os
import shutil
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from conformance.check.places.entries import Entry, Kind, checked_entries
from conformance.check.places.locations import PlaceError
from conformance.check.places.mirror import Fetched, Mirror
from conformance.check.places.remote import has_room, room
from conformance.check.places.wanted import Need, likely_limit, needs
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import Limits, quantity

__all__ = ["Source", "fill"]

_NOWHERE = "/dev/null/a link of the place itself, not followed"
_HOLLOW = "hollow:"
"""Begins the version of a file that is too large to be read, and has its size here but not its content."""
_LARGEST_HOLLOW = 2**42
_TELL_EVERY = 0.2
_AT_ONCE = 1000
_MODES = {
    Kind.FOLDER: stat.S_IFDIR,
    Kind.LINK: stat.S_IFLNK,
    Kind.FIFO: stat.S_IFIFO,
    Kind.FILE: stat.S_IFREG,
}


class Source(Protocol):
    """Where a mirror's files come from."""

    @property
    def workers(self) -> int:
        """How many files it gives at the same time."""

    @property
    def streams(self) -> bool:
        """Whether a file is best fetched while it is the last entry that was listed."""

    def entries(self) -> Iterator[Entry]:
        """What is there, files and folders, in any order."""

    def fetch(self, entry: Entry, target: Path, known: str | None, most: int) -> str | None:
        """Writes a file to a new file and returns its version; None if it still is what is `known`.

        Of one with more than `most` bytes, the size is enough.
        """

    def stop(self) -> None:
        """Ends waiting, in whatever thread: nothing is wanted any more."""


@dataclass
class _Told:
    """Says now and then how far it is."""

    tell: Callable[[str], None]
    where: str
    total: int
    count: int = 0
    bytes: int = 0
    at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def tick(self, size: int) -> None:
        with self.lock:
            self.count += 1
            self.bytes += size
            now = time.monotonic()
            if now - self.at < _TELL_EVERY:
                return
            self.at = now
        done = f"{self.count:,} of {self.total:,} files, {quantity(self.bytes, 'bytes')}"
        self.tell(f"fetching {self.where}: {done}")


def fill(mirror: Mirror, source: Source, limits: Limits, tell: Callable[[str], None], **told: str) -> None:
    """Brings a mirror up to date, and notes what is `told` of it. Call it with the mirror `prepare`d.

    Raises:
        PlaceError: the place can't be listed or fetched, or what is in it can't be had here.
    """
    early: dict[str, Path] = {}
    entries = _counted(source.entries(), mirror.where, tell)
    if source.streams:
        entries = _fetched_early(entries, source, mirror.beside, limits, early)
    found = checked_entries(entries, mirror.where, limits.entries, _exact_case(mirror))
    if not found:
        raise PlaceError(f"there is nothing at {mirror.where}")
    wanted = {need.entry.path: need for need in needs(found, limits)}
    count = len(found)
    del found
    with mirror.writing():
        has = _only_wanted(mirror.tree, wanted, mirror.begin())
    missing: list[Need] = []
    for need in wanted.values():
        entry = need.entry
        if entry.kind is not Kind.FILE or need.limit is None:
            _make(mirror, entry)
        elif _is_hollow(need):
            with mirror.writing():
                _hollow(mirror, entry, entry.size or 0)
            has[entry.path] = Fetched(f"{_HOLLOW}{entry.version}", entry.size or 0)
        elif entry.version is None or not _is_known(has.get(entry.path), entry):
            missing.append(need)
    missing.sort(key=lambda need: need.entry.position)
    still = [need for need in missing if need.entry.path not in early]
    room(mirror.beside, sum(need.entry.size or 0 for need in still), mirror.where)
    fetched = _fetch(mirror, source, missing, early, has, tell)
    size = sum(one.size for one in has.values() if not one.version.startswith(_HOLLOW))
    mirror.complete(has, names=count, files=len(has), bytes=size, fetched=fetched, **told)


def _counted(entries: Iterator[Entry], where: str, tell: Callable[[str], None]) -> Iterator[Entry]:
    tell(f"listing {where}")
    at = time.monotonic()
    for count, entry in enumerate(entries, start=1):
        if not count % 100 and time.monotonic() - at > _TELL_EVERY:
            at = time.monotonic()
            tell(f"listing {where}: {count:,} names")
        yield entry


def _fetched_early(
    entries: Iterator[Entry], source: Source, beside: Path, limits: Limits, early: dict[str, Path]
) -> Iterator[Entry]:
    """The entries; files that the audit probably reads are fetched while they are listed, into `early`.

    Whether it reads them is known when all are listed. The rest is fetched then.
    """
    furthest = -1
    for entry in entries:
        most = likely_limit(entry.path, limits)
        if (
            most is not None
            and entry.kind is Kind.FILE
            and (entry.size or 0) <= most
            and entry.position > furthest  # no second name of a file before it
            and entry.path not in early
            and has_room(beside, entry.size or 0)
        ):
            target = beside / f"early-{len(early)}"
            source.fetch(entry, target, None, most)
            early[entry.path] = target
        furthest = max(furthest, entry.position)
        yield entry


def _exact_case(mirror: Mirror) -> bool:
    """Whether the cache's file system tells `A` from `a`."""
    return not (mirror.root / "TREE").exists()


def _is_known(fetched: Fetched | None, entry: Entry) -> bool:
    return fetched is not None and fetched.version == entry.version and entry.size in (None, fetched.size)


def _is_hollow(need: Need) -> bool:
    return need.limit is not None and need.entry.size is not None and need.entry.size > need.limit


def _only_wanted(tree: Path, wanted: Mapping[str, Need], has: Mapping[str, Fetched]) -> dict[str, Fetched]:
    """Removes from the mirror whatever is not wanted; the files that stay, of those it `has`."""
    stays: dict[str, Fetched] = {}
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(tree / above) as found:
            entries = list(found)
        for one in entries:
            path = f"{above}/{one.name}" if above else one.name
            status = one.stat(follow_symlinks=False)
            need = wanted.get(path)
            if need is None or stat.S_IFMT(status.st_mode) != _MODES.get(need.entry.kind):
                if one.is_dir(follow_symlinks=False):
                    shutil.rmtree(one.path)
                else:
                    os.unlink(one.path)
            elif one.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif path in has and has[path].size == status.st_size:
                stays[path] = has[path]
    return stays


def _make(mirror: Mirror, entry: Entry) -> None:
    """Something whose content is not read."""
    path = mirror.tree / entry.path
    with mirror.writing():
        if os.path.lexists(path):
            return
        if entry.kind is Kind.FOLDER:
            path.mkdir(mode=0o700)
        elif entry.kind is Kind.LINK:
            path.symlink_to(_NOWHERE)
        elif entry.kind is Kind.FIFO:
            os.mkfifo(path, 0o600)
        elif entry.kind is Kind.FILE:
            path.touch(mode=0o600)
        else:
            raise PlaceError(f"{mirror.where}: {show(entry.path)} is a device; nothing is read")


def _hollow(mirror: Mirror, entry: Entry, size: int) -> None:
    """A file that is too large to be read: its size is all that the audit looks at."""
    path = mirror.tree / entry.path
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        file.truncate(min(size, _LARGEST_HOLLOW))


def _fetch(
    mirror: Mirror,
    source: Source,
    missing: list[Need],
    early: Mapping[str, Path],
    has: dict[str, Fetched],
    tell: Callable[[str], None],
) -> int:
    """Fetches files, several at the same time, but for those that were `early`; how many had to be.

    Raises:
        PlaceError: one can't be fetched; those that were stay.
    """
    told, changed = _Told(tell, mirror.where, len(missing)), 0
    stopped = threading.Event()
    with mirror.noting() as note:

        def one(number: int, need: Need) -> None:
            nonlocal changed
            if stopped.is_set():
                return
            entry = need.entry
            known = has.get(entry.path)
            beside, version = early.get(entry.path), entry.version
            if beside is None:
                beside = mirror.beside / str(number)
                at_hand = None if known is None else known.version
                version = source.fetch(entry, beside, at_hand, need.limit or 0)
            if version is None:
                told.tick(0)
                return
            with mirror.writing():
                size = beside.stat().st_size
                if need.limit is not None and size > need.limit:
                    beside.unlink()
                    _hollow(mirror, entry, size)
                    version = f"{_HOLLOW}{version}"
                else:
                    beside.replace(mirror.tree / entry.path)
                got = Fetched(version, size)
                note(entry.path, got)
            with told.lock:
                has[entry.path] = got
                changed += 1
            told.tick(size)

        pool = ThreadPoolExecutor(max(1, min(source.workers, len(missing))), thread_name_prefix="fetching")
        try:
            for begin in range(0, len(missing), _AT_ONCE):
                part = enumerate(missing[begin : begin + _AT_ONCE], start=begin)
                futures = [pool.submit(one, number, need) for number, need in part]
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
        finally:
            stopped.set()
            source.stop()
            pool.shutdown(wait=True, cancel_futures=True)
    return changed
