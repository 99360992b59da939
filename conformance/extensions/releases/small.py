"""The inputs that show a change, made small by asking both sides again."""

import time
from collections.abc import Sequence
from typing import Any

from conformance.extensions.releases.changes import Change, Differing, Example, Sort, alike, what_changed
from conformance.extensions.releases.questions import Question
from conformance.extensions.releases.sides import Side
from conformance.fuzz.shrinking import OutOfBudgetError, shrink, weight

__all__ = ["EXAMPLE_SECONDS", "make_examples", "starts"]

EXAMPLE_SECONDS = 3.0
"""The longest time spent on one example."""
_STARTS = 12
"""How many inputs of a change are made small: of different clauses, and random ones."""
_RANDOM = 4
"""How many of these are random inputs, where vectors show it too."""
_MOST_REQUESTS = 1500
_SHORT = 160
"""Vectors whose JSON is no longer are shown as they are: each was written to show one thing, and a smaller
input that changes in the same way may show another."""
_LONGEST = 1 << 20
"""Inputs whose JSON is longer are shown as they are: making them smaller takes too long."""


def starts(change: Change) -> list[Differing]:
    """The inputs that a change's examples are made from: the lightest of each clause, then random ones."""
    first: dict[str, Differing] = {}
    lightest = sorted(change.vectors, key=lambda one: weight(one.question.input))
    for one in lightest:
        first.setdefault(one.question.clause, one)
    rank = [clause for clause, _ in change.ranked()]
    vectors = sorted(first.values(), key=lambda one: rank.index(one.question.clause))
    random = sorted(change.kept, key=lambda one: weight(one.question.input))
    few = vectors[: _STARTS - min(_RANDOM, len(random))]
    return [*few, *random[: _STARTS - len(few)]]


def make_examples(change: Change, sides: Sequence[Side], until: float) -> bool:
    """Fills in a change's examples; whether all that was to be tried again was, and made small."""
    whole = True
    chosen = starts(change)
    for number, one in enumerate(chosen):
        question = one.question
        # A played job has no shape to keep to, and whatever fails a side would cost a process each time.
        if change.sort is Sort.FAILED or question.name != question.op.name:
            found: Example | None = Example(question, question.input, one.old, one.new)
            if number:
                continue
        elif time.monotonic() >= until:
            whole = False
            found = Example(question, question.input, one.old, one.new) if not change.examples else None
        else:
            found, ended = _shrunk(change, one, sides, min(until, time.monotonic() + EXAMPLE_SECONDS))
            whole = whole and ended
            if found is None:
                change.unsteady += 1
                continue
        if found is not None and not any(alike(found, other) for other in change.examples):
            change.examples.append(found)
    if not change.examples and chosen:  # nothing showed it a second time
        one = chosen[0]
        change.examples.append(Example(one.question, one.question.input, one.old, one.new))
    return whole


def _shrunk(
    change: Change, one: Differing, sides: Sequence[Side], until: float
) -> tuple[Example | None, bool]:
    """The example made small, None where it does not show the change again; whether it got to its end."""
    question, asked = one.question, 0
    best: list[Example] = []

    def still(candidates: list[Any]) -> int | None:
        nonlocal asked
        if time.monotonic() > until or asked >= _MOST_REQUESTS:
            raise OutOfBudgetError
        asked += len(candidates)
        for index, (old, new) in enumerate(_answers(question, candidates, sides)):
            if what_changed(question, candidates[index], old, new) == (change.sort, change.what):
                best.append(Example(question, candidates[index], old, new))
                return index
        return None

    ended = True
    try:
        if still([question.input]) is None:
            return None, True
        length = weight(question.input)[1]
        if question.vector is not None and length <= _SHORT:
            return Example(question, question.input, one.old, one.new), True
        if length <= _LONGEST:
            shrink(question.op.name, question.input, still)  # ``best`` has it with its answers
        ended = time.monotonic() <= until and asked < _MOST_REQUESTS
    except OutOfBudgetError:
        ended = False
    if not best:
        return Example(question, question.input, one.old, one.new), False
    last = best[-1]
    return Example(question, last.input, last.old, last.new, small=True), ended


def _answers(question: Question, candidates: list[Any], sides: Sequence[Side]) -> list[tuple[Any, Any]]:
    """What both sides answer to each candidate."""
    for side in sides:
        side.forget()
        if not side.ready():
            raise OutOfBudgetError
        for given in candidates:
            side.submit(question, given)
    answers = [[side.next_answer() for _ in candidates] for side in sides]
    return list(zip(*answers, strict=True))
