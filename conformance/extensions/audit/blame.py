"""Decides which is wrong: a trial's record, or its reward files.

For a trial with one verifier run, the job's list is the third witness. For a multi-step trial it is the
trial's own rewards, which are either the mean of the steps' or the last step's. The task says which, but it
is not available, so both are accepted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.loading import Loaded
from conformance.extensions.audit.reading import show
from conformance.extensions.audit.records import Part, Record
from conformance.extensions.audit.rewards import Difference, Recorded, reward_difference
from conformance.judging.comparison import Level
from reference_impl import Strategy, VerifierResult
from reference_impl.multi_step import Step, select_reward


@dataclass(slots=True)
class Run:
    """One verifier run."""

    part: Record | Part
    stated: Step
    """The recorded result; nulls are replaced by the values in the files, or else in the job's list."""
    found: Step
    wrong: Difference | None = None
    there: bool = True


@dataclass(slots=True)
class Verdict:
    """The result of a trial, whichever witness is wrong."""

    result: VerifierResult | None
    exception: str | None
    findings: list[Finding] = field(default_factory=list)
    strategy: Strategy | None = None
    """The strategy that derives the trial's rewards from its steps', if the record shows it."""


def judge_by_listing(
    loaded: Loaded, record: Record, runs: list[Run], questions: Sequence[Difference], listing: Listing
) -> Verdict:
    """The verdict on a trial with one verifier run."""
    (run,) = runs
    made = Verdict(run.stated.verifier_result, run.stated.exception)
    for wrong in questions:
        given = wrong.given
        listed = wrong.breaks is not Level.BYTES and listing.supports(
            record.trial_name, given.rewards, given.error, exact=wrong.breaks is not Level.VALUE
        )
        if listed:
            made.result, made.exception = run.found.verifier_result, run.found.exception
        made.findings += _unless_reported(loaded, wrong, record_is_wrong=listed)
    return made


def judge_by_steps(
    loaded: Loaded, record: Record, runs: list[Run], questions: Sequence[Difference], listing: Listing
) -> Verdict:
    """The verdict on a multi-step trial."""
    stated = [run.stated for run in runs]
    raised = None if record.exception_info is None else record.exception_info.exception_type
    fits = _matching_result(record, stated)
    by_files = _matching_result(record, [run.found for run in runs]) if questions else None
    file_is_right = by_files is not None and (fits is None or by_files[1] < fits[1])
    findings = [
        one for wrong in questions for one in _unless_reported(loaded, wrong, record_is_wrong=file_is_right)
    ]
    fits = by_files if file_is_right else fits
    if fits is not None:
        return Verdict(fits[0], raised, findings, _STRATEGIES[fits[1]])
    findings.append(_contradiction(loaded.file, record, stated))
    listed = listing.get(record.trial_name)
    numbers = None if listed is None else listed.numbers()
    for strategy in Strategy:
        result = _selected(strategy, stated)
        if result is not None and numbers is not None and numbers == result.rewards != _recorded(record):
            return Verdict(result, raised, findings, strategy)
    return Verdict(with_nulls(record, lambda _: float("nan")), raised, findings)


def _unless_reported(loaded: Loaded, wrong: Difference, *, record_is_wrong: bool) -> list[Finding]:
    """The finding, unless that place of the record is already reported."""
    if record_is_wrong and loaded.wrong_at(wrong.path):
        return []
    return [wrong.finding(loaded.file.rpartition("/")[0], record_is_wrong=record_is_wrong)]


_STRATEGIES = (Strategy.MEAN, Strategy.FINAL, None)


def _matching_result(record: Record, steps: list[Step]) -> tuple[VerifierResult | None, int] | None:
    """The result that agrees with the record, and its strategy's rank; nulls take the steps' values."""
    whole = _recorded(record)
    for rank, strategy in enumerate((Strategy.MEAN, Strategy.FINAL)):
        try:
            given = select_reward(strategy, steps)
        except OverflowError:
            continue
        if given is None or record.verifier_result is None:
            if given is None and record.verifier_result is None:
                return None, rank
        elif reward_difference(whole, given.rewards, ordered=strategy is Strategy.FINAL) is None:
            if whole is None or given.rewards is None:
                return given, rank
            return VerifierResult({key: given.rewards[key] for key in whole}), rank
    return (None, 2) if record.verifier_result is None and record.exception_info is not None else None


def _contradiction(file: str, record: Record, steps: list[Step]) -> Finding:
    """The finding if no strategy derives the trial's rewards from its steps'."""
    whole, mean = _recorded(record), _selected(Strategy.MEAN, steps)
    expected = "no verifier result" if mean is None else show(mean.rewards)
    found = "no verifier result" if record.verifier_result is None else show(whole)
    place = "/verifier_result" + ("/rewards" if whole is not None else "")
    gap = reward_difference(whole, None if mean is None else mean.rewards, ordered=False)
    level, likely = (Level.VALUE, None) if gap is None else gap[1:]
    what = (found, f"{expected}, the mean of the steps, or the last step's")
    return Finding("steps", file, place, *what, "003-4.5-mean-per-key", likely, level)


def _selected(strategy: Strategy, steps: list[Step]) -> VerifierResult | None:
    try:
        return select_reward(strategy, steps)
    except OverflowError:
        return None


def _recorded(record: Record) -> Recorded | None:
    return None if record.verifier_result is None else record.verifier_result.rewards


def with_nulls(part: Record | Part, null: Callable[[str], float]) -> VerifierResult | None:
    """The recorded result; each null, which is how NaN and infinities are written, becomes `null(key)`."""
    if part.verifier_result is None:
        return None
    stated = part.verifier_result.rewards
    if stated is None:
        return VerifierResult(None)
    return VerifierResult({key: null(key) if one is None else one for key, one in stated.items()})
