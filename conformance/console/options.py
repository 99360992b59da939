"""Options that several commands share."""

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
"""A file to be written, or one whose absence the command explains itself."""
THERE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
COUNT, NUMBER = click.IntRange(min=0), click.IntRange(min=1)
DURATION = click.FloatRange(min=0, min_open=True)
_KINDS = {"FILE": FILE, "DIR": FOLDER, "FOLDER": FOLDER, "SECONDS": DURATION}
"""What an option takes, by what the help calls it."""


def option(named: str, help: str, kind: Any = None, **more: Any) -> Option:
    """An option, whose default the help shows.

    ``named`` are its flags, its parameter where that is called otherwise, and in capitals what it takes, with
    ``...`` if it may be repeated. One that takes nothing, and has no kind or default, is a flag.
    """
    words = named.removesuffix("...").split()
    names = [word for word in words if word.startswith("-") or word.islower()]
    metavar = next((word for word in words if word not in names), None)
    kind = kind or _KINDS.get(metavar or "")
    usual = {"multiple": named.endswith("..."), "show_default": more.get("default") not in (None, "")}
    if metavar is kind is None and "default" not in more:
        usual["is_flag"] = True  # for one that takes a value False would mean that it may go without
    return click.option(*names, metavar=metavar, type=kind, help=help, **{**usual, **more})


def _day(_: click.Context, __: click.Parameter, given: str | None) -> str:
    """The day that new lines are dated with: as given, of SOURCE_DATE_EPOCH, or today's, in UTC."""
    if given is not None:
        try:
            return datetime.date.fromisoformat(given).isoformat()
        except ValueError:
            raise click.BadParameter(f"{printable(given)!r} is no day: write it as 2026-11-23") from None
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        try:
            return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).date().isoformat()
        except (ValueError, OverflowError, OSError):
            raise click.BadParameter("SOURCE_DATE_EPOCH is no number of seconds") from None
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
    "How long any one reply may take.  "
    f"[default: {TIMEOUT:g}; {LOADING:g} for hello and for the first reply of each operation]",
)
max_time_option = option(
    "--max-time SECONDS", "Ask no further after so many seconds; what is left is not-run."
)
shard_option = option(
    "--shard K/N",
    "Only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their reports "
    "together.",
    callback=lambda _, __, text: shard_of(text),
)
known_failures_option = option("--known-failures FILE", "Failures that are expected, strictly.")
day_option = option(
    "--day YYYY-MM-DD", "Date new lines so.  [default: SOURCE_DATE_EPOCH, or today, in UTC]", callback=_day
)
jobs_option = option("--jobs N", "Processes.  [default: one a processor]", NUMBER)
confine_option = option(
    "--confine",
    "Start the command in a sandbox (Linux, bubblewrap): it reads its folder, its interpreter and the "
    "system's libraries, and has no network.",
)

_TALK_OPTIONS: tuple[Option, ...] = (
    option(
        "--runner command CMD",
        "The command to check, split as a shell would; 'reference', 'oracle', 'mistake:NAME' and "
        "'deviation:ID' name the kit's own; 'harbor:PATH' attaches a fork of harbor, by its virtual "
        "environment or checkout.",
    ),
    option(
        "--harbor X.Y.Z",
        "Check this published release of harbor, built in the cache on first use, or the 'newest'.",
    ),
    spec_option,
    level_option,
    timeout_option,
    option("--pipeline", "The most requests outstanding.", NUMBER, default=PIPELINE),
    option("--oneshot", "Start the command once per request."),
    confine_option,
    option("--max-failures N", "Ask no further after so many failures; what is left is not-run.", NUMBER),
    max_time_option,
)
_VECTOR_OPTIONS: tuple[Option, ...] = (
    option(
        "--classes X,Y",
        f"Fail what is unsupported in these classes of the spec: all, or some of {classes_text()}.",
        default="",
    ),
    option("--vectors vector_files FILE...", "Ask these vector files instead of the kit's own.", THERE),
    option(
        "--vectors-version VERSION", "Leave out the spec's vectors that are newer than this version of them."
    ),
    option(
        "--experiments SECONDS",
        "Try on new inputs what the failures suggest, for so long; 0 asks none.",
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
    """The options of every command that asks a runner, passed as ``options``."""
    return _run_options(command, _TALK_OPTIONS)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that asks a runner for vectors, passed as ``options``."""
    return _run_options(command, (*_TALK_OPTIONS, *_VECTOR_OPTIONS))


def _run_options(command: Callable[..., Any], options: Sequence[Option]) -> Callable[..., Any]:
    """The command with these options; all that belong to a run become its ``RunOptions``."""
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
                click.echo(f"spec: {own['spec']} fits this harbor best; --spec names another", err=True)
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
        click.UsageError: not one of the two is given.
        OracleError: the release is no version.
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
    """The op, where it is one of those offered.

    Raises:
        click.UsageError: it is not.
    """
    if op not in offered:
        raise click.UsageError(f"{option}: there is no op {op!r}; choose from {', '.join(offered)}")
    return op
