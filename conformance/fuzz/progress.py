"""Shows the progress of a run: an updated line on a terminal, an occasional line elsewhere."""

import time

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text

from conformance.console.output import on_terminal
from conformance.fuzz.engine import Fuzz
from conformance.wire.text import printable

__all__ = ["Progress", "account", "disagreements"]

_EVERY = 30.0
"""Seconds between two lines if there is no terminal."""
_SHOWN = 4
"""The most causes shown."""
_NAMED = 2
"""The most mistakes shown per cause."""


def account(fuzz: Fuzz) -> list[str]:
    """Inputs and rate, then the most frequent causes, a line each."""
    causes = sorted(fuzz.causes.found, key=lambda cause: -cause.count)
    lines = [f"{fuzz.compared:,} inputs compared, {fuzz.rate:,.0f} a second, {disagreements(fuzz)}"]
    for cause in causes[:_SHOWN]:
        names = sorted(cause.mistakes) if cause.all_asked else []
        mistake = f" (as {' or '.join(names)} would)" if 0 < len(names) <= _NAMED else ""
        lines.append(f"  {cause.count:,} {cause.op}: {printable(cause.kind)}{mistake}")
    if len(causes) > _SHOWN:
        lines.append(f"  and {_causes(len(causes) - _SHOWN)} more")
    return lines


def disagreements(fuzz: Fuzz) -> str:
    """The number of disagreements, in words."""
    count = fuzz.causes.count
    if not count:
        return "no disagreement"
    return f"{count:,} disagreement{'s' if count != 1 else ''} of {_causes(len(fuzz.causes.found))}"


def _causes(count: int) -> str:
    return f"{count} cause{'s' if count != 1 else ''}"


class Progress:
    """Shows the account during a run."""

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
        """Updates the account."""
        if self._live is not None:
            lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in account(self._fuzz)]
            self._live.update(Text("\n").join(lines), refresh=True)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY
            click.echo(f"fuzz: {account(self._fuzz)[0]}", err=True)

    def echo(self, text: str) -> None:
        """Prints whole lines to standard output."""
        if self._live is None:
            click.echo(text)
            return
        self._live.update(Text(""), refresh=True)
        click.echo(text)
        self.tick()

    def stop(self) -> None:
        """Removes the account from the terminal."""
        if self._live is not None:
            self._live.stop()
            self._live = None
