"""Compares outputs for lists of trials that no aggregate distinguishes, such as ints and equal floats.

Every aggregate that counts all trials (a mean, a median, an extreme, a number or a share) passes.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from conformance.extensions.metrics.findings import table_rows
from conformance.extensions.metrics.script.asking import Asking, differ, numbers
from conformance.extensions.metrics.script.ran import Ran, Rewards, Trials, alike, shown

__all__ = ["CONTRASTS", "Experiment", "Given", "Problems", "close", "counts_as", "values_of"]

Problems = Iterator[tuple[str, str, Ran]]
Experiment = Callable[[Asking], Problems]
Given = Callable[[Asking], Trials]
Relation = str | Callable[..., bool]
"""A condition for wrong numbers: a name in `_NAMED`, or an expression for `_holds`."""
_AROUND = (0.25, 0.625, 0.875)
"""The rewards of the trials around one without rewards."""


def close(*values: float) -> bool:
    """Whether they are the same number, except for the last digits."""
    return all(alike(float(one), float(other), 1e-9) for one, other in pairwise(values))


def _rounds_down(small: float, large: float) -> bool:
    floors = [math.floor(large / 1e6 * 10**digits) / 10**digits for digits in range(4)]
    down = [small == floor < large / 1e6 != round(small, 9) for floor in floors]
    return 2 < large / 1e6 < 7 and any(
        one and small != round(large / 1e6, digits) for digits, one in enumerate(down)
    )


def _neighbours(near: float, once: float, separate: float) -> bool:
    return isinstance(near, float) and close(near, once) and not close(near, separate)


_NAMED: dict[str, Callable[..., bool]] = {
    "rounds down": _rounds_down,
    "neighbours": _neighbours,
}


def _holds(relation: Relation, found: Sequence[float]) -> bool:
    """Whether numbers ``a``, ``b``, … are related, as ``a=b=1 b<c``; ``a!=b!=c`` if not all are the same."""
    if callable(relation) or relation in _NAMED:
        return (relation if callable(relation) else _NAMED[relation])(*found)
    for part in relation.split():
        sign, *_ = re.findall(r"!=|=|<", part)
        few = [found[ord(one) - 97] if one.isalpha() else float(one) for one in part.split(sign)]
        if not {"=": close, "!=": lambda *all: not close(*all), "<": lambda a, b: a < b - 1e-3}[sign](*few):
            return False
    return True


def contrast(
    rule: str, lists: Sequence[Given], wrong: Relation, sentence: str, *, options: str = ""
) -> Experiment:
    """Runs lists, and yields the rule if a number in their outputs is ``wrong``.

    The outputs are inserted into the ``sentence``; the first one shows the finding. With ``plain``, rewards
    are literal, so scripts that need others are skipped. With ``may-fail``, it may fail, which another
    case reports.
    """

    def problems(asking: Asking) -> Problems:
        if "plain" in options and asking.shape.levels:
            return
        runs = (asking.attempt if "may-fail" in options else asking.all)(*(given(asking) for given in lists))
        found = [numbers(run) for run in runs]
        for name in found[0]:
            if all(name in one for one in found) and _holds(wrong, [one[name] for one in found]):
                yield rule, sentence.format(*(shown(run.value) for run in runs)), runs[0]
                return

    return problems


def values_of(text: str) -> Given:
    """Trials with these rewards under every key: numbers, ``null``, or ``0.1*10`` for ten times the same."""
    values: list[float | None] = []
    for word in text.split():
        number, _, times = word.partition("*")
        number = str(10**400) if number == "1E400" else number
        value = None if number == "null" else float(number) if re.search(r"[.enf]", number) else int(number)
        values += [value] * int(times or 1)
    return lambda asking: asking.each(*values)


def first_of(*experiments: Experiment) -> Experiment:
    """The first finding."""

    def problems(asking: Asking) -> Problems:
        found = (problem for experiment in experiments for problem in experiment(asking))
        yield from (problem for problem, _ in zip(found, range(1), strict=False))

    return problems


def _contrasts() -> Iterator[tuple[str, Experiment]]:
    for row in table_rows(Path(__file__).with_name("contrasts.txt")):
        case, rule, options, lists, wrong, sentence = row
        given = [values_of(text) for text in lists.split(";")]
        yield case, contrast(rule, given, wrong, sentence, options=options)


CONTRASTS = list(_contrasts())
"""A case with its lists."""


def counts_as(hole: Callable[[Asking], Rewards], what: str) -> Experiment:
    """How a trial without rewards counts: as 0, not at all, or otherwise."""

    def having(value: float | None, around: Sequence[float] = _AROUND) -> Given:
        """Trials around one with or without rewards."""

        def trials(asking: Asking) -> Trials:
            one, *others = asking.each(*around)
            trial = hole(asking)
            if value is not None:
                (whole,) = replace(asking.shape, step=None).trials(value)
                kept = {key: reward for key, reward in (trial or {}).items() if key in asking.shape.keys}
                trial = {**(whole or {}), **kept}
            return [one, trial, *others][: asking.shape.fit(4)]

        return trials

    def out(asking: Asking) -> Trials:
        return asking.each(*_AROUND)

    def without_others(asking: Asking) -> Problems:
        less = (0.5, *_AROUND[1:])
        (ran, other) = asking.all(having(None)(asking), having(None, less)(asking))
        pairs = ([having(value, around)(asking) for around in (_AROUND, less)] for value in (0.0, 1.0))
        if (
            ran.usable
            and not differ(ran, other)
            and all(differ(one, two) for one, two in (asking.all(*pair) for pair in pairs))
        ):
            yield "missing-counts", f"With {what} it gave {shown(ran.value)} whatever the others were.", ran

    def left_out(asking: Asking) -> Problems:
        ran, less, zero = asking.all(having(None)(asking), out(asking), having(0.0)(asking))
        if what == "null" and zero.usable and not differ(ran, less, 0.0) and differ(ran, zero, 0.0):
            text = f"{shown(ran.value)}, where counting it as 0 gives {shown(zero.value)}"
            yield "nulls-left-out", f"It leaves null out: {text}.", ran

    filled = {"1": 1.0, "0.5": 0.5, "the trial before": 0.25, "the trial after": 0.625}
    others = (
        contrast(
            "missing-counts",
            (having(None), having(0.0), out, having(value)),
            "a=d a!=b a!=c",
            f"{what} gave {{0}}, and so did {words} in its place; 0 there gives {{1}}.",
        )
        for words, value in filled.items()
    )
    return first_of(*others, without_others, left_out)
