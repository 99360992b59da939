"""Holds a trial's record to the reward files that its verifier left.

Harbor keeps the files beside the record: `verifier/reward.txt` or `verifier/reward.json`, in a
multi-step trial once for each step, under `steps/<name>/`. Where file and record disagree, one of
them was changed or is wrong, and the two alone do not tell which. What else depends on the rewards
does: what the job lists for the trial, or, for a step, the rewards of the trial as a whole. So a
disagreement is handed on as it is, and `listing` settles it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.check.findings import Finding
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import pointer
from conformance.check.reading.limits import Spent, allowed
from conformance.check.reading.weight import is_light, weigh
from conformance.check.trials.reward_values import Recorded, all_finite, difference, shown_rewards
from conformance.check.trials.shapes import RecordShape, StepShape
from conformance.check.trials.ways import Way
from conformance.judging.comparison import Level
from reference_impl import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    ValidationError,
    VerifierOutputParseError,
    parse_reward,
)
from reference_impl.harbor_0_25_0 import parse_finite_reward
from reference_impl.reward import REWARD_JSON, REWARD_TEXT
from reference_impl.verifier_result import Rewards, VerifierResult

__all__ = [
    "NO_FILE",
    "DependsOnPythonError",
    "Disagreement",
    "FileResult",
    "RewardReader",
    "disagreement",
    "lacks_file",
    "recorded",
]

_ERRORS = (
    RewardFileNotFoundError,
    RewardFileEmptyError,
    VerifierOutputParseError,
    ValidationError,
)
_CLAUSES = {
    RewardFileNotFoundError.__name__: "003-1.1-no-file-is-not-found",
    RewardFileEmptyError.__name__: "003-1.2-zero-bytes-is-empty",
    VerifierOutputParseError.__name__: "003-1.2-not-a-number",
    ValidationError.__name__: "003-2-none-is-not-zero",
    RecursionError.__name__: "003-2-none-is-not-zero",
}
_JSON_CLAUSES = {
    RewardFileEmptyError.__name__: "003-1.3-zero-bytes-is-empty",
    VerifierOutputParseError.__name__: "003-1.3-bad-json-is-parse-error",
    ValidationError.__name__: "003-1.3-one-bad-value-refuses-all",
    RecursionError.__name__: "003-1.3-nesting",
}
_NOT_FOUND = RewardFileNotFoundError.__name__
_READ_BY_ALL, _READ_BY_NONE = 500, 100_000
"""Levels of nesting that every Python reads, and that none does; between, it hangs on the version."""
_NAMED_AFTER_FILES = {kind.__name__ for kind in _ERRORS[:3]}
_TEXT, _JSON = f"verifier/{REWARD_TEXT}", f"verifier/{REWARD_JSON}"
_LARGEST_CACHED = 64
_SHORT, _BYTES_OF_A_VALUE = 1024, 8
_MOST_CACHED = 10_000


class DependsOnPythonError(Exception):
    """A reward.json nested so deeply that it depends on Python's version whether it is read."""

    def __init__(self, where: str, depth: int) -> None:
        super().__init__(where)
        self.where = where
        self.depth = depth


@dataclass(frozen=True, slots=True)
class FileResult:
    """What the rules make of the reward files of one verifier run."""

    file: str
    """The file that counts, relative to the trial's directory; reward.txt if there is none."""
    rewards: Rewards | None = None
    """The rewards."""
    error: str | None = None
    """The type of the error, if there are none."""
    result: VerifierResult | None = None
    """The rewards as a verifier's result, where every trial with this file may have the same one."""
    spelled: str | None = None
    """These rewards to the last bit: each key, number, type and sign in order."""

    @property
    def absent(self) -> bool:
        """Whether there is no file."""
        return self.error == _NOT_FOUND

    def shown(self) -> str:
        """For people."""
        return self.error or shown_rewards(self.rewards)


NO_FILE = FileResult(_TEXT, None, _NOT_FOUND)
"""What a trial of one verifier run has if there is no file."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Files and record that do not say the same."""

    result: FileResult
    place: str
    """Where in the record: a JSON pointer."""
    recorded: str
    """What the record says, for people."""
    key: str | None
    """The reward key where they differ, if it is one."""
    breaks: Level
    clause: str
    likely: str | None
    step: int | None
    """The step, in a multi-step trial."""

    def blames_file(self, folder: str) -> Finding:
        """The finding, if it is the file."""
        file = f"{folder}/{self.result.file}"
        place = pointer(self.key) if self.key is not None and file.endswith(".json") else ""
        due = f"{self.recorded}, as the trial's record says"
        return Finding(
            "reward-file", file, place, self.result.shown(), due, self.clause, self.likely, self.breaks
        )

    def blames_record(self, folder: str) -> Finding:
        """The finding, if it is the record."""
        due = f"{self.result.shown()}, from {self.result.file}"
        return Finding(
            *("record", f"{folder}/result.json", self.place, self.recorded, due, self.clause),
            *(self.likely, self.breaks),
        )


@dataclass(slots=True)
class RewardReader:
    """Reads reward files."""

    spent: Spent
    cache: dict[tuple[str, bytes, bool], FileResult] = field(default_factory=dict)

    def read(self, trial: Folder, path: Sequence[str], way: Way) -> FileResult:
        """What the files in `verifier` below `path` give.

        Raises:
            Refused: something in the way; `due` names the path.
            DependsOnPythonError: a reward.json that some versions of Python read, and others don't.
            OverLimitError: the job's files together are too much.
        """
        if not path and way is not Way.TEXT_FIRST:
            return self._usual(trial, way)
        where = ""
        entered: list[Folder] = []
        try:
            folder = trial
            for name in (*path, "verifier"):
                where += name
                inner = folder.enter(name)
                if inner is None:
                    return FileResult("/".join([*path, "verifier", REWARD_TEXT]), None, _NOT_FOUND)
                entered.append(inner)
                folder = inner
                where += "/"
            above = where
            for name in way.value[:2]:
                where = above + name
                content = folder.read(name, self.spent.limits.reward_bytes)
                if content is not None:
                    self.spent.read(len(content))
                    return self._parse(where, name, content, way)
            return FileResult(above + REWARD_TEXT, None, _NOT_FOUND)
        except Refused as refused:
            refused.where = where
            raise
        finally:
            for folder in entered:
                folder.leave()

    def _usual(self, trial: Folder, way: Way) -> FileResult:
        """The same for a trial of one verifier run: mostly there is a reward.txt alone."""
        where = "verifier"
        try:
            folder = trial.enter(where)
            if folder is None:
                return NO_FILE
            try:
                name, where = REWARD_JSON, _JSON
                content = None
                if not folder.lacks(name):
                    content = folder.read(name, self.spent.limits.reward_bytes)
                if content is None:
                    name, where = REWARD_TEXT, _TEXT
                    content = folder.read(name, self.spent.limits.reward_bytes)
            finally:
                folder.leave()
            if content is None:
                return NO_FILE
            self.spent.read(len(content))
            return self.cache.get((where, content, way is Way.FINITE)) or self._parse(
                where, name, content, way
            )
        except Refused as refused:
            refused.where = where
            raise

    def _parse(self, where: str, name: str, content: bytes, way: Way) -> FileResult:
        finite = way is Way.FINITE
        known = self.cache.get((where, content, finite))
        if known is not None:
            return known
        if len(content) > _SHORT:
            self.spent.parsed(len(content) // _BYTES_OF_A_VALUE)
        if name == REWARD_JSON and not is_light(content):
            weight = weigh(content, sys.maxsize)
            if weight.depth >= _READ_BY_NONE:
                return FileResult(where, None, RecursionError.__name__)
            if weight.depth > _READ_BY_ALL:
                raise DependsOnPythonError(where, weight.depth)
        try:
            rewards = (parse_finite_reward if finite else parse_reward)({name: content})
        except _ERRORS as error:
            return FileResult(where, None, type(error).__name__)
        most, count = self.spent.limits.reward_keys, len(rewards or ())
        if count > most:
            raise Refused("too-large", f"{count} rewards", allowed(most, "rewards", count))
        # Every NaN needs an object of its own, so rewards with one are not shared.
        if len(content) > _LARGEST_CACHED or len(self.cache) >= _MOST_CACHED or not all_finite(rewards):
            return FileResult(where, rewards)
        spelled = None if rewards is None or not all(map(str.isascii, rewards)) else repr(rewards)
        result = FileResult(where, rewards, None, VerifierResult(rewards), spelled)
        self.cache[where, content, finite] = result
        return result


def recorded(part: RecordShape | StepShape) -> Recorded | None:
    """The rewards that a record holds."""
    return None if part.verifier_result is None else part.verifier_result.rewards


def _clause(result: FileResult, error: str) -> str:
    """The clause of an error, as the file has it that counts."""
    by_file = _CLAUSES if result.file.endswith(REWARD_TEXT) else _JSON_CLAUSES
    return by_file.get(error, _CLAUSES[error])


def disagreement(
    part: RecordShape | StepShape, result: FileResult, place: str, step: int | None
) -> Disagreement | None:
    """Where the record of a verifier run and its files disagree, if they do."""
    exception = None if part.exception_info is None else part.exception_info.exception_type
    if part.verifier_result is not None:
        said = part.verifier_result.rewards
        place += "/verifier_result"
        if result.error is not None:
            clause = _clause(result, result.error)
            return Disagreement(result, place, shown_rewards(said), None, Level.VALUE, clause, None, step)
        found = difference(said, result.rewards)
        if found is None:
            return None
        key, breaks, likely = found
        place += "/rewards" + ("" if key is None else pointer(key))
        clause = (
            "003-1.2-key-is-reward" if result.file.endswith(REWARD_TEXT) else "003-1.3-object-keys-are-free"
        )
        return Disagreement(result, place, shown_rewards(said), key, breaks, clause, likely, step)
    if part.verifier is None:  # the verifier did not run
        return None
    if exception is None:
        member = "verifier_result" if result.error is None else "exception_info"
        clause = "003-2-no-verifier-result" if result.error is None else _clause(result, result.error)
        return Disagreement(result, f"{place}/{member}", "null", None, Level.VALUE, clause, None, step)
    if exception in _NAMED_AFTER_FILES and exception != result.error:
        place += "/exception_info/exception_type"
        clause = _clause(result, result.error or exception)
        return Disagreement(result, place, exception, None, Level.VALUE, clause, None, step)
    return None


def lacks_file(rewards: Recorded | Rewards | None) -> Disagreement:
    """What a trial with these rewards and without a file gives."""
    shown, clause = shown_rewards(rewards), _CLAUSES[_NOT_FOUND]
    return Disagreement(NO_FILE, "/verifier_result", shown, None, Level.VALUE, clause, None, None)
