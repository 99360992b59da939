"""The entry point of the command line: finds commands by name, and reports errors in one sentence."""

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from conformance import __version__, interrupts
from conformance.cli.table import COMMANDS, KIT, RENAMED, Rows
from conformance.console import RARELY
from conformance.console.output import unfailing_outputs
from conformance.errors import UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["main"]


class _Commands(click.Group):
    """Imports a command only when it runs; help and completion need just the table."""

    rows: Rows = COMMANDS
    renamed: dict[str, str] = RENAMED

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for group in self.rows.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = next((group[cmd_name][0] for group in self.rows.values() if cmd_name in group), None)
        if module and cmd_name not in self.commands:
            self.add_command(getattr(import_module(module), cmd_name))
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.renamed:
            args = [*self.renamed[name].split(), *args[1:]]
            if not ctx.resilient_parsing:
                new = "check A --against B" if name == "compare" else self.renamed[name]
                click.echo(f"harbor-conformance: '{name}' is now called '{new}'", err=True)
        elif name not in (known := self.list_commands(ctx)) and not name.startswith("-"):
            import difflib  # rarely needed, and slow to load

            close = difflib.get_close_matches(name, known)
            suggestion = f" Did you mean {' or '.join(close)}?" if close else ""
            ctx.fail(f"No such command {name!r}.{suggestion}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for heading, group in self.rows.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", summary) for name, (_, summary) in group.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        entries = [(name, row[1]) for group in self.rows.values() for name, row in group.items()]
        matches = [CompletionItem(name, help=help_) for name, help_ in entries if name.startswith(incomplete)]
        return matches + click.Command.shell_complete(self, ctx, incomplete)


class _KitCommands(_Commands):
    rows = KIT
    renamed: dict[str, str] = {}  # noqa: RUF012


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="harbor-conformance")
def _group() -> None:
    """Checks harbor runners, in any language, byte for byte against harbor 0.13.1.

    Exit codes: 0 conforms, 1 does not conform, 2 could not be tried.
    """


@_group.group("kit", cls=_KitCommands)
def _kit() -> None:
    """Maintains the kit: expected answers, oracles, and measurements of detection."""


def main() -> None:
    """Runs a command and exits: with 2, after one sentence, on an error that the user can fix.

    A closed standard output (``| head -1``) does not change the exit code; a full disk does.
    """
    gc.set_threshold(*RARELY)
    atexit.register(gc.freeze)  # otherwise the last collection goes through everything
    _open_closed_streams()
    with unfailing_outputs() as unwritten, interrupts.taken_over():
        try:
            code = _run()
        finally:
            if "conformance.runner.process" in sys.modules:
                import_module("conformance.runner.process").end_runners()
        if (error := unwritten()) is not None:
            code = code if interrupts.taken() else 2
            click.echo(f"harbor-conformance: standard output can't be written: {error.strerror}", err=True)
    sys.exit(code)


def _run() -> int:
    """Runs the command and returns its exit code."""
    try:
        _group(prog_name="harbor-conformance", standalone_mode=False)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return interrupts.exit_code()
    except (UserError, OSError) as error:
        click.echo(f"harbor-conformance: {error}", err=True)
    else:
        return 0
    return 2


def _open_closed_streams() -> None:
    """Opens the null device for each closed standard stream (``>&-``), so that no file gets its number."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
