"""How a runner may differ from the reference: known mistakes and generated deviations alike."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.deviations import Asked, Deviation, Space, observed
from conformance.deviations.changes import TESTS, Test, equal
from conformance.deviations.deviation import INPUT, OK, place_text
from conformance.deviations.lens import ABSENT, values_at
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path
from conformance.wire.text import compact

__all__ = [
    "Candidate",
    "Composition",
    "Link",
    "added",
    "generated",
    "in_member",
    "of_deviation",
    "of_mistake",
    "replaced",
    "without",
]

_KINDS = (
    *("error", "answer", "layout", "everywhere", "key"),
    *("leaf", "record", "crossed", "value"),
)
"""The kinds of deviations, those that are most general or quickest tried first.

An input is refused with errors that the runner gives (``observed``) only.
"""
_COSTS = {
    "leaf": 0.8,
    "everywhere": 0.6,
    "key": 0.8,
    "record": 0.9,
    "layout": 0.6,
    "error": 0.8,
    "mistake": 0.5,
    "link": 0.8,
    "member": 0.3,
}
"""What a deviation must explain before it is worth naming: little where it is a general habit."""
_PARTICULAR = 1.5
"""The same for kinds that fit a corner: one value for another, one member because of another, a refusal."""
_CONDITIONAL = {"refused", "crossed", "value"}
_UNUSUAL = 0.5
"""What each step of ``usual`` that is missing adds to it."""
_LONGEST, _SEVERAL, _VALUES = 40, 2, 3
"""The longest value, in characters, that a member may have because of the input; how often; how many."""

_ALWAYS = Test("always", "is anything", 3, lambda _: True)


@dataclass(frozen=True, slots=True)
class Link:
    """A member of the answer that the input decides on, past all rules."""

    source: Path
    """A place of the input."""
    member: str
    alone: bool
    """Whether the answer has no other member, so that it is known even where the reference refuses."""
    test: Test | None = None
    """The member is ``value`` where this holds; without a test it is the value of the input, as it came."""
    value: Any = None

    def applied(self, given: Any, before: Ok | Refused) -> Ok | Refused:
        """The answer to a decoded input; the same object where the input decides nothing."""
        values = values_at(given, self.source)
        if self.test is not None:
            decides, value = any(map(self.test.holds, values)), self.value
        else:
            decides = len(values) == 1 and values[0] is not ABSENT
            value = values[0] if decides else None
        if not decides or (isinstance(before, Refused) and not self.alone):
            return before
        others = before.value if isinstance(before, Ok) and isinstance(before.value, dict) else {}
        if self.member in others and equal(others[self.member], value):
            return before
        return Ok({**others, self.member: value})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One change of the reference."""

    name: str
    """A mistake's name, or a deviation's id."""
    words: str
    stage: int
    """When it is made: 0 for inputs, 1 within the reference, 2 for answers."""
    cost: float
    mistake: Mistake | None = None
    deviation: Deviation | None = None
    link: Link | None = None
    inner: Mistake | None = None
    """A change within the reference that was made up (``within``)."""
    base: "Candidate | None" = None
    """The change that shows in one member of the answer only."""
    member: Path = ()

    @property
    def made(self) -> Mistake | None:
        """What is made in a copy of the reference."""
        return self.mistake or self.inner

    @property
    def habit(self) -> str:
        """What it has in common with the same at other places or in other ops."""
        return self.name if self.deviation is None else _habit(self.deviation)

    @property
    def is_of_an_error(self) -> bool:
        """Whether it gives an answer in place of one error, which few inputs may show."""
        return self.deviation is not None and self.deviation.kind == "error"

    @property
    def is_always(self) -> bool:
        """Whether it gives a member one value, whatever the input is."""
        return self.link is not None and self.link.test is _ALWAYS

    @property
    def particular(self) -> bool:
        """Whether it hangs on a condition, which may only come along with the cause."""
        if self.base is not None:
            return self.base.particular
        if self.link is not None:
            return self.link.test is not None and bool(self.link.source)
        return self.deviation is not None and self.deviation.kind in _CONDITIONAL


Composition = tuple[Candidate, ...]
"""Changes in the order in which they are made: those of inputs, the mistakes, those of answers."""


def of_mistake(mistake: Mistake) -> Candidate:
    """A known mistake as a candidate."""
    return Candidate(mistake.name, mistake.says, 1, _COSTS["mistake"], mistake)


def in_member(base: Candidate, member: Path) -> Candidate:
    """A change of inputs, or within the reference, for one member of the answer alone."""
    text = place_text(member)
    cost = base.cost + _COSTS["member"]
    return Candidate(
        f"{base.name}@{text}", f"{base.words}, for `{text}` only", 2, cost, base=base, member=member
    )


def of_deviation(one: Deviation) -> Candidate:
    """A generated deviation as a candidate."""
    cost = _COSTS.get(one.kind, _PARTICULAR) + _UNUSUAL * (3 - one.usual)
    words = one.words.replace("'s `**`", ", everywhere")
    return Candidate(one.id, words, 0 if one.side == INPUT else 2, cost, None, one)


def generated(
    space: Space, pairs: Collection[tuple[Asked, Ok | Refused]], habits: Collection[str] = ()
) -> Iterator[Candidate]:
    """All candidates of an op that are not known mistakes; ``pairs`` are the runner's wrong answers.

    With ``habits``, only deviations of these.
    """
    if habits:
        every = (one for kind in _KINDS for one in space.of_kind(kind))
        yield from (of_deviation(one) for one in every if _habit(one) in habits)
        return
    yield from _echoes(space)
    yield from map(of_deviation, observed(space, pairs))
    for side in (OK, INPUT):  # changes of answers are quick to try
        for kind in _KINDS:
            yield from map(of_deviation, space.of_kind(kind, side))
    yield from _constants(space, pairs)


def _habit(one: Deviation) -> str:
    return f"{one.side}:{one.name}"


def _echoes(space: Space) -> Iterator[Candidate]:
    """Candidates that give a value of the input for a member of the answer, unchecked and unchanged."""
    members = _members(space)
    for member in members:
        for source in space.places[INPUT].all:
            if source and "*" not in source:
                words = f"`{member}` is the input's `{place_text(source)}` as it came, not checked"
                link = Link(source, member, len(members) == 1)
                yield _linked(space, f"is-{member}", words, _COSTS["link"], link)


def _constants(space: Space, pairs: Iterable[tuple[Asked, Ok | Refused]]) -> Iterator[Candidate]:
    """Candidates that give what a member was in several wrong answers, because of what is in the input."""
    members, found = _members(space), _wrong_values(pairs)
    for member, value in [(one, value) for one in members for value in found.get(one, ())]:
        text = json.dumps(value)
        link = Link((), member, len(members) == 1, _ALWAYS, value)
        yield _linked(
            space, f"{member}-is-{text}".replace(" ", ""), f"`{member}` is always {text}", _PARTICULAR, link
        )
        for source, place in space.places[INPUT].all.items():
            for test in (one for one in TESTS if source and one.name in place.tests):
                words = (
                    f"`{member}` is {text} where a value {test.words} in the input's `{place_text(source)}`"
                )
                name = f"{test.name}-gives-{member}-{text}".replace(" ", "")
                cost = _PARTICULAR + _UNUSUAL * (3 - test.usual)
                yield _linked(space, name, words, cost, Link(source, member, len(members) == 1, test, value))


def _members(space: Space) -> list[str]:
    return [path[0] for path in space.places[OK].all if len(path) == 1]


def _linked(space: Space, name: str, words: str, cost: float, link: Link) -> Candidate:
    return Candidate(f"{space.op.name}:{'/'.join(link.source)}:{name}", words, 1, cost, link=link)


def _wrong_values(pairs: Iterable[tuple[Asked, Ok | Refused]]) -> dict[str, list[Any]]:
    """By member of the answer, short values that it wrongly had several times."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    by_text: dict[str, Any] = {}
    for asked, actual in pairs:
        due = asked.due.value if isinstance(asked.due, Ok) else {}
        if isinstance(actual, Ok) and isinstance(actual.value, dict) and isinstance(due, dict):
            for member, value in actual.value.items():
                text = compact(value, _LONGEST)
                shown = len(text) < _LONGEST and text[:1] != "("  # else it is too deep, or too many digits
                if shown and text != compact(due.get(member, ABSENT), _LONGEST):
                    found[member][text] += 1
                    by_text[text] = value
    return {
        member: [by_text[text] for text, count in texts.most_common(_VALUES) if count >= _SEVERAL]
        for member, texts in found.items()
    }


def added(composition: Composition, one: Candidate) -> Iterator[Composition]:
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


def replaced(composition: Composition, one: Candidate, other: Candidate) -> Composition:
    """The composition with another in place of one."""
    if one.stage == other.stage:
        return tuple(other if each is one else each for each in composition)
    return next(added(without(composition, one), other))
