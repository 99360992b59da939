"""Fills a pack: lists what is there, and fetches what the audit reads and the pack lacks.

Names of a listing are a stranger's: they are checked, and put into their folders.
"""

import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Union

from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.lines import is_log
from conformance.extensions.audit.sources.locations import METADATA_FILES, PlaceError
from conformance.extensions.audit.sources.pack import Kept, Pack
from conformance.wire.text import shortened

_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_LONGEST_NAME, _LONGEST_PATH = 255, 3000
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a listing."""

    path: str
    """Below the location, with slashes between the names."""
    mode: int = stat.S_IFREG
    """What it is, without permissions."""
    size: int | None = None
    """Bytes of a file; None if that is not known before it is fetched."""
    version: str | None = ""
    """Changes with the content; None if it is not known before the file is asked for."""
    source: Any = None
    """What its source needs to fetch it."""


_Listed = dict[str, Union["_Listed", Entry]]


def checked_path(name: str, where: str) -> str:
    """A name of a listing as a path below the location; empty for the location itself.

    Raises:
        PlaceError: it leads out of the location, or no file can have it.
    """
    shown = shortened(repr(name), 200)
    if name.startswith("/") or _DRIVE.match(name):
        raise PlaceError(f"{where}: the name {shown} begins at the root of a file system; nothing is read")
    names = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in names:
        raise PlaceError(f"{where}: the name {shown} leads out of it; nothing is read")
    try:
        lengths = [len(part.encode("utf-8", "surrogateescape")) for part in names]
    except UnicodeEncodeError:
        lengths = [_LONGEST_NAME + 1]
    if "\0" in name or max(lengths, default=0) > _LONGEST_NAME or sum(lengths) + len(names) > _LONGEST_PATH:
        raise PlaceError(f"{where}: no file can have the name {shown}; nothing is read")
    return "/".join(names)


def nested(entries: Iterable[Entry], where: str, most: int) -> _Listed:
    """The entries in their folders; each name is one thing.

    Raises:
        PlaceError: there are more than `most`, or two things have one name.
    """
    top: _Listed = {}
    for count, entry in enumerate(entries, start=1):
        if count > most:
            raise PlaceError(f"{where}: more than {most} names (--max-entries raises the limit)")
        if not entry.path:
            continue
        *above, name = entry.path.split("/")
        folder = top
        for part in above:
            child = folder.setdefault(part, {})
            if _is_marker(child):
                child = folder[part] = {}
            if not isinstance(child, dict):
                what = "a symbolic link" if child.mode == stat.S_IFLNK else "a file"
                raise PlaceError(f"{where}: {part!r} is {what} and a folder; nothing is read")
            folder = child
        known = folder.get(name)
        if known is None:
            folder[name] = {} if entry.mode == stat.S_IFDIR else entry
        elif not isinstance(known, dict) or not (entry.mode == stat.S_IFDIR or _is_marker(entry)):
            shown = shortened(repr(entry.path), 200)
            raise PlaceError(f"{where}: two things have the name {shown}; nothing is read")
    return top


def _is_marker(of: object) -> bool:
    """Whether it is an empty object that marks a folder, as buckets have them."""
    return isinstance(of, Entry) and of.mode == stat.S_IFREG and of.size == 0 and bool(of.version)


_TELL_EVERY = 0.2
REWARDS = ("reward.json", "reward.txt")
_OF_JOB = ("config.json", "lock.json")
TRIAL_ONLY = ("agent", "artifacts")
"""Folders of a trial that the audit does not enter."""

Got = Callable[[Entry, str | None, Iterable[bytes], int | None], None]
"""Takes an entry, its version (None: the known one), its content, and its size where there is no content."""


class Lister(Protocol):
    """A place that can be listed and fetched from."""

    def entries(self, got: Got, known: Mapping[str, Kept]) -> Iterator[Entry]:
        """What is there, in any order; what is best fetched meanwhile is `got` at once."""

    def fetch(self, wanted: Sequence[tuple[Entry, int]], got: Got, known: Mapping[str, Kept]) -> None:
        """Fetches files, each of at most so many bytes; of a larger one the size is enough."""


def likely_limit(path: str, limits: Limits) -> int | None:
    """The bytes up to which the audit reads a file, by its path alone; None if it probably does not."""
    *folders, name = path.split("/")
    if not set(folders).isdisjoint(TRIAL_ONLY):
        return None
    return _limit(name, folders[-1] if folders else "", limits)


def _limit(name: str, folder: str, limits: Limits) -> int | None:
    if name in (JOB_FILE, *_OF_JOB) or name in METADATA_FILES:
        return max(limits.record_bytes, limits.job_bytes)
    if name in REWARDS:
        return limits.reward_bytes if folder == "verifier" else None
    return limits.log_bytes if is_log(name) and name != "trial.log" and folder != "verifier" else None


def _listed(names: Mapping[str, Any], limits: Limits) -> Iterator[tuple[Entry, int | None]]:
    """All that is there, folders before what is in them; with its limit what the audit reads."""
    waiting = [("", "", names, False)]
    while waiting:
        above, own, folder, unread = waiting.pop()
        trial = JOB_FILE in folder and any(isinstance(folder.get(one), dict) for one in ("verifier", "agent"))
        trial = trial or "trial.log" in folder
        for name, of in folder.items():
            if isinstance(of, dict):
                yield Entry(above + name, stat.S_IFDIR), None
                waiting.append((f"{above}{name}/", name, of, unread or (trial and name in TRIAL_ONLY)))
                continue
            limit = None if unread or of.mode != stat.S_IFREG else _limit(name, own, limits)
            of_job = name in _OF_JOB or is_log(name)
            if of_job and (trial or (is_log(name) and JOB_FILE not in folder)):
                limit = None
            yield of, limit


def fill(pack: Pack, source: Lister, limits: Limits, tell: Callable[[str], None], **noted: object) -> None:
    """Brings a pack up to date and notes what is `noted` of it. Call it with the pack `open` and `locked`.

    Raises:
        PlaceError: the place can't be listed or fetched, or what is in it can't be read.
    """
    known, sizes, fetched = dict(pack.kept), dict[str, int](), set[str]()
    shown_at, total = 0.0, 0

    def tick(sentence: str) -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at > _TELL_EVERY:
            shown_at = time.monotonic()
            tell(sentence)

    def got(entry: Entry, version: str | None, content: Iterable[bytes], size: int | None) -> None:
        if size is not None:
            sizes[entry.path] = size
        elif version is not None:
            pack.put(entry.path, version, content)
        fetched.add(entry.path)
        tick(f"fetching {pack.where}: {len(fetched):,} of {total:,} files")

    def counted(entries: Iterator[Entry]) -> Iterator[Entry]:
        tick(f"listing {pack.where}")
        for count, entry in enumerate(entries, start=1):
            if not count % 100:
                tick(f"listing {pack.where}: {count:,} names")
            yield entry

    names = nested(counted(source.entries(got, known)), pack.where, limits.entries)
    if not names:
        raise PlaceError(f"there is nothing at {pack.where}")
    listed = list(_listed(names, limits))
    missing: list[tuple[Entry, int]] = []
    for entry, limit in listed:
        if limit is None:
            continue
        total += 1
        if entry.size is not None and entry.size > limit:
            sizes[entry.path] = entry.size
        elif entry.path not in fetched and entry.path not in sizes and not _same(known, entry):
            missing.append((entry, limit))
    source.fetch(missing, got, known)
    leaves = (
        (one.path, one.mode, sizes.get(one.path, one.size or 0), limit is not None and one.path not in sizes)
        for one, limit in listed
    )
    pack.complete(leaves, **noted)


def _same(known: Mapping[str, Kept], entry: Entry) -> bool:
    has = known.get(entry.path)
    return has is not None and has.version == entry.version and entry.size in (None, has.size)
