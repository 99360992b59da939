"""A place that a user names, made a folder of this machine that has what an audit reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Fetching", "PlaceError", "at_hand"]


class PlaceError(Exception):
    """A place that can't be read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """How what is elsewhere is fetched. It can be sent to another machine."""

    offline: bool = False
    """Whether only what the cache has is read."""
    connections: int = 16
    """Files that are fetched at the same time."""


@contextmanager
def at_hand(
    location: str, fetching: Fetching, tell: Callable[[str], None] = lambda _: None
) -> Iterator[Path]:
    """The folder of this machine that has what an audit reads of a location.

    Raises:
        PlaceError: it is not there, or can't be fetched.
    """
    yield Path(location)
