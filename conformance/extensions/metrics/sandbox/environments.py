"""Where and when a command runs, as far as it can see that: two environments that differ in everything.

A metric must give the same under both. A script::

    one, other = (runner.run(trials, How(under=under)) for under in (FIRST, second()))

Anything else, in a room that the environment has named::

    with Room(limits, python, mounts, host=under.host) as room:
        room.call(words, **under.call(room, f"{room.path}/run"))

``watched.py`` notes the variables that a script's own code asks for, whatever they are called, and pretends
another clock, such as those of `moments`, machine, user or number of processors. Variables are a hint: set
them (`Environment.having`), run again without it, and compare.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TypedDict

from conformance.extensions.metrics.sandbox.room import Room

__all__ = ["FIRST", "Environment", "moments", "second"]


class _Call(TypedDict):
    environment: dict[str, str]
    cwd: str
    folders: list[str]
    processors: int


@dataclass(frozen=True, slots=True)
class Environment:
    """What a command can see of where it runs. No real clock is changed; a zone moves the local time."""

    hash_seed: str = "1"
    """PYTHONHASHSEED."""
    locale: str = "C.UTF-8"
    """LANG, and LC_ALL where it is another than this."""
    zone: str | None = None
    """TZ, as POSIX has it; None leaves it out, and the local time is UTC."""
    user: str = "metric"
    host: str = "sandbox"
    home: str = "home"
    """The home's path below the call's folder."""
    folder: str = "work"
    """The working directory's path below the call's folder."""
    processors: int = 0
    """How many it may use; 0 is all."""
    variables: tuple[tuple[str, str | None], ...] = ()
    """Others; None takes one away."""

    def having(self, variables: dict[str, str | None]) -> "Environment":
        """The same with more variables."""
        return replace(self, variables=(*self.variables, *variables.items()))

    def call(self, room: Room, place: str) -> _Call:
        """What `Room.call` takes, for a call with its home, its work and temporary files below ``place``."""
        home, work, temporary = (f"{place}/{name}" for name in (self.home, self.folder, "tmp"))
        found: dict[str, str | None] = {"PATH": room.search_path, "HOME": home, "LANG": self.locale}
        found |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), temporary)
        found |= dict.fromkeys(("USER", "LOGNAME"), self.user)
        found |= {"TZ": self.zone, "PYTHONHASHSEED": self.hash_seed}
        found |= {} if self.locale == FIRST.locale else {"LC_ALL": self.locale}
        found |= dict(self.variables)
        return {
            "environment": {name: value for name, value in found.items() if value is not None},
            "cwd": work,
            "folders": [work, home, temporary],
            "processors": self.processors,
        }


FIRST = Environment()
_OTHERS = {"COLUMNS": "20", "LINES": "7", "TERM": "dumb", "SHELL": "/bin/false", "CI": "1", "NO_COLOR": "1"}


@cache
def second() -> Environment:
    """An environment that differs from `FIRST` in everything; the date and the half of the day too."""
    return Environment(
        hash_seed="2",
        locale="C",
        zone=_another_day(time.gmtime().tm_hour),
        user="somebody-else",
        host="another-host",
        home="another/home",
        folder="another/place/to/work",
        processors=1,
        variables=tuple(_OTHERS.items()),
    )


def _another_day(hour: int) -> str:
    """A zone where it is another date, and morning where it is afternoon in UTC, given the hour there."""
    ahead = {0: -1, 23: 1}.get(hour, 13 if hour >= 12 else -13)
    return f"XYZ{-ahead:+d}"  # POSIX counts to the west


def moments(now: datetime) -> Iterator[datetime]:
    """Times to come: each day of the month, hour, weekday and month, in three years."""
    seen: Counter[tuple[str, int]] = Counter()
    coming = [now + timedelta(days) for days in range(2, 1000)]
    for number in range(1, 32):
        day = min(
            (one for one in coming if one.day == number),
            key=lambda one: (
                seen["month", one.month] + seen["weekday", one.weekday()] + seen["year", one.year] / 8
            ),
        )
        seen.update((("month", day.month), ("weekday", day.weekday()), ("year", day.year)))
        yield day.replace(hour=7 * number % 24, minute=17 * number % 60, second=number % 2 * 30)
