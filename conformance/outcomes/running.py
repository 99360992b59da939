"""A run from its options to its report, for the command line and pytest."""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from conformance import interrupts
from conformance.judging.fitting import fitted
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome
from conformance.oracle.commands import settings_of
from conformance.outcomes.claims import exit_code
from conformance.outcomes.document import as_json
from conformance.outcomes.report import Report
from conformance.rephrasing.choosing import rephrasing
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.run.session import Session
from conformance.runner.settings import Settings
from conformance.suite.choosing import newer_than
from conformance.suite.vectors import Vector, refuse_others

if TYPE_CHECKING:
    from conformance.diagnosis.account import Diagnosis
    from conformance.diagnosis.evidence import Evidence
    from conformance.diagnosis.experiments import Ask

__all__ = ["NOTHING_PASSED", "close_run", "open_run", "report_on"]

_NEW_LINES = 7
"""The most to-do lines about new failures if there are known failures too."""
NOTHING_PASSED = "no vector passed, so the run shows nothing: check the filter and the ops that hello names"


def open_run(
    options: RunOptions, all_vectors: Iterable[Vector], progress: Callable[[str], None] = lambda _: None
) -> Report:
    """The report of a run that has not started. ``all_vectors`` is the whole set, selected or not.

    Raises:
        CommandError, OracleError, KnownFailuresError: an option can't be used.
        VectorFileError: one of the vectors belongs to another spec.
    """
    path = options.known_failures
    known = None if path is None else KnownFailures.read(path)
    return report_on(options, all_vectors, known, settings_of(options, progress))


def report_on(
    options: RunOptions,
    all_vectors: Iterable[Vector],
    known: KnownFailures | None = None,
    settings: Settings | None = None,
) -> Report:
    """As ``open_run``, with a list that is already read; without ``settings`` no runner can be started.

    Raises:
        KnownFailuresError: the list belongs to another spec, or to a newer set.
        VectorFileError: one of the vectors belongs to another spec.
    """
    all_vectors = list(all_vectors)
    refuse_others(all_vectors, options.spec)
    newer = newer_than(options.vectors_version, all_vectors, options.spec)
    if known is not None:
        path, version = str(options.known_failures), options.vectors_version
        known = fitted(known, options.spec, all_vectors, path, options.level, version)
    counted = [vector for vector in all_vectors if vector.id not in newer]
    rephrasable = [vector for vector in counted if known is None or vector.id not in known.newer]
    dispatcher = Dispatcher(options, settings or Settings((), options.spec), known)
    report = Report(
        Session(options, counted, dispatcher, rephrasing(options, rephrasable)),
        [vector for vector in all_vectors if vector.id in newer],
        required=known.offers if known is not None else (),
    )
    if options.shard is not None:
        dispatcher.hear = report.hear
    return report


def close_run(
    report: Report,
    *,
    interrupted: str | None = None,
    whole: bool = True,
    judged: bool = True,
    causes: bool = True,
    hashed: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Ends the session and judges the run as a whole; returns the JSON report.

    Args:
        report: the report so far.
        interrupted: the sentence for the report if the run was interrupted; then there is no diagnosis.
        whole: whether everything selected was judged; only then is the list of known failures checked.
        judged: whether outcomes decide the exit code, so that having none is a problem.
        causes: whether to look for known mistakes that explain the wrong answers.
        hashed: whether the report has the digest of the vectors; a report that is written needs it.
        progress: called with the name of each step.
    """
    session = report.session
    with interrupts.ending():
        session.close(interrupted)
        report.settle_properties()
        evidence = report.evidence() if causes and session.interrupted is None else []
        if any(not item.passed for item in evidence):
            try:
                with interrupts.released():
                    report.diagnosis = _diagnosed(report, evidence, progress)
            except Exception as error:  # a defect of the kit, which must not cost the results
                session.problems.append(f"the diagnosis failed: {type(error).__name__}: {error}")
            except KeyboardInterrupt:
                session.interrupted = "interrupted while looking for known mistakes"
                session.problems.append(session.interrupted)
    tried = session.hello is not None and report.options.shard is None
    if tried and session.known is not None and whole and session.interrupted is None:
        report.list_problems += session.known.problems(report.ids(), report.outcomes())
    document = as_json(report, hashed=hashed)
    if tried and judged and exit_code(document) == 2:
        session.could_not_try = True
        session.problems.append(NOTHING_PASSED)
        document = as_json(report, hashed=hashed)
    return document


def _diagnosed(
    report: Report, evidence: "Sequence[Evidence]", progress: Callable[[str], None]
) -> "Diagnosis":
    """The diagnosis of the failures, tested on the runner if there is time."""
    from conformance.diagnosis.diagnose import diagnose  # not needed if all answers are right
    from conformance.diagnosis.todo import MOST_LINES
    from conformance.outcomes.experimenting import asking

    options, session = report.options, report.session
    listed = {key for key, verdict in report.verdicts.items() if verdict.outcome is Outcome.EXPECTED_FAILURE}
    failing = {item.key for item in evidence if not item.passed}
    known = failing & listed

    def diagnosed(ask: "Ask | None") -> "Diagnosis":
        explain = functools.partial(diagnose, level=options.level, progress=progress)
        if known in (set(), failing):
            return explain(evidence, ask=ask)
        new = [item for item in evidence if item.key not in known]
        old = [item for item in evidence if item.passed or item.key in known]
        first = explain(new, ask=ask, most=_NEW_LINES)
        return explain(old, most=MOST_LINES - _NEW_LINES).after(first)

    live = session.hello is not None and session.dispatcher.settings.command  # a replay has none
    if not options.experiments or not live:
        return diagnosed(None)
    with asking(session.dispatcher.new_talk, options.experiments) as ask:
        return diagnosed(ask)
