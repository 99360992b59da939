"""What a job's `result.json` lists for each trial, as a second witness beside the trial's record.

Where a record contradicts its reward files, or what the job lists, the third of the three tells
which one was changed: a finding stands where the change was made, and what follows from it is no
finding of its own.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from conformance.check.reading.json_files import Members
from conformance.check.reading.limits import OverLimitError
from conformance.check.trials.reward_files import Disagreement
from conformance.judging.comparison import Level
from reference_impl.verifier_result import Rewards

__all__ = ["SHARED_NAN", "Listed", "Listing", "number_of"]

SHARED_NAN = json.loads("NaN")
"""The one that all bare NaNs of reward.json files are: they count as one reward."""


@dataclass(slots=True)
class Listed:
    """What is listed for one trial."""

    group: str
    rewards: dict[str, str] = field(default_factory=dict)
    """The spelling under which it stands, by reward key."""
    exception: str | None = None
    shared: frozenset[str] = frozenset()
    """The keys whose NaN it has in common with other trials."""

    def numbers(self) -> Rewards | None:
        """The rewards; None if none are listed."""
        found = {
            key: SHARED_NAN if key in self.shared else number_of(spelling)
            for key, spelling in self.rewards.items()
        }
        return {key: number for key, number in found.items() if number is not None} or None


class Listing:
    """What is listed, by trial name; made when it is first asked for."""

    def __init__(self, evals: Any, most: int) -> None:
        """`evals` is the parsed member of that name; `most` trials may be listed."""
        self._evals = evals
        self._most = most
        self._made: dict[str, Listed] | None = None

    def of(self, name: str) -> Listed | None:
        """What is listed for a trial, None if nothing is."""
        return self.all().get(name)

    def all(self) -> dict[str, Listed]:
        """Everything that is listed, by trial name.

        Raises:
            OverLimitError: too many trials are listed.
        """
        if self._made is None:
            self._made = {}
            for group, stats in self._evals if isinstance(self._evals, Members) else ():
                if isinstance(stats, Members):
                    self._read(group, stats)
                    self._count()
        return self._made

    def check(self) -> None:
        """Whether no list is beyond all measure, told without making anything of the names.

        Raises:
            OverLimitError: trials are listed for one reward key, or as errored, that are too many.
        """
        for _, stats in self._evals if isinstance(self._evals, Members) else ():
            if isinstance(stats, Members):
                by_key = stats.get("reward_stats")
                every = [lists for _, lists in by_key] if isinstance(by_key, Members) else []
                for lists in (*every, stats.get("exception_stats")):
                    names = lists if isinstance(lists, Members) else ()
                    if sum(len(value) for _, value in names if isinstance(value, list)) > self._most:
                        self._too_many()

    def _too_many(self) -> None:
        sentence = f"result.json lists more than {self._most} trials; --limits 2 doubles the limits"
        raise OverLimitError(sentence)

    def _count(self) -> None:
        if self._made is not None and len(self._made) > self._most:
            self._made = None
            self._too_many()

    def _read(self, group: str, stats: Members) -> None:
        assert self._made is not None
        made = self._made
        by_key = stats.get("reward_stats")
        for key, lists in by_key if isinstance(by_key, Members) else ():
            for spelling, names in lists if isinstance(lists, Members) else ():
                for name in names if isinstance(names, list) else ():
                    if isinstance(name, str):
                        if len(made) > self._most:
                            self._count()
                        listed = made.setdefault(name, Listed(group))
                        listed.rewards[key] = spelling
                        if spelling == "nan" and len(names) > 1:
                            listed.shared |= {key}
        by_type = stats.get("exception_stats")
        for kind, names in by_type if isinstance(by_type, Members) else ():
            for name in names if isinstance(names, list) else ():
                if isinstance(name, str):
                    if len(made) > self._most:
                        self._count()
                    made.setdefault(name, Listed(group)).exception = kind

    def supports_file(self, name: str, found: Disagreement) -> bool:
        """Whether the job lists for the trial what its files give, and not what its record says."""
        listed = self.of(name)
        if found.result.error is not None:
            return listed is not None and listed.exception == found.result.error
        if listed is None or found.breaks is Level.BYTES:  # lists don't tell the order of a trial's keys
            return False
        measured = {key: repr(number) for key, number in (found.result.rewards or {}).items()}
        if measured == listed.rewards:
            return True
        return _equal(measured, listed.rewards) and found.breaks is Level.VALUE


def _equal(left: dict[str, str], right: dict[str, str]) -> bool:
    """Whether the numbers are the same, however they are spelled."""
    return left.keys() == right.keys() and all(_same(text, right[key]) for key, text in left.items())


def _same(left: str, right: str) -> bool:
    return left == right or number_of(left) == number_of(right)


def number_of(spelling: str) -> int | float | None:
    """The number that a key of reward_stats spells, None if it spells none."""
    try:
        return int(spelling)
    except ValueError:
        pass
    try:
        number = float(spelling)  # a NaN of its own
    except ValueError:
        return None
    return number
