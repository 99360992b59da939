"""The command group, and the one place where errors that a user can cause become a sentence."""

import gc
import os
import sys
from importlib import import_module

import click

from conformance import __version__, interrupts
from conformance.report.output import unfailing_outputs

__all__ = ["main"]

_COMMANDS = (
    "run",
    "fuzz",
    "regen",
    "clauses",
    "oracle",
    "doctor",
    "baseline",
    "check",
    "compare",
    "dataset",
    "mistakes",
    "foretell",
    "mutants",
    "assess",
    "metric",
    "spec",
    "matrix",
    "report",
    "gate",
    "new",
)
"""Each in the module of its name; only the one that is run is imported."""
_USER_ERRORS = (
    ("conformance.extensions.releases.adding", "AddingError"),
    ("conformance.assessment.measurements", "AssessmentError"),
    ("conformance.metric.findings", "CannotTryError"),
    ("conformance.baseline.today", "BaselineError"),
    ("conformance.run.commands", "CommandError"),
    ("conformance.check.submissions.comparison", "CompareError"),
    ("conformance.extensions.dataset.writing", "DatasetError"),
    ("conformance.judging.known_failures", "KnownFailuresError"),
    ("conformance.suite.lock", "LockError"),
    ("conformance.check.manifest", "ManifestError"),
    ("conformance.mutants.fate", "MutantsError"),
    ("conformance.oracle.python", "OracleError"),
    ("conformance.fuzz.findings", "OutFileError"),
    ("conformance.publishing.reading", "PublishingError"),
    ("conformance.oracle.sources", "RegenError"),
    ("conformance.runner.hello", "RunnerStartError"),
    ("conformance.workers.scheduler", "SchedulerError"),
    ("conformance.runner.settings", "SettingsError"),
    ("conformance.extensions.releases.matrix.subjects", "SubjectError"),
    ("conformance.check.tables.writing", "TablesError"),
    ("conformance.templates.writing", "TemplateError"),
    ("conformance.suite.vectors", "VectorFileError"),
)
"""By the module that makes it: one that is not imported can't have been raised."""


class _Commands(click.Group):
    """The commands, imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in _COMMANDS:
            self.add_command(getattr(import_module(f"conformance.cli.{cmd_name}"), cmd_name))
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS:  # click tells which were meant, of those that it knows
            for name in _COMMANDS:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="harbor-conformance")
def _group() -> None:
    """Checks harbor runners, in any language, byte for byte against harbor 0.13.1.

    Exit codes: 0 conforms, 1 does not conform, 2 could not be tried.
    """


RARELY = (50_000, 20, 100)
"""A run keeps nearly all that it makes, and little of it in circles: to look for them took a fifth of it."""


def main() -> None:
    """The entry point: exits 2 with one sentence on an error that the user can mend.

    What can't be written to standard output changes no exit code where nobody wants to read it any more
    (``| head -1``); a full disk does, as somebody waits for that file.
    """
    gc.set_threshold(*RARELY)
    _open_what_is_closed()
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
    """Runs the command; its exit code."""
    try:
        _group(standalone_mode=False)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return interrupts.exit_code()
    except _user_errors() as error:
        click.echo(f"harbor-conformance: {error}", err=True)
    except OSError as error:
        click.echo(f"harbor-conformance: {error}", err=True)
    else:
        return 0
    return 2


def _user_errors() -> tuple[type[Exception], ...]:
    return tuple(getattr(sys.modules[module], name) for module, name in _USER_ERRORS if module in sys.modules)


def _open_what_is_closed() -> None:
    """Gives each standard stream a file: the next that is opened takes a closed one's place (``>&-``)."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
