"""Which differences between two releases are one: the same op, the same sort of change, the same words."""

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from conformance.diagnosis.places import place
from conformance.extensions.releases.asking import Question
from conformance.fuzz.causes import nature_of
from conformance.judging.comparison import Difference, Nature, differences_of
from conformance.wire.messages import Answer, Failed, Ok, Refused
from conformance.wire.pointers import keys_of, pointer, shown

__all__ = ["Change", "Changes", "Example", "Sort", "answer_as_json", "first_difference", "what_changed"]

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


@dataclass(frozen=True, slots=True)
class Example:
    """An input that two sides answer differently, and their answers."""

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
    vectors: list[Example] = field(default_factory=list)
    """The vectors and played jobs that show it."""
    random: int = 0
    """How many random inputs show it."""
    kept: list[Example] = field(default_factory=list)
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

    def by_clause(self) -> list[tuple[str, int, int]]:
        """Clauses, with the vectors and the random inputs that show it; random ones name theirs by guess."""
        vectors = Counter(one.question.clause for one in self.vectors)
        ranked = sorted(self.clauses.items(), key=lambda item: (-vectors[item[0]], -item[1], item[0]))
        return [(clause, vectors[clause], count - vectors[clause]) for clause, count in ranked]


class Changes(dict[tuple[str, Sort, str], Change]):
    """Sorts differences, and keeps the vectors and a few of the random inputs of each change."""

    def add(self, one: Example, sort: Sort, what: str) -> None:
        """Counts a difference under its change."""
        key = (one.question.name, sort, what)
        if key not in self and len(self) >= _MOST_CHANGES:
            key = [known for known in self if known[0] == key[0]][-1] if key[0] in self.ops else [*self][-1]
        change = self.setdefault(key, Change(*key))
        change.clauses[one.question.clause] += 1
        if one.question.vector is not None:
            change.vectors.append(one)
        else:
            change.random += 1
            if len(change.kept) < _KEPT:
                change.kept.append(one)

    @property
    def ops(self) -> set[str]:
        """The ops that something changed of."""
        return {op for op, *_ in self}

    def ranked(self) -> list[Change]:
        """Those that most inputs show first; what a side failed to answer last."""
        return sorted(self.values(), key=lambda one: (one.sort is Sort.FAILED, -one.count, one.op, one.what))


def answer_as_json(answer: Answer) -> dict[str, Any]:
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
        case (Refused(was, was_code, _), Refused(kind, code, _)):
            if was != kind:
                return Sort.ERROR, f"the error {_named(kind)}, before {_named(was)}"
            if was_code != code:
                return Sort.ERROR, f"the reason_code {_named(code)}, before {_named(was_code)}"
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


_MEMBERS = {
    Nature.MISSING: "a key is gone",
    Nature.EXTRA: "a new key",
    Nature.TIMES: "a key another number of times",
    Nature.LENGTH: "another number of items",
}


def _of_values(question: Question, first: Difference) -> tuple[Sort, str]:
    if (file := _file_of(question, first.path)) is not None:
        # Where in a file two jobs differ first is chance: the same cause shows at many places.
        return Sort.CONTENT, f"at {file}: other content"
    values = (first.expected, first.actual)
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    texts = all(isinstance(one, str) for one in values)
    at = shown(place(question.op.name, first.path))
    if first.nature in _MEMBERS:
        return Sort.MEMBERS, f"at {at}: {_MEMBERS[first.nature]}"
    other = Sort.NUMBER if numbers else Sort.TEXT if texts else Sort.VALUE
    return Sort.ORDER if first.nature is Nature.ORDER else other, f"at {at}: {nature_of(first)}"


def _file_of(question: Question, path: str) -> str | None:
    """The file of the answer that a path leads into."""
    op, parts = question.op, keys_of(path)
    for known in (*op.ok_files, *op.ok_lines, *op.ok_json_lines, *op.ok_parsed):
        fits = all(name in ("*", part) for name, part in zip(known, parts, strict=False))
        if len(known) <= len(parts) and fits:
            return pointer(*known)
    return None


def first_difference(question: Question, given: Any, old: Answer, new: Answer) -> Difference | None:
    """Where two values differ first; None where they do not, or are none."""
    if not (isinstance(old, Ok) and isinstance(new, Ok)):
        return None
    op = question.op
    free = op.free_key_order(given, old.value)
    return next(iter(differences_of(op, old, new, free)), None)
