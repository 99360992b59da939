"""Renders the page.

The table that counts expected answers by source is in other documents as well, between two comments.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import jinja2

from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.measuring import Measurements, answer_counts
from conformance.formats.markdown_text import code, escaped
from conformance.mutants.fate import Fate
from conformance.pages.model import Code
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS

__all__ = ["PAGE", "outdated_documents", "render", "table"]

PAGE = "SELF-ASSESSMENT.md"
"""The page's file name, at the root of the checkout."""

Cell = str | Code | int | None
"""A table cell: text, code, a count, or None, shown as a dash."""
_Rows = Iterator[Sequence[Cell]]

_DOCUMENTS = {"README.md": (DEFAULT_SPEC,), "vectors/README.md": SPECS}
"""The documents with a table of answers, and the specs that each table counts."""
_BEGIN, _END = "<!-- answers-by-source -->\n", "\n<!-- end -->"
_HERE = Path(__file__).parent


def render(specs: Sequence[Measurements], benchmarks: Sequence[Benchmark] = ()) -> str:
    """The page; it depends only on the measurements."""
    limits = (_HERE / "limits.md").read_text(encoding="utf-8").strip()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=False,  # noqa: S701 - Markdown, not HTML; conformance.formats.markdown_text escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": code, "escaped": escaped, "table": table}
    page = environment.get_template("page.md.j2")
    shortfalls = [sentence for spec in specs for sentence in spec.shortfalls()]
    rows = {"answers": answers, "by_operation": by_operation, "numbers": numbers, "speed": speed}
    return page.render(rows, specs=specs, shortfalls=shortfalls, benchmarks=benchmarks, limits=limits)


def outdated_documents(root: Path) -> dict[Path, str]:
    """The documents of a checkout whose table is outdated, each with the text that it should have."""
    counts = {spec: answer_counts(spec) for spec in SPECS}
    outdated = {}
    for path, specs in ((root / name, specs) for name, specs in _DOCUMENTS.items()):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        before, begin, tail = text.partition(_BEGIN)
        _, end, after = tail.partition(_END)
        renewed_table = table(answers(counts[spec] for spec in specs), "the answer comes from", *specs)
        if begin and (renewed := "".join([before, begin, renewed_table, end, after])) != text:
            outdated[path] = renewed
    return outdated


def table(rows: Iterable[Sequence[Cell]], *titles: str) -> str:
    """A table; columns of numbers are aligned to the right. Empty if there are no rows."""
    listed = [list(row) for row in rows]
    if not listed:
        return ""
    columns = zip(*listed, strict=True)
    rules = ("---" if any(isinstance(cell, str) for cell in column) else "---:" for column in columns)
    lines = [f"| {' | '.join(map(escaped, titles))} |", f"|{'|'.join(rules)}|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(_cell_text, row))} |" for row in listed)])


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, int):
        return f"{cell:,}"
    return code(cell) if isinstance(cell, Code) else escaped(cell)


def answers(counts: Iterable[dict[str, int]]) -> _Rows:
    """The number of expected answers by source, a column for each of the counts."""
    columns = list(counts)
    for source in dict.fromkeys(source for column in columns for source in column):
        yield source, *(column.get(source) for column in columns)


def numbers(specs: Sequence[Measurements]) -> _Rows:
    """The counts, with a column for each spec."""

    def count_of_fates(*fates: Fate) -> Callable[[Measurements], int]:
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
        ("mutants of the reference", count_of_fates(*Fate)),
        ("… that the vectors catch", count_of_fates(Fate.KILLED, Fate.TIMED_OUT)),
        ("… that do not even start", count_of_fates(Fate.AT_IMPORT)),
        ("… proven equivalent", count_of_fates(Fate.EXCUSED)),
        ("… not caught (must be 0)", count_of_fates(Fate.SURVIVED)),
        ("properties", lambda m: len(m.properties)),
        ("… that a known mistake breaks", lambda m: sum(map(bool, m.properties.values()))),
    ]
    for label, count in counts:
        yield label, *map(count, specs)


def by_operation(specs: Sequence[Measurements]) -> _Rows:
    """For each operation, how much of its code its own vectors check.

    What a later spec changes in an operation has a row of its own, with that spec's name.
    """
    listed: set[str] = set()
    for m in specs:
        for op, fates in m.mutants.ops.items():
            using = [mistake for mistake in m.mistakes if op in mistake.by_op]
            caught = sum(mistake.by_op[op] is not None for mistake in using)
            unreachable = sum((op, mistake.name) in m.unreachable for mistake in using)
            proven = fates[Fate.EXCUSED] + fates[Fate.UNREACHABLE]
            survived = fates[Fate.SURVIVED]
            neither = len(using) - caught - unreachable + survived
            of_mutants = (fates.total(), fates.total() - proven - survived, proven or None)
            name = f"{op} ({m.spec})" if op in listed else op
            listed.add(op)
            yield Code(name), len(using), caught, unreachable or None, *of_mutants, neither or None


def speed(benchmarks: Iterable[Benchmark]) -> _Rows:
    """Figures next to their targets."""
    for run in benchmarks:
        for figure in run.figures:
            yield Code(run.name), figure.what, figure.value_text, figure.aim_text, figure.verdict
