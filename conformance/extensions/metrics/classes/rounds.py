"""A class asked again where everything differs that it must not depend on, and which of that matters.

One process alone hides what a class keeps: class-level state, module caches, the order of a set. A second
process has the cases in reverse, each after another input, another environment and a later clock. Where it
answers otherwise, further ones change one thing at a time.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from conformance.extensions.metrics.classes.process import Json, Problem, Problems, Said
from conformance.extensions.metrics.classes.worker import differing
from conformance.extensions.metrics.sandbox.environments import FIRST, Environment, moments, second
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.wire.text import printable, shortened

__all__ = ["LATER", "other_rounds"]

_FIXED = ("PATH", "HOME", "TMP", "TEMP", "PYTHON", "LD_")
"""What these begin is set by the kit, or nothing runs without it."""
_VALUES = ("1", "0", "0.5")
LATER = 193 * 86_400.0 + 7 * 60 + 11
"""Seconds: another season, weekday and last digit of the day. The hour stays, for a zone to change it."""
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


_PRETENCES = {
    "machine": "on another machine, with another system",
    "processors": "where os tells it of 3 processors",
    "user": "where os tells it of the user with the number 0",
}
_PRETENDED = {"clock": LATER, "machine": 1, "processors": 3, "user": 0}
_MOST_AT_MOMENTS = 12
"""Cases that are asked at other times of the year and the day."""


def other_rounds(
    ask: Callable[..., Said], state_rule: str, before: Mapping[str, Json], environment_read: Collection[str]
) -> tuple[Problems, dict[str, Ended]]:
    """Compares with the outcomes of the first process, by case in its order.

    Returns what differs, by case, and how a process ended, by the case that it had not answered.
    """
    problems: Problems = {}

    def note(rule: str, said: Said, where: str, cases: Collection[str]) -> None:
        for name in cases:
            given = printable(differing(before[name], _outcomes(said)[name]))
            problems.setdefault(name, []).append(Problem(rule, f"It gives {given} {where}."))

    if not before:
        return {}, {}
    names = sorted(name for name in environment_read if not name.startswith(_FIXED))
    backwards, other = list(before)[::-1], second()
    after = ask(backwards, quick=True, primed=True, under=other, pretended=_PRETENDED)
    if len(after.answers) < len(backwards):  # compiled code may not work with a clock of ours
        after = ask(backwards, quick=True, primed=True, under=other)
    left = [name for name in backwards if name not in after.answers]
    waiting = _differing(before, after)
    for rule, where, how in _one_by_one(state_rule, other):
        if not waiting:
            break
        said = ask(list(before), quick=True, **how) if how else after
        shown = [name for name in _differing(before, said) if name in waiting]
        note(rule, said, where, shown)
        waiting = [name for name in waiting if name not in shown]
    steady = {name: first for name, first in before.items() if name not in {*problems, *left}}
    if "=clock" in after.environment_read and steady:
        now = datetime.now(timezone.utc)
        clocks = [(moment - now).total_seconds() for moment in moments(now)]
        asked = list(steady)[:_MOST_AT_MOMENTS]
        said = ask(asked, quick=True, pretended={"clock": 0.0}, clocks=clocks)
        for name in _differing(steady, said):
            moment = now + timedelta(seconds=said.answers[name].get("ahead", 0.0))
            note("repeats", said, f"on {moment:%A, %d %B %Y, at %H:%M} UTC", [name])
            del steady[name]
    for value in _VALUES if names and steady else ():
        variables: dict[str, str | None] = dict.fromkeys(names, value)
        said = ask(list(steady), quick=True, under=FIRST.having(variables))
        given = shortened(" ".join(f"{name}={value}" for name in names), 120)
        differ = [  # a variable may be refused: nobody said what it may be
            name
            for name in _differing(steady, said)
            if not steady[name]["cause"] and not _outcomes(said)[name]["cause"]
        ]
        note("environment", said, f"with {given} in the environment", differ)
        if differ:
            break
    return problems, dict.fromkeys(left[:1], after.ended)


def _one_by_one(state_rule: str, other: Environment) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """A rule, where it is broken, and how to ask for it; the last is what nothing else explains."""
    yield state_rule, "in another process that is the same", {"under": FIRST}
    seed = f"in a process with another hash seed (PYTHONHASHSEED={other.hash_seed})"
    yield "hash-order", seed, {"under": replace(FIRST, hash_seed=other.hash_seed)}
    ahead = {"clock": LATER}  # other zones have other dates
    yield state_rule, "where the clock is half a year ahead", {"pretended": ahead}
    for name, aspect in _ASPECTS.items():
        value = getattr(other, name)
        shown = " ".join(f"{key}={text}" for key, text in value) if name == "variables" else value
        yield "environment", f"with {aspect.format(shown)}", {"under": replace(FIRST, **{name: value})}
    for name, where in _PRETENCES.items():
        yield "environment", where, {"pretended": {name: _PRETENDED[name]}}
    yield state_rule, "in another process, where the cases came in reverse order, each after one like it", {}


def _outcomes(said: Said) -> dict[str, Json]:
    return {name: answer["first"] for name, answer in said.answers.items() if "first" in answer}


def _differing(before: Mapping[str, Json], after: Said) -> list[str]:
    outcomes = _outcomes(after)
    return [
        name
        for name, first in before.items()
        if name in outcomes and outcomes[name]["brief"] != first["brief"]
    ]
