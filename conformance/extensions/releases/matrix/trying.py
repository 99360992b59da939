"""Runs the subjects, sequentially or in parallel, with the engine of ``run``, so verdicts are the same.

Environments are built one at a time, in the main thread. An error of a subject only affects its own row. A
signal ends the runs and keeps the results.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from conformance import interrupts
from conformance.extensions.releases.matrix.rows import Row, recorded_row, row_of, untried
from conformance.extensions.releases.matrix.subjects import Subject
from conformance.oracle.commands import of_release
from conformance.oracle.python import OracleError
from conformance.oracle.releases import ensure_release
from conformance.outcomes.reading import ReportError
from conformance.outcomes.report import Report
from conformance.outcomes.running import close_run, open_run
from conformance.registry.ops import classes_of
from conformance.run.commands import CommandError
from conformance.run.options import RunOptions
from conformance.runner.conversation import SettingsError
from conformance.runner.process import end_runners
from conformance.suite.vectors import VectorFileError, load_spec

__all__ = ["NOT_REACHED", "Hearing", "Plan", "try_all"]

NOT_REACHED = "interrupted before it was run"
_PATIENCE = 5.0
"""Seconds that runs in other threads have to end after a signal."""
_ANSWER = 1.0
"""Seconds that each runner has for its current answer: being killed would count as a crash."""
_CANNOT = (CommandError, OracleError, ReportError, SettingsError, VectorFileError, OSError)


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a matrix."""

    subjects: tuple[Subject, ...]
    specs: tuple[str, ...]
    options: RunOptions
    """The options of each run; command, spec and classes are replaced."""
    classes: frozenset[str] = frozenset()
    """The required classes of any spec."""
    jobs: int = 1

    def of(self, command: str, spec: str) -> RunOptions:
        """The options of one run."""
        classes = self.classes & set(classes_of(spec, package=True))
        return replace(self.options, command=command, spec=spec, classes=classes)


@dataclass(frozen=True, slots=True)
class Hearing:
    """Callbacks for progress."""

    step: Callable[[str], None] = lambda _: None
    """Called with the name of a slow step."""
    tick: Callable[[], None] = lambda: None
    """Called for each judged vector, from any thread."""
    done: Callable[[Row], None] = lambda _: None


def try_all(plan: Plan, hearing: Hearing) -> list[Row]:
    """A row for every subject and spec, spec by spec; ``interrupts.taken`` returns a signal, if any.

    A recorded report has a row only for its own spec, if the plan includes it.
    """
    trying = _Trying(plan, hearing)
    with interrupts.ending(), contextlib.suppress(KeyboardInterrupt), interrupts.released():
        trying.all()
    reported = {row.subject.name for row in trying.rows.values() if row.subject.kind == "report"}
    return [
        trying.rows.get((subject.name, spec)) or untried(subject, spec, NOT_REACHED)
        for spec in plan.specs
        for subject in plan.subjects
        if (subject.name, spec) in trying.rows or subject.name not in reported
    ]


class _Trying:
    """Executes runs in threads, ``jobs`` at once; everything else happens in the main thread."""

    def __init__(self, plan: Plan, hearing: Hearing) -> None:
        self._plan, self._hearing = plan, hearing
        self.rows: dict[tuple[str, str], Row] = {}
        self._running: set[Future[Row]] = set()
        self._stopped = False

    def all(self) -> None:
        """Runs every subject; a signal ends running ones, and their rows say how far they came."""
        pool = ThreadPoolExecutor(self._plan.jobs)
        try:
            for subject in self._plan.subjects:
                for run in self._prepared(subject):
                    self._running.add(pool.submit(run))
                    self._collect(self._plan.jobs - 1)
            self._collect(0)
        except BaseException:
            self._stopped = True
            wait(self._running, _ANSWER)
            end_runners()
            for ended in wait(self._running, _PATIENCE).done:
                self._take(ended.result())
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _collect(self, most: int) -> None:
        """Waits until at most this many runs are in progress."""
        while len(self._running) > most:
            for ended in wait(self._running, 0.1, FIRST_COMPLETED).done:
                self._running.remove(ended)
                self._take(ended.result())
            if self._stopped:
                raise KeyboardInterrupt

    def _take(self, row: Row) -> None:
        self.rows[row.subject.name, row.spec] = row
        self._hearing.done(row)

    def _prepared(self, subject: Subject) -> Iterator[Callable[[], Row]]:
        """The runs of a subject, ready to start; a subject that can't run gets its row immediately."""
        if subject.kind == "report":
            self._take(_recorded(subject, self._plan.specs))
            return
        try:
            command, notes = _command(subject, self._hearing.step)
        except Exception as error:
            for spec in self._plan.specs:
                self._take(untried(subject, spec, _sentence(error)))
            return
        for spec in self._plan.specs:
            try:
                report = _ready(self._plan.of(command, spec), self._hearing.step)
            except Exception as error:
                self._take(untried(subject, spec, _sentence(error)))
            else:
                yield functools.partial(self._row, subject, notes, report)

    def _row(self, subject: Subject, notes: tuple[str, ...], report: Report) -> Row:
        """Runs to the end, or until a signal; an unexpected error only affects this row."""

        def ticked() -> None:
            self._hearing.tick()
            if self._stopped:
                raise KeyboardInterrupt

        try:
            report.session.ask(report.every, ticked)
            self._stopped = self._stopped or report.session.interrupted is not None
            return row_of(subject, close_run(report, causes=False), notes)
        except Exception as error:
            with contextlib.suppress(Exception):
                report.session.dispatcher.kill()
            return untried(subject, report.options.spec, NOT_REACHED if self._stopped else _sentence(error))


def _sentence(error: Exception) -> str:
    """Why a subject could not be run; an unexpected error is the kit's fault."""
    if isinstance(error, _CANNOT):
        return str(error)
    return f"an error of the kit: {type(error).__name__}: {error}"


def _recorded(subject: Subject, specs: Sequence[str]) -> Row:
    try:
        row = recorded_row(subject)
    except Exception as error:
        return untried(subject, specs[0], _sentence(error))
    if row.spec not in specs:
        return untried(subject, specs[0], f"it is a report on {row.spec}, which --spec does not name")
    return row


def _command(subject: Subject, step: Callable[[str], None]) -> tuple[str, tuple[str, ...]]:
    """The runner command of a subject other than a report, and notes about it.

    Raises:
        OracleError: the release can't be built.
    """
    if subject.kind != "release":
        return f"harbor:{subject.target}" if subject.kind == "fork" else subject.target, ()
    release = ensure_release(subject.target, step)
    day = f" of {release.published}" if release.published else ""
    return of_release(release.version), (f"{release.package} {release.version}{day}: {release.notes()}",)


def _ready(options: RunOptions, step: Callable[[str], None]) -> Report:
    every = load_spec(options.spec, package=options.package)
    if silent := next((vector.id for vector in every if vector.expected is None), None):
        raise CommandError(f"{silent} has no expected answer yet: run harbor-conformance kit regen")
    report = open_run(options, every, step)
    if report.session.rephrasing is not None:
        for vector in report.every:  # chosen here, since threads would choose concurrently
            report.session.rephrasing.of(vector)
    return report
