"""What an operation uses and cannot show, each with the proof: ``unreachable.json``, held strictly.

Operations share functions, and use a part of what these can do: a mean inside a job has one trial at least. A
mutant or a known mistake of such a part is no hole in the operation's vectors. An entry names the operation,
and either a place of the reference with the exact number of its mutants that survive there, or mistakes. One
mutant more or fewer, or a mistake that is caught after all, and the entry is stale and fails the run.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.mutants.excuses import ExcusesError

__all__ = ["UNREACHABLE", "Unreachable", "load_unreachable"]

UNREACHABLE = Path(__file__).with_name("unreachable.json")
"""The kit's own."""

_SHORTEST_REASON = 40
"""Characters; less is no proof."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """What operations cannot show."""

    places: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    """Op and place (``module:function``) to the number of mutants that survive there, and why they do."""
    mistakes: dict[tuple[str, str], str] = field(default_factory=dict)
    """Op and mistake to the reason why no input of the op can show it."""

    def stale_places(
        self,
        surviving: Mapping[tuple[str, str], int],
        ops: Iterable[str],
        concerned: Callable[[str], bool] = lambda _: True,
    ) -> list[str]:
        """What is wrong with the entries about the mutants of some ops, a sentence each.

        Args:
            surviving: the number of survivors by op and place, those proven equivalent left out.
            ops: the ops all of whose mutants were tried.
            concerned: whether the mutants of a module were to be tried.
        """
        tried = set(ops)
        return [
            f"{op}, {place}: {surviving.get((op, place), 0)} mutants survive where {count} are proven to"
            for (op, place), (count, _) in self.places.items()
            if op in tried and concerned(place.partition(":")[0]) and surviving.get((op, place), 0) != count
        ]


def load_unreachable(path: Path = UNREACHABLE) -> Unreachable:
    """The entries of the file.

    Raises:
        ExcusesError: it can't be read, is malformed, says a thing twice, or gives a reason that is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExcusesError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise ExcusesError(f"{path} is not JSON: {error}") from None
    found = Unreachable()
    try:
        for entry in document["unreachable"]:
            _enter(found, entry["reason"].strip(), entry["ops"], path)
    except (KeyError, TypeError, AttributeError):
        raise ExcusesError(
            f"{path} must hold entries with a reason and, by op, mutants (place to number) and mistakes"
        ) from None
    return found


def _enter(found: Unreachable, reason: str, ops: Mapping[str, Any], path: Path) -> None:
    if len(reason) < _SHORTEST_REASON or not reason.endswith("."):
        raise ExcusesError(f"{path}: {reason!r} is no reason: say in a sentence why nothing can tell it")
    for op, what in ops.items():
        for place, count in what.get("mutants", {}).items():
            if (op, place) in found.places or not isinstance(count, int) or count < 1:
                raise ExcusesError(f"{path}: {op}, {place} stands there twice, or its number is none")
            found.places[op, place] = (count, reason)
        for name in what.get("mistakes", ()):
            if (op, name) in found.mistakes:
                raise ExcusesError(f"{path}: {op}, {name} stands there twice")
            found.mistakes[op, name] = reason
