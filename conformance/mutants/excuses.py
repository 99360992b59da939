"""Proofs that no input can show a mutant or a mistake, checked strictly.

An excuse (``equivalent.json``) names one mutant by id and repeats the line before and after, so that it
cannot silently apply to another change. Several mutants can share one reason. A reason that holds only on
some versions of Python names them in ``pythons``, and counts only on these. An excuse whose mutant is gone,
or is killed after all, is stale and fails the run.

Operations share functions, and use only part of their behaviour: a mean inside a job has at least one trial.
Behaviour that an operation uses but cannot show is listed in ``unreachable.json``: a place of the reference
with the exact number of surviving mutants, or mistakes. If that number changes, or a mistake is caught after
all, the entry is stale.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from conformance.mistakes.mutators.mutants import Mutant
from conformance.mutants.fate import Fate, MutantsError, Verdict

__all__ = ["Excuse", "ExcusesError", "Unreachable", "load_excuses", "load_unreachable", "stale"]

EXCUSES, UNREACHABLE = map(Path(__file__).with_name, ("equivalent.json", "unreachable.json"))
"""The file of the kit."""

_Entry = TypeVar("_Entry")
_Reason = Annotated[str, msgspec.Meta(min_length=40, pattern=r"\.$")]
"""A proof: a sentence of at least this many characters."""


class ExcusesError(MutantsError):
    """The file of proofs can't be used."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An object of these files, with exactly these members."""


class Excuse(_Strict, frozen=True):
    """One mutant that no vector can catch."""

    id: str
    before: str
    after: str


class _Family(_Strict, frozen=True):
    reason: _Reason
    """Why they answer every request as the reference does."""
    mutants: Annotated[list[Excuse], msgspec.Meta(min_length=1)]
    pythons: tuple[str, ...] = ()


class _OfOp(_Strict, frozen=True):
    mutants: dict[str, Annotated[int, msgspec.Meta(ge=1)]] = {}
    mistakes: tuple[str, ...] = ()


class _Unreached(_Strict, frozen=True):
    reason: _Reason
    ops: dict[str, _OfOp]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Mutants and mistakes that operations cannot show."""

    places: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of surviving mutants by op and place (``module:function``)."""
    mistakes: set[tuple[str, str]] = field(default_factory=set)
    """Each op and mistake that no input of the op can show."""

    def stale_places(
        self,
        surviving: Mapping[tuple[str, str], int],
        ops: Iterable[str],
        concerned: Callable[[str], bool] = lambda _: True,
    ) -> list[str]:
        """A sentence for each outdated entry about the mutants of some ops.

        Args:
            surviving: the number of survivors by op and place, without those proven equivalent.
            ops: the ops whose mutants were all tried.
            concerned: whether the mutants of a module were selected.
        """
        tried = set(ops)
        return [
            f"{op}, {place}: {surviving.get((op, place), 0)} mutants survive where {count} are proven to"
            for (op, place), count in self.places.items()
            if op in tried and concerned(place.partition(":")[0]) and surviving.get((op, place), 0) != count
        ]


def _read(path: Path, name: str, kind: type[_Entry]) -> list[_Entry]:
    """The entries of a file: the list of its only member."""
    try:
        content = msgspec.json.decode(path.read_bytes(), type=dict[str, list[kind]])  # type: ignore[valid-type]
        if content.keys() == {name}:
            return content[name]
        raise ExcusesError(f"{path} is no list of proofs: its only member is `{name}`")
    except OSError as error:
        raise ExcusesError(f"{path} can't be read: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise ExcusesError(f"{path} is no list of proofs: {error}") from None


def load_excuses(path: Path = EXCUSES) -> dict[str, Excuse]:
    """The excuses that hold on this Python, by mutant id, in the order of the file.

    Raises:
        ExcusesError: the file can't be read or is malformed, or has a duplicate id or an empty reason.
    """
    running = "{}.{}".format(*sys.version_info)
    pairs = [(excuse, family) for family in _read(path, "equivalent", _Family) for excuse in family.mutants]
    ids = [excuse.id for excuse, _ in pairs]
    if twice := next((id_ for index, id_ in enumerate(ids) if id_ in ids[:index]), None):
        raise ExcusesError(f"{path}: {twice} is excused twice")
    return {excuse.id: excuse for excuse, family in pairs if running in family.pythons or not family.pythons}


def load_unreachable(path: Path = UNREACHABLE) -> Unreachable:
    """The entries proven unreachable.

    Raises:
        ExcusesError: the file can't be read or is malformed, or has a duplicate or an entry without reason.
    """
    unreachable = Unreachable()
    entries = _read(path, "unreachable", _Unreached)
    for op, listed in (pair for entry in entries for pair in entry.ops.items()):
        for name in (*listed.mutants, *listed.mistakes):
            if (op, name) in unreachable.places or (op, name) in unreachable.mistakes:
                raise ExcusesError(f"{path}: {op}, {name} is there twice")
            if name in listed.mutants:
                unreachable.places[op, name] = listed.mutants[name]
            else:
                unreachable.mistakes.add((op, name))
    return unreachable


def stale(
    excuses: Mapping[str, Excuse],
    mutants: Iterable[Mutant],
    modules: Iterable[str],
    verdicts: Mapping[str, Verdict],
) -> list[str]:
    """A sentence for each stale excuse.

    Args:
        excuses: all of them.
        mutants: all mutants of ``modules``, tried or not.
        modules: the modules under test; excuses of others are ignored.
        verdicts: the verdicts of the tried mutants, by id.
    """
    by_id = {mutant.id: mutant for mutant in mutants}
    by_change = {(mutant.function, mutant.before, mutant.after): mutant.id for mutant in by_id.values()}
    problems = []
    chosen = set(modules)
    for excuse in excuses.values():
        module, function, *_ = (*excuse.id.split(":"), "")
        if module not in chosen:
            continue
        mutant, verdict = by_id.get(excuse.id), verdicts.get(excuse.id)
        if mutant is None or (mutant.before, mutant.after) != (excuse.before, excuse.after):
            moved = by_change.get((function, excuse.before, excuse.after))
            hint = f"; the same change is {moved} now" if moved else ""
            problems.append(f"{excuse.id}: there is no such mutant any more{hint}")
        elif verdict is not None and verdict.fate is not Fate.SURVIVED:
            by = f" by {verdict.by}" if verdict.by else ""
            problems.append(f"{excuse.id}: it is {verdict.fate}{by}, so it needs no excuse")
    return problems
