"""Reads the trials that a job's `result.json` lists, and infers the order of trials from the lists.

The lists are evidence besides the trials' records and files. No file states the order of a job's trials, but
the order of names and keys, the last bits of sums, and the spelling of equal rewards depend on it. Each list
of names is in trial order; rewards, exceptions and groups are in the order of their first trials. Trials that
the lists do not order are ordered by time.
"""

import heapq
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE, JobForm
from conformance.extensions.audit.reading import Members, StopError, pointer, show
from conformance.extensions.audit.rows import Row
from conformance.judging.levels import Level
from conformance.pages.words import enumerated
from reference_impl import Trial
from reference_impl.verifier_result import Rewards

SHARED_NAN = json.loads("NaN")
"""The one object for all bare NaNs in reward.json files, since harbor counts them as one reward."""


@dataclass(slots=True)
class Listed:
    """The rewards and exceptions that the job lists for one trial."""

    group: str
    rewards: dict[str, str] = field(default_factory=dict)
    """The spelling of each reward, by key."""
    exceptions: list[str] = field(default_factory=list)
    """The exception types under which it is listed, in the file's order."""
    shared: frozenset[str] = frozenset()
    """The keys under which it shares a NaN with other trials."""

    def errors(self, form: JobForm) -> list[str]:
        """Return the types of its exceptions; at most one in forms that do not list exceptions of steps."""
        return sorted({*self.exceptions}) if form.by_validity else self.exceptions[-1:]

    def numbers(self) -> Rewards | None:
        """Return the rewards; None if none are listed."""
        shared, items = self.shared, self.rewards.items()
        numbers = ((key, SHARED_NAN if key in shared else parse_number(spelling)) for key, spelling in items)
        return {key: number for key, number in numbers if number is not None} or None


class Listing(dict[str, Listed]):
    """The listed trials, by name."""

    def __init__(self, evals: Any, most: int) -> None:
        """Read the parsed member `evals`, which may list at most `most` trials.

        Raises:
            StopError: it lists more.
        """
        super().__init__()
        for group, stats in evals if isinstance(evals, Members) else ():
            if isinstance(stats, Members):
                by_key = stats.get("reward_stats")
                for key, lists in by_key if isinstance(by_key, Members) else ():
                    self._read(group, lists, most, key)
                self._read(group, stats.get("exception_stats"), most, None)

    def _read(self, group: str, lists: Any, most: int, key: str | None) -> None:
        """Add the names listed under each reward of a key, or under each exception."""
        for spelling, names in lists if isinstance(lists, Members) else ():
            for name in names if isinstance(names, list) else ():
                if not isinstance(name, str):
                    continue
                listed = self.get(name)
                if listed is None:
                    listed = self[name] = Listed(group)
                    if len(self) > most:
                        sentence = f"result.json lists more than {most} trials"
                        raise StopError(f"{sentence}; --limits 2 doubles the limits")
                if key is None:
                    listed.exceptions.append(spelling)
                else:
                    listed.rewards[key] = spelling
                    if spelling == "nan" and len(names) > 1:
                        listed.shared |= {key}

    def null(self, name: str, key: str) -> float:
        """Return the NaN or infinity that harbor wrote as null in a record."""
        listed = self.get(name)
        spelled = None if listed is None else listed.rewards.get(key)
        if spelled in ("inf", "-inf"):
            return float(spelled)
        return SHARED_NAN if listed is not None and key in listed.shared else float("nan")

    def supports(self, name: str, rewards: Rewards | None, error: str | None, *, exact: bool) -> bool:
        """Return whether the job lists these rewards, or this error, which are from a trial's reward files.

        Unless `exact`, another spelling of the same numbers is accepted.
        """
        if (listed := self.get(name)) is None or error is not None:
            return listed is not None and error in listed.exceptions
        spelled = {key: repr(number) for key, number in (rewards or {}).items()}
        if exact or spelled == listed.rewards or spelled.keys() != listed.rewards.keys():
            return spelled == listed.rewards
        return all(parse_number(text) == parse_number(listed.rewards[key]) for key, text in spelled.items())


def parse_number(spelling: str) -> int | float | None:
    """Return the number that a key of reward_stats spells; None if none. Each NaN is a new object."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(spelling)
    return None


def order_rows(rows: Sequence[Row], evals: Any) -> tuple[list[Row], bool]:
    """Return the rows in the order of the file's lists, or else by time; and whether anything shows an order.

    If the lists contradict each other, only times are used. If all trials start at once, times show no order.
    """
    by_time = sorted(rows, key=lambda row: (row.started or 0.0, row.trial.trial_name))
    position = {row.trial.trial_name: index for index, row in enumerate(by_time)}
    chains = [[position[name] for name in names if name in position] for names in _ordered_names(evals)]
    if all(first < second for chain in chains for first, second in itertools.pairwise(chain)):
        return by_time, True
    before, after = [0] * len(by_time), dict[int, list[int]]()
    for first, second in (pair for chain in chains for pair in itertools.pairwise(chain)):
        after.setdefault(first, []).append(second)
        before[second] += 1
    ready, ordered = [index for index, count in enumerate(before) if not count], list[Row]()
    while ready:  # in this order it is a heap
        index = heapq.heappop(ready)
        ordered.append(by_time[index])
        for later in after.get(index, ()):
            before[later] -= 1
            if not before[later]:
                heapq.heappush(ready, later)
    if len(ordered) == len(rows):
        return ordered, True
    return by_time, len({row.started for row in rows}) > 1


def _ordered_names(evals: Any) -> list[list[str]]:
    """Return lists of trial names that are in trial order, according to a result's groups."""
    chains: list[list[str]] = []
    firsts: list[str] = []

    def first_of(lists: Any) -> str | None:
        """Return the first trial of the lists under rewards or exceptions; add the lists to `chains`."""
        if not isinstance(lists, Members):
            return None
        arrays = [value for _, value in lists if isinstance(value, list)]
        names = [[name for name in array if isinstance(name, str)] for array in arrays]
        heads = list(dict.fromkeys(array[0] for array in names if array))  # may repeat under two exceptions
        chains.extend([*names, heads])
        return heads[0] if heads else None

    groups = [value for _, value in evals if isinstance(value, Members)] if isinstance(evals, Members) else []
    for group in groups:
        by_key = group.get("reward_stats")
        heads = [first_of(lists) for _, lists in by_key] if isinstance(by_key, Members) else []
        keys = list(dict.fromkeys(name for name in heads if name is not None))
        chains.append(keys)
        first = {*keys[:1], first_of(group.get("exception_stats"))} - {None}
        if len(first) == 1:  # otherwise, either may have come first
            firsts.append(str(first.pop()))
    return [*chains, firsts]


_KEY_RULE = "keys are spelled as Python's repr spells them"
_NAN_RULE = "each NaN has its own key, except that bare NaNs in reward.json files share one"
_ORDER_RULE = "names are in trial order, and keys in the order in which trials first have them"


def list_findings(path: str, wanted: Members, actual: Any, clause: str) -> list[Finding]:
    """Check the names under rewards or exceptions; return at most one finding, at the narrowest place."""
    if not isinstance(actual, Members):
        return [Finding("schema", JOB_FILE, path, show(actual), "an object", clause)]
    for key, names in actual:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            details = (show(names), "an array of trial names", clause)
            return [Finding("schema", JOB_FILE, path + pointer(key), *details)]
    return [] if actual == wanted else [_list_difference(path, wanted, actual, clause)]


def _list_difference(path: str, wanted: Members, actual: Members, clause: str) -> Finding:
    """Return the finding for a misspelled key, or for missing, repeated, moved or unsorted names."""
    keys, actual_keys = [key for key, _ in wanted], [key for key, _ in actual]
    wrong = [pair for pair in zip(keys, actual_keys, strict=False) if pair[0] != pair[1]]
    if len(wrong) == 1 and [names for _, names in wanted] == [names for _, names in actual]:
        ((spelling, actual_key),) = wrong
        left, right, breaks, likely = parse_number(spelling), parse_number(actual_key), Level.VALUE, None
        if left is not None and right is not None and (left == right or left != left != right):
            breaks = Level.BYTES if type(left) is type(right) else Level.EXACT
            clause, likely = "003-3.3-key-text", _KEY_RULE
        details = (f"the key {show(actual_key)}", f"the key {show(spelling)}", clause, likely, breaks)
        return Finding("listing", JOB_FILE, path + pointer(actual_key), *details)
    under, expected, texts = _by_name(actual), _by_name(wanted), (show(actual_keys), show(keys))
    if moved := [name for name in {**under, **expected} if under.get(name) != expected.get(name)]:
        if _by_number(wanted) == _by_number(actual):
            return Finding("listing", JOB_FILE, path, *texts, "003-3.3-key-text", _KEY_RULE, Level.EXACT)
        empty = Counter[str]()
        pairs = [(under.get(name, empty), expected.get(name, empty)) for name in moved]
        lists = {key for left, right in pairs for key in (left - right) + (right - left)}
        where = path + pointer(*lists) if len(lists) == 1 else path
        return Finding(
            "listing", JOB_FILE, where, _places_text(moved, under), _places_text(moved, expected), clause
        )
    if Counter(keys) != Counter(actual_keys):
        return Finding("listing", JOB_FILE, path, *texts, "003-3.3-reward-stats-nan", _NAN_RULE)
    if keys == actual_keys:  # report the first misplaced name
        both_lists = zip(wanted, actual, strict=True)
        key, ours, names = next((key, ours, names) for (key, ours), (_, names) in both_lists if ours != names)
        both = enumerate(zip_longest(names, ours))
        index, left, right = next((index, left, right) for index, (left, right) in both if left != right)
        path, texts = path + pointer(key, index), (show(left), show(right))
    return Finding("order", JOB_FILE, path, *texts, "003-3.3-first-seen-order", _ORDER_RULE, Level.BYTES)


def _by_name(lists: Members) -> dict[str, Counter[str]]:
    """Count how often each name occurs under each key."""
    places: dict[str, Counter[str]] = {}
    for key, names in lists:
        for name in names:
            places.setdefault(name, Counter())[key] += 1
    return places


def _by_number(lists: Members) -> dict[object, Counter[str]]:
    """Count names under each number that a key spells; NaN and other keys count by their spelling."""
    counts: dict[object, Counter[str]] = {}
    for key, names in lists:
        number = parse_number(key)
        counts.setdefault(key if number is None or number != number else number, Counter()).update(names)
    return counts


def _places_text(names: list[str], under: dict[str, Counter[str]]) -> str:
    """Describe the keys under which the first few names are listed."""
    texts = [
        f"{show(name)} under {', '.join(map(show, under.get(name, ()))) or 'nothing'}" for name in names[:3]
    ]
    return "; ".join(texts) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def zero_finding(group: str, key: str, spelling: str, trials: list[str]) -> Finding:
    """Return the finding for unscored trials that are listed with a score of 0, as no release does."""
    path = pointer("stats", "evals", group, "reward_stats", key, spelling)
    count = "one trial" if len(trials) == 1 else f"{len(trials)} trials"
    count += f" without rewards according to their records: {enumerated(map(show, sorted(trials)), 3)}"
    likely = (
        f"unscored trials are listed with reward {spelling} and counted as scored; harbor lists and counts "
        "only trials with rewards, and the metric treats the others as 0"
    )
    return Finding(
        "listing", JOB_FILE, path, count, "none of them, and none in n_trials", "003-3.3-reward-stats", likely
    )


def error_pointer(trial: Trial, steps: Sequence[str | None], errors: list[str], wanted: list[str]) -> str:
    """Return the pointer to an exception that the job does not list, or that the record lacks."""
    more = [error for error in errors if error not in wanted]
    lacks = any(error not in errors for error in wanted)
    path = "/exception_info" if more or not steps else "/step_results"
    if more and trial.exception not in more:
        path = f"/step_results/{steps.index(more[0])}/exception_info"
    return path + ("/exception_type" if more and lacks else "")
