"""A whole run without pytest: the vectors asked in order, each verdict handed on as it comes."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict
from conformance.report.environments import Held
from conformance.report.for_merging import ForMerging
from conformance.report.records import AgainRecord, Record
from conformance.report.run_report import RepeatCommands, Report
from conformance.report.selection import Selection, newer_than
from conformance.run.asking_again import AskedAgain, AskingAgain
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions, repeat_again, repeat_property, repeat_vector
from conformance.suite.vectors import Vector, refuse_others

__all__ = ["each_record", "open_run", "run_vectors", "selection_of"]


def open_run(
    options: RunOptions, every: list[Vector], progress: Callable[[str], None] = lambda _: None
) -> tuple[Dispatcher, Report]:
    """What a run needs; nothing is started yet. ``every`` is the whole set, selected or not.

    Raises:
        CommandError, OracleError, KnownFailuresError: an option can't be used.
        VectorFileError: one of the vectors belongs to another spec.
    """
    refuse_others(every, options.spec)
    newer = newer_than(options.vectors_version, every, options.spec)
    known = None
    if options.known_failures is not None:
        known = KnownFailures.read(options.known_failures).held_to(
            options.spec, every, str(options.known_failures)
        )
    dispatcher = Dispatcher(options, options.settings(progress), known)
    report = Report(
        *(options.spec, options.level, options.command),
        [vector for vector in every if vector.id not in newer],
        newer=[vector for vector in every if vector.id in newer],
        selection=selection_of(options),
        known=known,
        required=known.offers if known is not None else (),
        known_path=options.known_failures,
        repeats=RepeatCommands(
            partial(repeat_vector, options), partial(repeat_again, options), partial(repeat_property, options)
        ),
        for_merging=None
        if options.shard is None
        else ForMerging(
            oneshot=options.oneshot, timeout=options.timeout, fuzz=options.fuzz, fuzz_seed=options.fuzz_seed
        ),
    )
    return dispatcher, report


def selection_of(options: RunOptions) -> Selection:
    """What was asked for; how much that left out is known at the run's end."""
    return Selection(
        patterns=options.patterns,
        files=options.vector_files,
        classes=options.classes,
        vectors_version=options.vectors_version,
        shard=options.shard,
    )


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
        held: dict[str, Verdict] = {}
        try:
            chosen = again.chosen if again else {}
            dispatcher.prefetch(again.interleaved(vectors) if again else vectors)
            settling: list[tuple[AskedAgain, Verdict]] = []
            for vector in vectors:
                verdict = dispatcher.verdict(vector)
                report.add(Record.of(verdict))
                if report.for_merging is not None:
                    report.for_merging.note(verdict)
                if verdict.each:
                    held[vector.id] = verdict
                    report.environments.hold(vector.id, each_record(verdict))
                else:
                    on_verdict(verdict)
                if vector.id in chosen and verdict.outcome is Outcome.PASSED:
                    settling.append((chosen[vector.id], dispatcher.verdict(chosen[vector.id])))
            partial = report.partial if settling else frozenset()
            for asked, judged in settling:
                if not report.is_part:
                    judged = asked.settled(judged, partial)
                report.add_again(AgainRecord.of(judged, asked.base_id, asked.changes))
                if judged.each:
                    held[asked.id] = judged
                    report.environments.hold(asked.id, each_record(judged))
                else:
                    on_verdict(judged)
        finally:
            _settle(report, held, on_verdict)
            report.duration_seconds = time.monotonic() - began
    except BaseException:
        dispatcher.kill()
        raise


def each_record(verdict: Verdict) -> dict[str, Held]:
    """What a report keeps of the verdict in each environment."""
    asked = verdict.vector
    if isinstance(asked, AskedAgain):
        return {name: AgainRecord.of(one, asked.base_id, asked.changes) for name, one in verdict.each.items()}
    return {name: Record.of(one) for name, one in verdict.each.items()}


def _settle(report: Report, held: dict[str, Verdict], on_verdict: Callable[[Verdict], None]) -> None:
    """Hands on the verdicts that waited for the environment that explains the run."""
    report.settle_environment()
    for key, verdict in held.items():
        final = verdict.each[report.environments.chosen]
        if key in report.environments.against:
            final = replace(final, sentence=report.environments.mixing(key))
        on_verdict(final)
