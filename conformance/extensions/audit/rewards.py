"""Compares a trial's reward files with its record, and decides which of the two is wrong.

Harbor keeps the files next to the record: `verifier/reward.txt` or `verifier/reward.json`, for a multi-step
trial once per step, under `steps/<name>/`. If file and record differ, a third witness decides: what the job
lists for the trial, or, for a step, the rewards of the whole trial.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.limits import Spent
from conformance.extensions.audit.reading import depth_of, pointer, show
from conformance.extensions.audit.records import Part, Record
from conformance.extensions.audit.rows import Files
from conformance.extensions.audit.rules import READINGS
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Folder, Refused, allowed
from reference_impl import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    ValidationError,
    VerifierOutputParseError,
)
from reference_impl.reward import REWARD_JSON, REWARD_TEXT
from reference_impl.verifier_result import Rewards, VerifierResult

Recorded = dict[str, int | float | None]

_ERRORS = (RewardFileNotFoundError, RewardFileEmptyError, VerifierOutputParseError, ValidationError)
_NAMED_AFTER_FILES = {kind.__name__ for kind in _ERRORS[:3]}
_NOT_FOUND = RewardFileNotFoundError.__name__
_NOT_READ_BY_ALL = "RecursionError"
_READ_BY_ALL, _READ_BY_NONE = 500, 100_000
"""Nesting depths that every Python reads, and that none does; in between, it depends on the version."""
_CLAUSES = {
    _NOT_FOUND: ("003-1.1-no-file-is-not-found", "003-1.1-no-file-is-not-found"),
    "RewardFileEmptyError": ("003-1.2-zero-bytes-is-empty", "003-1.3-zero-bytes-is-empty"),
    "VerifierOutputParseError": ("003-1.2-not-a-number", "003-1.3-bad-json-is-parse-error"),
    "ValidationError": ("003-2-none-is-not-zero", "003-1.3-one-bad-value-refuses-all"),
    _NOT_READ_BY_ALL: ("003-2-none-is-not-zero", "003-1.3-nesting"),
}
"""The clause of an error in reward.txt, and in reward.json."""
_MOST_CACHED, _LARGEST_CACHED = 10_000, 1024


@dataclass(frozen=True, slots=True)
class FilesResult:
    """The result of reading one verifier run's reward files by a release's rules."""

    file: str
    """The file that counts, relative to the trial's directory; reward.txt if there is none."""
    rewards: Rewards | None = None
    error: str | None = None
    """The type of the error, if there are no rewards."""

    @property
    def result(self) -> VerifierResult | None:
        """The verifier's result."""
        return None if self.error is not None else VerifierResult(self.rewards)

    def shown(self) -> str:
        """The result for people."""
        return self.error or show(self.rewards)


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
        given, (file, key) = self.given, (self.given.file, self.key)
        if record_is_wrong:
            kind, path, what = "record", self.path, (self.recorded, f"{given.shown()}, from {file}")
            file = JOB_FILE
        else:
            kind, path = "reward-file", pointer(key) if key is not None and file.endswith(".json") else ""
            what = (given.shown(), f"{self.recorded}, as the trial's record says")
        return Finding(kind, f"{folder}/{file}", path, *what, self.clause, self.likely, self.breaks)


@dataclass(slots=True)
class RewardFiles:
    """Reads reward files, and caches the result for equal bytes."""

    spent: Spent
    _known: dict[tuple[str, str, str, bytes], FilesResult] = field(default_factory=dict)

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
            Refused: there are more rewards than can be judged.
            RecursionError: it depends on Python's version whether the file is read.
        """
        order, parse = READINGS[reading].order, READINGS[reading].parse
        name = next((one for one in order if one in files), None)
        where = "/".join((*path, "verifier", name or REWARD_TEXT))
        if name is None:
            return FilesResult(where, None, _NOT_FOUND)
        content = files[name]
        key = (reading, name, where, content)
        known = self._known.get(key)
        if known is not None:
            return known
        depth = depth_of(content) if name == REWARD_JSON else 0
        if _READ_BY_ALL < depth < _READ_BY_NONE:
            raise RecursionError
        try:
            rewards = parse({name: content})
        except _ERRORS as error:
            made = FilesResult(where, None, type(error).__name__)
        except RecursionError:
            made = FilesResult(where, None, _NOT_READ_BY_ALL)
        else:
            most, count = self.spent.limits.reward_keys, len(rewards or ())
            if count > most:
                raise Refused("too-large", f"{count} rewards", allowed(most, "rewards", count))
            made = FilesResult(where, rewards)
            if rewards is not None and not all(map(_finite, rewards.values())):
                return made  # every NaN is an object of its own
        if len(content) <= _LARGEST_CACHED and len(self._known) < _MOST_CACHED:
            self._known[key] = made
        return made

    def best(
        self, files: Files, part: Record | Part, readings: Sequence[str], path: Sequence[str], place: str
    ) -> tuple[FilesResult, Difference | None]:
        """The result of the files in the reading that fits the record best, and where the record differs.

        Raises:
            Refused, RecursionError: as for `given`.
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
    if raised is None:
        if given.error is None:
            return Difference(given, f"{place}/verifier_result", "null", "003-2-no-verifier-result")
        return Difference(given, f"{place}/exception_info", "null", _CLAUSES[given.error][in_json])
    if raised in _NAMED_AFTER_FILES and raised != given.error:
        clause = _CLAUSES[given.error or raised][in_json]
        return Difference(given, f"{place}/exception_info/exception_type", raised, clause)
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
        measured = {_printed(key): number for key, number in measured.items()}
    if stated.keys() != measured.keys():
        return None, Level.VALUE, None
    found = [
        (key, *gap) for key, number in stated.items() if (gap := _gap(number, measured[key])) is not None
    ]
    if found:
        return min(found, key=lambda one: one[1])
    if ordered and list(stated) != list(measured):
        return None, Level.BYTES, "the keys are in another order"
    return None


def _printed(key: str) -> str:
    return key.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _gap(stated: int | float | None, measured: int | float) -> tuple[Level, str | None] | None:
    if stated is None or not _finite(measured):
        if stated is None and not _finite(measured):
            return None
        return Level.VALUE, "only NaN and infinities are recorded as null"
    if stated != measured:
        return Level.VALUE, None
    if type(stated) is not type(measured):
        return Level.EXACT, "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
    if stated == 0 and math.copysign(1.0, stated) != math.copysign(1.0, measured):
        return Level.EXACT, "the sign of zero is lost or made up"
    return None


def _finite(number: int | float | None) -> bool:
    return isinstance(number, int) or (number is not None and math.isfinite(number))
