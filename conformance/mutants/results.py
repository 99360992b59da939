"""What a run found, counted, for people and as JSON."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from conformance.mutants.excuses import Excuse
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.mutator import Mutant
from conformance.paths import DEFAULT_SPEC
from conformance.report.writing import plain_table

__all__ = ["Results", "excuse_lines"]

_COLUMNS = {
    Fate.KILLED: "killed",
    Fate.TIMED_OUT: "timed out",
    Fate.AT_IMPORT: "at import",
    Fate.EXCUSED: "excused",
    Fate.SURVIVED: "surviving",
}


@dataclass(frozen=True, slots=True)
class Results:
    """The verdicts of a run and what is wrong with the excuses."""

    mutants: Sequence[Mutant]
    """Those that were tried."""
    verdicts: Mapping[str, Verdict]
    """By their ids, as the vectors have it."""
    excuses: Mapping[str, Excuse]
    problems: Sequence[str]
    """Stale excuses, a sentence each."""
    spec: str = DEFAULT_SPEC

    def fate(self, mutant: Mutant) -> Fate:
        """How it ended, excuses considered."""
        fate = self.verdicts[mutant.id].fate
        return Fate.EXCUSED if fate is Fate.SURVIVED and self._excused(mutant) else fate

    def _excused(self, mutant: Mutant) -> bool:
        excuse = self.excuses.get(mutant.id)
        return excuse is not None and (excuse.before, excuse.after) == (mutant.before, mutant.after)

    def counts(self) -> dict[str, Counter[Fate]]:
        """How many of each module's ended how."""
        counts: dict[str, Counter[Fate]] = {}
        for mutant in self.mutants:
            counts.setdefault(mutant.module, Counter())[self.fate(mutant)] += 1
        return counts

    def survivors(self) -> list[Mutant]:
        """Those that no vector notices and nothing excuses."""
        return [mutant for mutant in self.mutants if self.fate(mutant) is Fate.SURVIVED]

    def exit_code(self) -> int:
        """0 if every mutant is killed or excused and every excuse holds, else 1."""
        return 1 if self.survivors() or self.problems else 0

    def table(self) -> Table:
        """The counts for people."""
        table = plain_table("bold")
        table.add_column("module")
        for name in ("mutants", *_COLUMNS.values()):
            table.add_column(name, justify="right")
        counts = self.counts()
        whole: Counter[Fate] = sum(counts.values(), Counter())
        for module, fates in [*sorted(counts.items()), ("all", whole)]:
            numbers = (str(fates[fate]) if fates[fate] else "-" for fate in _COLUMNS)
            table.add_row(Text(module), str(fates.total()), *numbers)
        return table

    def lines(self) -> list[str]:
        """The survivors, the stale excuses and the sum of it all, a line or several each."""
        lines = []
        for mutant in self.survivors():
            lines += [f"survives: {mutant.id}", f"    {mutant.before}", f"    {mutant.after}"]
        lines += [f"excuse: {problem}" for problem in self.problems]
        whole: Counter[Fate] = sum(self.counts().values(), Counter())
        parts = [
            f"{whole[Fate.KILLED]} killed by vectors",
            f"{whole[Fate.TIMED_OUT]} by a limit of time or memory",
            f"{whole[Fate.AT_IMPORT]} that do not start",
            f"{whole[Fate.EXCUSED]} excused as equivalent",
            f"{whole[Fate.SURVIVED]} surviving",
        ]
        return [*lines, f"{whole.total()} mutants: {', '.join(parts)}"]

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
                module: {str(fate): fates[fate] for fate in _COLUMNS}
                for module, fates in sorted(self.counts().items())
            },
            "stale_excuses": list(self.problems),
            "mutants": [self._entry(mutant) for mutant in self.mutants],
        }

    def _entry(self, mutant: Mutant) -> dict[str, Any]:
        fate, by = self.fate(mutant), self.verdicts[mutant.id].by
        entry = {"id": mutant.id, "fate": str(fate), "before": mutant.before, "after": mutant.after}
        if fate is Fate.EXCUSED:
            entry["reason"] = self.excuses[mutant.id].reason
        return entry | ({"by": by} if by else {})


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
