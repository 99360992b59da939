"""Holds the rewards of a multi-step trial to those of its steps.

The task says whether they are the mean or the last step's, and the task is not at hand: either will do.
"""

from collections.abc import Callable, Sequence, Set

from conformance.check.findings import Finding
from conformance.check.job.listing import Listed
from conformance.check.trials.records import RECORD
from conformance.check.trials.reward_files import Disagreement, recorded
from conformance.check.trials.reward_values import Recorded, difference, shown_rewards
from conformance.check.trials.shapes import RecordShape
from conformance.judging.comparison import Level
from reference_impl import Strategy, VerifierResult
from reference_impl.multi_step import Step, select_reward
from reference_impl.verifier_result import Rewards

__all__ = ["judged", "without_nulls"]


def without_nulls(said: Recorded | None) -> Rewards | None:
    """The rewards with NaN for what is null."""
    if said is None:
        return None
    return {key: float("nan") if number is None else number for key, number in said.items()}


def judged(
    name: str,
    record: RecordShape,
    said: list[Step],
    found: list[Step],
    open_questions: Sequence[Disagreement],
    known_places: Set[str],
    listed: Callable[[str], Listed | None],
) -> tuple[VerifierResult | None, list[Finding]]:
    """The verifier result of the trial in a folder of that name, and what is wrong with its steps.

    The steps are given as the record has them and as reward files do; where the two disagree is an open
    question. What is wrong at `known_places` of the record is told already.
    """
    findings: list[Finding] = []
    fits = _fitting(record, said)
    by_files = _fitting(record, found) if open_questions else None
    file_is_right = by_files is not None and (fits is None or by_files[1] < fits[1])
    for question in open_questions:
        if not file_is_right:
            findings.append(question.blames_file(name))
        elif question.place not in known_places:
            findings.append(question.blames_record(name))
    fits = by_files if file_is_right else fits
    if fits is None:
        findings.append(_contradiction(f"{name}/{RECORD}", record, said))
        return _as_listed(record, said, listed(record.trial_name)), findings
    return fits[0], findings


def _fitting(record: RecordShape, steps: list[Step]) -> tuple[VerifierResult | None, int] | None:
    """What one of the strategies gives, if that is what the record says; null is known from the steps.

    With it the strategy's rank: the mean, which is the default, is more likely than the last step's.
    """
    whole = recorded(record)
    for rank, strategy in enumerate((Strategy.MEAN, Strategy.FINAL)):
        try:
            given = select_reward(strategy, steps)
        except OverflowError:
            continue
        if given is None or record.verifier_result is None:
            if given is None and record.verifier_result is None:
                return None, rank
            continue
        if difference(whole, given.rewards, ordered=strategy is Strategy.FINAL) is None:
            if whole is None or given.rewards is None:
                return given, rank
            return VerifierResult({key: given.rewards[key] for key in whole}), rank
    if record.verifier_result is None and record.exception_info is not None:
        return None, 2
    return None


def _contradiction(file: str, record: RecordShape, steps: list[Step]) -> Finding:
    """The finding where the steps do not give the trial's rewards."""
    whole, due = recorded(record), _given(Strategy.MEAN, steps)
    expected = "no verifier result" if due is None else shown_rewards(due)
    found = "no verifier result" if record.verifier_result is None else shown_rewards(whole)
    place = "/verifier_result" + ("/rewards" if whole is not None else "")
    gap = difference(whole, due.rewards if due is not None else None, ordered=False)
    level, likely = (gap[1], gap[2]) if gap is not None else (Level.VALUE, None)
    due_text = f"{expected}, the mean of the steps, or the last step's"
    return Finding("steps", file, place, found, due_text, "003-4.5-mean-per-key", likely, level)


def _as_listed(record: RecordShape, steps: list[Step], listed: Listed | None) -> VerifierResult | None:
    """What the steps give, if the job lists that; else what the record says."""
    numbers = listed.numbers() if listed is not None else None
    for strategy in Strategy:
        given = _given(strategy, steps)
        if given is not None and numbers is not None and numbers == given.rewards != recorded(record):
            return given
    return None if record.verifier_result is None else VerifierResult(without_nulls(recorded(record)))


def _given(strategy: Strategy, steps: list[Step]) -> VerifierResult | None:
    try:
        return select_reward(strategy, steps)
    except OverflowError:
        return None
