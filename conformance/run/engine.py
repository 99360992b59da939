"""A whole run without pytest: the vectors asked in order, each verdict handed on as it comes."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Verdict
from conformance.registry.ops import classes_of
from conformance.report.run_report import Record, Report
from conformance.run.commands import CommandError, resolve_command
from conformance.run.dispatcher import Dispatcher
from conformance.runner.conversation import Settings
from conformance.suite.vectors import Vector, refuse_others

__all__ = ["demanded_classes", "open_run", "run_vectors"]


def demanded_classes(text: str | None, spec: str) -> frozenset[str]:
    """The classes that ``--classes`` names, of this spec.

    Raises:
        CommandError: there is no such class.
    """
    known = classes_of(spec)
    names = frozenset(name.strip() for name in (text or "").split(",") if name.strip())
    unknown = sorted(names - set(known))
    if unknown:
        raise CommandError(f"--classes: there is no class {unknown[0]!r}; choose from {', '.join(known)}")
    return names


def open_run(
    command: str,
    every: list[Vector],
    *,
    spec: str,
    level: str,
    classes: str | None,
    timeout: float,
    pipeline: int,
    oneshot: bool,
    known_failures: Path | None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Dispatcher, Report, KnownFailures | None]:
    """What a run needs, from the options as users give them; nothing is started yet.

    Raises:
        CommandError, OracleError, KnownFailuresError, SettingsError: an option can't be used.
        VectorFileError: one of the vectors belongs to another spec.
    """
    refuse_others(every, spec)
    demanded = Level[level.upper()]
    known = KnownFailures.read(known_failures) if known_failures else None
    settings = Settings(resolve_command(command, progress, spec), spec, timeout, pipeline)
    dispatcher = Dispatcher(settings, demanded, oneshot, known, demanded_classes(classes, spec))
    return dispatcher, Report(spec, demanded, command, every), known


def run_vectors(
    dispatcher: Dispatcher, report: Report, vectors: Sequence[Vector], on_verdict: Callable[[Verdict], None]
) -> None:
    """Asks for all ``vectors`` and fills the report; what was judged before an interruption stays in it.

    Raises:
        RunnerStartError: the runner could not be tried.
    """
    try:
        report.hello = dispatcher.start()
        report.start_up_seconds = dispatcher.start_up_seconds
        began = time.monotonic()
        try:
            dispatcher.prefetch(vectors)
            for vector in vectors:
                verdict = dispatcher.verdict(vector)
                report.add(Record.of(verdict))
                on_verdict(verdict)
        finally:
            report.duration_seconds = time.monotonic() - began
        report.problems += dispatcher.finish()
    finally:
        dispatcher.kill()
