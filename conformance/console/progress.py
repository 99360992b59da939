"""Shows the progress of commands: a bar or a spinner on a terminal, lines or nothing elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from conformance.console.output import on_terminal

if TYPE_CHECKING:  # takes a quarter of a command's start, and is only needed on a terminal
    from rich.console import Console

__all__ = ["ProgressBar", "progress_bar", "slow_steps", "stderr_console", "steps"]

_BAR = 40
"""The width of a full bar, in columns."""
_SLOW = 2.0
"""Seconds after which a usually quick step is shown."""


def stderr_console() -> "Console":
    """The console for progress and notices: plain text unless it is a terminal."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@dataclass(slots=True)
class ProgressBar:
    """A counter, with a bar if the total is known."""

    show: Callable[[str], None]
    total: int | None
    every: int
    """How many ticks there are between two drawings."""
    description: str = ""
    count: int = 0

    def tick(self) -> None:
        """Counts one more."""
        self.count += 1
        if not self.count % self.every:
            self.describe(self.description)

    def describe(self, description: str) -> None:
        """Draws the bar with this text before it."""
        self.description = description
        bar = f"/{self.total:,} {'━' * (_BAR * self.count // self.total)}" if self.total else ""
        self.show(f"{description} {self.count:,}{bar}")


@contextmanager
def progress_bar(description: str, total: int | None, every: int = 16) -> Iterator[ProgressBar]:
    """A progress bar on a terminal, nothing elsewhere."""
    with steps(after=0.0) as show:
        bar = ProgressBar(show, total, every)
        bar.describe(description)
        yield bar


@contextmanager
def steps(*, after: float | None = None) -> Iterator[Callable[[str], None]]:
    """Yields a function that shows the current step on stderr: by a spinner on a terminal, else as a line.

    With ``after``, steps are only shown on a terminal, and only after this many seconds.
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
    """As ``steps``, for steps that are usually quick: shown only on a terminal, after two seconds."""
    return steps(after=_SLOW)
