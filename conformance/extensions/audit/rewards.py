"""Compares a trial's reward files with its record, and decides which of the two is wrong.

Harbor keeps the files next to the record: `verifier/reward.txt` or `verifier/reward.json`; a multi-step trial
has them for each step, in `steps/<name>/`. If file and record differ, other evidence decides. For a trial
with one verifier run, this is the job's list. For a multi-step trial, it is the trial's own rewards, which
are either the mean of the steps' rewards or those of the last step. The task defines which, but is not
available, so both are accepted.
"""

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE, NOT_FOUND, Part, Record
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.reading import Spent, depth_of, pointer, show
from conformance.extensions.audit.rows import Files
from conformance.extensions.audit.rules import READINGS
from conformance.judging.levels import Level
from conformance.wire.untrusted_files import Folder, Refused, allowed
from reference_impl import Strategy, ValidationError, VerifierError
from reference_impl.multi_step import Step, select_reward
from reference_impl.reward import REWARD_JSON, REWARD_TEXT
from reference_impl.verifier_result import Rewards, VerifierResult

_CLAUSES = {
    NOT_FOUND: ("003-1.1-no-file-is-not-found", "003-1.1-no-file-is-not-found"),
    "RewardFileEmptyError": ("003-1.2-zero-bytes-is-empty", "003-1.3-zero-bytes-is-empty"),
    "VerifierOutputParseError": ("003-1.2-not-a-number", "003-1.3-bad-json-is-parse-error"),
    "ValidationError": ("003-2-none-is-not-zero", "003-1.3-one-bad-value-refuses-all"),
    "RecursionError": ("003-2-none-is-not-zero", "003-1.3-nesting"),
}
"""The clauses of an error in reward.txt and in reward.json."""
REWARD_FILE_ERRORS = frozenset([*_CLAUSES][:4])
"""The exceptions that harbor raises for reward files."""
_NAMED_AFTER_FILES = REWARD_FILE_ERRORS - {"ValidationError"}
_READ_BY_ALL, _READ_BY_NONE = 500, 100_000
"""Nesting depths that every Python accepts, and that none does; between them it depends on the version."""
_STRATEGIES = (Strategy.MEAN, Strategy.FINAL)


@dataclass(frozen=True, slots=True)
class FilesResult:
    """The result of reading one verifier run's reward files by a release's rules."""

    file: str
    """The file with the rewards, relative to the trial's directory; reward.txt if there is none."""
    rewards: Rewards | None = None
    error: str | None = None
    """The type of the error, if there are no rewards."""


class Difference(NamedTuple):
    """A difference between reward files and a record."""

    result: FilesResult
    path: str
    """A JSON pointer into the record."""
    recorded: str
    """The recorded value as text."""
    clause: str
    key: str | None = None
    """The reward key that differs, if only one does."""
    breaks: Level = Level.VALUE
    likely: str | None = None

    def finding(self, folder: str, *, record_is_wrong: bool) -> Finding:
        """Return the finding about a trial's record or its reward file."""
        file, key, actual = self.result.file, self.key, self.result.error or show(self.result.rewards)
        kind, path = "reward-file", pointer(key) if key is not None and file.endswith(".json") else ""
        details = (actual, f"{self.recorded}, as in the trial's record")
        if record_is_wrong:
            kind, path, details = "record", self.path, (self.recorded, f"{actual}, from {file}")
            file = JOB_FILE
        return Finding(kind, f"{folder}/{file}", path, *details, self.clause, self.likely, self.breaks)


def read_files(trial: Folder, path: Sequence[str], spent: Spent) -> Files:
    """Read the reward files at a path in a trial's directory; return them by name.

    Raises:
        Refused: a file or directory can't be read; `where` has its path.
        StopError: the job's files are too large in total.
    """
    entered, contents, where = [trial], dict[str, bytes](), ""
    try:
        for name in (*path, "verifier"):
            where += f"{name}/"
            if (inner := entered[-1].enter(name)) is None:
                return {}
            entered.append(inner)
        for name in (REWARD_JSON, REWARD_TEXT):
            where = "/".join((*path, "verifier", name))
            if (content := entered[-1].read(name, spent.limits.reward_bytes)) is not None:
                spent.add("all_bytes", len(content))
                contents[name] = content
        return contents
    except Refused as refused:
        refused.where = where.rstrip("/")
        raise
    finally:
        for folder in entered[1:]:
            folder.leave()


def read_rewards(files: Files, reading: str, most: int, path: Sequence[str] = ()) -> FilesResult:
    """Read the rewards from reward files by one of `rules.READINGS`.

    Raises:
        Refused: there are more than `most` rewards, or the file is nested too deeply.
    """
    order, parse = READINGS[reading]
    name = next((candidate for candidate in order if candidate in files), None)
    where = "/".join((*path, "verifier", name or REWARD_TEXT))
    if name is None:
        return FilesResult(where, None, NOT_FOUND)
    depth = depth_of(files[name]) if name == REWARD_JSON else 0
    if depth >= _READ_BY_NONE:
        return FilesResult(where, None, RecursionError.__name__)
    if depth > _READ_BY_ALL:
        raise Refused("too-large", f"nested {depth} levels", f"at most {_READ_BY_ALL} levels")
    try:
        rewards = parse({name: files[name]})
    except (VerifierError, ValidationError) as error:
        return FilesResult(where, None, type(error).__name__)
    if (count := len(rewards or ())) > most:
        raise Refused("too-large", f"{count} rewards", allowed(most, "rewards", count))
    return FilesResult(where, rewards)


def best_reading(
    files: Files, part: Record | Part, readings: Sequence[str], most: int, path: Sequence[str], where: str
) -> tuple[FilesResult, Difference | None]:
    """Return the result and its difference from the record, by the reading that agrees, else by the first.

    Raises:
        Refused: as for `read_rewards`.
    """
    results: list[tuple[FilesResult, Difference | None]] = []
    for reading in readings:
        result = read_rewards(files, reading, most, path)
        results.append((result, difference_of(part, result, where)))
        if results[-1][1] is None:
            return results[-1]
    return results[0]


def difference_of(part: Record | Part, result: FilesResult, path: str) -> Difference | None:
    """Return the difference between a verifier run's record at `path` and its files, if there is one."""
    raised, error = None if part.exception_info is None else part.exception_info.exception_type, result.error
    in_json = result.file.endswith(REWARD_JSON)
    if part.verifier_result is not None:
        stated, path = part.verifier_result.rewards, f"{path}/verifier_result"
        if error is not None:
            return Difference(result, path, show(stated), _CLAUSES[error][in_json])
        if (gap := reward_difference(stated, result.rewards)) is None:
            return None
        path += "/rewards" + ("" if gap[0] is None else pointer(gap[0]))
        clause = "003-1.3-object-keys-are-free" if in_json else "003-1.2-key-is-reward"
        return Difference(result, path, show(stated), clause, *gap)
    if part.verifier is None or (raised is not None and raised not in _NAMED_AFTER_FILES - {error}):
        return None  # the verifier did not run, or ended for another reason
    if raised is None and error is None:
        return Difference(result, f"{path}/verifier_result", "null", "003-2-no-verifier-result")
    path += "/exception_info" + ("" if raised is None else "/exception_type")
    return Difference(result, path, raised or "null", _CLAUSES[error or str(raised)][in_json])


def reward_difference(
    stated: dict[str, int | float | None] | None, measured: Rewards | None, *, ordered: bool = True
) -> tuple[str | None, Level, str | None] | None:
    """Return how recorded rewards differ from those in files: key, level and likely cause; None if equal."""
    if stated is None or measured is None:
        return None if stated is measured else (None, Level.VALUE, None)
    if repr(stated) == repr(measured):
        return None
    if not all(map(str.isascii, measured)):  # harbor writes three U+FFFD for a lone surrogate
        printed = (key.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for key in measured)
        measured = dict(zip(printed, measured.values(), strict=True))
    if stated.keys() != measured.keys():
        return None, Level.VALUE, None
    gaps = ((key, _gap(number, measured[key])) for key, number in stated.items())
    if differing := [(key, *gap) for key, gap in gaps if gap is not None]:
        return min(differing, key=lambda gap: gap[1])
    is_other = ordered and list(stated) != list(measured)
    return (None, Level.BYTES, "the keys are in another order") if is_other else None


def _gap(stated: int | float | None, measured: int | float) -> tuple[Level, str | None] | None:
    finite = isinstance(measured, int) or math.isfinite(measured)
    if stated is None or not finite:
        is_null = stated is None and not finite
        return None if is_null else (Level.VALUE, "only NaN and infinities are recorded as null")
    if stated != measured:
        return Level.VALUE, None
    if type(stated) is not type(measured):
        return Level.EXACT, "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
    if stated == 0 and math.copysign(1.0, stated) != math.copysign(1.0, measured):
        return Level.EXACT, "the sign of zero is lost or added"
    return None


class Run(NamedTuple):
    """One verifier run: its result according to the record and to its files, and their difference."""

    stated: Step
    """The recorded result; nulls have the values in the files, or else in the job's list."""
    measured: Step
    wrong: Difference | None = None


@dataclass(slots=True)
class Verdict:
    """The result of a trial, after deciding whether its record or its files are wrong."""

    result: VerifierResult | None
    exception: str | None
    findings: list[Finding] = field(default_factory=list)
    strategy: Strategy | None = None
    """The strategy that derives the trial's rewards from those of its steps, if the record shows it."""


def judge(
    record: Record,
    folder: str,
    reported: Collection[str],
    runs: list[Run],
    questions: Sequence[Difference],
    listing: Listing,
) -> Verdict:
    """Return the verdict on a trial: the job's list decides, or a multi-step trial's own rewards.

    Findings at the `reported` places of the record in `folder` are not repeated.
    """

    def findings(*, record_is_wrong: bool) -> list[Finding]:
        """Return the findings, without those about reported places in the record."""
        new = (question for question in questions if not record_is_wrong or question.path not in reported)
        return [question.finding(folder, record_is_wrong=record_is_wrong) for question in new]

    if record.steps is None:
        is_listed = False
        for case in (item for item in questions if item.breaks is not Level.BYTES):
            files, exact = (case.result.rewards, case.result.error), case.breaks is not Level.VALUE
            is_listed = listing.supports(record.trial_name, *files, exact=exact)
        step = runs[0].measured if is_listed else runs[0].stated
        return Verdict(step.verifier_result, step.exception, findings(record_is_wrong=is_listed))
    raised = None if record.exception_info is None else record.exception_info.exception_type
    derived = _derived([run.stated for run in runs])
    fits = _matching_result(record, derived)
    by_files = _matching_result(record, _derived([run.measured for run in runs])) if questions else None
    file_is_right = by_files is not None and (fits is None or by_files[1] < fits[1])
    result_findings = findings(record_is_wrong=file_is_right)
    if (fits := by_files if file_is_right else fits) is not None:
        return Verdict(fits[0], raised, result_findings, (*_STRATEGIES, None)[fits[1]])
    result, mean = record.verifier_result, derived.get(Strategy.MEAN)
    whole = None if result is None else result.rewards
    gap = reward_difference(whole, None if mean is None else mean.rewards, ordered=False)
    level, likely = (Level.VALUE, None) if gap is None else gap[1:]
    wanted = "no verifier result" if mean is None else show(mean.rewards)
    stated = "no verifier result" if result is None else show(whole)
    details = (stated, f"{wanted}, the mean of the steps, or the last step's")
    path = "/verifier_result" + ("/rewards" if whole is not None else "")
    result_findings.append(
        Finding("steps", f"{folder}/{JOB_FILE}", path, *details, "003-4.5-mean-per-key", likely, level)
    )
    numbers = listing[record.trial_name].numbers() if record.trial_name in listing else None
    for strategy, candidate in derived.items():
        if candidate is not None and numbers is not None and numbers == candidate.rewards != whole:
            return Verdict(candidate, raised, result_findings, strategy)
    return Verdict(restore_nulls(record, lambda _: math.nan), raised, result_findings)


def _derived(steps: list[Step]) -> dict[Strategy, VerifierResult | None]:
    """Return the result that each strategy derives from the steps, unless it raises an error."""
    results: dict[Strategy, VerifierResult | None] = {}
    for strategy in _STRATEGIES:
        with suppress(OverflowError):
            results[strategy] = select_reward(strategy, steps)
    return results


def _matching_result(
    record: Record, derived: dict[Strategy, VerifierResult | None]
) -> tuple[VerifierResult | None, int] | None:
    """Return the result that agrees with the record, and its strategy's rank; nulls get the steps' values."""
    result = record.verifier_result
    for strategy, candidate in derived.items():
        rank = _STRATEGIES.index(strategy)
        if result is None and candidate is None:
            return None, rank
        if result is None or candidate is None:
            continue
        if reward_difference(result.rewards, candidate.rewards, ordered=rank > 0) is None:
            if result.rewards is None or candidate.rewards is None:
                return candidate, rank
            return VerifierResult({key: candidate.rewards[key] for key in result.rewards}), rank
    return (None, 2) if result is None and record.exception_info is not None else None


def restore_nulls(part: Record | Part, null: Callable[[str], float]) -> VerifierResult | None:
    """Return the recorded result; each null, which replaces NaN or an infinity, becomes `null(key)`."""
    if part.verifier_result is None or (stated := part.verifier_result.rewards) is None:
        return None if part.verifier_result is None else VerifierResult(None)
    return VerifierResult({key: null(key) if value is None else value for key, value in stated.items()})
