"""The mutants that answer like the reference, each with the proof: ``equivalent.json``, held strictly.

An excuse names one mutant by id and repeats the line before and after, so that it cannot come to stand for
another change. Several mutants can share one reason. A reason that holds on some versions of Python only
names them in ``pythons``, and counts on these alone. An excuse whose mutant is gone, or is killed after
all, is stale and fails the run: nothing is excused that needs no excuse.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.mutants.fate import Fate, MutantsError, Verdict
from conformance.mutants.mutator import Mutant

__all__ = ["EXCUSES", "Excuse", "ExcusesError", "load_excuses", "stale"]

EXCUSES = Path(__file__).with_name("equivalent.json")
"""The kit's own."""

_SHORTEST_REASON = 40
"""Characters; less is no proof."""


class ExcusesError(MutantsError):
    """The file of excuses can't be used."""


@dataclass(frozen=True, slots=True)
class Excuse:
    """One mutant that no vector could notice."""

    id: str
    before: str
    after: str
    reason: str
    """Why it answers every request as the reference does."""
    pythons: tuple[str, ...] = ()
    """The versions of Python on which it does; all if none is named."""


def load_excuses(path: Path = EXCUSES) -> dict[str, Excuse]:
    """The excuses that hold on this Python by the ids of their mutants, in the order of the file.

    Raises:
        ExcusesError: the file can't be read, is malformed, holds an id twice or a reason that is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExcusesError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise ExcusesError(f"{path} is not JSON: {error}") from None
    excuses: dict[str, Excuse] = {}
    for index, family in enumerate(_members(document, {"equivalent": list}, f"{path}")["equivalent"]):
        place = f"{path}: entry {index}"
        types = {"reason": str, "mutants": list}
        if isinstance(family, dict) and "pythons" in family:
            types["pythons"] = list
        members = _members(family, types, place)
        reason = members["reason"].strip()
        if len(reason) < _SHORTEST_REASON or not reason.endswith("."):
            raise ExcusesError(f"{place}: {reason!r} is no reason: say in a sentence why nothing can tell it")
        if not members["mutants"]:
            raise ExcusesError(f"{place} excuses no mutant")
        for mutant in members["mutants"]:
            named = _members(mutant, {"id": str, "before": str, "after": str}, place)
            if named["id"] in excuses:
                raise ExcusesError(f"{place}: {named['id']} is excused twice")
            excuses[named["id"]] = Excuse(**named, reason=reason, pythons=tuple(members.get("pythons", ())))
    running = "{}.{}".format(*sys.version_info)
    return {key: one for key, one in excuses.items() if running in one.pythons or not one.pythons}


def _members(value: Any, types: Mapping[str, type], place: str) -> dict[str, Any]:
    """An object with these members and no other."""
    if not isinstance(value, dict) or value.keys() != types.keys():
        raise ExcusesError(f"{place} must be an object with {', '.join(types)} and nothing else")
    for name, kind in types.items():
        if not isinstance(value[name], kind):
            raise ExcusesError(f"{place}: {name} must be a {'string' if kind is str else 'list'}")
    return value


def stale(
    excuses: Mapping[str, Excuse],
    mutants: Iterable[Mutant],
    modules: Iterable[str],
    verdicts: Mapping[str, Verdict],
) -> list[str]:
    """What is wrong with the excuses, a sentence each.

    Args:
        excuses: all of them.
        mutants: all mutants of ``modules``, tried or not.
        modules: the modules that are looked at; excuses of others are left alone.
        verdicts: by id, of the mutants that were tried.
    """
    by_id = {mutant.id: mutant for mutant in mutants}
    by_change = {(mutant.function, mutant.before, mutant.after): mutant.id for mutant in by_id.values()}
    problems = []
    chosen = set(modules)
    for excuse in excuses.values():
        module, function, *_ = (*excuse.id.split(":"), "")
        if module not in chosen:
            continue
        mutant = by_id.get(excuse.id)
        if mutant is None or (mutant.before, mutant.after) != (excuse.before, excuse.after):
            moved = by_change.get((function, excuse.before, excuse.after))
            hint = f"; the same change is {moved} now" if moved else ""
            problems.append(f"{excuse.id}: there is no such mutant any more{hint}")
        elif excuse.id in verdicts and verdicts[excuse.id].fate is not Fate.SURVIVED:
            verdict = verdicts[excuse.id]
            by = f" by {verdict.by}" if verdict.by else ""
            problems.append(f"{excuse.id}: it is {verdict.fate}{by}, so it needs no excuse")
    return problems
