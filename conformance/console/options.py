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
    "FILE",
    "FOLDER",
    "THERE",
    "Option",
    "chosen_op",
    "confine_option",
    "day_option",
    "jobs_option",
    "known_failures_option",
    "level_option",
    "max_time_option",
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
_SECONDS = click.FloatRange(min=0, min_open=True)


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


spec_option = click.option(
    "--spec",
    default=DEFAULT_SPEC,
    show_default=True,
    metavar="SPEC",
    callback=lambda _, __, name: known_spec(name),  # before anything is built or started
    help=f"The spec to check against: {', '.join(SPECS)}.",
)
specs_option = click.option(
    "--spec",
    "specs",
    multiple=True,
    metavar="SPEC",
    callback=lambda _, __, names: tuple(dict.fromkeys(map(known_spec, names))),
    help=f"Only this spec ({', '.join(SPECS)}); may be repeated.",
)
level_option = click.option(
    "--level",
    type=click.Choice([str(level) for level in Level if level]),
    default="bytes",
    show_default=True,
    callback=lambda _, __, name: Level[name.upper()],
    help="How strictly answers are compared.",
)
timeout_option = click.option(
    "--runner-timeout",
    "timeout",
    type=_SECONDS,
    metavar="SECONDS",
    help="How long any one reply may take.  "
    f"[default: {TIMEOUT:g}; {LOADING:g} for hello and for the first reply of each operation]",
)
max_time_option = click.option(
    "--max-time",
    type=_SECONDS,
    metavar="SECONDS",
    help="Ask no further after so many seconds; what is left is not-run.",
)
shard_option = click.option(
    "--shard",
    metavar="K/N",
    callback=lambda _, __, text: shard_of(text),
    help="Only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their reports "
    "together.",
)
known_failures_option = click.option(
    "--known-failures",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Failures that are expected, strictly.",
)
day_option = click.option(
    "--day",
    metavar="YYYY-MM-DD",
    callback=_day,
    help="Date new lines so.  [default: SOURCE_DATE_EPOCH, or today, in UTC]",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a processor]"
)
confine_option = click.option(
    "--confine",
    is_flag=True,
    help="Start the command in a sandbox (Linux, bubblewrap): it reads its folder, its interpreter and the "
    "system's libraries, and has no network.",
)

_TALK_OPTIONS: tuple[Option, ...] = (
    click.option(
        "--runner",
        "command",
        metavar="CMD",
        help="The command to check, split as a shell would; 'reference', 'oracle', 'mistake:NAME' and "
        "'deviation:ID' name the kit's own; 'harbor:PATH' attaches a fork of harbor, by its virtual "
        "environment or checkout.",
    ),
    click.option(
        "--harbor",
        metavar="X.Y.Z",
        help="Check this published release of harbor, built in the cache on first use, or the 'newest'.",
    ),
    spec_option,
    level_option,
    timeout_option,
    click.option(
        "--pipeline",
        type=click.IntRange(min=1),
        default=PIPELINE,
        show_default=True,
        help="The most requests outstanding.",
    ),
    click.option("--oneshot", is_flag=True, help="Start the command once per request."),
    confine_option,
    click.option(
        "--max-failures",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask no further after so many failures; what is left is not-run.",
    ),
    max_time_option,
)
_VECTOR_OPTIONS: tuple[Option, ...] = (
    click.option(
        "--classes",
        metavar="X,Y",
        default="",
        help=f"Fail what is unsupported in these classes of the spec: all, or some of {classes_text()}.",
    ),
    click.option(
        "--vectors",
        "vector_files",
        type=THERE,
        multiple=True,
        metavar="FILE",
        help="Ask these vector files instead of the kit's own.",
    ),
    click.option(
        "--vectors-version",
        metavar="VERSION",
        help="Leave out the spec's vectors that are newer than this version of them.",
    ),
    click.option(
        "--experiments",
        type=click.FloatRange(min=0, max=600),
        default=2.0,
        show_default=True,
        metavar="SECONDS",
        help="Try on new inputs what the failures suggest, for so long; 0 asks none.",
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
