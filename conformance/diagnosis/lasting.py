"""What is done to all answers of a runner, whatever else is wrong with them.

A rounding shows in every number that was rounded: rounded again, it stays as it is. So an answer change that
does nothing to any answer of the runner, though it would change many of the right ones, is most likely made,
even where other mistakes hide it and it explains no answer alone. Another change may explain a few answers,
those that the other mistakes do not touch: a share in percent is one where all rewards are 0 or 1.
"""

from collections.abc import Iterator, Sequence

from conformance.deviations import Asked, Deviation, space_of, touches
from conformance.deviations.changes import equal
from conformance.deviations.observed import is_readable
from conformance.diagnosis.candidates import Candidate, Composition, of_deviation
from conformance.diagnosis.case import Case, changed
from conformance.wire.messages import Ok

__all__ = ["lasting"]

_KINDS = ("everywhere", "leaf", "layout")
_SHARE, _LEAST = 0.2, 6
"""The share of the failures without an error that a change must touch, and how many at least."""
_EXPLAINED_SHARE, _EXPLAINED = 0.05, 3
"""The share of them that another change must explain, and how many at least."""
_MOST = 3
"""The most changes that all answers bear."""
_LOOKED_AT = 60
"""About how many failures another change is tried on."""
_LARGE = 1000
"""The mean length of inputs from which on this would take too long."""

_Pair = tuple[Asked, Asked]
"""A request with the right answer, and with the runner's."""


def lasting(case: Case) -> Composition:
    """The answer changes that all answers bear, and before them one that explains some answers.

    Empty if the op's inputs are long, or if only a few of its answers are wrong.
    """
    pairs = [
        (case.asked[index], Asked(case.op, case.evidence[index].input, actual))
        for index in case.wrong
        if isinstance(actual := case.evidence[index].actual, Ok)
        and isinstance(case.asked[index].due, Ok)
        and index not in case.alien
        and is_readable(actual)
    ]
    if len(pairs) < _LEAST or case.size >= _LARGE:
        return ()
    changes = list(_changes(case))
    borne = tuple(_borne(case, pairs, changes))
    case.work += 2 * len(changes)
    return (*_explaining(pairs[:: max(1, len(pairs) // _LOOKED_AT)], changes, borne), *borne)


def _changes(case: Case) -> Iterator[Deviation]:
    space = space_of(case.op.spec, case.op.name)
    for kind in _KINDS:
        yield from (one for one in space.of_kind(kind) if one.side == "ok" and one.usual > 1)


def _borne(case: Case, pairs: Sequence[_Pair], changes: Sequence[Deviation]) -> Iterator[Candidate]:
    """The changes that do nothing to any answer, and touch right ones that others leave as they are."""
    least = max(_LEAST, _SHARE * len(pairs))
    answers = [actual for _, actual in pairs] + [case.asked[index] for index in case.passes]
    found: list[tuple[int, int, Candidate]] = []
    for one in changes:
        if not any(touches(one, answer) for answer in answers):
            count = sum(touches(one, asked) for asked, _ in pairs)
            if count >= least:
                found.append((one.usual, count, of_deviation(one)))
    found.sort(key=lambda each: (-each[0], -each[1], each[2].cost))
    results = [asked.due for asked, _ in pairs]
    number = 0
    for _, _, candidate in found:
        new = [changed(candidate, result) for result in results]
        if sum(one is not before for one, before in zip(new, results, strict=True)) >= least:
            yield candidate
            results, number = new, number + 1
        if number == _MOST:
            return


def _explaining(
    pairs: Sequence[_Pair], changes: Sequence[Deviation], borne: Composition
) -> Iterator[Candidate]:
    """The change that explains most answers with what all bear, if it explains some."""
    best, most = None, max(_EXPLAINED - 1, _EXPLAINED_SHARE * len(pairs))
    made = [one.deviation for one in borne]
    for one in [each for each in changes if each not in made]:
        candidate = of_deviation(one)
        hits = sum(_gives(candidate, borne, *pair) for pair in pairs if touches(one, pair[0]))
        if hits > most:
            best, most = candidate, hits
    if best is not None:
        yield best


def _gives(candidate: Candidate, borne: Composition, asked: Asked, actual: Asked) -> bool:
    result = asked.due
    for one in (candidate, *borne):
        result = changed(one, result)
    given = actual.due
    return isinstance(result, Ok) and isinstance(given, Ok) and equal(result.value, given.value)
