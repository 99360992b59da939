"""What a user names, made something that the audit can enter: in place, or fetched into the cache."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.extensions.audit.limits import Limits
from conformance.extensions.audit.sources.locations import Location, PlaceError, parse_location, shown
from conformance.wire.untrusted_files import Folder

if TYPE_CHECKING:
    from conformance.extensions.audit.sources.cache import Cache

_Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fetching:
    """How what is elsewhere is fetched. It can be sent to another machine."""

    offline: bool = False
    """Whether only what the cache has is read."""
    limits: Limits = field(default_factory=Limits)
    """Those of the audit: what it would not read is not fetched."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that can be opened, in this process or in another one of this machine."""

    path: str = ""
    """On this machine; of what is elsewhere or in an archive, of the file that caches it."""
    cached: str | None = None
    """The folder in that cache."""

    def top(self) -> Folder:
        """The folder, opened; `leave` it.

        Raises:
            OSError: there is none, or it may not be read.
            ValueError: no folder can have that path.
        """
        if self.cached is None:
            return Folder.top(self.path)
        from conformance.extensions.audit.sources.cache import cached

        return cached(self.path, self.cached)

    def below(self, parts: Iterable[str]) -> "Place":
        """A folder in it."""
        if self.cached is None:
            return replace(self, path=os.path.join(self.path, *parts))
        return replace(self, cached="/".join(filter(None, (self.cached, *parts))))


def located(location: str, fetching: Fetching, tell: _Tell = lambda _: None) -> Place:
    """The folder at a location, with what an audit reads of it; on this machine it need not be there.

    `tell` is called with slow steps, again and again.

    Raises:
        PlaceError: it is not there, or can't be fetched.
    """
    place = parse_location(location)
    if not place.scheme and (os.path.isdir(place.url) or not (place.archive or os.path.isfile(place.url))):
        return Place(place.url)
    from conformance.extensions.audit.sources.archives import is_archive  # slow to load
    from conformance.extensions.audit.sources.cache import Cache

    if not place.scheme and not place.archive and not is_archive(place.url):
        return Place(place.url)
    cache = Cache.of(place.key(), shown(location))
    with cache.locked(tell):
        if fetching.offline and place.scheme:
            if not cache.noted():
                has = "has only a part of" if cache.kept() else "does not have"
                raise PlaceError(f"the cache {has} {cache.where}: run once without --offline")
        elif place.archive or not place.scheme:
            _unpack(cache, place, fetching, tell)
        else:
            from conformance.extensions.audit.sources.filling import fill
            from conformance.extensions.audit.sources.remote import remote, silent

            with silent():
                fill(cache, remote(place, cache.where), fetching.limits, tell)
        return Place(str(cache.file), "")


def _unpack(cache: "Cache", place: Location, fetching: Fetching, tell: _Tell) -> None:
    """Takes what the audit reads out of an archive, unless that was done within these limits."""
    from conformance.extensions.audit.sources.archives import changed, open_archive
    from conformance.extensions.audit.sources.filling import fill

    noted, within = cache.noted(), repr(fetching.limits)
    known = noted.get("archive") if noted.get("within") == within else None
    path = cache.root / "archive" if place.scheme else Path(place.url)
    if place.scheme:
        from conformance.extensions.audit.sources.remote import remote, silent

        with silent(), cache.writing():
            version = remote(place, cache.where).archive(path, known, tell)
    else:
        version = changed(path, cache.where, known)
    if version is None:
        return
    cache.drop()
    with open_archive(str(path), cache.where, fetching.limits) as archive:
        fill(cache, archive, fetching.limits, tell, archive=version, within=within)
    if place.scheme:
        path.unlink()
