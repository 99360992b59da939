"""What a comparison has found, for people: on a terminal of 80 columns, and as Markdown."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from conformance.assessment import markdown
from conformance.assessment.markdown import Cell, Code
from conformance.console.tables import plain_table
from conformance.extensions.releases.changes import Change, Example, first_difference, told
from conformance.extensions.releases.report import DiffReport
from conformance.extensions.releases.sides import Side
from conformance.judging.comparison import ABSENT
from conformance.wire.pointers import shown
from conformance.wire.text import compact, printable, shortened

__all__ = ["examples", "head", "last_line", "markdown_page", "reach_lines", "rules_table"]

_RULES = 6
"""The most rules of one change that a terminal shows."""
_EXAMPLES = 4
"""The most examples of one change that a terminal shows."""
_LINE = 240
"""Characters of an input or answer on a terminal."""
_SHORT = 100
"""Characters of an answer that is always shown whole."""
_MARKDOWN_LINE = 600
_REASONS = 4
"""The most reasons shown of what one side can't answer of one op."""


def head(report: DiffReport) -> list[str]:
    """Who is compared, on what."""
    one = report.comparison
    names = [_name(side) for side in one.sides]
    return [
        f"from {names[0]}",
        f"to   {names[1]}",
        f"vectors of {', '.join(report.specs)}; {one.inputs:,} random inputs, seed {one.seed}",
    ]


def _name(side: Side) -> str:
    if side.hello is None:
        return f"{printable(side.subject)} (not started)"
    said = f"{side.hello.runner} {side.hello.version}"
    subject = printable(side.subject)
    return said if subject in (said, side.hello.version) else f"{said} ({subject})"


def rules_table(report: DiffReport) -> Table:
    """What changed, rule by rule: the vectors and the random inputs that show it."""
    result = plain_table()
    result.add_column("", no_wrap=True)
    result.add_column("rule", overflow="fold")
    result.add_column("change", no_wrap=True)
    result.add_column("vectors", justify="right", no_wrap=True)
    result.add_column("random", justify="right", no_wrap=True)
    for number, change in enumerate(report.comparison.changes.ranked(), 1):
        rows = list(_rule_rows(change))
        for place, (rule, vectors, random) in enumerate(rows[:_RULES]):
            result.add_row(
                str(number) if not place else "",
                rule,
                change.sort.value if not place else "",
                str(vectors or "-"),
                str(random or "-"),
            )
        if rest := rows[_RULES:]:
            sums = [sum(row[column] for row in rest) for column in (1, 2)]  # type: ignore[misc]
            result.add_row(
                "", f"and {_several(len(rest), 'rule')} more", "", *(str(one or "-") for one in sums)
            )
    return result


def _rule_rows(change: Change) -> Iterator[tuple[str, int, int]]:
    by_vector = Counter(one.question.clause for one in change.vectors)
    for clause, count in change.ranked():
        yield clause, by_vector[clause], count - by_vector[clause]


def _several(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _counted(change: Change) -> str:
    counts = [(len(change.vectors), "vector"), (change.random, "random input")]
    return ", ".join(_several(count, what) for count, what in counts if count)


def examples(report: DiffReport) -> list[str]:
    """Every change with the inputs that show it best."""
    lines: list[str] = []
    for number, change in enumerate(report.comparison.changes.ranked(), 1):
        what = printable(change.what)
        lines += ["", f"{number}. {change.op}: {what} ({_counted(change)})"]
        for example in change.examples[:_EXAMPLES]:
            lines += [f"   {word:6} {text}" for word, text in _example(example, _LINE)]
        if (more := len(change.examples) - _EXAMPLES) > 0:
            lines.append(f"   {_several(more, 'example')} more in the JSON and Markdown")
        if change.unsteady:
            lines.append(f"   {_several(change.unsteady, 'input')} did not show it again when asked again")
    return lines


def _example(example: Example, most: int) -> Iterator[tuple[str, str]]:
    """The input and both answers; of long answers the first place where they differ."""
    yield "input", compact(example.input, most)
    answers = [_answer(told(one), most) for one in (example.old, example.new)]
    if max(map(len, answers)) > _SHORT:
        first = first_difference(example.question, example.input, example.old, example.new)
        if first is not None:
            sides = (first.expected, first.actual)
            at = printable(shown(first.path))
            answers = [f"{at}: {'nothing' if one is ABSENT else compact(one, most)}" for one in sides]
    yield "before", answers[0]
    yield "now", answers[1]


def _answer(said: dict[str, Any], most: int) -> str:
    match said:
        case {"ok": value}:
            return compact(value, most)
        case {"error": {"type": kind, "reason_code": code}}:
            return f"the error {shortened(kind, 120)}" + (f" ({shortened(code, 60)})" if code else "")
        case {"failed": {"outcome": outcome, "sentence": sentence}}:
            return f"{outcome}: {shortened(sentence, most)}"
    return "unsupported"


def reach_lines(report: DiffReport) -> list[str]:
    """What either side could not answer, by op, with its reasons."""
    one, lines = report.comparison, list[str]()
    if any(side.hello is None for side in one.sides):
        return []
    both = [op for op in one.lacking(one.old) if op in one.lacking(one.new)]
    if both:
        lines.append(f"offered by neither, and not asked: {', '.join(both)}")
    for place, side in enumerate(one.sides):
        alone = [op for op in one.lacking(side) if op not in both]
        if alone:
            lines.append(f"not offered by {_name(side)}: {', '.join(alone)}")
        for op, reasons in sorted(one.unsupported[place].items()):
            total = _several(reasons.total(), "input")
            lines.append(f"{_name(side)} could not answer {total} of {op}:")
            lines += [
                f"   {count:,}: {shortened(why, _LINE)}" for why, count in reasons.most_common(_REASONS)
            ]
            if (more := len(reasons) - _REASONS) > 0:
                lines.append(f"   and {_several(more, 'reason')} more")
    return [*lines, *(printable(sentence) for sentence in one.failed())]


def last_line(report: DiffReport) -> str:
    """The verdict in one line."""
    one = report.comparison
    counts = ", ".join(
        f"{one.asked[kind]:,} {word}"
        for kind, word in (("vectors", "vectors"), ("played", "played jobs"), ("random", "random inputs"))
        if one.asked[kind]
    )
    if not one.compared:
        return "could not be tried: nothing was compared"
    end = "" if report.ended == "complete" else "; interrupted: more may differ"
    if not one.changes.found:
        return f"nothing differs in {counts} ({one.seconds:.1f} s{end})"
    found = f"{_several(one.difference_count(), 'input')} in {_several(len(one.changes.found), 'change')}"
    verb = "differs" if one.difference_count() == 1 else "differ"
    return f"{found} {verb}, of {counts} ({one.seconds:.1f} s{end})"


def markdown_page(report: DiffReport) -> str:
    """The whole account as a page."""
    one = report.comparison
    names = [_name(side) for side in one.sides]
    parts = [
        f"# From {markdown.plain(names[0])} to {markdown.plain(names[1])}",
        markdown.plain(f"{last_line(report)}.".capitalize()),
        markdown.plain(f"Vectors of {', '.join(report.specs)}; random inputs of seed {one.seed}."),
    ]
    if one.changes.found:
        rows: list[list[Cell]] = [
            [number, Code(change.op), Code(rule), change.sort.value, vectors or None, random or None]
            for number, change in enumerate(one.changes.ranked(), 1)
            for rule, vectors, random in _rule_rows(change)
        ]
        columns = ["", "op", "rule", "change", "vectors", "random inputs"]
        parts += ["## What changed", markdown.table(columns, rows)]
    for number, change in enumerate(one.changes.ranked(), 1):
        parts.append(f"### {number}. {markdown.plain(f'{change.op}: {change.what}')}")
        shown: list[list[Cell]] = [
            [Code(text) for _, text in _example(example, _MARKDOWN_LINE)] for example in change.examples
        ]
        parts.append(markdown.table(["input", "before", "now"], shown))
    if lines := reach_lines(report):
        parts += ["## What could not be reached", "\n".join(f"- {markdown.plain(line)}" for line in lines)]
    return "\n\n".join(part for part in parts if part) + "\n"
