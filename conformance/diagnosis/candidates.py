"""Candidates: ways in which a runner may differ from the reference, known mistakes and deviations alike."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from conformance.deviations import Deviation, Request, Space, observed_deviations
from conformance.deviations.deviation import INPUT, OK
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Ok, Refused

__all__ = [
    "Candidate",
    "Composition",
    "generated",
    "of_deviation",
    "of_mistake",
    "with_added",
    "with_replaced",
    "without",
]

_KINDS = (*("error", "answer", "layout", "everywhere", "key"), *("leaf", "record", "crossed", "value"))
"""The kinds of deviations, the most general or quickest first.

Deviations that refuse an input have only the runner's own errors (``observed_deviations``).
"""
_COSTS = {
    "leaf": 0.8,
    "everywhere": 0.6,
    "key": 0.8,
    "record": 0.9,
    "layout": 0.6,
    "error": 0.8,
    "mistake": 0.5,
}
"""The failures that a candidate must explain to be worth naming, by kind: fewer for a general habit."""
_PARTICULAR = 1.5
"""The cost of the special kinds: one value for another, one member depending on another, a refusal."""
_CONDITIONAL = {"refused", "crossed", "value"}
_UNUSUAL = 0.5
"""Added to the cost for each step of ``usual`` below 3."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One change to the reference. Compared by identity, so that it is a fast key."""

    name: str
    """A mistake's name, or a deviation's id."""
    words: str
    stage: int
    """When it applies: 0 to the input, 1 within the reference, 2 to the answer."""
    cost: float
    made: Mistake | None = None
    """The change to a copy of the reference: a known mistake, or a generated one (``within``)."""
    deviation: Deviation | None = None

    @property
    def mistake(self) -> Mistake | None:
        """The known mistake; None for any other change."""
        return None if self.made is None or self.made.is_generated else self.made

    @property
    def is_inner(self) -> bool:
        """Whether it is a generated change within the reference."""
        return self.made is not None and self.made.is_generated

    @property
    def habit(self) -> str:
        """The name that the same change has at every place and in every op."""
        return self.name if self.deviation is None else _habit(self.deviation)

    @property
    def is_of_an_error(self) -> bool:
        """Whether it replaces one error with an answer, which few inputs may show."""
        return self.deviation is not None and self.deviation.kind == "error"

    @property
    def is_conditional(self) -> bool:
        """Whether it has a condition, which may only coincide with the cause."""
        return self.deviation is not None and self.deviation.kind in _CONDITIONAL


Composition = tuple[Candidate, ...]
"""Changes in the order in which they apply: to the input, within the reference, to the answer."""


@cache
def of_mistake(mistake: Mistake) -> Candidate:
    """A known mistake as a candidate."""
    return Candidate(mistake.name, mistake.says, 1, _COSTS["mistake"], mistake)


def of_deviation(deviation: Deviation) -> Candidate:
    """A generated deviation as a candidate."""
    cost = _COSTS.get(deviation.kind, _PARTICULAR) + _UNUSUAL * (3 - deviation.usual)
    words = deviation.words.replace("'s `**`", ", everywhere")
    return Candidate(deviation.id, words, 0 if deviation.side == INPUT else 2, cost, None, deviation)


def generated(
    space: Space, pairs: Collection[tuple[Request, Ok | Refused]], habits: Collection[str] = ()
) -> Iterator[Candidate]:
    """All candidates of an op except known mistakes; ``pairs`` are the runner's wrong answers.

    With ``habits``, only deviations with one of these habits.
    """
    if habits:
        deviations = (deviation for kind in _KINDS for deviation in space.of_kind(kind))
        yield from (of_deviation(deviation) for deviation in deviations if _habit(deviation) in habits)
        return
    yield from map(of_deviation, observed_deviations(space, pairs))
    for side in (OK, INPUT):  # changes of answers are quick to try
        for kind in _KINDS:
            yield from map(of_deviation, space.of_kind(kind, side))


def _habit(deviation: Deviation) -> str:
    return f"{deviation.side}:{deviation.name}"


def with_added(composition: Composition, candidate: Candidate) -> Iterator[Composition]:
    """The composition with one more candidate, as the last and as the first of its stage."""
    before = tuple(change for change in composition if change.stage < candidate.stage)
    same = tuple(change for change in composition if change.stage == candidate.stage)
    after = tuple(change for change in composition if change.stage > candidate.stage)
    yield (*before, *same, candidate, *after)
    if same:
        yield (*before, candidate, *same, *after)


def without(composition: Iterable[Candidate], candidate: Candidate) -> Composition:
    """The composition without a candidate."""
    return tuple(change for change in composition if change is not candidate)


def with_replaced(composition: Composition, candidate: Candidate, replacement: Candidate) -> Composition:
    """The composition with one candidate replaced by another."""
    if candidate.stage == replacement.stage:
        return tuple(replacement if change is candidate else change for change in composition)
    return next(with_added(without(composition, candidate), replacement))
