"""The environment that a command sees: two that differ in everything, and times for a fake clock.

A metric must give the same result in both. ``watched.py`` fakes the clock for `moments`.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

from conformance.extensions.metrics.sandbox.sandbox import Sandbox

__all__ = ["DIFFERENT", "FIRST", "Environment", "moments", "second"]


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of a command. The real clock is unchanged; a time zone moves the local time."""

    hash_seed: str = "1"
    locale: str = "C.UTF-8"
    """The value of LANG and, if it is not this default, of LC_ALL."""
    zone: str | None = None
    """The value of TZ, in POSIX form; None for no variable, so that the local time is UTC."""
    user: str = "metric"
    host: str = "sandbox"
    home: str = "home"
    """The home folder, relative to the call's folder."""
    folder: str = "work"
    """The working directory, relative to the call's folder."""
    processors: int = 0
    """The number of processors that the command may use; 0 for all."""
    variables: tuple[tuple[str, str | None], ...] = ()
    """Further variables; a value of None removes the variable."""

    def call(self, sandbox: Sandbox, folder: str) -> dict[str, Any]:
        """Return the arguments for `Sandbox.call`; home, work and temporary folders are below ``place``."""
        home, work, temporary = (f"{folder}/{name}" for name in (self.home, self.folder, "tmp"))
        path = f"{os.path.dirname(sandbox.python.path)}:/usr/local/bin:/usr/bin:/bin"
        variables: dict[str, str | None] = {"PATH": path, "HOME": home, "LANG": self.locale}
        variables |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), temporary)
        variables |= dict.fromkeys(("USER", "LOGNAME"), self.user)
        variables |= {"TZ": self.zone, "PYTHONHASHSEED": self.hash_seed}
        variables |= {} if self.locale == FIRST.locale else {"LC_ALL": self.locale}
        variables |= dict(self.variables)
        environment = {name: value for name, value in variables.items() if value is not None}
        more = {"folders": [work, home, temporary], "processors": self.processors}
        return {"environment": environment, "cwd": work, **more}


FIRST = Environment()
DIFFERENT = "locale C, other time zone, user, host name and variables, other folders, 1 processor"
_OTHERS = {"COLUMNS": "20", "LINES": "7", "TERM": "dumb", "SHELL": "/bin/false", "CI": "1", "NO_COLOR": "1"}


@cache
def second() -> Environment:
    """Return an environment that differs from `FIRST` in everything, including the date and a.m. or p.m."""
    hour = time.gmtime().tm_hour
    ahead = {0: -1, 23: 1}.get(hour, 13 if hour >= 12 else -13)  # another date; afternoon where it is morning
    return Environment(
        hash_seed="2",
        locale="C",
        zone=f"XYZ{-ahead:+d}",  # POSIX offsets count westward
        user="somebody-else",
        host="another-host",
        home="another/home",
        folder="another/place/to/work",
        processors=1,
        variables=tuple(_OTHERS.items()),
    )


def moments(now: datetime | None = None) -> Iterator[tuple[str, float]]:
    """Yield descriptions of times in the next three years, each with the seconds until then.

    Together they have each day of the month, hour, weekday and month.
    """
    counts, now = Counter[tuple[str, int]](), now or datetime.now(timezone.utc)
    coming = [now + timedelta(days) for days in range(2, 1000)]

    def often(day: datetime) -> float:
        return counts["month", day.month] + counts["weekday", day.weekday()] + counts["year", day.year] / 8

    for number in range(1, 32):
        day = min((candidate for candidate in coming if candidate.day == number), key=often)
        counts.update((("month", day.month), ("weekday", day.weekday()), ("year", day.year)))
        moment = day.replace(hour=7 * number % 24, minute=17 * number % 60, second=number % 2 * 30)
        yield f"on {moment:%A, %d %B %Y, at %H:%M} UTC", (moment - now).total_seconds()
