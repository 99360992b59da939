"""Options that several commands share, and how they show progress."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from conformance.comparison import Level
from conformance.ops import CLASSES
from conformance.paths import DEFAULT_SPEC

__all__ = ["ProgressBar", "progress_bar", "runner_options", "spec_option", "stderr_console", "steps"]

spec_option = click.option(
    "--spec", default=DEFAULT_SPEC, show_default=True, help="The spec to check against."
)

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--runner",
        "command",
        required=True,
        metavar="CMD",
        help="The command to check, split as a shell would; 'reference' and 'oracle' name the kit's own.",
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
        "--classes",
        metavar="X,Y",
        default="",
        help=f"Fail what is unsupported in these classes ({', '.join(CLASSES)}).",
    ),
    click.option(
        "--runner-timeout",
        "timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long one reply may take.",
    ),
    click.option(
        "--pipeline",
        type=click.IntRange(min=1),
        default=64,
        show_default=True,
        help="The most requests outstanding.",
    ),
    click.option("--oneshot", is_flag=True, help="Start the command once per request."),
    click.option(
        "--vectors",
        "vector_files",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Ask these vector files instead of the kit's own.",
    ),
)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that talks with a runner."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def stderr_console() -> Console:
    """Where progress and notices go: plain text unless it is a terminal."""
    return Console(stderr=True, highlight=False)


class ProgressBar:
    """What counts up a bar and prints beside it."""

    def __init__(self, bar: Progress, total: int | None, description: str) -> None:
        self._bar = bar
        self._task = bar.add_task(description, total=total)
        self._count = 0

    def tick(self) -> None:
        """Counts one up; the bar hears of every sixteenth."""
        self._count += 1
        if not self._count % 16:
            self._bar.advance(self._task, 16)

    def echo(self, text: str) -> None:
        """Prints to standard output, on a line of its own."""
        self._bar.stop()
        click.echo(text)
        self._bar.start()


@contextmanager
def progress_bar(description: str, total: int | None) -> Iterator[ProgressBar]:
    """A progress bar on a terminal, nothing elsewhere."""
    console = stderr_console()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        refresh_per_second=5,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bar:
        yield ProgressBar(bar, total, description)


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Tells of steps that take time, on stderr: with a spinner on a terminal, as lines elsewhere."""
    console = stderr_console()
    status = console.status("")

    def tell(sentence: str) -> None:
        if console.is_terminal:
            status.update(Text(sentence))
            status.start()
        else:
            click.echo(sentence, err=True)

    try:
        yield tell
    finally:
        status.stop()
