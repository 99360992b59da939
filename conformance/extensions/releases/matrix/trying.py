"""Trying the subjects, one after another or some at once, with ``run``'s engine: the same verdicts.

Environments are built one at a time, in the main thread. What goes wrong with a subject is its row's sentence
and nobody else's. A signal ends what runs, and keeps what was obtained.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

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

NOT_REACHED = "interrupted before it was tried"
_PATIENCE = 5.0
"""Seconds that runs in other threads get to end in after a signal."""
_CANNOT = (CommandError, OracleError, ReportError, SettingsError, VectorFileError, OSError)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried, and how."""

    subjects: tuple[Subject, ...]
    specs: tuple[str, ...]
    options: RunOptions
    """How each is run; the command, the spec and the classes are replaced."""
    classes: frozenset[str] = frozenset()
    """Those of which nothing may be unsupported, in whichever spec."""
    jobs: int = 1

    def kind_of(self, name: str) -> str:
        """What the subject of this name is."""
        return next(subject.kind for subject in self.subjects if subject.name == name)

    def of(self, command: str, spec: str) -> RunOptions:
        """The options of one run."""
        classes = self.classes & set(classes_of(spec, package=True))
        return replace(self.options, command=command, spec=spec, classes=classes)


@dataclass(frozen=True, slots=True)
class Hearing:
    """Who hears of what is going on."""

    step: Callable[[str], None] = lambda _: None
    """A sentence on what takes time."""
    tick: Callable[[], None] = lambda: None
    """A vector was judged; from any thread."""
    done: Callable[[Row], None] = lambda _: None


_Run = tuple[Subject, tuple[str, ...], Report]
"""A run that is ready to begin, and what is to be known of its subject."""


@dataclass(slots=True)
class _Progress:
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    stopped: bool = False


def try_all(plan: Plan, hearing: Hearing) -> list[Row]:
    """A row for every subject and spec, spec by spec; whether a signal came, ``interrupts.taken`` knows.

    A recorded report has a row of its own spec alone, if that is among the plan's.
    """
    progress = _Progress()

    def take(row: Row) -> None:
        progress.rows[row.subject.name, row.spec] = row
        hearing.done(row)

    with interrupts.ending():
        try:
            with interrupts.released():
                _try(plan, hearing, progress, take)
        except KeyboardInterrupt:
            progress.stopped = True
    reported = {name for name, _ in progress.rows if plan.kind_of(name) == "report"}
    return [
        progress.rows.get((subject.name, spec)) or untried(subject, spec, NOT_REACHED)
        for spec in plan.specs
        for subject in plan.subjects
        if (subject.name, spec) in progress.rows or subject.name not in reported
    ]


def _try(plan: Plan, hearing: Hearing, progress: _Progress, take: Callable[[Row], None]) -> None:
    with _workers(plan.jobs, progress, hearing, take) as give:
        for subject in plan.subjects:
            if subject.kind == "report":
                take(_recorded(subject, plan.specs))
                continue
            try:
                command, notes = _command(subject, hearing.step)
            except Exception as error:
                for spec in plan.specs:
                    take(untried(subject, spec, _sentence(error)))
                continue
            for spec in plan.specs:
                try:
                    report = _ready(plan.of(command, spec), hearing.step)
                except Exception as error:
                    take(untried(subject, spec, _sentence(error)))
                else:
                    give((subject, notes, report))


def _sentence(error: Exception) -> str:
    """Why a subject could not be tried; what nobody foresaw is the kit's own fault."""
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
    """The runner command of a subject that is no report, and what is to be known of it.

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
        for vector in report.every:  # chosen here, as threads would choose at once
            report.session.rephrasing.of(vector)
    return report


def _row(run: _Run, progress: _Progress, tick: Callable[[], None]) -> Row:
    """Runs to the end, or to a signal; what nobody foresaw costs this row alone."""

    def ticked() -> None:
        tick()
        if progress.stopped:
            raise KeyboardInterrupt

    subject, notes, report = run
    try:
        with interrupts.ending():
            report.session.ask(report.every, ticked)
            progress.stopped = progress.stopped or report.session.interrupted is not None
            return row_of(subject, close_run(report, causes=False), notes)
    except Exception as error:
        with contextlib.suppress(Exception):
            report.session.dispatcher.kill()
        return untried(subject, report.options.spec, NOT_REACHED if progress.stopped else _sentence(error))


@contextlib.contextmanager
def _workers(
    jobs: int, progress: _Progress, hearing: Hearing, take: Callable[[Row], None]
) -> Iterator[Callable[[_Run], None]]:
    """What takes runs: at once in this thread, or in so many others, which have ended behind the block."""
    if jobs == 1:

        def at_once(run: _Run) -> None:
            take(_row(run, progress, hearing.tick))
            if progress.stopped:
                raise KeyboardInterrupt

        yield at_once
        return
    due: queue.Queue[_Run | None] = queue.Queue(maxsize=jobs)
    taking = threading.Lock()
    left = threading.Event()

    def work() -> None:
        while (run := due.get()) is not None:
            if not progress.stopped:
                row = _row(run, progress, hearing.tick)
                with taking:
                    if not left.is_set():
                        take(row)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        yield lambda run: _put(due, run)
        for _ in threads:
            _put(due, None)
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.1)
    except BaseException:
        progress.stopped = True
        end_runners()
        for thread in threads:
            thread.join(_PATIENCE / jobs)
        with taking:  # whoever is late has nobody to tell
            left.set()
        raise


def _put(due: "queue.Queue[_Run | None]", run: _Run | None) -> None:
    """Waits for room in a way that a signal can end."""
    while True:
        try:
            due.put(run, timeout=0.1)
        except queue.Full:
            continue
        return
