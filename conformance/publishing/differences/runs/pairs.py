"""Two runs, vector by vector: what got worse, what got better, what only one of them has and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome
from conformance.paths import vectors_dir
from conformance.publishing.kinds.runs.account import Run, real_outcome
from conformance.publishing.kinds.runs.without import without_result
from conformance.publishing.reading import PublishingError
from conformance.registry.ops import lineage
from conformance.report.consistency import Entry
from conformance.suite.lock import Lock, LockError
from conformance.suite.versions import newest

__all__ = ["Change", "Pair", "Runs", "behind_spec", "rests"]

_PASSED, _UNSUPPORTED = Outcome.PASSED.value, Outcome.UNSUPPORTED.value
_NOT_RUN = Outcome.NOT_RUN.value


class Change(Enum):
    """What became of a vector from one run to the other; the value is what people read."""

    WORSE = "got worse"
    BETTER = "got better"
    OTHERWISE = "wrong in another way"
    """It passed in neither, and what came out is not the same."""
    FAILING = "still failing"
    PASSING = "still passing"
    UNSUPPORTED = "still unsupported"
    BEFORE = "only in the first"
    AFTER = "only in the second"


@dataclass(frozen=True, slots=True)
class Pair:
    """One vector, or one property, in both runs."""

    key: str
    """Its id without the spec."""
    before: Entry | None
    after: Entry | None
    was: str
    """The outcome in the first run, whatever was expected of it; why there is none, where there is none."""
    now: str
    change: Change

    @property
    def entry(self) -> Entry:
        """It as the second run has it, or else the first."""
        entry = self.after if self.after is not None else self.before
        assert entry is not None
        return entry


def behind_spec(key: str) -> str:
    """An id without its spec."""
    return key.partition("/")[2]


@dataclass(frozen=True)
class Runs:
    """Two runs that are compared."""

    before: Run
    after: Run

    @classmethod
    def read(cls, before: Mapping[str, Any], after: Mapping[str, Any]) -> "Runs":
        """The runs of two reports.

        Raises:
            PublishingError: one contradicts itself, or they are of specs that have no vector in common.
        """
        first, second = Run.read(before), Run.read(after)
        if not set(lineage(first.spec)) & set(lineage(second.spec)):
            raise PublishingError(
                f"one report is of {first.spec}, the other of {second.spec}: these have no vector in common"
            )
        return cls(first, second)

    @property
    def level(self) -> str:
        """The weaker of the two levels: what both were held to."""
        return str(min(Level[run.level.upper()] for run in (self.before, self.after)))

    @property
    def one_spec(self) -> bool:
        """Whether both are of the same spec."""
        return self.before.spec == self.after.spec

    @cached_property
    def vectors(self) -> list[Pair]:
        """All vectors of which at least one of them has a result."""
        missing = [
            _reasons(one, other) for one, other in ((self.before, self.after), (self.after, self.before))
        ]
        return self._pairs(self.before.results.values(), self.after.results.values(), *missing)

    @cached_property
    def properties(self) -> list[Pair]:
        """All properties that at least one of them tried."""
        return self._pairs(self.before.properties, self.after.properties, {}, {})

    @cached_property
    def _by_change(self) -> dict[Change, list[Pair]]:
        found: dict[Change, list[Pair]] = {change: [] for change in Change}
        for pair in self.vectors:
            found[pair.change].append(pair)
        return found

    def of(self, change: Change) -> list[Pair]:
        """The vectors that changed so."""
        return self._by_change[change]

    @cached_property
    def wrong_now(self) -> list[Pair]:
        """Of what got worse, what is answered wrongly, or was not asked."""
        return [pair for pair in self.worse if pair.now != _UNSUPPORTED]

    @cached_property
    def unanswered_now(self) -> dict[str, list[Pair]]:
        """Of what got worse, what is not answered any more, by op."""
        found: dict[str, list[Pair]] = {}
        for pair in self.worse:
            if pair.now == _UNSUPPORTED:
                found.setdefault(pair.entry["op"], []).append(pair)
        return found

    @cached_property
    def again(self) -> list[Pair]:
        """All vectors that were asked again, where both runs changed the words alike."""
        seeds = [(run.document.get("asked_again") or {}).get("seed") for run in (self.before, self.after)]
        if seeds[0] != seeds[1]:
            return []
        return self._pairs(self.before.again, self.after.again, {}, {})

    @cached_property
    def worse(self) -> list[Pair]:
        """What got worse: vectors, properties, vectors asked again."""
        every = (*self.vectors, *self.properties, *self.again)
        return [pair for pair in every if pair.change is Change.WORSE]

    @property
    def unjudged(self) -> bool:
        """Whether the second run came to no verdict, so that nobody knows what got worse."""
        return self.after.exit_code >= 2

    def _pairs(
        self,
        before: Iterable[Entry],
        after: Iterable[Entry],
        not_before: Mapping[str, str],
        not_after: Mapping[str, str],
    ) -> list[Pair]:
        first = {behind_spec(one["id"]): one for one in before}
        second = {behind_spec(one["id"]): one for one in after}
        found = []
        for key in sorted(first.keys() | second.keys()):
            one, two = first.get(key), second.get(key)
            was = self._outcome(one) if one is not None else not_before.get(key, "no result")
            now = self._outcome(two) if two is not None else not_after.get(key, "no result")
            found.append(Pair(key, one, two, was, now, _change(one, two, was, now)))
        return found

    def _outcome(self, one: Entry) -> str:
        """What came out, whatever had been expected, at the level of both."""
        outcome = real_outcome(one)
        level = one.get("level")
        if level and Level[level.upper()] >= Level[self.level.upper()]:
            return _PASSED
        return outcome


def _change(before: Entry | None, after: Entry | None, was: str, now: str) -> Change:
    if before is None:
        return Change.AFTER
    if after is None:
        return Change.BEFORE
    if was == now == _PASSED:
        return Change.PASSING
    if was == now == _UNSUPPORTED:
        return Change.UNSUPPORTED
    if now == _PASSED:
        return Change.BETTER
    if was == _PASSED or (was == _UNSUPPORTED and now != _NOT_RUN):
        return Change.WORSE
    same = was == now and _told(before["actual"]) == _told(after["actual"])
    return Change.FAILING if same else Change.OTHERWISE


def _told(actual: Any) -> Any:
    """An answer as it is compared: the message of an error says nothing."""
    if isinstance(actual, Mapping) and isinstance(actual.get("error"), Mapping):
        return {"error": {key: one for key, one in actual["error"].items() if key != "message"}}
    return repr(actual)  # 1 is not 1.0, nor true


def rests(one: Run) -> str | None:
    """The version of a run's vectors; None where the report does not say."""
    said = one.document.get("vectors")
    return None if said is None else str(said["version"])


def _reasons(lacking: Run, having: Run) -> dict[str, str]:
    """Why a run has no result of what the other has, by id without the spec."""
    found = {behind_spec(one.id): one.why for one in without_result(lacking)}
    retired = _retired(lacking.spec)
    version = rests(lacking)
    for key, one in having.results.items():
        short = behind_spec(key)
        if short in found or f"{lacking.spec}/{short}" in lacking.results:
            continue
        since = one.get("since") or getattr(having.of.known.get(key), "since", None)
        if f"{lacking.spec}/{short}" in retired:
            found[short] = "retired"
        elif since and version and newest((since, version)) != version:
            found[short] = f"new in vectors {since}"
        elif lacking.of.of_kit and f"{lacking.spec}/{short}" not in lacking.of.counting:
            found[short] = "not in its vectors" if lacking.spec == having.spec else f"not in {lacking.spec}"
        elif lacking.document["complete"]:
            found[short] = "not in its vectors"
    return found


def _retired(spec: str) -> frozenset[str]:
    found: set[str] = set()
    for one in lineage(spec):
        try:
            lock = Lock.read(vectors_dir(one) / "lock.json", one)
        except LockError:
            continue
        found |= {f"{spec}/{behind_spec(key)}" for key in lock.retired}
    return frozenset(found)
