"""Options that several commands share, and how they show progress."""

import dataclasses
import datetime
import functools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS, classes_text
from conformance.report.output import on_terminal
from conformance.run.commands import fitting, of_release
from conformance.run.options import RunOptions, class_names, shard_of
from conformance.runner.conversation import LOADING, PIPELINE, TIMEOUT
from conformance.suite.vectors import known_spec
from conformance.wire.text import printable

__all__ = [
    "ProgressBar",
    "day_option",
    "progress_bar",
    "runner_chosen",
    "runner_options",
    "shard_option",
    "slow_steps",
    "spec_option",
    "stderr_console",
    "steps",
    "talk_options",
    "text_width",
]


_ENDLESS = 10_000


def _known(_: click.Context, __: click.Parameter, spec: str) -> str:
    """Refuses a spec that there is not, before anything is built or started."""
    return known_spec(spec)


spec_option = click.option(
    "--spec",
    default=DEFAULT_SPEC,
    show_default=True,
    metavar="SPEC",
    callback=_known,
    help=f"The spec to check against: {', '.join(SPECS)}.",
)

shard_option = click.option(
    "--shard",
    metavar="K/N",
    callback=lambda _, __, text: shard_of(text),
    help="Only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their reports "
    "together.",
)


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


day_option = click.option(
    "--day",
    metavar="YYYY-MM-DD",
    callback=_day,
    help="Date new lines so.  [default: SOURCE_DATE_EPOCH, or today, in UTC]",
)

_SLOW = 2.0
"""Seconds after which a step that is usually quick is told of."""

_Option = Callable[[Any], Any]

_TALK_OPTIONS: tuple[_Option, ...] = (
    click.option(
        "--runner",
        "command",
        metavar="CMD",
        help="The command to check, split as a shell would; 'reference', 'oracle' and 'mistake:NAME' name "
        "the kit's own; 'harbor:PATH' attaches a fork of harbor, by its virtual environment or checkout.",
    ),
    click.option(
        "--harbor",
        metavar="X.Y.Z",
        help="Check this published release of harbor, built in the cache on first use, or the 'newest'.",
    ),
    spec_option,
    click.option(
        "--level",
        type=click.Choice([str(level) for level in Level if level]),
        default="bytes",
        show_default=True,
        help="How strictly answers are compared.",
    ),
    click.option(
        "--runner-timeout",
        "timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="How long any one reply may take.  "
        f"[default: {TIMEOUT:g}; {LOADING:g} for hello and for the first reply of each operation]",
    ),
    click.option(
        "--pipeline",
        type=click.IntRange(min=1),
        default=PIPELINE,
        show_default=True,
        help="The most requests outstanding.",
    ),
    click.option("--oneshot", is_flag=True, help="Start the command once per request."),
    click.option(
        "--max-failures",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask no further after so many failures; what is left is not-run.",
    ),
    click.option(
        "--max-time",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Ask no further after so many seconds; what is left is not-run.",
    ),
)
_VECTOR_OPTIONS: tuple[_Option, ...] = (
    click.option(
        "--classes",
        metavar="X,Y",
        default="",
        help=f"Fail what is unsupported in these classes of the spec: all, or some of {classes_text()}.",
    ),
    click.option(
        "--vectors",
        "vector_files",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Ask these vector files instead of the kit's own.",
    ),
    click.option(
        "--vectors-version",
        metavar="VERSION",
        help="Leave out the spec's vectors that are newer than this version of them.",
    ),
)


def talk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that asks a runner, handed on as ``options``."""
    return _with_options(command, _TALK_OPTIONS)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that asks a runner for vectors, handed on as ``options``."""
    return _with_options(command, (*_TALK_OPTIONS, *_VECTOR_OPTIONS))


def _with_options(command: Callable[..., Any], options: tuple[_Option, ...]) -> Callable[..., Any]:
    """The command with these options, and with all that belong to a run made into its ``RunOptions``."""
    names = {field.name for field in dataclasses.fields(RunOptions)}

    @functools.wraps(command)
    def with_run_options(**given: Any) -> Any:
        given["command"] = runner_chosen(given["command"], given.pop("harbor"))
        own = {name: given.pop(name) for name in names & given.keys()}
        context = click.get_current_context()
        if context.get_parameter_source("spec") is click.core.ParameterSource.DEFAULT:
            with steps() as say:
                own["spec"] = fitting(own["command"], own.get("known_failures"), say)
            if own["spec"] != DEFAULT_SPEC:
                click.echo(f"spec: {own['spec']} fits this harbor best; --spec names another", err=True)
        own["level"] = Level[own["level"].upper()]
        if "classes" in own:
            own["classes"] = class_names(own["classes"], own["spec"])
        return command(options=RunOptions(**own), **given)

    for option in reversed(options):
        with_run_options = option(with_run_options)
    return with_run_options


def runner_chosen(command: str | None, release: str | None) -> str:
    """The runner that ``--runner`` or ``--harbor`` names.

    Raises:
        click.UsageError: not one of the two is given.
        OracleError: the release is no version.
    """
    if command is not None and release is not None:
        raise click.UsageError("--runner and --harbor name two runners: give one of them")
    if release is not None:
        return of_release(release)
    if command is None:
        raise click.UsageError("Missing option '--runner' (or '--harbor').")
    return command


def stderr_console() -> Console:
    """Where progress and notices go: plain text unless it is a terminal."""
    return Console(stderr=True, highlight=False)


def text_width() -> int:
    """Characters of a line on standard output; as good as no end where that is no terminal."""
    return Console().width if sys.stdout.isatty() else _ENDLESS


class ProgressBar:
    """What counts up a bar and prints beside it."""

    def __init__(self, bar: Progress, total: int | None, description: str, every: int) -> None:
        self._bar = bar
        self._every = every
        self._task = bar.add_task(description, total=total)
        self._count = 0

    def tick(self) -> None:
        """Counts one up; the bar hears of it now and then."""
        self._count += 1
        if not self._count % self._every:
            self._bar.advance(self._task, self._every)

    def describe(self, description: str) -> None:
        """Says something else before the bar."""
        self._bar.update(self._task, description=description)

    def echo(self, text: str) -> None:
        """Prints to standard output, on a line of its own."""
        self._bar.stop()
        click.echo(text)
        self._bar.start()


@contextmanager
def progress_bar(description: str, total: int | None, every: int = 16) -> Iterator[ProgressBar]:
    """A progress bar on a terminal, nothing elsewhere."""
    console = stderr_console()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not on_terminal(console),
        refresh_per_second=5,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bar:
        yield ProgressBar(bar, total, description, every)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Tells of steps that take time, on stderr: with a spinner on a terminal, as lines elsewhere."""
    console = stderr_console()
    status = console.status("")

    def tell(sentence: str) -> None:
        if on_terminal(console):
            status.update(Text(sentence))
            status.start()
        else:
            click.echo(sentence, err=True)

    try:
        yield tell
    finally:
        status.stop()


@contextmanager
def slow_steps() -> Iterator[Callable[[str], None]]:
    """Tells on a terminal of steps that have taken more than two seconds together; says nothing elsewhere."""
    console = stderr_console()
    status = console.status("")
    began = time.monotonic()

    def tell(sentence: str) -> None:
        if on_terminal(console) and time.monotonic() - began > _SLOW:
            status.update(Text(sentence))
            status.start()

    try:
        yield tell
    finally:
        status.stop()
