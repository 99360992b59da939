"""Compares outputs for lists of trials that no aggregate distinguishes, such as ints and equal floats.

Every aggregate that counts all trials (a mean, a median, an extreme, a number or a share) passes.
`surroundings` compares outputs for the same list in other folders, at other times, with other variables.
"""

import contextlib
import locale
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from conformance.extensions.metrics.findings import table_rows
from conformance.extensions.metrics.sandbox.environments import FIRST, second
from conformance.extensions.metrics.script.runs import (
    How,
    Rewards,
    ScriptRun,
    Trials,
    Violation,
    alike,
    shown,
)
from conformance.extensions.metrics.script.session import ScriptSession, differ, later, numbers

__all__ = [
    "CONTRASTS",
    "Experiment",
    "Problems",
    "another_locale",
    "close",
    "counts_as",
    "mixed",
    "surroundings",
    "values_of",
]

Problems = Iterator[Violation]
Experiment = Callable[[ScriptSession], Problems]
Given = Callable[[ScriptSession], Trials]
_AROUND = (0.25, 0.625, 0.875)
"""The rewards of the trials around one without rewards."""
_ELSEWHERE = {"PATH", "HOME", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "PYTHONHASHSEED"}
"""Variables that other runs vary already."""
_GERMAN = "de_DE.UTF-8"
_LANGUAGES = "de_DE fr_FR es_ES it_IT pt_BR nl_NL pl_PL ru_RU sv_SE tr_TR en_US"
"""Most use a decimal comma."""
_VARIABLE = re.compile(r"""["']([A-Z_][A-Z0-9_]{2,40})["']""")
Changed = Iterator[tuple[str, How, bool]]
"""The surroundings in words, how to run, and whether only values count as differences."""


def close(*values: float) -> bool:
    """Whether they are the same number, except for the last digits."""
    return all(alike(float(one), float(other), 1e-9) for one, other in pairwise(values))


def _rounds_down(small: float, large: float) -> bool:
    """Whether a number, as a mean or in per cent, is a millionth of another that was rounded down."""
    exact = large / 1e6
    floors = [math.floor(exact * 10**digits) / 10**digits for digits in range(4)]
    down = [small == floor < exact != round(small, 9) for floor in floors]
    return (2 < exact < 7 or 200 < exact < 700) and any(
        one and small != round(exact, digits) for digits, one in enumerate(down)
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
    are literal, so scripts that need others are skipped; with ``one-key`` also those that read several keys.
    With ``may-fail``, it may fail, which another case reports.
    """

    def problems(session: ScriptSession) -> Problems:
        several = "one-key" in options and len(session.shape.keys) > 1
        if several or ("plain" in options and session.shape.levels):
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

    filled = {"1": 1.0, "0.5": 0.5, "the trial before": 0.25, "the trial after": 0.625, "-1": -1.0}
    others = (
        contrast(
            "missing-counts",
            (having(None), having(0.0), out, having(value)),
            "a=d a!=b a!=c",
            f"{what} gave {{0}}, and so did {words} in its place; 0 there gives {{1}}.",
            "plain may-fail" if value < 0 else "",
        )
        for words, value in filled.items()
    )
    every = (*others, without_others, left_out)
    return lambda session: islice((found for one in every for found in one(session)), 1)


@cache
def another_locale() -> str | None:
    """An installed locale other than C and POSIX, with a decimal comma if possible."""
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        for name in (f"{language}.UTF-8" for language in _LANGUAGES.split()):
            with contextlib.suppress(locale.Error):
                return locale.setlocale(locale.LC_NUMERIC, name)
        return None
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def mixed(session: ScriptSession) -> Trials:
    """Four trials, one without rewards."""
    return session.each(0.25, session.null, 1.0, 0.0)


def surroundings(session: ScriptSession) -> Problems:
    """Another folder, other variables, and another time."""
    trials = mixed(session)
    base = session.ask(trials)
    if not base.usable:
        return

    def problem(run: ScriptRun, where: str, base: ScriptRun = base) -> Violation:
        cause = next((sentence for _, sentence in run.problems), "")
        gave = f"gave {shown(run.value)}" if run.usable else f"failed: {cause}"
        return "environment", f"The rewards that gave {shown(base.value)} {gave} {where}.", run

    far: dict[str, Any] = {"home": "far/house", "folder": "far/away", "locale": another_locale() or "C"}
    elsewhere = replace(second(), hash_seed=FIRST.hash_seed, user="root", **far)
    run = session.ask(trials, How(under=elsewhere))
    if differ(base, run):
        for name, value in asdict(elsewhere).items():
            under = replace(FIRST, **{name: value})
            if under != FIRST and differ(base, session.ask(trials, How(under=under))):
                yield problem(run, f"with another {name.replace('_', ' ')}")
                return
        yield problem(run, "with another environment")
        return
    # Other problems of these runs belong to other cases. A sample of many trials may be seeded by the clock.
    many = session.each(0.25, session.null, *[1.0, 0.0, 0.375] * 99)
    seen = session.ask_quietly(many, How(pretended=()))
    for before, given, changes in (
        (base, trials, _variables(session, seen.asked_for)),
        (seen, many, _pretences(seen.asked_for)),
    ):
        for where, how, must_work in changes:
            run = session.ask_quietly(given, how)
            if differ(before, run) and (run.usable or not must_work):
                yield problem(run, where, before)
                return


def _pretences(asked_for: tuple[str, ...]) -> Changed:
    """The pretences that the script reads; others can make no difference."""
    if "=processors" in asked_for:
        for number, words in ((1, "1 processor"), (16, "16 processors")):
            yield f"with {words}", How(pretended=(("processors", number),)), False
    if "=clock" in asked_for:
        yield from ((where, how, False) for where, how in later())


def _variables(session: ScriptSession, asked_for: tuple[str, ...]) -> Changed:
    """Values for the variables that it reads or names, and for those whose start or end it names."""
    named = _VARIABLE.findall(session.text.source)
    keys = [key.upper() for key in session.text.keys if key.isidentifier()]
    whole = [f"{name}{key}" for name in named if name.endswith("_") for key in (*keys, "X")]
    whole += [f"X{name}" for name in named if name.startswith("_")]
    asked = [name for name in asked_for if "=" not in name]
    names = [name for name in dict.fromkeys((*asked, *named, *whole)) if name not in _ELSEWHERE]
    ours = [name for name in names if name.startswith(("LC_", "LANG"))]
    names = [name for name in names if name not in ours]
    for value in ("1", "0", "other", *session.text.keys[:6]) if names else ():
        how = How(under=replace(FIRST, variables=tuple((name, value) for name in names)))
        yield f"with the value {value} for {', '.join(names[:3])}", how, False
    if ours:
        german = How(under=replace(FIRST, locale=_GERMAN))
        yield f"with the locale {_GERMAN}", german, another_locale() is None
