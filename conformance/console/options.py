"""Options that several commands share, and how options are made."""

import datetime
import functools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from conformance.judging.levels import Level
from conformance.wire.text import printable

__all__ = [
    "COUNT",
    "DURATION",
    "FILE",
    "FOLDER",
    "NUMBER",
    "OUTPUT",
    "THERE",
    "Option",
    "day_option",
    "jobs_option",
    "level_option",
    "option",
    "with_options",
]

Option = Callable[[Any], Any]


class _OutputFile(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.absolute().parent.is_dir():
            self.fail(f"{printable(str(path))} can't be written: its folder does not exist", param, ctx)
        return path


FILE = click.Path(dir_okay=False, path_type=Path)
"""A file to write, or one whose absence the command reports itself."""
OUTPUT = _OutputFile(dir_okay=False, path_type=Path)
"""A file to write at the end of a command, whose folder must exist when it begins."""
THERE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
COUNT, NUMBER = click.IntRange(min=0), click.IntRange(min=1)
DURATION = click.FloatRange(min=0, min_open=True)
_KINDS = {"FILE": FILE, "DIR": FOLDER, "FOLDER": FOLDER, "SECONDS": DURATION}
"""The type of an option's value, by its name in the help."""


def option(declaration: str, help: str, kind: Any = None, **settings: Any) -> Option:
    """An option whose default the help shows.

    ``declaration`` has its flags, the parameter if that has another name, and the value in capitals, with
    ``...`` if it may be repeated: ``-o --output FILE``. An option without value, kind or default is a flag.
    """
    words = declaration.removesuffix("...").split()
    names = [word for word in words if word.startswith("-") or word.islower()]
    metavar = next((word for word in words if word not in names), None)
    kind = kind or _KINDS.get(metavar or "")
    settings.setdefault("multiple", declaration.endswith("..."))
    settings.setdefault("show_default", settings.get("default") not in (None, ""))
    if metavar is kind is None and "default" not in settings:
        settings["is_flag"] = True  # False would make an option's value optional
    return click.option(*names, metavar=metavar, type=kind, help=help, **settings)


def _day(_: click.Context, __: click.Parameter, day: datetime.datetime | None) -> str:
    """The date of new lines: the option's, or SOURCE_DATE_EPOCH, or today, in UTC."""
    if day is None:
        try:
            seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
            day = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
        except (ValueError, OverflowError, OSError):
            raise click.BadParameter("SOURCE_DATE_EPOCH is not a number of seconds") from None
    return day.date().isoformat()


level_option = option(
    "--level",
    "How strictly answers are compared.",
    click.Choice([str(level) for level in Level if level]),
    default="bytes",
    callback=lambda _, __, name: Level[name.upper()],
)
day_option = option(
    "--day YYYY-MM-DD",
    "The date of new lines.  [default: SOURCE_DATE_EPOCH, or today, in UTC]",
    click.DateTime(["%Y-%m-%d"]),
    callback=_day,
)
jobs_option = option("--jobs N", "The number of processes.  [default: one per processor]", NUMBER)


def with_options(*options: Option) -> Option:
    """A decorator that adds the options, in this order."""

    def add(command: Any) -> Any:
        return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)

    return add
