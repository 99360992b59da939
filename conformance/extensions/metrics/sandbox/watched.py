"""Runs a script, recording what it reads from its environment, and faking some of it.

A standalone program for Python 3.10 and later: ``watched.py NOTES PRETENCES SCRIPT ...``. Each line in the
file NOTES is the name of an environment variable that the script's own code reads, or ``=clock`` or
``=processors``. PRETENCES is a JSON object: how many seconds the clock is ahead, and the number of
processors. Child processes and C libraries are neither recorded nor affected.
"""

import datetime
import json
import os
import runpy
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

_COUNTS = ("cpu_count", "process_cpu_count")
"""Functions of ``os`` that return the number of processors."""
_PASSING_ON = ("os.py", "_collections_abc.py", "<frozen os>", "<frozen _collections_abc>")
_MOST_NAMES = 100
_TRUE_DATE, _TRUE_TIME = datetime.date, datetime.datetime
ahead = 0.0
"""How many seconds a shifted clock is ahead."""


class Watched(os._Environ):  # type: ignore[type-arg]
    """``os.environ``, recording which variables the code in a folder reads."""

    folder = "\0"
    note: Callable[[str], None] = staticmethod(lambda _: None)

    def __getitem__(self, key: str) -> str:
        """Return the value of a variable."""
        self.record(key)
        return str(super().__getitem__(key))

    def __contains__(self, key: object) -> bool:
        """Return whether the variable exists."""
        self.record(key)
        return super().__contains__(key)

    def record(self, key: object) -> None:
        """Record a variable if the folder's own code reads it."""
        if isinstance(key, str) and is_own():
            type(self).note(key)


def is_own() -> bool:
    """Return whether the folder's own code called the caller."""
    frame: FrameType | None = sys._getframe(1)
    name = __file__
    while frame is not None and (name == __file__ or os.path.basename(name) in _PASSING_ON):
        name, frame = frame.f_code.co_filename, frame.f_back
    return name.startswith(Watched.folder) and "site-packages" not in name[len(Watched.folder) :]


def watch_environment(folder: str, note: Callable[[str], None]) -> None:
    """Record from now on which variables the code in a folder reads."""
    Watched.folder, Watched.note = os.path.join(os.path.abspath(folder), ""), staticmethod(note)
    os.environ.__class__ = Watched


def shift_clock(record: Callable[[], None]) -> None:
    """Set the clock of ``time`` and ``datetime`` `ahead`, for modules imported from now on."""
    real = {name: getattr(time, name) for name in ("time", "localtime", "gmtime", "ctime", "strftime")}

    def now() -> float:
        record()
        return float(real["time"]()) + ahead

    def of_seconds(name: str) -> Callable[..., Any]:
        return lambda seconds=None: real[name](now() if seconds is None else seconds)

    time.time = now
    time.time_ns = lambda: int(now() * 1e9)
    time.localtime, time.gmtime, time.ctime = map(of_seconds, ("localtime", "gmtime", "ctime"))
    time.strftime = lambda form, when=None: real["strftime"](form, when or time.localtime())

    class Like(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, _TRUE_TIME if issubclass(cls, _TRUE_TIME) else _TRUE_DATE)

    def utc(cls: Any) -> Any:
        return cls.fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

    today = classmethod(lambda cls: cls.fromtimestamp(now()))
    at_once = classmethod(lambda cls, tz=None: cls.fromtimestamp(now(), tz))
    methods = {"today": today, "now": at_once, "utcnow": classmethod(utc)}
    date, moment = Like("Date", (_TRUE_DATE,), {"today": today}), Like("DateTime", (_TRUE_TIME,), methods)
    vars(datetime).update(date=date, datetime=moment)


def pretend(fakes: dict[str, float], note: Callable[[str], None]) -> None:
    """Fake the number of processors, and the clock if it is among the ``fakes``; record reads of both."""
    global ahead

    def answering(real: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: note("=processors") or int(fakes.get("processors", 0)) or real()  # type: ignore[func-returns-value]

    for function in _COUNTS:
        if hasattr(os, function):
            setattr(os, function, answering(getattr(os, function)))
    if "clock" in fakes:
        ahead = fakes["clock"]
        shift_clock(lambda: note("=clock"))


def main() -> None:
    """Run the script."""
    notes, fakes, *sys.argv = sys.argv[1:]
    written: set[str] = set()

    def note(name: str) -> None:
        if name not in written and len(written) < _MOST_NAMES and "\n" not in name:
            written.add(name)
            with open(notes, "a", encoding="utf-8", errors="replace") as file:
                file.write(name + "\n")

    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    watch_environment(sys.path[0], note)
    pretend({"clock": 0.0, **json.loads(fakes)}, note)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
