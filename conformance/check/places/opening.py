"""A place that a user names, made a folder of this machine that has what an audit reads."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.check.places.archives import is_archive, open_archive, version_of_archive
from conformance.check.places.filling import fill
from conformance.check.places.locations import Location, PlaceError, parse_location, shown
from conformance.check.places.mirror import Mirror
from conformance.check.places.remote import remote, silent
from conformance.check.reading.limits import Limits

__all__ = ["CONNECTIONS", "Fetching", "at_hand", "forget"]

CONNECTIONS = 16
_Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fetching:
    """How what is elsewhere is fetched. It can be sent to another machine."""

    offline: bool = False
    """Whether only what the cache has is read."""
    connections: int = CONNECTIONS
    """Files that are fetched at the same time."""
    limits: Limits = field(default_factory=Limits)
    """Those of the audit: what it would not read is not fetched."""


@contextmanager
def at_hand(location: str, fetching: Fetching, tell: _Tell = lambda _: None) -> Iterator[Path]:
    """The folder of this machine that has what an audit reads of a location.

    A folder of this machine is itself that folder, whether it is there or not. `tell` hears of what
    takes time, again and again.

    Raises:
        PlaceError: it is not there, or can't be fetched.
    """
    place = parse_location(location)
    if not place.scheme and not place.archive and not is_archive(place.url):
        yield Path(place.url)
        return
    if not place.scheme and place.archive and not place.inside and os.path.isdir(place.url):
        yield Path(place.url)  # a folder that is called so
        return
    mirror = Mirror.of(place.key(), shown(location))
    with mirror.locked(tell):
        if fetching.offline and place.scheme:
            _from_cache(mirror)
        else:
            told = mirror.told()
            same = told.get("limits_then") == repr(fetching.limits)
            known = told.get("archive") if same else None
            mirror.prepare()
            if place.scheme:
                with silent():
                    _from_elsewhere(mirror, place, known, fetching, tell)
            else:
                version = version_of_archive(place.url, mirror.where)
                if version != known:
                    _unpack(mirror, place, place.url, version, fetching, tell)
    yield mirror.tree


def forget(location: str) -> bool:
    """Removes what the cache has of a location; whether there was anything.

    Raises:
        PlaceError: the cache can't be written.
    """
    place = parse_location(location)
    return Mirror.of(place.key(), shown(location)).forget()


def _from_cache(mirror: Mirror) -> None:
    if not mirror.told():
        part = mirror.tree.is_dir()
        has = "has only a part of" if part else "does not have"
        raise PlaceError(f"the cache {has} {mirror.where}: run once without --offline")


def _from_elsewhere(
    mirror: Mirror, place: Location, known: str | None, fetching: Fetching, tell: _Tell
) -> None:
    source = remote(place, mirror.where, fetching.connections)
    if not place.archive:
        fill(mirror, source, fetching.limits, tell)
        return
    packed = mirror.root / "archive"
    version = source.archive(packed, mirror.root / "archive.version", known, tell)
    if version is not None:
        _unpack(mirror, place, str(packed), version, fetching, tell)
        with mirror.writing():
            packed.unlink()


def _unpack(
    mirror: Mirror, place: Location, path: str, version: str, fetching: Fetching, tell: _Tell
) -> None:
    archive = open_archive(path, mirror.where, place.inside, version)
    try:
        told = {"archive": version, "limits_then": repr(fetching.limits)}
        fill(mirror, archive, fetching.limits, tell, **told)
    finally:
        archive.close()
        shutil.rmtree(mirror.beside, ignore_errors=True)  # has what was fetched early and is not read
