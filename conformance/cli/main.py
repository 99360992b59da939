"""The command group, and the one place where errors that a user can cause become a sentence."""

import os
import sys

import click

from conformance import __version__, interrupts
from conformance.assessment.measurements import AssessmentError
from conformance.check.submissions.comparison import CompareError
from conformance.check.tables import TablesError
from conformance.cli.assess import assess
from conformance.cli.baseline import baseline
from conformance.cli.check import check
from conformance.cli.clauses import clauses
from conformance.cli.compare import compare
from conformance.cli.dataset import dataset
from conformance.cli.doctor import doctor
from conformance.cli.foretell import foretell
from conformance.cli.fuzz import fuzz
from conformance.cli.matrix import matrix
from conformance.cli.metric import metric
from conformance.cli.mistakes import mistakes
from conformance.cli.mutants import mutants
from conformance.cli.oracle import oracle
from conformance.cli.regen import regen
from conformance.cli.run import run
from conformance.cli.spec import spec
from conformance.dataset.manifest import ManifestError
from conformance.dataset.writing import DatasetError
from conformance.fuzz.findings import OutFileError
from conformance.judging.known_failures import KnownFailuresError
from conformance.matrix.subjects import SubjectError
from conformance.metric.findings import CannotTryError
from conformance.mutants.fate import MutantsError
from conformance.oracle.environments import OracleError
from conformance.oracle.regen import RegenError
from conformance.releases.adding import AddingError
from conformance.report.output import unfailing_outputs
from conformance.run.commands import CommandError
from conformance.runner.conversation import RunnerStartError, SettingsError
from conformance.runner.process import end_runners
from conformance.suite.lock import LockError
from conformance.suite.vectors import VectorFileError
from conformance.workers import SchedulerError

__all__ = ["main"]

_USER_ERRORS = (
    AddingError,
    AssessmentError,
    CannotTryError,
    CommandError,
    CompareError,
    DatasetError,
    KnownFailuresError,
    LockError,
    ManifestError,
    MutantsError,
    OracleError,
    OutFileError,
    RegenError,
    RunnerStartError,
    SchedulerError,
    SettingsError,
    SubjectError,
    TablesError,
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
    compare,
    dataset,
    mistakes,
    foretell,
    mutants,
    assess,
    metric,
    spec,
    matrix,
):
    _group.add_command(_command)


def main() -> None:
    """The entry point: exits 2 with one sentence on an error that the user can mend.

    What can't be written to standard output changes no exit code where nobody wants to read it any more
    (``| head -1``); a full disk does, as somebody waits for that file.
    """
    _open_what_is_closed()
    with unfailing_outputs() as unwritten, interrupts.taken_over():
        try:
            code = _run()
        finally:
            end_runners()
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
    except _USER_ERRORS as error:
        click.echo(f"harbor-conformance: {error}", err=True)
    except OSError as error:
        click.echo(f"harbor-conformance: {error}", err=True)
    else:
        return 0
    return 2


def _open_what_is_closed() -> None:
    """Gives each standard stream a file: the next that is opened takes a closed one's place (``>&-``)."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
