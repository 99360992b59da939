"""Groups differences between two releases: the same op, sort of change and description."""

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
"""The most differing random inputs stored per change, for its examples."""
_MOST_CHANGES = 500
"""The most changes; further differences count under the last change of their op."""


class Sort(Enum):
    """The sort of a change."""

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
    """An input that two sides answer differently, with their answers."""

    question: Question
    """The question that it derives from."""
    input: Any
    old: Answer
    new: Answer
    small: bool = False
    """Whether it is fully shrunk."""


@dataclass(slots=True)
class Change:
    """Differences considered to be the same change."""

    op: str
    sort: Sort
    what: str
    """The change in words, without values."""
    vectors: list[Example] = field(default_factory=list)
    """The vectors and played jobs that show it."""
    random: int = 0
    """The number of random inputs that show it."""
    kept: list[Example] = field(default_factory=list)
    """A sample of these."""
    clauses: Counter[str] = field(default_factory=Counter)
    """The number of inputs that show it, by clause."""
    examples: list[Example] = field(default_factory=list)
    """The best examples, smallest first."""
    unsteady: int = 0
    """The number of inputs that did not repeat it."""

    @property
    def count(self) -> int:
        """The number of inputs that show it."""
        return len(self.vectors) + self.random

    def by_clause(self) -> list[tuple[str, int, int]]:
        """Clauses with the numbers of vectors and random inputs; the clause of a random input is a guess."""
        vectors = Counter(one.question.clause for one in self.vectors)
        ranked = sorted(self.clauses.items(), key=lambda item: (-vectors[item[0]], -item[1], item[0]))
        return [(clause, vectors[clause], count - vectors[clause]) for clause, count in ranked]


class Changes(dict[tuple[str, Sort, str], Change]):
    """Groups differences, and stores the vectors and some random inputs of each change."""

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
        """The ops with changes."""
        return {op for op, *_ in self}

    def ranked(self) -> list[Change]:
        """The changes, most frequent first; failures to answer come last."""
        return sorted(self.values(), key=lambda one: (one.sort is Sort.FAILED, -one.count, one.op, one.what))


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """An answer as JSON: ``ok``, ``error``, or ``failed`` with the outcome."""
    match answer:
        case Ok(value):
            return {"ok": value}
        case Refused(kind, code, _):
            return {"error": {"type": kind, "reason_code": code}}
        case Failed(outcome, sentence):
            return {"failed": {"outcome": outcome, "sentence": sentence}}
    return {"unsupported": answer.reason}


def what_changed(question: Question, given: Any, old: Answer, new: Answer) -> tuple[Sort, str] | None:
    """The sort of change between two answers, and its description; None if they are equal."""
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
    """A sentence without numbers and advice for authors of runners."""
    return re.sub("[0-9]+", "N", sentence).partition(": did you ")[0]


_MEMBERS = {
    Nature.MISSING: "a key is gone",
    Nature.EXTRA: "a new key",
    Nature.TIMES: "a key another number of times",
    Nature.LENGTH: "another number of items",
}


def _of_values(question: Question, first: Difference) -> tuple[Sort, str]:
    if (file := _file_of(question, first.path)) is not None:
        # The first difference in a file is arbitrary: the same cause shows at many places.
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
    """The file in the answer that a path points into."""
    op, parts = question.op, keys_of(path)
    for known in (*op.ok_files, *op.ok_lines, *op.ok_json_lines, *op.ok_parsed):
        fits = all(name in ("*", part) for name, part in zip(known, parts, strict=False))
        if len(known) <= len(parts) and fits:
            return pointer(*known)
    return None


def first_difference(question: Question, given: Any, old: Answer, new: Answer) -> Difference | None:
    """The first difference of two values; None if they are equal or missing."""
    if not (isinstance(old, Ok) and isinstance(new, Ok)):
        return None
    op = question.op
    free = op.free_key_order(given, old.value)
    return next(iter(differences_of(op, old, new, free)), None)
