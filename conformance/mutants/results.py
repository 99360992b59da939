"""What a run found, counted, for people and as JSON."""

import functools
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table
from rich.text import Text

from conformance.console.tables import plain_table
from conformance.mutants.excuses import Excuse, stale
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.mutator import Mutant, mutants_of, reference_source
from conformance.mutants.selection import Asked, tried_with
from conformance.mutants.unreachable import Unreachable
from conformance.paths import DEFAULT_SPEC

__all__ = ["Results", "excuse_lines", "whole_verdict"]

_COLUMNS = {
    Fate.KILLED: "killed",
    Fate.TIMED_OUT: "timed out",
    Fate.AT_IMPORT: "at import",
    Fate.EXCUSED: "excused",
    Fate.UNREACHABLE: "unreachable",
    Fate.SURVIVED: "surviving",
}


def whole_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """What the vectors of all ops together say of a mutant, by what those of each op say."""
    found = list(verdicts)
    for fate in (Fate.KILLED, Fate.TIMED_OUT, Fate.SURVIVED):
        for verdict in found:
            if verdict.fate is fate:
                return verdict
    return found[0]


@dataclass(frozen=True, slots=True)
class Results:
    """The verdicts of a run and what is wrong with the excuses."""

    mutants: Sequence[Mutant]
    """Those that were tried, of the spec's own modules and of those that its ops share with another."""
    by_op: Mapping[str, Mapping[str, Verdict]]
    """By op and the mutant's id, as the op's vectors have it."""
    verdicts: Mapping[str, Verdict]
    """By the ids of the spec's own mutants, as all its vectors have it."""
    excuses: Mapping[str, Excuse]
    unreachable: Unreachable
    problems: Sequence[str]
    """Stale excuses, a sentence each."""
    spec: str = DEFAULT_SPEC

    @classmethod
    def of(
        cls,
        asked: Sequence[Asked],
        found: Mapping[int, Verdict],
        excuses: Mapping[str, Excuse],
        unreachable: Unreachable,
        *,
        spec: str,
        modules: Sequence[str],
        whole: bool,
    ) -> "Results":
        """What comes of the verdicts.

        Args:
            asked: every mutant with every op.
            found: the verdicts by their places in ``asked``.
            excuses: the proofs for mutants that are equivalent.
            unreachable: the proofs for what an op cannot show.
            spec: whose vectors were asked.
            modules: the spec's own modules that are looked at.
            whole: whether all mutants were tried: only then can entries of ``unreachable`` be counted.
        """
        mutants = {mutant.id: mutant for mutant, _, _ in asked}
        by_op: dict[str, dict[str, Verdict]] = {}
        of_mutant: dict[str, list[Verdict]] = {}
        for place, (mutant, _, op) in enumerate(asked):
            of_mutant.setdefault(mutant.id, []).append(found[place])
            if op is not None:
                by_op.setdefault(op, {})[mutant.id] = found[place]
        own = {key: whole_verdict(each) for key, each in of_mutant.items() if mutants[key].module in modules}
        results = cls(list(mutants.values()), by_op, own, excuses, unreachable, [], spec)
        every = [mutant for module in modules for mutant in mutants_of(module, reference_source(module))]
        problems = stale(excuses, every, modules, own)
        if whole:
            survivors = results.survivors_by_place()
            problems += unreachable.stale_places(survivors, by_op, functools.partial(tried_with, spec=spec))
        return replace(results, problems=problems)

    def own(self) -> list[Mutant]:
        """The mutants of the spec's own modules."""
        return [mutant for mutant in self.mutants if mutant.id in self.verdicts]

    def fate(self, mutant: Mutant) -> Fate:
        """How it ended under all vectors of the spec, excuses considered."""
        return self._excused(mutant, self.verdicts[mutant.id].fate)

    def fate_in(self, op: str, mutant: Mutant) -> Fate:
        """How it ended under the vectors of one op, excuses considered."""
        fate = self._excused(mutant, self.by_op[op][mutant.id].fate)
        if fate is Fate.SURVIVED and (op, _place(mutant)) in self.unreachable.places:
            return Fate.UNREACHABLE
        return fate

    def _excused(self, mutant: Mutant, fate: Fate) -> Fate:
        excuse = self.excuses.get(mutant.id)
        proven = excuse is not None and (excuse.before, excuse.after) == (mutant.before, mutant.after)
        return Fate.EXCUSED if proven and fate is Fate.SURVIVED else fate

    def survivors_by_place(self) -> Counter[tuple[str, str]]:
        """How many survive the vectors of an op at a place, those proven equivalent left out."""
        return Counter(
            (op, _place(mutant))
            for op, verdicts in self.by_op.items()
            for mutant in self.mutants
            if mutant.id in verdicts and self._excused(mutant, verdicts[mutant.id].fate) is Fate.SURVIVED
        )

    def counts(self) -> dict[str, Counter[Fate]]:
        """How many of each of the spec's own modules ended how."""
        counts: dict[str, Counter[Fate]] = {}
        for mutant in self.own():
            counts.setdefault(mutant.module, Counter())[self.fate(mutant)] += 1
        return counts

    def counts_by_op(self) -> dict[str, Counter[Fate]]:
        """How many of those that each op can use ended how, under its own vectors."""
        return {
            op: Counter(self.fate_in(op, mutant) for mutant in self.mutants if mutant.id in verdicts)
            for op, verdicts in self.by_op.items()
        }

    def survivors(self) -> list[Mutant]:
        """Those that no vector notices and nothing excuses."""
        return [mutant for mutant in self.own() if self.fate(mutant) is Fate.SURVIVED]

    def survivors_in(self) -> list[tuple[str, Mutant]]:
        """Those that no vector of an op notices, where they could show for all that is known."""
        return [
            (op, mutant)
            for op, verdicts in self.by_op.items()
            for mutant in self.mutants
            if mutant.id in verdicts and self.fate_in(op, mutant) is Fate.SURVIVED
        ]

    def exit_code(self) -> int:
        """0 if every mutant is killed or excused in every op that uses it and every excuse holds, else 1."""
        return 1 if self.survivors() or self.survivors_in() or self.problems else 0

    def table(self) -> Table:
        """The counts of the modules for people."""
        whole: Counter[Fate] = sum(self.counts().values(), Counter())
        columns: dict[Fate, str] = {
            fate: name for fate, name in _COLUMNS.items() if fate is not Fate.UNREACHABLE
        }
        return _table("module", columns, [*sorted(self.counts().items()), ("all", whole)])

    def table_by_op(self) -> Table:
        """The counts of the ops, each under its own vectors, for people."""
        return _table("op alone", _COLUMNS, list(self.counts_by_op().items()))

    def lines(self) -> list[str]:
        """The survivors, the stale excuses and the sum of it all, a line or several each."""
        lines = []
        for mutant in self.survivors():
            lines += [f"survives: {mutant.id}", f"    {mutant.before}", f"    {mutant.after}"]
        everywhere = {mutant.id for mutant in self.survivors()}
        for op, mutant in self.survivors_in():
            if mutant.id not in everywhere:
                lines += [
                    f"survives in {op}: {mutant.id}",
                    f"    {mutant.before}",
                    f"    {mutant.after}",
                ]
        lines += [f"excuse: {problem}" for problem in self.problems]
        whole: Counter[Fate] = sum(self.counts().values(), Counter())
        parts = [
            f"{whole[Fate.KILLED]} killed by vectors",
            f"{whole[Fate.TIMED_OUT]} by a limit of time or memory",
            f"{whole[Fate.AT_IMPORT]} that do not start",
            f"{whole[Fate.EXCUSED]} excused as equivalent",
            f"{whole[Fate.SURVIVED]} surviving",
        ]
        alone = f"{len(self.survivors_in())} surviving the vectors of an op alone"
        return [*lines, f"{whole.total()} mutants: {', '.join(parts)}; {alone}"]

    def as_json(self, *, whole: bool, measured: Mapping[str, str]) -> dict[str, Any]:
        """The same and each mutant for machines.

        Args:
            whole: whether all mutants were tried.
            measured: the ``fingerprint`` of what was tried.
        """
        return {
            "spec": self.spec,
            "python": platform.python_version(),
            "whole": whole,
            "measured": dict(measured),
            "modules": {
                module: {str(fate): fates[fate] for fate in _COLUMNS if fate is not Fate.UNREACHABLE}
                for module, fates in sorted(self.counts().items())
            },
            "ops": {
                op: {str(fate): fates[fate] for fate in _COLUMNS} for op, fates in self.counts_by_op().items()
            },
            "survivors_in": [
                {"op": op, "id": mutant.id, "before": mutant.before, "after": mutant.after}
                for op, mutant in self.survivors_in()
            ],
            "stale_excuses": list(self.problems),
            "mutants": [self._entry(mutant) for mutant in self.own()],
        }

    def _entry(self, mutant: Mutant) -> dict[str, Any]:
        fate, by = self.fate(mutant), self.verdicts[mutant.id].by
        entry = {"id": mutant.id, "fate": str(fate), "before": mutant.before, "after": mutant.after}
        if fate is Fate.EXCUSED:
            entry["reason"] = self.excuses[mutant.id].reason
        return entry | ({"by": by} if by else {})


def _place(mutant: Mutant) -> str:
    return f"{mutant.module}:{mutant.function}"


def _table(head: str, columns: Mapping[Fate, str], counts: Sequence[tuple[str, Counter[Fate]]]) -> Table:
    table = plain_table("bold")
    table.add_column(head)
    for name in ("mutants", *columns.values()):
        table.add_column(name, justify="right")
    for name, fates in counts:
        numbers = (str(fates[fate]) if fates[fate] else "-" for fate in columns)
        table.add_row(Text(name), str(fates.total()), *numbers)
    return table


def excuse_lines(excuses: Mapping[str, Excuse]) -> list[str]:
    """Every reason with the mutants that it excuses."""
    families: dict[str, list[Excuse]] = {}
    for excuse in excuses.values():
        families.setdefault(excuse.reason, []).append(excuse)
    lines = []
    for reason, family in families.items():
        lines.append(reason)
        lines += [f"    {one.id}: {one.before}  ->  {one.after}" for one in family]
    return lines
