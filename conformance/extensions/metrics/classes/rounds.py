"""Runs a class again under changed conditions, and finds out which of them affects its results.

A single process hides class-level state, module caches and the order of sets. A second process runs the cases
in reverse, each after another input, with another environment and a later clock. If its answers differ,
further processes change one thing at a time.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from conformance.extensions.metrics.classes.process import Json, Problem, Problems, Round
from conformance.extensions.metrics.classes.worker import differing
from conformance.extensions.metrics.sandbox.environments import FIRST, moments, second
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.wire.text import printable, shortened

__all__ = ["LATER", "other_rounds"]

_FIXED = ("PATH", "HOME", "TMP", "TEMP", "PYTHON", "LD_")
"""Prefixes of variables that the kit sets, or that are always needed."""
LATER = 193 * 86_400.0 + 7 * 60 + 11
"""A clock shift in seconds: another season, weekday and last digit of the day, at the same hour."""
_ASPECTS = {
    "locale": "another locale (LC_ALL={})",
    "zone": "another time zone (TZ={})",
    "user": "another user ({})",
    "host": "another host name ({})",
    "home": "another home folder",
    "folder": "another working directory",
    "processors": "{} processor",
    "variables": "other environment variables ({})",
}
_PROCESSORS = {"processors": 3}
_MOST_AT_MOMENTS = 12
"""The number of cases to run at other times of year and day."""


def other_rounds(
    ask: Callable[..., Round], state_rule: str, before: Mapping[str, Json], environment_read: Collection[str]
) -> tuple[Problems, dict[str, Ended]]:
    """Compares with the first process's outcomes, by case in order.

    Returns the differences by case, and how a process ended, by the case that it did not answer.
    """
    problems: Problems = {}
    steady = dict(before)

    def differ(round_: Round) -> list[str]:
        firsts = {name: answer["first"] for name, answer in round_.answers.items() if "first" in answer}
        return [name for name in steady if name in firsts and firsts[name]["brief"] != steady[name]["brief"]]

    def note(rule: str, round_: Round, where: str, cases: Collection[str]) -> None:
        for name in cases:
            given = printable(differing(steady.pop(name), round_.answers[name]["first"]))
            problems.setdefault(name, []).append(Problem(rule, f"It gives {given} {where}."))

    if not before:
        return {}, {}
    backwards, primed = list(before)[::-1], {"quick": True, "primed": True, "under": second()}
    after = ask(backwards, **primed, pretended={"clock": LATER, **_PROCESSORS})
    if len(after.answers) < len(backwards):  # compiled code may not work with a changed clock
        after = ask(backwards, **primed)
    left = [name for name in backwards if name not in after.answers]
    waiting = differ(after)
    for rule, where, how in _conditions(state_rule):
        if not waiting:
            break
        round_ = ask(list(before), quick=True, **how) if how else after
        note(rule, round_, where, shown := [name for name in differ(round_) if name in waiting])
        waiting = [name for name in waiting if name not in shown]
    for name in left:
        steady.pop(name, None)
    if "=clock" in after.environment_read and steady:
        now = datetime.now(timezone.utc)
        clocks = [(moment - now).total_seconds() for moment in moments(now)]
        asked = list(steady)[:_MOST_AT_MOMENTS]
        round_ = ask(asked, quick=True, pretended={"clock": 0.0}, clocks=clocks)
        for name in differ(round_):
            moment = now + timedelta(seconds=round_.answers[name].get("ahead", 0.0))
            note("repeats", round_, f"on {moment:%A, %d %B %Y, at %H:%M} UTC", [name])
    names = sorted(name for name in environment_read if not name.startswith(_FIXED))
    for value in ("1", "0", "0.5") if names and steady else ():
        round_ = ask(
            list(steady), quick=True, under=replace(FIRST, variables=tuple((name, value) for name in names))
        )
        given = shortened(" ".join(f"{name}={value}" for name in names), 120)
        shown = [  # the class may reject a variable's value, since valid ones are unknown
            name
            for name in differ(round_)
            if not steady[name]["cause"] and not round_.answers[name]["first"]["cause"]
        ]
        note("environment", round_, f"with {given} in the environment", shown)
        if shown:
            break
    return problems, dict.fromkeys(left[:1], after.ended)


def _conditions(state_rule: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A rule, the condition that breaks it, and how to set it; the last covers everything else."""
    other = second()
    yield state_rule, "in another process that is the same", {"under": FIRST}
    seed = f"in a process with another hash seed (PYTHONHASHSEED={other.hash_seed})"
    yield "hash-order", seed, {"under": replace(FIRST, hash_seed=other.hash_seed)}
    ahead = {"clock": LATER}  # other zones have other dates
    yield state_rule, "where the clock is half a year ahead", {"pretended": ahead}
    for name, aspect in _ASPECTS.items():
        value = getattr(other, name)
        shown = " ".join(f"{key}={text}" for key, text in value) if name == "variables" else value
        yield "environment", f"with {aspect.format(shown)}", {"under": replace(FIRST, **{name: value})}
    yield "environment", "where os reports 3 processors", {"pretended": _PROCESSORS}
    yield state_rule, "in another process, where the cases came in reverse order, each after one like it", {}
