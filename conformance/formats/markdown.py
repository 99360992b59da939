"""Renders a page as GitHub Markdown, for a comment on a change or a job's summary.

The most important parts come first; what does not fit is counted, since a comment has at most 65,536
characters.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator

from conformance.formats.markdown_text import at_start, code, escaped, fenced
from conformance.outcomes.words import counted
from conformance.pages.model import Bar, Cell, Code, Item, Mark, Page, Spread, Table, Tone
from conformance.wire.text import cut, encodable, harmless, printable

__all__ = ["COMMENT", "as_markdown", "table_lines"]

COMMENT = 60_000
"""Bytes that fit into a comment on GitHub or GitLab, with room for surrounding text."""
_RESERVED = 900
"""Bytes reserved for the sentences about omitted parts."""
_FEW = 12
"""The most items shown in full in a comment."""
_EACH = 3_000
"""The approximate size of an item in bytes, for pages longer than a comment."""
_MOST, _ROWS = 40, 60
_SIGNS = {Tone.GOOD: "✅", Tone.BAD: "❌", Tone.KNOWN: "📌", Tone.WARN: "⚠️", Tone.QUIET: "▫️"}
_SQUARES = {Tone.GOOD: "🟩", Tone.BAD: "🟥", Tone.KNOWN: "🟧", Tone.WARN: "🟨", Tone.QUIET: "⬜"}


def as_markdown(page: Page, limit: int = COMMENT, failures: int | None = None) -> str:
    """Return the page in at most ``limit`` bytes; it needs at least a few thousand.

    ``failures`` is the most items shown in full; by default it depends on ``limit``.
    """
    most = (_FEW if limit <= COMMENT else limit // _EACH) if failures is None else failures
    room = limit - _RESERVED
    lines: list[str] = []
    left_out: list[str] = []
    for title, make in _parts(page, most):
        part = list(make(room))
        if (size := _size(part)) <= room:
            lines += part
            room -= size
        else:
            left_out.append(title)
    left_out += [table.title for table in page.tables if table.long]
    named = ", ".join(escaped(cut(title, 40)) for title in dict.fromkeys(left_out))
    lines += ["", "---", "", "The HTML page and the JSON report are complete."]
    lines += [f"Not shown here: {named}."] if named else []
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    return harmless(encodable(re.sub(r"\n{3,}", "\n\n", text)))


_Make = Callable[[int], Iterable[str]]


def _parts(page: Page, most: int) -> Iterator[tuple[str, _Make]]:
    """Yield the parts of the page in order; each builds its lines for the remaining space."""
    yield (
        "the verdict",
        lambda _: [
            f"## {escaped(cut(page.title, 300))}",
            "",
            f"**{_sign(page.verdict)}**",
            "",
            at_start(escaped(cut(page.sentence, 2_000))),
        ],
    )
    problems = [f"- ⚠️ {escaped(cut(problem, 400))}" for problem in page.problems[:_MOST]]
    if len(page.problems) > _MOST:
        problems.append(f"- ⚠️ and {counted(len(page.problems) - _MOST, 'more problem')}")
    yield "the problems", lambda _: ["", *problems] if problems else []
    facts = [f"{escaped(name + ':')} {_cell(value)}" for name, value in page.facts.items()]
    yield "the facts", lambda _: ["", at_start(" · ".join(facts))] if facts else []
    counts = [(mark, f"{count:,}", means) for mark, count, means in page.counts]
    counts.append((Mark("total", Tone.QUIET), f"{sum(row[1] for row in page.counts):,}", page.unit))
    yield "the counts", lambda _: _table(("", page.unit, ""), counts)
    for table in page.first_tables:
        yield table.title, lambda _, t=table: table_lines(t)  # type: ignore[misc]
    left = most
    for tone, title in page.sections():
        if groups := page.groups(tone):
            count = sum(len(items) for _, items in groups)
            yield title, lambda room, t=title, g=groups, m=left: _section(page, t, g, m, room)  # type: ignore[misc]
            left = max(0, left - count)
    for table in page.tables:
        if not table.long:
            yield table.title, lambda _, t=table: table_lines(t)  # type: ignore[misc]


def _section(
    page: Page, title: str, groups: list[tuple[str, list[Item]]], most: int, room: int
) -> Iterator[str]:
    """Yield failures by cause: as many items as fit, beginning with the first of each cause."""
    total = sum(len(items) for _, items in groups)
    causes = groups[:_MOST]
    heads = [_cause(page, cause, items) for cause, items in causes]
    room -= sum(_size([heading, ""]) for heading in heads) + 300
    full: dict[int, list[list[str]]] = {}
    places = [(nth, number) for number, (_, items) in enumerate(causes) for nth in range(len(items[:most]))]
    for nth, number in sorted(places)[:most]:
        account = _item(causes[number][1][nth])
        room -= _size(account)
        if room < 0:
            break
        full.setdefault(number, []).append(account)
    yield from ("", f"### {title} ({total:,})", "")
    for number, heading in enumerate(heads):
        yield from (heading, "")
        for account in full.get(number, ()):
            yield from account
    if len(groups) > len(causes):
        yield f"And {counted(len(groups) - len(causes), 'more cause')}."
    listed = sum(map(len, full.values()))
    if total > listed:
        yield (
            f"{total - listed:,} of them are not shown in full: see the HTML page, or `harbor-conformance "
            f"report` with `--failures {total}`."
        )


def _cause(page: Page, cause: str, items: list[Item]) -> str:
    do = f": {escaped(cut(page.causes[cause], 300))}" if cause in page.causes else ""
    return f"- **{counted(len(items), page.wrong)}** {escaped(cut(cause, 300))}{do}"


def _item(item: Item) -> list[str]:
    title = html.escape(printable(cut(f"{item.key}: {item.outcome}", 300)))
    lines = [
        "<details>",
        f"<summary><code>{title}</code></summary>",
        "",
        at_start(escaped(cut(item.summary, 300))),
        "",
    ]
    fields: dict[str, Cell] = {"why": item.detail, **item.fields}
    lines += [f"- {escaped(name + ':')} {_cell(value)}" for name, value in fields.items() if value]
    for name, text in item.texts.items():
        lines += ["", escaped(f"{name}:"), "", *fenced(cut(text, 1_500))]
    if item.repeat:
        lines += ["", *fenced(cut(item.repeat, 4_000), "sh")]
    return [*lines, "", "</details>", ""]


def table_lines(table: Table) -> list[str]:
    """Return a table under its title."""
    rows = table.rows[:_ROWS]
    more = [f"and {counted(len(table.rows) - _ROWS, 'more row')}"] if len(table.rows) > _ROWS else []
    return ["", f"### {escaped(cut(table.title, 200))}", *_table(table.head, rows), *more]


def _table(headings: Iterable[str], rows: Iterable[Iterable[Cell]]) -> list[str]:
    names = [escaped(name) for name in headings]
    lines = ["", f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    return [*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows), ""]


def _cell(cell: Cell) -> str:
    match cell:
        case Code():
            return code(cut(cell, 300))
        case Mark():
            return _sign(cell)
        case Bar(parts):
            return " ".join(f"{_SQUARES[tone]} {count:,} {escaped(name)}" for name, count, tone in parts)
        case Spread(text=text):
            return escaped(text)
        case int():
            return f"{cell:,}"
    return escaped(cut(cell, 400))


def _sign(mark: Mark) -> str:
    return f"{_SIGNS[mark.tone]} {escaped(cut(mark.text, 200))}"


def _size(lines: Iterable[str]) -> int:
    """Return the size of lines in bytes, including what escaping may add."""
    return len(harmless("\n".join(lines)).encode("utf-8", "backslashreplace")) + 2
