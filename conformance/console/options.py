"""Options that several commands share, and the decorators that add them."""

import dataclasses
import datetime
import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from conformance.console.progress import steps
from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS, classes_text
from conformance.run.options import RunOptions, class_names, shard_of
from conformance.runner.conversation import LOADING, PIPELINE, TIMEOUT
from conformance.suite.short_ids import whole_ids
from conformance.suite.vectors import known_spec
from conformance.wire.text import printable

__all__ = [
    "COUNT",
    "DURATION",
    "FILE",
    "FOLDER",
    "NUMBER",
    "THERE",
    "Option",
    "chosen_op",
    "confine_option",
    "day_option",
    "jobs_option",
    "known_failures_option",
    "level_option",
    "max_time_option",
    "option",
    "runner_chosen",
    "runner_options",
    "shard_option",
    "spec_option",
    "specs_option",
    "talk_options",
    "timeout_option",
    "with_options",
]

Option = Callable[[Any], Any]
FILE = click.Path(dir_okay=False, path_type=Path)
"""A file to write, or one whose absence the command reports itself."""
THERE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
COUNT, NUMBER = click.IntRange(min=0), click.IntRange(min=1)
DURATION = click.FloatRange(min=0, min_open=True)
_KINDS = {"FILE": FILE, "DIR": FOLDER, "FOLDER": FOLDER, "SECONDS": DURATION}
"""The type of an option's value, by its name in the help."""


def option(named: str, help: str, kind: Any = None, **more: Any) -> Option:
    """An option whose default the help shows.

    ``named`` are its flags, its parameter if that has another name, and in capitals its value, with ``...``
    if it may be repeated. An option without value, kind or default is a flag.
    """
    words = named.removesuffix("...").split()
    names = [word for word in words if word.startswith("-") or word.islower()]
    metavar = next((word for word in words if word not in names), None)
    kind = kind or _KINDS.get(metavar or "")
    usual = {"multiple": named.endswith("..."), "show_default": more.get("default") not in (None, "")}
    if metavar is kind is None and "default" not in more:
        usual["is_flag"] = True  # False would make an option's value optional
    return click.option(*names, metavar=metavar, type=kind, help=help, **{**usual, **more})


def _day(_: click.Context, __: click.Parameter, given: str | None) -> str:
    """The date of new lines: as given, from SOURCE_DATE_EPOCH, or today, in UTC."""
    if given is not None:
        try:
            return datetime.date.fromisoformat(given).isoformat()
        except ValueError:
            raise click.BadParameter(f"{printable(given)!r} is not a date: write it as 2026-11-23") from None
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        try:
            return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date().isoformat()
        except (ValueError, OverflowError, OSError):
            raise click.BadParameter("SOURCE_DATE_EPOCH is not a number of seconds") from None
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


spec_option = option(
    "--spec SPEC",
    f"The spec to check against: {', '.join(SPECS)}.",
    default=DEFAULT_SPEC,
    callback=lambda _, __, name: known_spec(name),
)
specs_option = option(
    "--spec specs SPEC...",
    f"Only this spec ({', '.join(SPECS)}); may be repeated.",
    callback=lambda _, __, names: tuple(dict.fromkeys(map(known_spec, names))),
)
level_option = option(
    "--level",
    "How strictly answers are compared.",
    click.Choice([str(level) for level in Level if level]),
    default="bytes",
    callback=lambda _, __, name: Level[name.upper()],
)
timeout_option = option(
    "--runner-timeout timeout SECONDS",
    "The longest time for one reply.  "
    f"[default: {TIMEOUT:g}; {LOADING:g} for hello and for the first reply of each operation]",
)
max_time_option = option(
    "--max-time SECONDS", "Stop asking after this many seconds; the remaining vectors are not-run."
)
shard_option = option(
    "--shard K/N",
    "Run only shard K of N; 'harbor-conformance report --merge' merges the shards' reports.",
    callback=lambda _, __, text: shard_of(text),
)
known_failures_option = option("--known-failures FILE", "The list of expected failures; anything else fails.")
day_option = option(
    "--day YYYY-MM-DD",
    "The date of new lines.  [default: SOURCE_DATE_EPOCH, or today, in UTC]",
    callback=_day,
)
jobs_option = option("--jobs N", "The number of processes.  [default: one per processor]", NUMBER)
confine_option = option(
    "--confine",
    "Start the command in a sandbox (Linux, bubblewrap): it can read its folder, its interpreter and the "
    "system's libraries, and has no network.",
)

_TALK_OPTIONS: tuple[Option, ...] = (
    option(
        "--runner command CMD",
        "The runner's command, split as a shell would; 'reference', 'oracle', 'mistake:NAME' and "
        "'deviation:ID' are the kit's own runners; 'harbor:PATH' attaches a fork of harbor, by its virtual "
        "environment or checkout.",
    ),
    option(
        "--harbor X.Y.Z",
        "Check this published release of harbor (or 'newest'), built in the cache on first use.",
    ),
    spec_option,
    level_option,
    timeout_option,
    option("--pipeline", "The most requests in flight.", NUMBER, default=PIPELINE),
    option("--oneshot", "Start the command once per request."),
    confine_option,
    option(
        "--max-failures N", "Stop asking after this many failures; the remaining vectors are not-run.", NUMBER
    ),
    max_time_option,
)
_VECTOR_OPTIONS: tuple[Option, ...] = (
    option(
        "--classes X,Y",
        f"Treat unsupported vectors as failures in these classes: all, or some of {classes_text()}.",
        default="",
    ),
    option("--vectors vector_files FILE...", "Use these vector files instead of the kit's own.", THERE),
    option("--vectors-version VERSION", "Leave out vectors that are newer than this version of the set."),
    option(
        "--experiments SECONDS",
        "How long to test the diagnosis on new inputs; 0 skips that.",
        click.FloatRange(min=0, max=600),
        default=2.0,
    ),
)


def with_options(*options: Option) -> Option:
    """A decorator that adds the options, in this order."""

    def add(command: Any) -> Any:
        return functools.reduce(lambda made, option: option(made), reversed(options), command)

    return add


def talk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of each command that asks a runner, passed as ``options``."""
    return _run_options(command, _TALK_OPTIONS)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of each command that asks a runner for vectors, passed as ``options``."""
    return _run_options(command, (*_TALK_OPTIONS, *_VECTOR_OPTIONS))


def _run_options(command: Callable[..., Any], options: Sequence[Option]) -> Callable[..., Any]:
    """The command with these options; those of a run are combined in its ``RunOptions``."""
    names = {field.name for field in dataclasses.fields(RunOptions)}

    @functools.wraps(command)
    def with_run_options(**given: Any) -> Any:
        given["command"] = runner_chosen(given["command"], given.pop("harbor"))
        own = {name: given.pop(name) for name in names & given.keys()}
        if click.get_current_context().get_parameter_source("spec") is ParameterSource.DEFAULT:
            with steps() as step:
                from conformance.oracle.commands import fitting  # slow to load

                own["spec"] = fitting(own["command"], own.get("known_failures"), step)
            if own["spec"] != DEFAULT_SPEC:
                click.echo(f"spec: {own['spec']} fits this harbor best; choose another with --spec", err=True)
        if "classes" in own:
            own["classes"] = class_names(own["classes"], own["spec"])
        if own.get("patterns"):
            own["patterns"] = whole_ids(own["patterns"], own["spec"], own["vector_files"])
        return command(options=RunOptions(**own), **given)

    made: Callable[..., Any] = with_options(*options)(with_run_options)
    return made


def runner_chosen(command: str | None, release: str | None) -> str:
    """The runner that ``--runner`` or ``--harbor`` names.

    Raises:
        click.UsageError: neither is given, or both are.
        OracleError: the release is not a version.
    """
    if command is not None and release is not None:
        raise click.UsageError("--runner and --harbor name two runners: give one of them")
    if release is not None:
        from conformance.oracle.commands import of_release  # slow to load

        return of_release(release)
    if command is None:
        raise click.UsageError("Missing option '--runner' (or '--harbor').")
    return command


def chosen_op(op: str, offered: Sequence[str], option: str = "--op") -> str:
    """The op, if it is among those offered.

    Raises:
        click.UsageError: it is not offered.
    """
    if op not in offered:
        raise click.UsageError(f"{option}: there is no op {op!r}; choose from {', '.join(offered)}")
    return op
