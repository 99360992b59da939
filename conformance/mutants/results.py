"""The result of a run: what ``kit mutants`` prints and the assessment counts."""

import contextlib
import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from conformance.console.progress import progress_bar
from conformance.console.tables import plain_table
from conformance.mistakes.mutators.mutants import Mutant, mutants_of, reference_source
from conformance.mutants.excuses import Excuse, Unreachable, load_excuses, load_unreachable, stale
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.selection import Asked, asked_of, tried_with
from conformance.mutants.workers import Attempt, tried

__all__ = ["Report", "Survivor", "report_of", "try_mutants"]


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that vectors don't catch, and that is neither proven equivalent nor unreachable."""

    id: str
    before: str
    after: str
    op: str | None = None
    """The op whose own vectors don't catch it; None if no vector of the spec does."""


@dataclass(frozen=True, slots=True)
class Report:
    """The mutants of a spec by fate, with excuses applied."""

    modules: dict[str, Counter[Fate]]
    ops: dict[str, Counter[Fate]]
    """The mutants that each op can use, under its own vectors."""
    survivors: list[Survivor]
    """The mutants that no vector catches."""
    survivors_in: list[Survivor]
    """The mutants that the vectors of some op don't catch."""
    stale_excuses: list[str]

    def exit_code(self) -> int:
        """0 if every mutant is killed or excused in every op that uses it and every excuse holds, else 1."""
        return 1 if self.survivors or self.survivors_in or self.stale_excuses else 0

    @property
    def fates(self) -> Counter[Fate]:
        """The mutants of all modules."""
        return sum(self.modules.values(), Counter[Fate]())

    def tables(self) -> tuple[Table, Table]:
        """The counts of the modules, and of the ops alone, for people."""
        fates = [fate for fate in Fate if fate is not Fate.UNREACHABLE]
        modules = _table("module", {**self.modules, "all": self.fates}, fates)
        return modules, _table("op alone", self.ops, Fate)

    def lines(self) -> list[str]:
        """The survivors, the stale excuses and a summary, as lines."""
        everywhere = {survivor.id for survivor in self.survivors}
        lines = []
        of_ops = [survivor for survivor in self.survivors_in if survivor.id not in everywhere]
        for survivor in (*self.survivors, *of_ops):
            where = f" in {survivor.op}" if survivor.op else ""
            lines += [f"survives{where}: {survivor.id}", f"    {survivor.before}", f"    {survivor.after}"]
        fates = self.fates
        return [
            *lines,
            *(f"excuse: {problem}" for problem in self.stale_excuses),
            f"{fates.total()} mutants: {fates[Fate.KILLED]} killed by vectors, "
            f"{fates[Fate.TIMED_OUT]} by a limit of time or memory, "
            f"{fates[Fate.AT_IMPORT]} that do not start, {fates[Fate.EXCUSED]} excused as equivalent, "
            f"{len(self.survivors)} surviving; "
            f"{len(self.survivors_in)} surviving the vectors of an op alone",
        ]


def try_mutants(
    mutants: Sequence[tuple[Mutant, int]],
    spec: str,
    modules: Sequence[str],
    jobs: int,
    title: str = "mutants",
    *,
    whole: bool,
) -> Report:
    """Tries mutants, each on the vectors of every op that can use the changed code.

    Args:
        mutants: each with its number among its module's.
        spec: the spec with the vectors and the reference.
        modules: the spec's own modules under test.
        jobs: the number of processes; 0 for one per processor.
        title: of the progress bar.
        whole: whether these are all of the spec's mutants; entries of ``unreachable`` count only then.

    Raises:
        MutantsError: they can't be tried.
    """
    pairs, verdicts = asked_of(mutants, spec), {}
    attempts = [Attempt(mutant.module, mutant.function, number, op=op) for mutant, number, op in pairs]
    with (
        progress_bar(title, len(pairs)) as bar,
        contextlib.closing(tried(attempts, jobs, spec=spec)) as finished,
    ):
        for index, verdict in finished:
            verdicts[index] = verdict
            bar.tick()
    return report_of(pairs, verdicts, load_excuses(), load_unreachable(), spec, modules, whole=whole)


def report_of(
    pairs: Sequence[Asked],
    verdicts: Mapping[int, Verdict],
    excuses: Mapping[str, Excuse],
    unreachable: Unreachable,
    spec: str,
    modules: Sequence[str],
    *,
    whole: bool,
) -> Report:
    """The report on the verdicts, which are given by index in ``pairs``: every mutant with every op."""

    def fate_if_excused(mutant: Mutant, fate: Fate) -> Fate:
        excuse = excuses.get(mutant.id)
        proven = excuse is not None and (excuse.before, excuse.after) == (mutant.before, mutant.after)
        return Fate.EXCUSED if proven and fate is Fate.SURVIVED else fate

    of_mutant: dict[str, tuple[Mutant, list[Verdict]]] = {}
    of_op: dict[str, Counter[Fate]] = {}
    survivors_in: list[Survivor] = []
    surviving: Counter[tuple[str, str]] = Counter()
    for number, (mutant, _, op) in enumerate(pairs):
        of_mutant.setdefault(mutant.id, (mutant, []))[1].append(verdicts[number])
        if op is None:
            continue
        fate = fate_if_excused(mutant, verdicts[number].fate)
        place = (op, f"{mutant.module}:{mutant.function}")
        if fate is Fate.SURVIVED:
            surviving[place] += 1
            if place in unreachable.places:
                fate = Fate.UNREACHABLE
            else:
                survivors_in.append(Survivor(mutant.id, mutant.before, mutant.after, op))
        of_op.setdefault(op, Counter())[fate] += 1
    own = {key: (code, _merged(tries)) for key, (code, tries) in of_mutant.items() if code.module in modules}
    of_module: dict[str, Counter[Fate]] = {}
    survivors = []
    for key, (mutant, verdict) in own.items():
        fate = fate_if_excused(mutant, verdict.fate)
        of_module.setdefault(mutant.module, Counter())[fate] += 1
        if fate is Fate.SURVIVED:
            survivors.append(Survivor(key, mutant.before, mutant.after))
    mutants = [mutant for module in modules for mutant in mutants_of(module, reference_source(module))]
    problems = stale(excuses, mutants, modules, {key: verdict for key, (_, verdict) in own.items()})
    if whole:
        problems += unreachable.stale_places(surviving, of_op, functools.partial(tried_with, spec=spec))
    survivors_in.sort(key=lambda survivor: [*of_op].index(survivor.op or ""))
    return Report(dict(sorted(of_module.items())), of_op, survivors, survivors_in, problems)


def _merged(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of all vectors together on a mutant, from the verdicts per op."""
    for fate in (Fate.KILLED, Fate.TIMED_OUT, Fate.SURVIVED):
        for verdict in verdicts:
            if verdict.fate is fate:
                return verdict
    return verdicts[0]


def _table(title: str, counts: Mapping[str, Counter[Fate]], fates: Iterable[Fate]) -> Table:
    table = plain_table("bold")
    table.add_column(title)
    for name in ("mutants", *(fate.heading for fate in fates)):
        table.add_column(name, justify="right")
    for name, counter in counts.items():
        table.add_row(Text(name), str(counter.total()), *(str(counter[fate] or "-") for fate in fates))
    return table
