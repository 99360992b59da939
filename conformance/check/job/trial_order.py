"""In which order a job's trials came, which no file says outright.

Harbor takes results attempt by attempt, task by task, agent by agent, whatever finished first; in
a job that was resumed, those that were there already come first, in the order in which the file
system listed them. Three things hang on it: the order of names and keys in `result.json`, the last
bits of sums, and which spelling of equal rewards comes first. What is known of it:

- the file itself: in each list of names they come in trial order, the rewards of a key in order of
  their first trials, and so do exceptions and groups (`chains`);
- the times at which trials began: they begin in the order of the plan, but for those that were
  tried again;
- `lock.json`, which holds the plan, though not the trials' names.

The file's own order is taken wherever it leaves no contradiction, so that a resumed job, whose
order nobody can foresee, gives no finding; the times, the plan and at last the names decide what
the file leaves open (`by_time`, `by_plan`). One thing does tell that a job was not resumed: where
trials ran one at a time, those that were there already are the first of the plan, and a directory
is listed in the plan's order, backwards, by name, or in no order at all; a long list with a name or
two out of place is none of these (`is_no_listing`). If sums still differ, other orders that the file
leaves open are tried (`others`): a value that some such order gives is no finding. That is rare,
and it can only hide an error in the last bits. Where the file contradicts itself, it is held to
the other evidence.
"""

import heapq
import itertools
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.check.job.expected import Row
from conformance.check.reading.json_files import Members

__all__ = ["agrees", "by_plan", "by_time", "chains", "is_no_listing", "merged", "others"]

_MOST_TRIED = 150
_MOST_WORK = 60_000
_UNLIKELY = 0.002
_LONG = 150


def chains(evals: Any) -> list[list[str]]:
    """Lists of trial names, each in trial order, as a result's groups have them."""
    found: list[list[str]] = []
    firsts: list[str] = []
    for _, group in evals if isinstance(evals, Members) else ():
        if not isinstance(group, Members):
            continue
        by_key = group.get("reward_stats")
        heads = [_head(lists, found) for _, lists in by_key] if isinstance(by_key, Members) else []
        keys = list(dict.fromkeys(name for name in heads if name is not None))
        found.append(keys)
        failed = _head(group.get("exception_stats"), found)
        first = [*keys[:1], *([] if failed is None else [failed])]
        if len(set(first)) == 1:  # else it is open which of the two came first
            firsts.append(first[0])
    return [names for names in [*found, firsts] if len(names) > 1]


def _head(lists: Any, found: list[list[str]]) -> str | None:
    """The first trial of several lists, by reward or exception; the lists go to `found`."""
    if not isinstance(lists, Members):
        return None
    names = [
        [name for name in names if isinstance(name, str)] for _, names in lists if isinstance(names, list)
    ]
    heads = [part[0] for part in names if part]
    found += [*names, heads]
    return heads[0] if heads else None


def by_time(rows: Sequence[Row]) -> list[Row]:
    """The rows in the order in which they began, and by name where that does not tell."""
    return sorted(rows, key=_begun)


def _begun(row: Row) -> tuple[float, str]:
    return (row.started or 0.0), row.trial.trial_name


def by_plan(rows: Sequence[Row], plan: Sequence[int]) -> list[Row] | None:
    """The rows in the order of a plan of configurations, None if they do not fit it.

    Trials of one configuration, its attempts, keep the order in which they are given.
    """
    waiting: defaultdict[int, list[Row]] = defaultdict(list)
    for row in reversed(rows):
        waiting[row.config].append(row)
    ordered = [waiting[config].pop() for config in plan if waiting[config]]
    return ordered if len(ordered) == len(rows) else None


def agrees(rows: Sequence[Row], lists: Sequence[Sequence[str]]) -> bool:
    """Whether every list has its names in the order of the rows."""
    place = {row.trial.trial_name: index for index, row in enumerate(rows)}
    for names in lists:
        last = -1
        for name in names:
            index = place.get(name, last + 1)
            if index <= last:
                return False
            last = index
    return True


def merged(rows: Sequence[Row], lists: Sequence[Sequence[str]]) -> list[Row] | None:
    """The rows in the order of the lists, and in that given where they leave it open.

    None if the lists contradict each other.
    """
    before, after = _edges(rows, lists)
    ready = [index for index, count in enumerate(before) if not count]
    heapq.heapify(ready)
    ordered: list[Row] = []
    while ready:
        index = heapq.heappop(ready)
        ordered.append(rows[index])
        for later in after.get(index, ()):
            before[later] -= 1
            if not before[later]:
                heapq.heappush(ready, later)
    return ordered if len(ordered) == len(rows) else None


def _edges(rows: Sequence[Row], lists: Sequence[Sequence[str]]) -> tuple[list[int], dict[int, list[int]]]:
    """How many come right before each row, and which come right after."""
    place = {row.trial.trial_name: index for index, row in enumerate(rows)}
    before = [0] * len(rows)
    after: dict[int, list[int]] = {}
    for names in lists:
        known = [place[name] for name in names if name in place]
        for first, second in itertools.pairwise(known):
            after.setdefault(first, []).append(second)
            before[second] += 1
    return before, after


def is_no_listing(rows: Sequence[Row], plan: Sequence[Row]) -> bool:
    """Whether the rows are too close to the plan's order for a directory's listing."""
    rank = {row.trial.trial_name: index for index, row in enumerate(plan)}
    ranks = [rank[row.trial.trial_name] for row in rows]
    length = max((index + 1 for index, place in enumerate(ranks) if index != place), default=0)
    names = [row.folder for row in rows[:length]]
    if names in (sorted(names), sorted(names, reverse=True)):
        return False
    descents = sum(first > second for first, second in itertools.pairwise(ranks[:length]))
    return descents > 0 and _chance(length, descents) < _UNLIKELY


def _chance(length: int, descents: int) -> float:
    """The chance that a random order of that many has at most so many descents."""
    if length > _LONG:
        return 0.0 if descents < length // 4 else 1.0
    counts = [1]  # Eulerian numbers: how many orders have 0, 1, … descents
    for size in range(2, length + 1):
        padded = [0, *counts, 0]
        counts = [(size - k) * padded[k] + (k + 1) * padded[k + 1] for k in range(size)]
    return sum(counts[: descents + 1]) / math.factorial(length)


def others(rows: Sequence[Row], lists: Sequence[Sequence[str]], work: int = 0) -> Iterator[list[Row]]:
    """Some other orders that the lists leave open, always the same ones; the more `work`, the fewer."""
    tries = min(_MOST_TRIED, _MOST_WORK // max(len(rows), work, 1))
    chance = random.Random(0)  # noqa: S311 - nothing is secret here
    for number in range(tries):
        shuffled = list(rows)
        if number:
            chance.shuffle(shuffled)
        else:
            shuffled.reverse()
        ordered = merged(shuffled, lists)
        if ordered is not None:
            yield ordered
