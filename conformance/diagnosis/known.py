"""Chooses the few known mistakes that explain most failures of all ops, by their stored answers.

This is a quick first look at all ops at once. A mistake that would break right answers of one op is not
chosen for what it explains in another if another mistake explains that too.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from conformance.diagnosis.case import Case
from conformance.diagnosis.sampling import fitted_to
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake

__all__ = ["likeliest_mistakes"]

_LEAST = 0.5
"""The least gain of a mistake, in failures."""
_AGAINST_PASS = 3.0
"""The penalty for a right answer that it would break."""
_MOST = 24
"""The most mistakes of a runner."""


def likeliest_mistakes(cases: Sequence[Case], mistakes: Mapping[str, Mistake]) -> dict[str, list[Mistake]]:
    """The known mistakes whose departures occur in the failures of each op, the best first.

    A mistake gains the share that it explains of each failure and that no earlier one explains; each right
    answer that it would break costs more. Only failures that are fitted to count.
    """
    shows: dict[str, list[tuple[int, int, frozenset[str]]]] = defaultdict(list)
    against = Counter[str]()
    left: dict[tuple[int, int], set[str]] = {}
    for number, case in enumerate(cases):
        wrong, right = fitted_to(case)
        known = case.level is Level.BYTES and not case.is_constant
        for index in wrong:
            wrong_marks = case.wrong[index]
            left[number, index] = set(wrong_marks)
            for name, marks in (case.mistake_marks(index) or {}).items() if known else ():
                if marks.items() <= wrong_marks.items():
                    shows[name].append((number, index, frozenset(marks)))
                elif not marks.keys() & wrong_marks.keys():
                    against[name] += 1
        for index in right if known else ():
            against.update(dict.fromkeys(case.mistake_marks(index) or (), _AGAINST_PASS))

    def worth(name: str) -> float:
        gained = sum(
            len(places & left[number, index]) / len(cases[number].wrong[index])
            for number, index, places in shows[name]
        )
        return gained - against[name]

    chosen: dict[int, list[Mistake]] = defaultdict(list)
    heap = [(-worth(name), name) for name in sorted(shows.keys() & mistakes.keys())]
    heapq.heapify(heap)
    count = 0
    while heap and count < _MOST:
        _, name = heapq.heappop(heap)
        now = worth(name)  # worth only decreases, so the first that is still the best is the best
        if now < _LEAST:
            continue
        if heap and now < -heap[0][0]:
            heapq.heappush(heap, (-now, name))
            continue
        count += 1
        for number, index, places in shows[name]:
            left[number, index] -= places
        for case_number in dict.fromkeys(number for number, _, _ in shows[name]):
            chosen[case_number].append(mistakes[name])
    return {case.op.name: chosen[number] for number, case in enumerate(cases)}
