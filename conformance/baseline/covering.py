"""The fewest sets that cover everything: reductions, a greedy cover, then branch and bound.

Nothing here depends on time or chance: the search ends after a number of steps, so that the same failures
give the same list on every machine, and says whether it came to its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["MOST_STEPS", "Cover", "fewest"]

MOST_STEPS = 1_000
"""How many choices branch and bound tries at most, in each part that has nothing to do with the others."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Some of the sets that together cover everything."""

    chosen: tuple[int, ...]
    """Their places, in order."""
    proven: bool
    """Whether it is shown that there are no fewer."""
    at_least: int
    """As many are needed; where it is proven, that is how many there are."""


def fewest(sets: Sequence[int], everything: int) -> Cover:
    """The fewest of these sets (bits) that cover ``everything``; of equal ones the first is taken.

    Every element must be in one of them.
    """
    own = {index: covers & everything for index, covers in enumerate(sets)}
    chosen: list[int] = []
    rest, own = _reduced(own, everything, chosen)
    proven, at_least = True, len(chosen)
    for part in _parts(own, rest):
        members = {index: own[index] for index in sorted(own) if own[index] & part}
        search = _Search(members, part)
        chosen += search.best
        proven = proven and search.proven
        at_least += search.at_least
    return Cover(tuple(sorted(chosen)), proven, at_least)


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _holders(own: dict[int, int], left: int) -> dict[int, list[int]]:
    """The sets of each element that is left."""
    found: dict[int, list[int]] = {element: [] for element in _bits(left)}
    for index, covers in own.items():
        for element in _bits(covers & left):
            found[element].append(index)
    return found


def _reduced(own: dict[int, int], left: int, chosen: list[int]) -> tuple[int, dict[int, int]]:
    """Takes what must be taken, and leaves out what another set or element makes needless."""
    while left:
        before = (left, len(own))
        own = _undominated({index: covers & left for index, covers in own.items() if covers & left})
        holders = _holders(own, left)
        for element, several in holders.items():
            if len(several) == 1 and left >> element & 1:
                chosen.append(several[0])
                left &= ~own[several[0]]
        left = _needed(holders, left)
        if before == (left, len(own)):
            break
    return left, {index: covers & left for index, covers in own.items() if covers & left}


def _undominated(own: dict[int, int]) -> dict[int, int]:
    """Without those that lie within another; of equal ones the first stays."""
    kept: dict[int, int] = {}
    by_element: dict[int, list[int]] = {}
    for index in sorted(own, key=lambda index: (-own[index].bit_count(), index)):
        covers = own[index]
        fewest_of = min((by_element.get(element, []) for element in _bits(covers)), key=len)
        if any(covers & ~kept[other] == 0 for other in fewest_of):
            continue
        kept[index] = covers
        for element in _bits(covers):
            by_element.setdefault(element, []).append(index)
    return kept


def _needed(holders: dict[int, list[int]], left: int) -> int:
    """Without the elements that are covered wherever another one is."""
    kept: list[tuple[int, frozenset[int]]] = []
    by_set: dict[int, list[frozenset[int]]] = {}
    for element in sorted(_bits(left), key=lambda element: (len(holders[element]), element)):
        several = frozenset(holders[element])
        if any(other <= several for index in several for other in by_set.get(index, ())):
            continue
        kept.append((element, several))
        by_set.setdefault(min(several), []).append(several)
    return sum(1 << element for element, _ in kept)


def _parts(own: dict[int, int], left: int) -> list[int]:
    """The elements that are left, apart where no set joins them."""
    found: list[int] = []
    for covers in own.values():
        joined = covers
        others = []
        for part in found:
            if part & joined:
                joined |= part
            else:
                others.append(part)
        found = [*others, joined]
    return sorted(part & left for part in found)


class _Search:
    """Branch and bound over one part."""

    def __init__(self, own: dict[int, int], everything: int) -> None:
        self._own = own
        self.best = _greedy(own, everything)
        self.at_least = _bound(own, everything, _holders(own, everything))
        self._steps = 0
        self._branch(everything, [])
        self.proven = self._steps <= MOST_STEPS
        if self.proven:
            self.at_least = len(self.best)

    def _branch(self, left: int, taken: list[int]) -> None:
        taken = list(taken)
        left, own = _reduced(self._own, left, taken)
        if not left:
            if len(taken) < len(self.best):
                self.best = sorted(taken)
            return
        holders = _holders(own, left)
        if len(taken) + _bound(own, left, holders) >= len(self.best):
            return
        self._steps += 1
        if self._steps > MOST_STEPS:
            return
        _, several = min(holders.items(), key=lambda item: (len(item[1]), item[0]))
        for index in sorted(several, key=lambda index: (-own[index].bit_count(), index)):
            self._branch(left & ~own[index], [*taken, index])
            if self._steps > MOST_STEPS:
                return


def _greedy(own: dict[int, int], left: int) -> list[int]:
    """A cover by always taking what covers most, without those that the later ones make needless."""
    taken: list[int] = []
    while left:
        index = min(own, key=lambda index: (-(own[index] & left).bit_count(), index))
        taken.append(index)
        left &= ~own[index]
    for index in list(taken):
        others = 0
        for other in taken:
            if other != index:
                others |= own[other]
        if own[index] & ~others == 0:
            taken.remove(index)
    return sorted(taken)


def _bound(own: dict[int, int], left: int, holders: dict[int, list[int]]) -> int:
    """So many sets are needed at least: elements of which no two are in one set, and what fits into one."""
    count, rest = 0, left
    for element in sorted(holders, key=lambda element: (len(holders[element]), element)):
        if rest >> element & 1:
            count += 1
            for index in holders[element]:
                rest &= ~own[index]
    widest = max(covers.bit_count() for covers in own.values())
    return max(count, -(-left.bit_count() // widest))
