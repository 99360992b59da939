"""Compares a trial's reward files with its record, and decides which of the two is wrong.

Harbor keeps the files next to the record: `verifier/reward.txt` or `verifier/reward.json`, for a multi-step
trial once per step, under `steps/<name>/`. If file and record differ, a third witness decides. For a trial
with one verifier run, it is what the job lists. For a multi-step trial it is the trial's own rewards, which
are either the mean of the steps' or the last step's. The task says which, but it is not available, so both
are accepted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE, Part, Record
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.loading import Loaded
from conformance.extensions.audit.reading import Spent, depth_of, pointer, show
from conformance.extensions.audit.rows import Files
from conformance.extensions.audit.rules import READINGS
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Folder, Refused, allowed
from reference_impl import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    Strategy,
    ValidationError,
    VerifierOutputParseError,
)
from reference_impl.multi_step import Step, select_reward
from reference_impl.reward import REWARD_JSON, REWARD_TEXT
from reference_impl.verifier_result import Rewards, VerifierResult

Recorded = dict[str, int | float | None]
_ERRORS = (RewardFileNotFoundError, RewardFileEmptyError, VerifierOutputParseError, ValidationError)
_NAMED_AFTER_FILES = {kind.__name__ for kind in _ERRORS[:3]}
_NOT_FOUND = RewardFileNotFoundError.__name__
_CLAUSES = {
    _NOT_FOUND: ("003-1.1-no-file-is-not-found", "003-1.1-no-file-is-not-found"),
    "RewardFileEmptyError": ("003-1.2-zero-bytes-is-empty", "003-1.3-zero-bytes-is-empty"),
    "VerifierOutputParseError": ("003-1.2-not-a-number", "003-1.3-bad-json-is-parse-error"),
    RecursionError.__name__: ("003-2-none-is-not-zero", "003-1.3-nesting"),
    "ValidationError": ("003-2-none-is-not-zero", "003-1.3-one-bad-value-refuses-all"),
}
"""The clause of an error in reward.txt, and in reward.json."""
_READ_BY_ALL, _READ_BY_NONE = 500, 100_000
"""Nesting depths that every Python reads, and that none does; in between, it depends on the version."""


@dataclass(frozen=True, slots=True)
class FilesResult:
    """The result of reading one verifier run's reward files by a release's rules."""

    file: str
    """The file that counts, relative to the trial's directory; reward.txt if there is none."""
    rewards: Rewards | None = None
    error: str | None = None
    """The type of the error, if there are no rewards."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between reward files and record."""

    given: FilesResult
    path: str
    """The place in the record, a JSON pointer."""
    recorded: str
    """The recorded value, for people."""
    clause: str
    key: str | None = None
    """The reward key that differs, if it is a single one."""
    breaks: Level = Level.VALUE
    likely: str | None = None

    def finding(self, folder: str, *, record_is_wrong: bool) -> Finding:
        """The finding in a trial's directory, in its record or in its reward file."""
        file, key, shown = self.given.file, self.key, self.given.error or show(self.given.rewards)
        if record_is_wrong:
            kind, path, what = "record", self.path, (self.recorded, f"{shown}, from {file}")
            file = JOB_FILE
        else:
            kind, path = "reward-file", pointer(key) if key is not None and file.endswith(".json") else ""
            what = (shown, f"{self.recorded}, as the trial's record says")
        return Finding(kind, f"{folder}/{file}", path, *what, self.clause, self.likely, self.breaks)


@dataclass(slots=True)
class RewardFiles:
    """Reads reward files."""

    spent: Spent

    def read(self, trial: Folder, path: Sequence[str]) -> Files:
        """The reward files at a path in a trial's directory, by name.

        Raises:
            Refused: something is in the way; `where` has its path.
            OverLimitError: the job's files together are too much.
        """
        entered: list[Folder] = []
        where, found = "", {}
        try:
            for name in (*path, "verifier"):
                where += f"{name}/"
                inner = (entered[-1] if entered else trial).enter(name)
                if inner is None:
                    return {}
                entered.append(inner)
            for name in (REWARD_JSON, REWARD_TEXT):
                where = "/".join((*path, "verifier", name))
                content = entered[-1].read(name, self.spent.limits.reward_bytes)
                if content is not None:
                    self.spent.add("all_bytes", len(content))
                    found[name] = content
            return found
        except Refused as refused:
            refused.where = where.rstrip("/")
            raise
        finally:
            for folder in entered:
                folder.leave()

    def given(self, files: Files, reading: str, path: Sequence[str] = ()) -> FilesResult:
        """The result of the files in one of `rules.READINGS`.

        Raises:
            Refused: there are more rewards than can be judged, or it is nested too deeply.
        """
        order, parse = READINGS[reading]
        name = next((one for one in order if one in files), None)
        where = "/".join((*path, "verifier", name or REWARD_TEXT))
        if name is None:
            return FilesResult(where, None, _NOT_FOUND)
        content, most = files[name], self.spent.limits.reward_keys
        depth = depth_of(content) if name == REWARD_JSON else 0
        if depth >= _READ_BY_NONE:
            return FilesResult(where, None, RecursionError.__name__)
        if depth > _READ_BY_ALL:
            raise Refused("too-large", f"nested {depth} levels", f"at most {_READ_BY_ALL} levels")
        try:
            rewards = parse({name: content})
        except _ERRORS as error:
            return FilesResult(where, None, type(error).__name__)
        if (count := len(rewards or ())) > most:
            raise Refused("too-large", f"{count} rewards", allowed(most, "rewards", count))
        return FilesResult(where, rewards)

    def best(
        self, files: Files, part: Record | Part, readings: Sequence[str], path: Sequence[str], place: str
    ) -> tuple[FilesResult, Difference | None]:
        """The result of the files in the reading that fits the record best, and where the record differs.

        Raises:
            Refused: as for `given`.
        """
        made: list[tuple[FilesResult, Difference | None]] = []
        for reading in readings:
            given = self.given(files, reading, path)
            made.append((given, difference_of(part, given, place)))
            if made[-1][1] is None:
                return made[-1]
        return made[0]


def difference_of(part: Record | Part, given: FilesResult, place: str) -> Difference | None:
    """The difference between the record of a verifier run at `place` and its files, if there is one."""
    raised = None if part.exception_info is None else part.exception_info.exception_type
    in_json = given.file.endswith(REWARD_JSON)
    if part.verifier_result is not None:
        stated = part.verifier_result.rewards
        place += "/verifier_result"
        if given.error is not None:
            return Difference(given, place, show(stated), _CLAUSES[given.error][in_json])
        found = reward_difference(stated, given.rewards)
        if found is None:
            return None
        key, breaks, likely = found
        place += "/rewards" + ("" if key is None else pointer(key))
        clause = "003-1.3-object-keys-are-free" if in_json else "003-1.2-key-is-reward"
        return Difference(given, place, show(stated), clause, key, breaks, likely)
    if part.verifier is None:  # the verifier did not run
        return None
    if raised is None and given.error is None:
        return Difference(given, f"{place}/verifier_result", "null", "003-2-no-verifier-result")
    if raised is None or (raised in _NAMED_AFTER_FILES and raised != given.error):
        place += "/exception_info" + ("" if raised is None else "/exception_type")
        return Difference(given, place, raised or "null", _CLAUSES[given.error or str(raised)][in_json])
    return None


def reward_difference(
    stated: Recorded | None, measured: Rewards | None, *, ordered: bool = True
) -> tuple[str | None, Level, str | None] | None:
    """How recorded rewards differ from measured ones: key, level and likely cause; None if equal."""
    if stated is None or measured is None:
        return None if stated is None and measured is None else (None, Level.VALUE, None)
    if repr(stated) == repr(measured):
        return None
    if not all(map(str.isascii, measured)):  # a record has three U+FFFD for a lone surrogate
        printed = (key.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for key in measured)
        measured = dict(zip(printed, measured.values(), strict=True))
    if stated.keys() != measured.keys():
        return None, Level.VALUE, None
    gaps = ((key, _gap(number, measured[key])) for key, number in stated.items())
    found = [(key, *gap) for key, gap in gaps if gap is not None]
    if found:
        return min(found, key=lambda one: one[1])
    if ordered and list(stated) != list(measured):
        return None, Level.BYTES, "the keys are in another order"
    return None


def _gap(stated: int | float | None, measured: int | float) -> tuple[Level, str | None] | None:
    if stated is None or not _finite(measured):
        is_null = stated is None and not _finite(measured)
        return None if is_null else (Level.VALUE, "only NaN and infinities are recorded as null")
    if stated != measured:
        return Level.VALUE, None
    if type(stated) is not type(measured):
        return Level.EXACT, "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
    if stated == 0 and math.copysign(1.0, stated) != math.copysign(1.0, measured):
        return Level.EXACT, "the sign of zero is lost or made up"
    return None


def _finite(number: int | float | None) -> bool:
    return isinstance(number, int) or (number is not None and math.isfinite(number))


@dataclass(slots=True)
class Verdict:
    """The result of a trial, whichever witness is wrong."""

    result: VerifierResult | None
    exception: str | None
    findings: list[Finding] = field(default_factory=list)
    strategy: Strategy | None = None
    """The strategy that derives the trial's rewards from its steps', if the record shows it."""


def judge(
    loaded: Loaded,
    record: Record,
    stated: list[Step],
    by_files: list[Step],
    questions: Sequence[Difference],
    listing: Listing,
) -> Verdict:
    """The verdict on a trial: the job's list decides, or the trial's own rewards if it has steps.

    `stated` are the results of its verifier runs by its record, with the values in the files, or else in
    the job's list, for nulls; `by_files` are those by the files.
    """
    folder = loaded.file.rpartition("/")[0]

    def findings(wrong: Difference, *, record_is_wrong: bool) -> list[Finding]:
        """The finding, unless that place of the record is already reported."""
        if record_is_wrong and any(one.path == wrong.path for one in loaded.findings):
            return []
        return [wrong.finding(folder, record_is_wrong=record_is_wrong)]

    if record.steps is None:
        made = Verdict(stated[0].verifier_result, stated[0].exception)
        for wrong in questions:
            given, exact = wrong.given, wrong.breaks is not Level.VALUE
            listed = wrong.breaks is not Level.BYTES and listing.supports(
                record.trial_name, given.rewards, given.error, exact=exact
            )
            if listed:
                made.result, made.exception = by_files[0].verifier_result, by_files[0].exception
            made.findings += findings(wrong, record_is_wrong=listed)
        return made
    raised = None if record.exception_info is None else record.exception_info.exception_type
    fits = _matching_result(record, stated)
    fits_files = _matching_result(record, by_files) if questions else None
    file_is_right = fits_files is not None and (fits is None or fits_files[1] < fits[1])
    found = [one for wrong in questions for one in findings(wrong, record_is_wrong=file_is_right)]
    fits = fits_files if file_is_right else fits
    if fits is not None:
        return Verdict(fits[0], raised, found, (Strategy.MEAN, Strategy.FINAL, None)[fits[1]])
    found.append(_contradiction(loaded.file, record, stated))
    name = record.trial_name
    numbers = listing[name].numbers() if name in listing else None
    for strategy in Strategy:
        result = _selected(strategy, stated)
        if result is not None and numbers is not None and numbers == result.rewards != _recorded(record):
            return Verdict(result, raised, found, strategy)
    return Verdict(with_nulls(record, lambda _: float("nan")), raised, found)


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


def _recorded(part: Record | Part) -> Recorded | None:
    return None if part.verifier_result is None else part.verifier_result.rewards


def with_nulls(part: Record | Part, null: Callable[[str], float]) -> VerifierResult | None:
    """The recorded result; each null, which is how NaN and infinities are written, becomes `null(key)`."""
    if (stated := _recorded(part)) is None:
        return None if part.verifier_result is None else VerifierResult(None)
    return VerifierResult({key: null(key) if one is None else one for key, one in stated.items()})
