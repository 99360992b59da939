"""The command group, and the one place where errors that a user can cause become a sentence."""

import contextlib
import io
import os
import signal
import sys

import click

from conformance import __version__
from conformance.assessment.measurements import AssessmentError
from conformance.cli.assess import assess
from conformance.cli.baseline import baseline
from conformance.cli.check import check
from conformance.cli.clauses import clauses
from conformance.cli.dataset import dataset
from conformance.cli.doctor import doctor
from conformance.cli.foretell import foretell
from conformance.cli.fuzz import fuzz
from conformance.cli.metric import metric
from conformance.cli.mistakes import mistakes
from conformance.cli.mutants import mutants
from conformance.cli.oracle import oracle
from conformance.cli.regen import regen
from conformance.cli.run import run
from conformance.dataset.manifest import ManifestError
from conformance.dataset.writing import DatasetError
from conformance.fuzz.findings import OutFileError
from conformance.judging.known_failures import KnownFailuresError
from conformance.metric.findings import CannotTryError
from conformance.mutants.fate import MutantsError
from conformance.oracle.environments import OracleError
from conformance.oracle.regen import RegenError
from conformance.run.commands import CommandError
from conformance.runner.conversation import RunnerStartError, SettingsError
from conformance.suite.lock import LockError
from conformance.suite.vectors import VectorFileError

__all__ = ["main"]

_USER_ERRORS = (
    AssessmentError,
    CannotTryError,
    CommandError,
    DatasetError,
    KnownFailuresError,
    LockError,
    ManifestError,
    MutantsError,
    OracleError,
    OutFileError,
    RegenError,
    RunnerStartError,
    SettingsError,
    VectorFileError,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="harbor-conformance")
def _group() -> None:
    """Checks harbor runners, in any language, byte for byte against harbor 0.13.1.

    Exit codes: 0 conforms, 1 does not conform, 2 could not be tried.
    """


for _command in (
    run,
    fuzz,
    regen,
    clauses,
    oracle,
    doctor,
    baseline,
    check,
    dataset,
    mistakes,
    foretell,
    mutants,
    assess,
    metric,
):
    _group.add_command(_command)


def _terminated(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main() -> None:
    """The entry point: exits 2 with one sentence on an error that the user can mend."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal's encoding lacks is escaped
            stream.reconfigure(errors="backslashreplace")
    before = signal.signal(signal.SIGTERM, _terminated)  # so that no runner is left behind
    try:
        _group(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except _USER_ERRORS as error:
        click.echo(f"harbor-conformance: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        # Where standard output is the trouble, what it still holds would fail again at the interpreter's end.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            click.echo(f"harbor-conformance: {error}", err=True)
        sys.exit(2)
    finally:
        signal.signal(signal.SIGTERM, before)
