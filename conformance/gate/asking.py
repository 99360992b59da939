"""Starts the gate's run. If it can't start, its report says why."""

from collections.abc import Callable, Sequence

from conformance import interrupts
from conformance.errors import UserError
from conformance.judging.known_failures import Offered
from conformance.outcomes.report import Report
from conformance.outcomes.running import open_run, report_on
from conformance.registry.op import ORACLE
from conformance.registry.ops import ops_of
from conformance.run.commands import CommandError, is_attached
from conformance.run.options import RunOptions
from conformance.suite.lock import LockError, lost
from conformance.suite.vectors import Vector

__all__ = ["require_offer", "start_run"]

_LIST = "known-failures.txt"


def start_run(options: RunOptions, all_vectors: Sequence[Vector], say: Callable[[str], None]) -> Report:
    """Start a run; return its report, with a problem if it can't start. ``say`` gets the names of slow steps.

    Raises:
        VectorFileError: one of the vectors belongs to another spec.
    """
    try:
        if gone := lost(options.spec):  # a runner could pass without them
            raise LockError(f"the kit has lost vectors, so install it again: {gone[0]} is in the lock")
        with interrupts.released():
            report = open_run(options, all_vectors, say)
        require_offer(report)
    except UserError as error:
        report = report_on(options, all_vectors)
        report.problems.append(str(error))
        report.session.could_not_try = True
    except KeyboardInterrupt:
        report = report_on(options, all_vectors)
        report.session.interrupted = "interrupted before the runner was started"
        report.problems.append(report.session.interrupted)
    return report


def require_offer(report: Report) -> None:
    """Determine which operations the runner must offer, so that a runner that offers fewer can't pass.

    Raises:
        CommandError: the required operations are unknown.
    """
    options = report.options
    if report.required:
        return
    if is_attached(options.command):
        report.required = tuple(
            Offered(op.name, 0, 0) for op in ops_of(options.spec, package=True) if op.source == ORACLE
        )
    elif not options.classes:
        listed = options.known_failures
        wanted = f"-o {_LIST}" if listed is None else f"--update {listed}"
        lacks = (
            "there is no list of known failures" if listed is None else f"{listed} has no '# offers:' lines"
        )
        raise CommandError(
            f"the gate does not know what the runner must offer, since {lacks}: record it with "
            f"'harbor-conformance baseline --runner … {wanted}' and gate with --known-failures, or require "
            "classes, such as --classes all"
        )
