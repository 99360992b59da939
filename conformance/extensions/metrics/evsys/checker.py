"""Checks an EvSys metric: a class that reduces the rewards of all samples of all tasks to one float."""

from collections.abc import Iterator
from pathlib import Path

from conformance.extensions.metrics.checker import THE_CLASS, Case
from conformance.extensions.metrics.classes.checker import ClassChecker
from conformance.extensions.metrics.classes.process import Json, Problem
from conformance.extensions.metrics.evsys.inputs import CASES
from conformance.option_names import metric_option
from conformance.registry.spec import ADAPTERS

__all__ = ["EvsysChecker"]

_SHARE = 0.3
"""The share of the time for experiments, since a class may be slow."""


class EvsysChecker(ClassChecker):
    """One class, under contract evsys."""

    contract = "evsys"
    part = Path(__file__).with_name("part.py")
    cases = (THE_CLASS, *(Case(name, made.about) for name, made in CASES.items()))
    state_rule = "repeats"

    def settings(self) -> Json:
        """The user's start of the inputs, and the time for experiments."""
        given = {name: getattr(self.options, name) for name in ("trials", "like", "values")}
        seconds, built_in = self.options.limits.seconds * _SHARE, str(ADAPTERS / "evsys.py")
        return {**given, "built_in": built_in, "base": self.described.get("base"), "seconds": seconds}

    def check_all_answers(self) -> Iterator[Problem]:
        """No findings; a note if time was short."""
        if self.answers.get("varied", {}).get("late"):
            late = "It is slow: not all experiments were made"
            self.notes.append(f"{late} ({metric_option('timeout')} N: more).")
        yield from ()
