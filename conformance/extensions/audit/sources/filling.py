"""Fills a cache: lists a location, and fetches the files that the audit reads and the cache lacks.

Names in a listing are untrusted, so they are checked.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import TYPE_CHECKING

from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import METADATA_FILES, PlaceError
from conformance.extensions.audit.sources.cache import Cache, Entry
from conformance.wire.text import shortened

if TYPE_CHECKING:
    from conformance.extensions.audit.sources.archives import Archive
    from conformance.extensions.audit.sources.remote import Remote

_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_LONGEST_NAME, _LONGEST_PATH = 255, 3000
"""In bytes."""
_REWARDS = ("reward.json", "reward.txt")
_OF_JOB = ("config.json", "lock.json")
_TRIAL_ONLY = ("agent", "artifacts")
"""Folders of a trial that the audit skips."""

OnFetched = Callable[[Entry, Iterable[bytes]], None]
"""Called with a fetched entry and its content."""


def checked_path(name: str, where: str) -> str:
    """A name in a listing as a path relative to the location; empty for the location itself.

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


def limit_of(path: str, limits: Limits, names: Mapping[str, Entry] | None = None) -> int | None:
    """The most bytes of a file that the audit reads; None if it skips the file.

    Without all `names`, it judges by the path alone, which shows only whether the file is probably read.
    """
    *folders, name = path.split("/")
    for at, folder in enumerate(folders):
        if folder in _TRIAL_ONLY and (names is None or _is_trial("/".join(folders[:at]), names)):
            return None
    if name in _OF_JOB and names is not None and _is_trial("/".join(folders), names):
        return None
    if name in (JOB_FILE, *_OF_JOB) or name in METADATA_FILES:
        return max(limits.record_bytes, limits.job_bytes)
    return limits.reward_bytes if name in _REWARDS and folders[-1:] == ["verifier"] else None


def _is_trial(folder: str, names: Mapping[str, Entry]) -> bool:
    def mode(name: str) -> int | None:
        found = names.get(f"{folder}/{name}" if folder else name)
        return None if found is None else found.mode

    has_folder = S_IFDIR in (mode("verifier"), mode("agent"))
    return mode("trial.log") is not None or (mode(JOB_FILE) is not None and has_folder)


def _by_path(entries: Iterable[Entry], where: str, most: int) -> dict[str, Entry]:
    """The entries, with the folders that only their content implies; every name is unique.

    Raises:
        PlaceError: there are more than `most`, or two things have one name.
    """
    found: dict[str, Entry] = {}
    for count, entry in enumerate(entries, start=1):
        if count > most:
            raise PlaceError(f"{where}: more than {most} names; --limits 2 doubles the limits")
        while entry.path:
            known = found.get(entry.path)
            folders = [one.mode == S_IFDIR for one in (entry, known) if one is not None]
            if known is None or (folders[0] and _is_marker(known)):
                found[entry.path] = entry
            elif all(folders) or (folders[1] and _is_marker(entry)):
                break
            else:
                what, name = "two things have the name", shortened(repr(entry.path), 200)
                if any(folders):
                    of = "a symbolic link" if S_IFLNK in (entry.mode, known.mode) else "a file"
                    raise PlaceError(f"{where}: {name} is {of} and a folder; nothing is read")
                raise PlaceError(f"{where}: {what} {name}; nothing is read")
            entry = Entry(entry.path.rpartition("/")[0], S_IFDIR)
    return found


def _is_marker(of: Entry) -> bool:
    """Whether it is an empty object that marks a folder, as in buckets."""
    return of.mode == S_IFREG and of.size == 0 and bool(of.version)


def fill(
    cache: Cache,
    source: "Archive | Remote",
    limits: Limits,
    show_progress: Callable[[str], None],
    **noted: str,
) -> None:
    """Brings a `locked` cache up to date, and stores what is `noted` with it.

    Raises:
        PlaceError: the place can't be listed or fetched, or what is in it can't be read.
    """
    done, total = dict[str, Entry](), 0

    def on_fetched(entry: Entry, content: Iterable[bytes]) -> None:
        done[entry.path] = cache.put(entry, content)
        show_progress(f"fetching {cache.where}: {len(done):,} of {total:,} files")

    show_progress(f"listing {cache.where}")
    names = _by_path(source.entries(on_fetched), cache.where, limits.entries)
    if not names:
        raise PlaceError(f"there is nothing at {cache.where}")
    files = [one for one in names.values() if one.mode == S_IFREG]
    wanted = [one for one in files if (one.size or 0) <= (limit_of(one.path, limits, names) or -1)]
    total, kept = len(wanted), cache.kept()
    for entry in wanted:
        has = kept.get(entry.path)
        if has is not None and (has.version, has.size) == (entry.version, entry.size):
            done[entry.path] = has
    source.fetch([entry for entry in wanted if entry.path not in done], on_fetched)
    cache.complete((done.get(one.path, one) for one in names.values()), **noted)
