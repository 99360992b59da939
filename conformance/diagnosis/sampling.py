"""Chooses the failures and right answers that a search uses."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from zlib import crc32

from conformance.diagnosis.case import Case
from conformance.diagnosis.pointers import pattern_of
from conformance.wire.messages import Refused

__all__ = ["SAMPLE", "diverse", "fitted_to", "halves", "spread"]

SAMPLE = 12
"""The number of failures on which candidates are filtered."""


def halves(case: Case) -> tuple[list[int], list[int]]:
    """The indexes to fit to, and those to check the fit against; each clause is in both halves.

    A clause's indexes alternate, ordered by a digest of their names: a new vector affects no other clause.
    """
    sides: tuple[list[int], list[int]] = ([], [])
    for indexes in (case.wrong, case.passes):
        by_clause: dict[str, list[int]] = defaultdict(list)
        for index in sorted(indexes, key=lambda index: crc32(case.evidence[index].key.encode())):
            by_clause[case.evidence[index].clause].append(index)
        for clause, same in by_clause.items():
            for number, index in enumerate(same, crc32(clause.encode())):
                sides[number % 2].append(index)
    return sides


def fitted_to(case: Case) -> tuple[list[int], list[int]]:
    """The failures and right answers to fit to: all of them if half would be too few."""
    failures = [index for index in case.wrong if index not in case.foreign]
    if len(failures) < SAMPLE:
        return failures, list(case.passes)
    fitted = set(halves(case)[0])
    return [i for i in failures if i in fitted], [i for i in case.passes if i in fitted]


def spread(case: Case, indexes: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of the indexes, evenly spread: the one with the smallest input of each stretch."""
    count = min(most, len(indexes))
    ends = [number * len(indexes) // max(1, count) for number in range(count + 1)]
    return [min(indexes[begin:end], key=case.sizes.__getitem__) for begin, end in itertools.pairwise(ends)]


def diverse(case: Case, failures: Sequence[int]) -> list[int]:
    """A dozen failures of as many kinds as possible: the smallest of each kind, smallest first."""
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index in failures:
        item, first = case.evidence[index], case.departures[index][0]
        kind = item.actual.type if isinstance(item.actual, Refused) else str(first.nature)
        groups[f"{pattern_of(item.op.name, first.path)} {kind}"][item.clause].append(index)
    turns: list[list[int]] = []
    for by_clause in groups.values():
        lists = sorted(by_clause.values(), key=len, reverse=True)
        for indexes in lists:
            indexes.sort(key=case.sizes.__getitem__)
        turns.append(
            [index for several in itertools.zip_longest(*lists) for index in several if index is not None]
        )
    turns.sort(key=len, reverse=True)
    chosen = [index for several in itertools.zip_longest(*turns) for index in several if index is not None]
    return sorted(chosen[:SAMPLE], key=case.sizes.__getitem__)
