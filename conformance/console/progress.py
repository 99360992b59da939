"""Progress of commands: a bar or a spinner on a terminal, lines or nothing elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import click

from conformance.console.output import on_terminal

if TYPE_CHECKING:  # takes a quarter of a command's start, and is only needed on a terminal
    from rich.console import Console
    from rich.progress import Progress

__all__ = [
    "ProgressBar",
    "progress_bar",
    "slow_steps",
    "stderr_console",
    "steps",
]

_SLOW = 2.0
"""Seconds after which a usually quick step is shown."""


def stderr_console() -> "Console":
    """The console for progress and notices: plain text unless it is a terminal."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


class ProgressBar:
    """A bar that counts up; does nothing without a terminal."""

    def __init__(self, bar: "Progress | None", total: int | None, description: str, every: int) -> None:
        self._bar = bar
        self._every = every
        self._task = None if bar is None else bar.add_task(description, total=total)
        self._count = 0

    def tick(self) -> None:
        """Counts one more; redraws the bar occasionally."""
        self._count += 1
        if self._bar is not None and self._task is not None and not self._count % self._every:
            self._bar.advance(self._task, self._every)

    def describe(self, description: str) -> None:
        """Changes the text in front of the bar."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=description)


@contextmanager
def progress_bar(description: str, total: int | None, every: int = 16) -> Iterator[ProgressBar]:
    """A progress bar on a terminal, nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield ProgressBar(None, total, description, every)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

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
def steps(*, after: float | None = None) -> Iterator[Callable[[str], None]]:
    """Shows the names of slow steps on stderr: with a spinner on a terminal, as lines elsewhere.

    With ``after``, only on a terminal and only after this many seconds.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield (lambda sentence: click.echo(sentence, err=True)) if after is None else (lambda _: None)
        return
    from rich.text import Text

    console = stderr_console()
    status = console.status("")
    began = time.monotonic()

    def step(sentence: str) -> None:
        if not on_terminal(console):
            if after is None:
                click.echo(sentence, err=True)
        elif after is None or time.monotonic() - began > after:
            status.update(Text(sentence))
            status.start()

    try:
        yield step
    finally:
        status.stop()


def slow_steps() -> AbstractContextManager[Callable[[str], None]]:
    """Shows the names of usually quick steps: on a terminal, after two seconds."""
    return steps(after=_SLOW)
