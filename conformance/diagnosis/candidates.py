"""How a runner may differ from the reference: known mistakes and generated deviations alike."""

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

_KINDS = (
    *("error", "answer", "layout", "everywhere", "key"),
    *("leaf", "record", "crossed", "value"),
)
"""The kinds of deviations, those that are most general or quickest tried first.

An input is refused with errors that the runner gives (``observed_deviations``) only.
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
"""What a deviation must explain before it is worth naming: little where it is a general habit."""
_PARTICULAR = 1.5
"""The same for kinds that fit a corner: one value for another, one member because of another, a refusal."""
_CONDITIONAL = {"refused", "crossed", "value"}
_UNUSUAL = 0.5
"""What each step of ``usual`` that is missing adds to it."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One change of the reference; one object is equal to no other, so that it is quick to remember."""

    name: str
    """A mistake's name, or a deviation's id."""
    words: str
    stage: int
    """When it is made: 0 for inputs, 1 within the reference, 2 for answers."""
    cost: float
    made: Mistake | None = None
    """What is made in a copy of the reference: a known mistake, or one that was made up (``within``)."""
    deviation: Deviation | None = None

    @property
    def mistake(self) -> Mistake | None:
        """The known mistake that it is."""
        return None if self.made is None or self.made.is_made_up else self.made

    @property
    def is_inner(self) -> bool:
        """Whether it is a change within the reference that was made up."""
        return self.made is not None and self.made.is_made_up

    @property
    def habit(self) -> str:
        """What it has in common with the same at other places or in other ops."""
        return self.name if self.deviation is None else _habit(self.deviation)

    @property
    def is_of_an_error(self) -> bool:
        """Whether it gives an answer in place of one error, which few inputs may show."""
        return self.deviation is not None and self.deviation.kind == "error"

    @property
    def is_conditional(self) -> bool:
        """Whether it hangs on a condition, which may only come along with the cause."""
        return self.deviation is not None and self.deviation.kind in _CONDITIONAL


Composition = tuple[Candidate, ...]
"""Changes in the order in which they are made: those of inputs, the mistakes, those of answers."""


@cache
def of_mistake(mistake: Mistake) -> Candidate:
    """A known mistake as a candidate."""
    return Candidate(mistake.name, mistake.says, 1, _COSTS["mistake"], mistake)


def of_deviation(one: Deviation) -> Candidate:
    """A generated deviation as a candidate."""
    cost = _COSTS.get(one.kind, _PARTICULAR) + _UNUSUAL * (3 - one.usual)
    words = one.words.replace("'s `**`", ", everywhere")
    return Candidate(one.id, words, 0 if one.side == INPUT else 2, cost, None, one)


def generated(
    space: Space, pairs: Collection[tuple[Request, Ok | Refused]], habits: Collection[str] = ()
) -> Iterator[Candidate]:
    """All candidates of an op that are not known mistakes; ``pairs`` are the runner's wrong answers.

    With ``habits``, only deviations of these.
    """
    if habits:
        every = (one for kind in _KINDS for one in space.of_kind(kind))
        yield from (of_deviation(one) for one in every if _habit(one) in habits)
        return
    yield from map(of_deviation, observed_deviations(space, pairs))
    for side in (OK, INPUT):  # changes of answers are quick to try
        for kind in _KINDS:
            yield from map(of_deviation, space.of_kind(kind, side))


def _habit(one: Deviation) -> str:
    return f"{one.side}:{one.name}"


def with_added(composition: Composition, one: Candidate) -> Iterator[Composition]:
    """The composition with one more: behind those of its stage, and in front of them."""
    before = tuple(other for other in composition if other.stage < one.stage)
    same = tuple(other for other in composition if other.stage == one.stage)
    after = tuple(other for other in composition if other.stage > one.stage)
    yield (*before, *same, one, *after)
    if same:
        yield (*before, one, *same, *after)


def without(composition: Iterable[Candidate], one: Candidate) -> Composition:
    """The composition with one left out."""
    return tuple(other for other in composition if other is not one)


def with_replaced(composition: Composition, one: Candidate, other: Candidate) -> Composition:
    """The composition with another in place of one."""
    if one.stage == other.stage:
        return tuple(other if each is one else each for each in composition)
    return next(with_added(without(composition, one), other))
