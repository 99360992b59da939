"""A class asked again: the cases in reverse with another hash seed, and in another environment.

One process alone hides what it keeps: class-level state, module caches, the order of a set.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from conformance.metric.class_process import SECOND_SEED, Json, Said
from conformance.metric.confinement import Ended
from conformance.metric.first_causes import Problem
from conformance.wire.text import shortened

__all__ = ["OtherRounds"]

_VITAL = ("PATH", "HOME", "TMP", "TEMP", "PYTHON", "LD_")
"""What these begin is set by the kit, or nothing runs without it."""
_VALUES = ("1", "0", "0.5")


class Asking(Protocol):
    """Asks some cases of a new process."""

    def __call__(
        self,
        names: Sequence[str],
        *,
        quick: bool = False,
        primed: bool = False,
        seed: str = ...,
        variables: Mapping[str, str] | None = None,
    ) -> Said:
        """What it said."""


class OtherRounds:
    """What differs from the first process."""

    def __init__(
        self,
        asking: Asking,
        same: Callable[[Json, Json], bool],
        text: Callable[[Json], str],
        state_rule: str,
    ) -> None:
        self._ask, self._same, self._text, self._state_rule = asking, same, text, state_rule
        self.problems: dict[str, list[Problem]] = {}
        """By case."""
        self.ended: dict[str, Ended] = {}
        """The case in which a process ended before it had answered."""

    def go(self, before: Mapping[str, Json], environment_read: Collection[str]) -> None:
        """Compares with the outcomes of the first process, by case in its order."""
        if not before:
            return
        backwards = list(before)[::-1]
        after = self._ask(backwards, quick=True, primed=True, seed=SECOND_SEED)
        left = [name for name in backwards if name not in after.answers]
        if left:
            self.ended[left[0]] = after.ended
        if differ := self._differing(before, after):
            self._tell_apart(differ, before, after)
        steady = {name: first for name, first in before.items() if name not in {*differ, *left}}
        self._vary_environment(steady, environment_read)

    def _differing(self, before: Mapping[str, Json], after: Said) -> list[str]:
        return [
            name
            for name, first in before.items()
            if "first" in after.answers.get(name, {}) and not self._same(first, after.answers[name]["first"])
        ]

    def _tell_apart(self, differ: Sequence[str], before: Mapping[str, Json], after: Said) -> None:
        """Whether it is the order of the cases, the hash seed, or neither."""
        seed = self._ask(list(before), quick=True, seed=SECOND_SEED)
        neither = self._ask(list(before), quick=True)
        by_seed = set(self._differing(before, seed)) - set(self._differing(before, neither))
        for name in differ:
            gives = f"It gives {self._text(before[name])}"
            other = self._text(after.answers[name]["first"])
            if name in by_seed:
                where = f"in a process with another hash seed (PYTHONHASHSEED={SECOND_SEED})"
                self._note(name, "hash-order", f"{gives}, and {other} {where}.")
            else:
                where = "in another process, where the cases came in reverse order, each after one like it"
                self._note(name, self._state_rule, f"{gives}, and {other} {where}.")

    def _vary_environment(self, before: Mapping[str, Json], environment_read: Collection[str]) -> None:
        names = sorted(name for name in environment_read if not name.startswith(_VITAL))
        for value in _VALUES if names and before else ():
            variables = {name: value for name in names if os.environ.get(name) != value}
            after = self._ask(list(before), quick=True, variables=variables)
            setting = shortened(" ".join(f"{name}={variables[name]}" for name in variables), 120)
            differ = [
                name
                for name in self._differing(before, after)
                if "raised" not in before[name] and "raised" not in after.answers[name]["first"]
            ]
            for name in differ:
                gives = f"It gives {self._text(before[name])}, and {self._text(after.answers[name]['first'])}"
                self._note(name, "environment", f"{gives} with {setting} in the environment.")
            if differ:
                return

    def _note(self, name: str, rule: str, sentence: str) -> None:
        self.problems.setdefault(name, []).append((rule, sentence))
