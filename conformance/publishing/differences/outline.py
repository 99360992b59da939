"""What the differences of several kinds share: the verdict, facts of both sides, what keeps them apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.publishing.blocks import Block, Code, Failure, Line, Lines, Link, Mark, Tone
from conformance.publishing.kinds.saying import SIGNALS, brief
from conformance.publishing.model import Count, Fact, Section, Verdict

__all__ = ["as_changed", "both", "counts", "lists", "verdict", "void"]


def void(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Why one of the two has no verdict, a clause each; the later report's last."""
    said = []
    for name, one in (("the earlier", before), ("the later", after)):
        code = one["exit_code"]
        if code in SIGNALS:
            said.append(f"{name} report is of a run that was interrupted by {SIGNALS[code]}")
        elif code == 2:
            said.append(f"{name} report is of what could not be tried to the end")
    return said


def verdict(worse: int, better: int, told: str, void: Sequence[str], *, broke: bool = False) -> Verdict:
    """What a difference comes to.

    ``told`` says it with its denominators, ``void`` why a report has no verdict; ``broke``: the later one has
    none, and the earlier had.
    """
    sentence = _sentence("; ".join([told, *void]))
    if broke:
        return Verdict("worse: no verdict any more", Tone.BAD, sentence)
    if worse:
        return Verdict("better and worse" if better else "worse", Tone.BAD, sentence)
    if void:
        return Verdict("no verdict", Tone.WARN, sentence)
    if better:
        return Verdict("better", Tone.GOOD, sentence)
    return Verdict("nothing got worse or better", Tone.PLAIN, sentence)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def both(name: str, before: object, after: object, *, code: bool = False) -> Fact:
    """A fact of both sides: once where they agree."""
    one, other = (brief(str(side)) for side in (before, after))
    spelled: list[Line] = [(Code(each),) if code else (each,) for each in (one, other)]
    return Fact(name, spelled[0] if one == other else (*spelled[0], " → ", *spelled[1]))


def counts(worse: int, better: int, same: int, apart: int) -> tuple[Count, ...]:
    """What was told apart, by what became of it."""
    every = (
        Count("new", worse, Tone.BAD, "Wrong in the later report alone, where the earlier one looked too."),
        Count(
            "gone", better, Tone.GOOD, "Wrong in the earlier report alone, where the later one looked too."
        ),
        Count("still there", same, Tone.KNOWN, "Wrong in both."),
        Count("not comparable", apart, Tone.QUIET, "Wrong where only one of the two looked."),
    )
    return tuple(one for one in every if one.number) or every[:1]


def lists(anchor: str, title: str, lines: Sequence[Line], *, brief: bool = True) -> list[Section]:
    """A section of lines; none where there are none."""
    blocks: tuple[Block, ...] = (Lines(tuple(lines)),)
    return [Section(anchor, title, blocks, brief)] if lines else []


def as_changed(failure: Failure, state: Mark, *fields: tuple[str, Line], was: str = "") -> Failure:
    """A failure as one of a difference: what became of it is told, and no link leads to its report's page.

    ``was`` is its result where it is gone.
    """
    told = tuple(
        (name, tuple(Code(piece.text) if isinstance(piece, Link) else piece for piece in line))
        for name, line in (*fields, *failure.fields)
    )
    facets = {"change": state.text, **failure.facets}
    result = Mark(was, Tone.PLAIN) if was else failure.result
    return replace(failure, result=result, expectation=state, fields=told, facets=facets)
