"""The rows of the page's tables, and a table in Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.measurements import Measurements
from conformance.formats.markdown_text import code, escaped
from conformance.mutants.fate import Fate
from conformance.pages.model import Code

__all__ = ["alone", "answers", "numbers", "speed", "table"]

Cell = str | Code | int | None
"""A table cell: text, code, a count, or None, shown as a dash."""
_Rows = Iterator[Sequence[Cell]]


def table(rows: Iterable[Sequence[Cell]], *head: str) -> str:
    """A table; columns of numbers are aligned to the right. Empty if there are no rows."""
    listed = [list(row) for row in rows]
    if not listed:
        return ""
    columns = zip(*listed, strict=True)
    rules = ("---" if any(isinstance(cell, str) for cell in column) else "---:" for column in columns)
    lines = [f"| {' | '.join(map(escaped, head))} |", f"|{'|'.join(rules)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(_shown, row))} |" for row in listed)])


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, int):
        return f"{cell:,}"
    return code(cell) if isinstance(cell, Code) else escaped(cell)


def answers(counts: Iterable[dict[str, int]]) -> _Rows:
    """The number of expected answers by source, a column for each of the counts."""
    every = list(counts)
    for source in dict.fromkeys(source for each in every for source in each):
        yield source, *(each.get(source) for each in every)


def numbers(specs: Sequence[Measurements]) -> _Rows:
    """The counts, with a column for each spec."""

    def mutants(*fates: Fate) -> Callable[[Measurements], int]:
        return lambda m: sum(m.mutants.fates[fate] for fate in fates)

    counts: list[tuple[str, Callable[[Measurements], int]]] = [
        ("vectors", lambda m: m.vectors),
        ("clauses", lambda m: m.traced + m.excused + len(m.bare)),
        ("… that a vector tests", lambda m: m.traced),
        ("… that none can test, for a reason given", lambda m: m.excused),
        ("… neither (must be 0)", lambda m: len(m.bare)),
        ("known mistakes", lambda m: len(m.mistakes)),
        ("… that the vectors catch", lambda m: len(m.mistakes) - len(m.missed)),
        ("… that they do not (must be 0)", lambda m: len(m.missed)),
        ("mutants of the reference", mutants(*Fate)),
        ("… that the vectors catch", mutants(Fate.KILLED, Fate.TIMED_OUT)),
        ("… that do not even start", mutants(Fate.AT_IMPORT)),
        ("… proven equivalent", mutants(Fate.EXCUSED)),
        ("… not caught (must be 0)", mutants(Fate.SURVIVED)),
        ("properties", lambda m: len(m.properties)),
        ("… that a known mistake breaks", lambda m: sum(map(bool, m.properties.values()))),
    ]
    for what, count in counts:
        yield what, *map(count, specs)


def alone(specs: Sequence[Measurements]) -> _Rows:
    """For each operation, how much of the code it uses its own vectors check."""
    for m in specs:
        for op, of in m.mutants.ops.items():
            using = [one for one in m.mistakes if op in one.alone]
            caught = sum(one.alone[op] is not None for one in using)
            unreachable = sum((op, one.name) in m.unreachable for one in using)
            proven = of[Fate.EXCUSED] + of[Fate.UNREACHABLE]
            survived = of[Fate.SURVIVED]
            neither = len(using) - caught - unreachable + survived
            of_mutants = (of.total(), of.total() - proven - survived, proven or None)
            yield Code(op), len(using), caught, unreachable or None, *of_mutants, neither or None


def speed(benchmarks: Iterable[Benchmark]) -> _Rows:
    """Figures next to their targets."""
    for run in benchmarks:
        for one in run.figures:
            yield Code(run.name), one.what, one.value_text, one.aim_text, one.verdict
