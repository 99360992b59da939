"""Checks that a metric script's result does not depend on folder, time or variables."""

import contextlib
import locale
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache

from conformance.extensions.metrics.sandbox.environments import FIRST, second
from conformance.extensions.metrics.script.contrasts import Problems
from conformance.extensions.metrics.script.script_run import How, ScriptRun, Trials, shown
from conformance.extensions.metrics.script.session import ScriptSession, Violation, differ, later

__all__ = ["another_locale", "mixed", "surroundings"]

_ELSEWHERE = {"PATH", "HOME", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "PYTHONHASHSEED"}
"""Variables that other runs vary already."""
_GERMAN = "de_DE.UTF-8"
_LANGUAGES = "de_DE fr_FR es_ES it_IT pt_BR nl_NL pl_PL ru_RU sv_SE tr_TR en_US"
"""Most use a decimal comma."""
_VARIABLE = re.compile(r"""["']([A-Z_][A-Z0-9_]{2,40})["']""")
Changed = Iterator[tuple[str, How, bool]]
"""The surroundings in words, how to run, and whether only values count as differences."""


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

    elsewhere = replace(
        second(),
        hash_seed=FIRST.hash_seed,
        user="root",
        locale=another_locale() or "C",
        home="far/house",
        folder="far/away",
    )
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
