"""The end of a run, the same for every face of the kit: the exchange ended, the run judged as a whole."""

from collections.abc import Callable, Sequence

from conformance import interrupts
from conformance.diagnosis import Evidence, diagnose
from conformance.report.lost_offers import lost_offers
from conformance.report.run_report import Report
from conformance.run.dispatcher import Dispatcher, start_failure
from conformance.runner.conversation import RunnerStartError

__all__ = ["NOTHING_PASSED", "close_run", "conclude", "not_started"]

NOTHING_PASSED = "no vector passed, so nothing was shown: check the filter and the ops that hello names"


def not_started(report: Report, error: RunnerStartError) -> str:
    """Notes that the runner could not be tried; returns the account of why."""
    sentence = start_failure(error, report.command)
    report.could_not_try = True
    report.problems.append(sentence)
    return sentence


def close_run(
    dispatcher: Dispatcher,
    report: Report,
    evidence: Sequence[Evidence],
    *,
    interrupted: str | None = None,
    whole: bool = True,
    judged: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> bool:
    """Ends the exchange, looks for known mistakes, judges the known failures; whether it was interrupted.

    Args:
        dispatcher: what asked the runner.
        report: the outcomes; what is found goes into it.
        evidence: the answers, right and wrong, that known mistakes are compared with.
        interrupted: the sentence for the report where somebody ended the run; then nothing is looked for.
        whole: whether all that was selected was judged: only then the known failures are.
        judged: whether the outcomes decide the exit code, so that none at all is a problem.
        progress: hears what is going on.
    """
    with interrupts.ending():
        try:
            if interrupted is not None:
                dispatcher.kill()
            with interrupts.released():
                report.problems += dispatcher.finish()
        except KeyboardInterrupt:
            dispatcher.kill()
            interrupted = interrupted or f"interrupted after {len(report.records):,} vectors"
        report.not_diagnosed = max(report.not_diagnosed, dispatcher.keeping.left_out)
        return conclude(
            report, evidence, interrupted=interrupted, whole=whole, judged=judged, progress=progress
        )


def conclude(
    report: Report,
    evidence: Sequence[Evidence],
    *,
    interrupted: str | None = None,
    whole: bool = True,
    judged: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> bool:
    """What is left when nothing is asked any more, of a run and of the merge of its parts.

    As ``close_run``. Of a part nothing is judged that only the whole run shows.
    """
    if interrupted is None and any(item.actual is not None for item in evidence):
        places = {vector.id: place for place, vector in enumerate(report.every)}
        in_order = sorted(evidence, key=lambda item: places.get(item.key, len(places)))
        try:
            with interrupts.released():
                report.diagnosis = diagnose(in_order, report.level, progress)
        except KeyboardInterrupt:
            interrupted = "interrupted while looking for known mistakes"
    if interrupted is not None:
        report.interrupted = interrupted
        report.problems.append(interrupted)
    if report.hello is not None and not report.is_part:
        if report.known is not None and whole and interrupted is None:
            report.problems += report.known.problems(report.ids(), report.outcomes())
        if interrupted is None:
            report.problems += lost_offers(report)
        if judged and report.exit_code() == 2:
            report.could_not_try = True
            report.problems.append(NOTHING_PASSED)
    return interrupted is not None
