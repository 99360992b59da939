"""A whole run without pytest: the vectors asked in order, each verdict handed on as it comes."""

import time
from collections.abc import Callable, Sequence

from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict
from conformance.report.records import AgainRecord, Record
from conformance.report.run_report import Report
from conformance.run.asking_again import AskedAgain, AskingAgain
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.suite.vectors import Vector, refuse_others

__all__ = ["open_run", "run_vectors"]


def open_run(
    options: RunOptions, every: list[Vector], progress: Callable[[str], None] = lambda _: None
) -> tuple[Dispatcher, Report]:
    """What a run needs; nothing is started yet. ``every`` is the whole set, selected or not.

    Raises:
        CommandError, OracleError, KnownFailuresError: an option can't be used.
        VectorFileError: one of the vectors belongs to another spec.
    """
    refuse_others(every, options.spec)
    known = KnownFailures.read(options.known_failures) if options.known_failures else None
    dispatcher = Dispatcher(options, options.settings(progress), known)
    return dispatcher, Report(options.spec, options.level, options.command, every)


def run_vectors(
    dispatcher: Dispatcher,
    report: Report,
    vectors: Sequence[Vector],
    on_verdict: Callable[[Verdict], None],
    again: AskingAgain | None = None,
) -> None:
    """Asks for all ``vectors`` and fills the report; what was judged before an interruption stays in it.

    Of those that passed, some are asked ``again`` in other words; their verdicts come last.

    Raises:
        RunnerStartError: the runner could not be tried.
    """
    try:
        report.hello = dispatcher.start()
        report.start_up_seconds = dispatcher.start_up_seconds
        began = time.monotonic()
        try:
            chosen = again.chosen if again else {}
            dispatcher.prefetch(again.interleaved(vectors) if again else vectors)
            settling: list[tuple[AskedAgain, Verdict]] = []
            for vector in vectors:
                verdict = dispatcher.verdict(vector)
                report.add(Record.of(verdict))
                on_verdict(verdict)
                if vector.id in chosen and verdict.outcome is Outcome.PASSED:
                    settling.append((chosen[vector.id], dispatcher.verdict(chosen[vector.id])))
            for asked, judged in settling:
                judged = asked.settled(judged, report.partial)
                report.add_again(AgainRecord.of(judged, asked.base_id, asked.changes))
                on_verdict(judged)
        finally:
            report.duration_seconds = time.monotonic() - began
    except BaseException:
        dispatcher.kill()
        raise
