"""Which differences between two releases are one: the same op, the same sort of change, the same words."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from conformance.diagnosis.places import member_names
from conformance.extensions.releases.questions import Question, compared_as
from conformance.judging.comparison import Difference, Level, Nature, differences_of
from conformance.wire.messages import Answer, Failed, Ok, Refused
from conformance.wire.pointers import keys_of, pointer, shown

__all__ = [
    "Change",
    "Changes",
    "Differing",
    "Example",
    "Sort",
    "alike",
    "first_difference",
    "told",
    "what_changed",
]

_LAST_DIGITS = 64
"""Units in the last place within which two floats differ only by the way they were computed."""
_KEPT = 24
"""Differing random inputs kept of a change, from which its examples are made."""
_MOST_CHANGES = 500
"""Beyond these what else differs counts under the last change of its op."""


class Sort(Enum):
    """What sort of change it is."""

    REFUSED = "answer to error"
    ACCEPTED = "error to answer"
    ERROR = "another error"
    NUMBER = "another number"
    TEXT = "another text"
    CONTENT = "other content"
    MEMBERS = "other members"
    ORDER = "another order"
    VALUE = "another value"
    FAILED = "no answer"


@dataclass(frozen=True, slots=True, eq=False)
class Differing:
    """A question that the two answer differently."""

    question: Question
    old: Answer
    new: Answer


@dataclass(frozen=True, slots=True)
class Example:
    """An input that shows a change, and what the two say of it."""

    question: Question
    """The one that it was made of."""
    input: Any
    old: Answer
    new: Answer
    small: bool = False
    """Whether it was made as small as it gets."""


@dataclass(slots=True)
class Change:
    """Differences that are taken for one."""

    op: str
    sort: Sort
    what: str
    """The change for people, without values."""
    vectors: list[Differing] = field(default_factory=list)
    """The vectors and played jobs that show it."""
    random: int = 0
    """How many random inputs show it."""
    kept: list[Differing] = field(default_factory=list)
    """Some of those."""
    clauses: Counter[str] = field(default_factory=Counter)
    """How many inputs show it, by the clause that they are about."""
    examples: list[Example] = field(default_factory=list)
    """Those that show it best, the smallest first."""
    unsteady: int = 0
    """How many of the inputs tried again did not show it again."""

    @property
    def count(self) -> int:
        """How many inputs show it."""
        return len(self.vectors) + self.random

    def ranked(self) -> list[tuple[str, int]]:
        """Its clauses, those that most vectors are about first: random inputs name theirs by guess."""
        by_vector = Counter(one.question.clause for one in self.vectors)
        return sorted(self.clauses.items(), key=lambda item: (-by_vector[item[0]], -item[1], item[0]))


def told(answer: Answer) -> dict[str, Any]:
    """An answer as JSON: ``ok``, ``error``, or ``failed`` with what happened."""
    match answer:
        case Ok(value):
            return {"ok": value}
        case Refused(kind, code, _):
            return {"error": {"type": kind, "reason_code": code}}
        case Failed(outcome, sentence):
            return {"failed": {"outcome": outcome, "sentence": sentence}}
    return {"unsupported": answer.reason}


def what_changed(question: Question, given: Any, old: Answer, new: Answer) -> tuple[Sort, str] | None:
    """The sort of change between two answers, and the words for it; None where there is none."""
    match old, new:
        case (Ok(), Ok()):
            found = first_difference(question, given, old, new)
            return _of_values(question, found) if found else None
        case (Refused(mine_kind, mine_code, _), Refused(their_kind, their_code, _)):
            if mine_kind != their_kind:
                return Sort.ERROR, f"the error {_named(their_kind)}, before {_named(mine_kind)}"
            if mine_code != their_code:
                return Sort.ERROR, f"the reason_code {_named(their_code)}, before {_named(mine_code)}"
            return None
        case (Ok(), Refused(kind, _, _)):
            return Sort.REFUSED, f"the error {_named(kind)}, before an answer"
        case (Refused(kind, _, _), Ok()):
            return Sort.ACCEPTED, f"an answer, before the error {_named(kind)}"
        case (Failed(one, _), Failed(other, _)) if one == other:
            return None
        case (_, Failed(outcome, sentence)):
            return Sort.FAILED, f"{outcome} of the new one: {_general(sentence)}"
        case (Failed(outcome, sentence), _):
            return Sort.FAILED, f"{outcome} of the old one: {_general(sentence)}"
    return None


def _named(name: str | None) -> str:
    return str(name)[:80]


def _general(sentence: str) -> str:
    """A sentence without its numbers, and without the advice to whoever writes a runner."""
    return re.sub("[0-9]+", "N", sentence).partition(": did you ")[0]


def _of_values(question: Question, first: Difference) -> tuple[Sort, str]:
    one, other = first.expected, first.actual
    if (file := _file_of(question, first.path)) is not None:
        # Where in a file two jobs differ first is chance: the same cause shows at many places.
        return Sort.CONTENT, f"at {file}: other content"
    at = shown(_place(question, first.path))
    if _is_number(one) and _is_number(other):
        return Sort.NUMBER, f"at {at}: {_numbers(first)}"
    if first.nature in (Nature.MISSING, Nature.EXTRA, Nature.TIMES, Nature.LENGTH):
        words = {
            Nature.MISSING: "a key is gone",
            Nature.EXTRA: "a new key",
            Nature.TIMES: "a key another number of times",
            Nature.LENGTH: "another number of items",
        }
        return Sort.MEMBERS, f"at {at}: {words[first.nature]}"
    if first.nature is Nature.ORDER:
        return Sort.ORDER, f"at {at}: the keys in another order"
    if isinstance(one, str) and isinstance(other, str):
        return Sort.TEXT, f"at {at}: another text"
    return Sort.VALUE, f"at {at}: {_type(other)}, before {_type(one)}"


def _file_of(question: Question, path: str) -> str | None:
    """The file of the answer that a path leads into."""
    op, parts = compared_as(question), keys_of(path)
    for known in (*op.ok_files, *op.ok_lines, *op.ok_json_lines, *op.ok_parsed):
        if len(known) <= len(parts) and all(map(_fits, known, parts)):
            return pointer(*known)
    return None


def _fits(known: str | int, part: str) -> bool:
    return known in ("*", part)


def _place(question: Question, path: str) -> str:
    """A path with ``*`` for whatever is data."""
    names = member_names(question.op.name)
    return "".join(f"/{part if part in names else '*'}" for part in path.split("/")[1:])


def first_difference(question: Question, given: Any, old: Answer, new: Answer) -> Difference | None:
    """Where two values differ first; None where they do not, or are none."""
    if not (isinstance(old, Ok) and isinstance(new, Ok)):
        return None
    op = compared_as(question)
    free = op.free_key_order(given, old.value) if question.name == op.name else frozenset[str]()
    return next(iter(differences_of(op, old, new, free)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(found: Difference) -> str:
    one, other = found.expected, found.actual
    if found.breaks is Level.EXACT:
        return "an int for a float or the reverse" if type(one) is not type(other) else "an equal number only"
    finite = (
        isinstance(one, float) and isinstance(other, float) and math.isfinite(one) and math.isfinite(other)
    )
    if finite and abs(one - other) <= _LAST_DIGITS * math.ulp(one):
        return "other last digits"
    return "another number"


def _type(value: Any) -> str:
    kinds: Mapping[type, str] = {
        type(None): "null", bool: "a boolean", int: "an int", float: "a float",
        str: "a text", list: "a list", dict: "an object",
    }  # fmt: skip
    return kinds.get(type(value), "nothing")


class Changes:
    """Sorts differences, and keeps the vectors and a few of the random inputs of each change."""

    def __init__(self) -> None:
        self.found: list[Change] = []
        self._by_kind: dict[tuple[str, Sort, str], Change] = {}

    def add(self, one: Differing, sort: Sort, what: str) -> Change:
        """Counts a difference under its change."""
        key = (one.question.name, sort, what)
        change = self._by_kind.get(key)
        if change is None and len(self.found) >= _MOST_CHANGES:
            same = [known for known in self.found if known.op == one.question.name]
            change = (same or self.found)[-1]
        if change is None:
            change = self._by_kind[key] = Change(one.question.name, sort, what)
            self.found.append(change)
        change.clauses[one.question.clause] += 1
        if one.question.vector is not None:
            change.vectors.append(one)
        else:
            change.random += 1
            if len(change.kept) < _KEPT:
                change.kept.append(one)
        return change

    def drop(self, one: Differing) -> None:
        """Takes back a difference that is none."""
        for change in self.found:
            if one in change.vectors or one in change.kept:
                change.clauses[one.question.clause] -= 1
                change.clauses += Counter[str]()  # without what is 0
                if one in change.vectors:
                    change.vectors.remove(one)
                else:
                    change.kept.remove(one)
                    change.random -= 1
        self.found = [change for change in self.found if change.count]
        self._by_kind = {(change.op, change.sort, change.what): change for change in self.found}

    def ranked(self) -> list[Change]:
        """Those that most inputs show first; what a side failed to answer last."""
        return sorted(self.found, key=lambda one: (one.sort is Sort.FAILED, -one.count, one.op, one.what))


def alike(one: Example, other: Example) -> bool:
    """Whether two examples ask the same but for the numbers in it."""
    return _without_numbers(one.input) == _without_numbers(other.input)


def _without_numbers(given: Any) -> str:
    return re.sub(r"[0-9]+", "0", json.dumps(given))
