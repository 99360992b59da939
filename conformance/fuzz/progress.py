"""Shows the progress of a run: an updated line on a terminal, an occasional line elsewhere."""

import time

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from conformance.console.output import on_terminal
from conformance.fuzz.engine import Fuzz
from conformance.outcomes.words import counted

__all__ = ["Progress", "disagreements"]

_EVERY = 30.0
"""Seconds between two lines if there is no terminal."""


def disagreements(fuzz: Fuzz) -> str:
    """The number of disagreements, in words."""
    if not (count := fuzz.causes.count):
        return "no disagreement"
    return f"{counted(count, 'disagreement')} of {counted(len(fuzz.causes.found), 'cause')}"


class Progress:
    """Shows inputs, rate and disagreements during a run."""

    def __init__(self, console: Console, fuzz: Fuzz) -> None:
        self._fuzz = fuzz
        self._next = time.monotonic() + _EVERY
        self._live: Live | None = None
        if on_terminal(console):
            self._live = Live(
                console=console,
                transient=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def tick(self) -> None:
        """Updates the line."""
        fuzz = self._fuzz
        line = f"{fuzz.compared:,} inputs compared, {fuzz.rate:,.0f} a second, {disagreements(fuzz)}"
        if self._live is not None:
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY
            click.echo(f"fuzz: {line}", err=True)

    def echo(self, text: str) -> None:
        """Prints whole lines to standard output."""
        if self._live is not None:
            self._live.update(Text(""), refresh=True)
        click.echo(text)
        if self._live is not None:
            self.tick()

    def stop(self) -> None:
        """Removes the line from the terminal."""
        if self._live is not None:
            self._live.stop()
            self._live = None
