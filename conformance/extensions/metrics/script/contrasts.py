"""Compares outputs for lists of trials that no aggregate distinguishes, such as ints and equal floats.

Every aggregate that counts all trials (a mean, a median, an extreme, a number or a share) passes.
``contrasts.txt`` has the lists. `surroundings` compares outputs for the same list in other folders, at other
times, with other variables.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.extensions.metrics.findings import table_rows
from conformance.extensions.metrics.relations import holds
from conformance.extensions.metrics.sandbox.environments import DIFFERENT, FIRST, second
from conformance.extensions.metrics.script.runs import How, Rewards, ScriptRun, Trials, Violation, shown
from conformance.extensions.metrics.script.session import ScriptSession, differ, later, numbers
from conformance.option_names import metric_option

__all__ = ["CONTRASTS", "Experiment", "Problems", "mixed", "surroundings", "values_of"]

Problems = Iterator[Violation]
Experiment = Callable[[ScriptSession], Problems]
Given = Callable[[ScriptSession], Trials]
_ELSEWHERE = {"PATH", "HOME", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "PYTHONHASHSEED"}
"""Variables that other runs vary already."""
_VARIABLE = re.compile(r"""["']([A-Z_][A-Z0-9_]{2,40})["']""")
_REPEATED = re.compile(r"\(([^)]*)\)\*(\d+)")
Changed = Iterator[tuple[str, How, bool]]
"""The surroundings in words, how to run, and whether only values count as differences."""


def values_of(text: str, hole: Rewards = None) -> Given:
    """Trials with these rewards under every key: numbers, or ``null``; ``(…)*10`` for ten times the same.

    ``_`` is a trial that is the ``hole``, and ``_0.5`` the hole with 0.5 under each key that it lacks.
    """
    words = _REPEATED.sub(lambda found: f"{found[1]} " * int(found[2]), text).split()

    def value(word: str) -> float | None:
        word = word.lstrip("_") or "null"
        word = str(10**400) if word == "1E400" else word
        return None if word == "null" else float(word) if re.search(r"[.enf]", word) else int(word)

    def trials(session: ScriptSession) -> Trials:
        made = session.each(*map(value, words))
        for at, word in enumerate(words[: len(made)]):
            if word == "_":
                made[at] = hole
            elif word.startswith("_"):
                (whole,) = replace(session.shape, exact=False).trials(value(word))
                kept = {key: one for key, one in (hole or {}).items() if key in session.shape.keys}
                made[at] = {**(whole or {}), **kept}
        return made

    return trials


def _holes(session: ScriptSession, case: str) -> Iterator[tuple[str, Rewards]]:
    """Trials without rewards, or without one of several, in words."""
    keys = session.shape.keys
    if case == "nulls-as-zero":
        yield from [("null", None)] if session.shape.nulls else ()
        return
    yield from (("A trial with another key only", {session.other(): 0.0}), ("A trial without keys", {}))
    for key in keys[:2] if len(keys) > 1 else ():
        (whole,) = replace(session.shape, exact=False).trials(0.5)
        yield f"A trial without {key}", {name: one for name, one in (whole or {}).items() if name != key}


def contrast(case: str, rule: str, options: str, lists: str, wrong: str, sentence: str) -> Experiment:
    """Runs lists, and yields the rule if a number in their outputs is ``wrong``, as `holds` says.

    The outputs are inserted into the ``sentence``. With ``plain``, rewards are literal, so scripts that need
    others are skipped; with ``one-key`` also those that read several keys, and with ``any-number`` those that
    need some numbers of trials, or answer yes or no. With ``may-fail``, it may fail, which another case
    reports; with ``whole``, the first two outputs are equal; with ``outputs``, these are related, not
    numbers in them; with ``literal``, rewards are literal though the script needs others.
    """

    def problems(session: ScriptSession) -> Problems:
        shape, yes_or_no = session.shape, "any-number" in options
        if ("one-key" in options and len(shape.keys) > 1) or (yes_or_no and shape.exact):
            return
        if "plain" in options and shape.levels:
            return
        for what, hole in _holes(session, case) if "_" in lists else [("", None)]:
            with session.literal("literal" in options):
                given = [values_of(text, hole)(session) for text in lists.split(";")]
            runs = session.all(*given, quietly="may-fail" in options)
            found = [numbers(run) for run in runs]
            if "outputs" in options and all(run.usable for run in runs):
                equal = [[differ(run, other) for other in runs].index(False) for run in runs]
                found = [{"output": float(first)} for first in equal]
            for name in found[0]:
                values = [one[name] for one in found if name in one]
                if len(values) < len(found) or (yes_or_no and {*values} <= {0, 1}):
                    continue
                if holds(wrong, values) and ("whole" not in options or not differ(runs[0], runs[1])):
                    shows = runs[-1] if yes_or_no else runs[0]
                    gave = [shown(run.value) for run in runs]
                    keys = f"tried as keys: {', '.join(shape.keys)}; {metric_option('key')} NAME names others"
                    text = sentence.format(*gave, what=what, keys=keys, values=metric_option("values"))
                    yield rule, text, shows
                    return

    return problems


CONTRASTS = [
    (case, contrast(case, *row))
    for cases, *row in table_rows(Path(__file__).with_name("contrasts.txt"))
    for case in cases.split()
]
"""A case with its lists."""


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

    elsewhere = replace(second(), hash_seed=FIRST.hash_seed, user="root", home="far/house", folder="far/away")
    run = session.ask(trials, How(under=elsewhere))
    if differ(base, run):
        yield problem(run, f"in another environment: {DIFFERENT}")
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


def _pretences(asked_for: Sequence[str]) -> Changed:
    """The pretences that the script reads; others can make no difference."""
    for number in (1, 16) if "=processors" in asked_for else ():
        yield f"with {number} processors", How(pretended=(("processors", number),)), False
    if "=clock" in asked_for:
        yield from ((where, how, False) for where, how in later())


def _variables(session: ScriptSession, asked_for: Sequence[str]) -> Changed:
    """Values for the variables that it reads or names, and for those whose start or end it names."""
    named = _VARIABLE.findall(session.text.source)
    whole = [f"{name}X" for name in named if name.endswith("_")]
    whole += [f"X{name}" for name in named if name.startswith("_")]
    asked = [name for name in asked_for if "=" not in name]
    names = [name for name in dict.fromkeys((*asked, *named, *whole)) if name not in _ELSEWHERE]
    of_languages = [name for name in names if name.startswith(("LC_", "LANG"))]
    names = [name for name in names if name not in of_languages]
    for value in ("1", "0", "other", *session.text.keys[:6]) if names else ():
        how = How(under=replace(FIRST, variables=tuple((name, value) for name in names)))
        yield f"with the value {value} for {', '.join(names[:3])}", how, False
    if of_languages:  # which may not be installed
        yield "with the locale de_DE.UTF-8", How(under=replace(FIRST, locale="de_DE.UTF-8")), True
