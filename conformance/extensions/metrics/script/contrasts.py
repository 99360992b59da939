"""Compares outputs for lists of trials that no aggregate distinguishes, such as ints and equal floats.

Every aggregate that counts all trials (a mean, a median, an extreme, a number or a share) passes.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

from conformance.extensions.metrics.findings import table_rows
from conformance.extensions.metrics.script.script_run import Rewards, Trials, alike, shown
from conformance.extensions.metrics.script.session import ScriptSession, Violation, differ, numbers

__all__ = ["CONTRASTS", "Experiment", "Given", "Problems", "close", "counts_as", "values_of"]

Problems = Iterator[Violation]
Experiment = Callable[[ScriptSession], Problems]
Given = Callable[[ScriptSession], Trials]
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


def _holds(relation: str, found: Sequence[float]) -> bool:
    """Whether numbers ``a``, ``b``, … are related, as ``a=b=1 b<c``; ``a!=b!=c`` if not all are the same."""
    if relation == "rounds down":
        return _rounds_down(*found)
    if relation == "neighbours":
        near, once, separate = found
        return isinstance(near, float) and close(near, once) and not close(near, separate)
    for part in relation.split():
        sign, *_ = re.findall(r"!=|=|<", part)
        few = [found[ord(one) - 97] if one.isalpha() else float(one) for one in part.split(sign)]
        if not (few[0] < few[1] - 1e-3 if sign == "<" else close(*few) == (sign == "=")):
            return False
    return True


def contrast(rule: str, lists: Sequence[Given], wrong: str, sentence: str, options: str = "") -> Experiment:
    """Runs lists, and yields the rule if a number in their outputs is ``wrong``, as `_holds` says.

    The outputs are inserted into the ``sentence``; the first one shows the finding. With ``plain``, rewards
    are literal, so scripts that need others are skipped. With ``may-fail``, it may fail, which another
    case reports.
    """

    def problems(session: ScriptSession) -> Problems:
        if "plain" in options and session.shape.levels:
            return
        runs = session.all(*(given(session) for given in lists), quietly="may-fail" in options)
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
    return lambda session: session.each(*values)


CONTRASTS = [
    (case, contrast(rule, [values_of(text) for text in lists.split(";")], wrong, sentence, options))
    for case, rule, options, lists, wrong, sentence in table_rows(Path(__file__).with_name("contrasts.txt"))
]
"""A case with its lists."""


def counts_as(hole: Callable[[ScriptSession], Rewards], what: str) -> Experiment:
    """How a trial without rewards counts: as 0, not at all, or otherwise."""

    def having(value: float | None, around: Sequence[float] = _AROUND) -> Given:
        """Trials around one with or without rewards."""

        def trials(session: ScriptSession) -> Trials:
            one, *others = session.each(*around)
            trial = hole(session)
            if value is not None:
                (whole,) = replace(session.shape, step=None).trials(value)
                kept = {key: reward for key, reward in (trial or {}).items() if key in session.shape.keys}
                trial = {**(whole or {}), **kept}
            return [one, trial, *others][: session.shape.fit(4)]

        return trials

    def out(session: ScriptSession) -> Trials:
        return session.each(*_AROUND)

    def without_others(session: ScriptSession) -> Problems:
        less = (0.5, *_AROUND[1:])
        outcome, other = session.all(having(None)(session), having(None, less)(session))
        pairs = ([having(value, around)(session) for around in (_AROUND, less)] for value in (0.0, 1.0))
        ran = (session.all(*pair) for pair in pairs)
        if outcome.usable and not differ(outcome, other) and all(differ(one, two) for one, two in ran):
            text = f"With {what} it gave {shown(outcome.value)} for any other rewards."
            yield "missing-counts", text, outcome

    def left_out(session: ScriptSession) -> Problems:
        outcome, less, zero = session.all(having(None)(session), out(session), having(0.0)(session))
        if what == "null" and zero.usable and not differ(outcome, less, 0.0) and differ(outcome, zero, 0.0):
            text = f"{shown(outcome.value)}, where counting it as 0 gives {shown(zero.value)}"
            yield "nulls-left-out", f"It leaves null out: {text}.", outcome

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
    every = (*others, without_others, left_out)
    return lambda session: islice((found for one in every for found in one(session)), 1)
