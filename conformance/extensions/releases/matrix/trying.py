"""Runs the subjects like ``run``, so that the verdicts are the same.

An error of a subject affects only its own row. After a signal, the results so far are kept.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance import interrupts
from conformance.errors import UserError
from conformance.extensions.releases.matrix.rows import Row, recorded_row, row_of, untried
from conformance.extensions.releases.matrix.subjects import Subject
from conformance.oracle.commands import of_release
from conformance.oracle.releases import ensure_release
from conformance.outcomes.running import close_run, open_run
from conformance.registry.ops import classes_of
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec

__all__ = ["NOT_REACHED", "Plan", "try_all"]

NOT_REACHED = "interrupted before it was run"
_CANNOT = (UserError, OSError)


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a matrix."""

    subjects: tuple[Subject, ...]
    specs: tuple[str, ...]
    options: RunOptions
    """The options of each run; command, spec and classes are replaced."""
    classes: frozenset[str] = frozenset()
    """The required classes of any spec."""

    def run_options(self, command: str, spec: str) -> RunOptions:
        """Return the options of one run."""
        classes = self.classes & set(classes_of(spec, package=True))
        return replace(self.options, command=command, spec=spec, classes=classes)


def try_all(
    plan: Plan, step: Callable[[str], None], tick: Callable[[], None], done: Callable[[Row], None]
) -> list[Row]:
    """Run every subject on every spec; return the rows, spec by spec.

    A recorded report has a row only for its own spec, if the plan includes it. ``step`` is called with the
    name of a slow step, ``tick`` after each vector, and ``done`` with each row.
    """
    rows: dict[tuple[str, str], Row] = {}
    with interrupts.ending(), contextlib.suppress(KeyboardInterrupt), interrupts.released():
        for subject in plan.subjects:
            for row in _rows(subject, plan, step, tick):
                rows[subject.name, row.spec] = row
                done(row)
                if interrupts.taken() is not None:
                    raise KeyboardInterrupt
    reported = {row.subject.name for row in rows.values() if row.subject.kind == "report"}
    return [
        rows.get((subject.name, spec)) or untried(subject, spec, NOT_REACHED)
        for spec in plan.specs
        for subject in plan.subjects
        if (subject.name, spec) in rows or subject.name not in reported
    ]


def _rows(
    subject: Subject, plan: Plan, step: Callable[[str], None], tick: Callable[[], None]
) -> Iterator[Row]:
    """Yield the rows of a subject, one for each spec."""
    is_report = subject.kind == "report"
    try:
        if is_report:
            yield _recorded(subject, plan.specs)
            return
        command, notes = _command(subject, step)
    except Exception as error:
        yield from (
            untried(subject, spec, _sentence(error)) for spec in plan.specs[: 1 if is_report else None]
        )
        return
    for spec in plan.specs:
        try:
            row = _row(subject, notes, plan.run_options(command, spec), step, tick)
        except Exception as error:
            row = untried(subject, spec, _sentence(error))
        yield row


def _row(
    subject: Subject,
    notes: tuple[str, ...],
    options: RunOptions,
    step: Callable[[str], None],
    tick: Callable[[], None],
) -> Row:
    """Run a subject to the end, or until a signal."""
    report = open_run(options, load_spec(options.spec, package=options.package), step)
    try:
        report.session.ask(report.every, tick)
        return row_of(subject, close_run(report, causes=False), notes)
    except BaseException:
        report.session.dispatcher.kill()
        raise


def _sentence(error: Exception) -> str:
    """Return why a subject could not be run; an unexpected error is the kit's fault."""
    if isinstance(error, _CANNOT):
        return str(error)
    return f"an error in the kit: {type(error).__name__}: {error}"


def _recorded(subject: Subject, specs: Sequence[str]) -> Row:
    row = recorded_row(subject)
    if row.spec not in specs:
        return untried(subject, specs[0], f"the report is about {row.spec}, which --spec does not name")
    return row


def _command(subject: Subject, step: Callable[[str], None]) -> tuple[str, tuple[str, ...]]:
    """Return the runner's command of a subject that is not a report, and notes about it.

    Raises:
        OracleError: the release can't be built.
    """
    if subject.kind != "release":
        return f"harbor:{subject.target}" if subject.kind == "fork" else subject.target, ()
    release = ensure_release(subject.target, step)
    day = f" of {release.made.published}" if release.made.published else ""
    return of_release(release.version), (f"{release.package} {release.version}{day}: {release.notes()}",)
