"""In which order a job's trials came, which no file says outright.

Three things depend on it: the order of names and keys in `result.json`, the last bits of sums, and which
spelling of equal rewards comes first. The file shows most of it: each list of names is in trial order, and so
are the rewards of a key, exceptions and groups by their first trials. Times decide what that leaves open.
"""

import heapq
import itertools
from collections.abc import Sequence
from typing import Any

from conformance.extensions.audit.reading import Members
from conformance.extensions.audit.rows import Row

__all__ = ["in_order"]


def in_order(rows: Sequence[Row], evals: Any) -> tuple[list[Row], bool]:
    """The rows in the order of the file's lists, else by time; and whether files show that order at all.

    Where the lists contradict each other, times alone count; trials that all began at once show no order.
    """
    by_time = sorted(rows, key=lambda row: (row.started or 0.0, row.trial.trial_name))
    place = {row.trial.trial_name: index for index, row in enumerate(by_time)}
    chains = [[place[name] for name in names if name in place] for names in _chains(evals)]
    if all(first < second for chain in chains for first, second in itertools.pairwise(chain)):
        return by_time, True
    before, after = [0] * len(by_time), dict[int, list[int]]()
    for chain in chains:
        for first, second in itertools.pairwise(chain):
            after.setdefault(first, []).append(second)
            before[second] += 1
    ready = [index for index, count in enumerate(before) if not count]
    heapq.heapify(ready)
    ordered: list[Row] = []
    while ready:
        index = heapq.heappop(ready)
        ordered.append(by_time[index])
        for later in after.get(index, ()):
            before[later] -= 1
            if not before[later]:
                heapq.heappush(ready, later)
    if len(ordered) == len(rows):
        return ordered, True
    return by_time, len({row.started for row in rows}) > 1


def _chains(evals: Any) -> list[list[str]]:
    """Lists of trial names, each in trial order, as a result's groups have them."""
    chains: list[list[str]] = []
    firsts: list[str] = []
    for _, group in evals if isinstance(evals, Members) else ():
        if not isinstance(group, Members):
            continue
        by_key = group.get("reward_stats")
        heads = [_head(lists, chains) for _, lists in by_key] if isinstance(by_key, Members) else []
        keys = list(dict.fromkeys(name for name in heads if name is not None))
        chains.append(keys)
        failed = _head(group.get("exception_stats"), chains)
        first = {*keys[:1], failed} - {None}
        if len(first) == 1:  # else it is open which of the two came first
            firsts.append(str(first.pop()))
    return [*chains, firsts]


def _head(lists: Any, chains: list[list[str]]) -> str | None:
    """The first trial of several lists, by reward or exception; the lists go to `chains`."""
    if not isinstance(lists, Members):
        return None
    names = [[one for one in each if isinstance(one, str)] for _, each in lists if isinstance(each, list)]
    heads = list(dict.fromkeys(each[0] for each in names if each))  # one may be under several exceptions
    chains += [*names, heads]
    return heads[0] if heads else None
