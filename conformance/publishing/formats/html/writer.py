"""What the templates ask for: a report's texts as markup, within the budget of the page."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from markupsafe import Markup

from conformance.publishing.blocks import Code, Failure, Heat, Line, Link, Mark, Part, Row, Tone, plain
from conformance.publishing.formats.html import pictures
from conformance.publishing.formats.html.brief import Briefs, own_command, shared_command, shared_prefix
from conformance.publishing.formats.html.budget import Budget, brief_of
from conformance.publishing.formats.html.facets import Facet, facets_of, tokens_of
from conformance.publishing.formats.html.names import Names
from conformance.publishing.formats.html.texts import attribute, cut, element, is_whole
from conformance.publishing.model import Count, Page

__all__ = ["Writer"]

_T = TypeVar("_T")
_MOST_COLUMNS = 2_000
"""Of a picture of trials."""
_LONG_WORD = re.compile(r"[^\s-]{33}")
_LONGEST_HEADING = 240
_LONGEST_COMMAND = 2_000
_LONG_LINES = 18
_LONG_TEXT = 1_400
"""A text with more lines or characters than this is scrolled in its own region."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Failures in brief. What is the same of all of them is said once."""

    count: int
    """How many there are."""
    loose: Sequence[Failure]
    """Those that stand in no row of a table."""
    prefix: str
    """How the titles of these begin."""
    command: str | None
    """What repeats any of them, with ``ID`` for the id."""


class Writer:
    """One page being written."""

    pictures = pictures

    def __init__(self, page: Page, budget: Budget) -> None:
        """Nothing of it is written yet."""
        self.names = Names(page, budget.rows)
        self._briefs = Briefs(page, budget)
        self._command: str | None = None
        self.budget = budget
        self.cuts = 0
        """How many texts are not shown whole."""
        self.left_out = 0
        """How many rows, trials and failures are not shown, or in a line alone."""
        self.tokens: dict[str, int] = {}
        """Facets by letter, and how many values a list has of them at most."""
        self.heads: list[Sequence[str]] = []
        """What the columns of tables are called."""
        self._numbers = 0

    def fresh(self) -> str:
        """An id for an element of the page's own."""
        self._numbers += 1
        return f"page-{self._numbers}"

    def line(self, line: Line, links: bool = True) -> Markup:
        """A line with its marks and, where nothing around it can be pressed itself, its links."""
        if not links:
            line = tuple(piece.text if isinstance(piece, Link) else piece for piece in line)
        if len(line) == 1:
            return self._piece(line[0])
        if len(line) > self.budget.pieces:
            self.left_out += len(line) - self.budget.pieces
            more = Markup(' <span class="cut">… and more</span>')
            return Markup("").join([self._piece(piece) for piece in line[: self.budget.pieces]]) + more
        return Markup("").join([self._piece(piece) for piece in line])

    def heading(self, line: Line) -> Markup:
        """The page's heading: as ``line``, of bounded length."""
        whole, self.budget = (
            self.budget,
            replace(self.budget, inline=min(_LONGEST_HEADING, self.budget.inline)),
        )
        try:
            return self.line(line[:_LONGEST_HEADING])
        finally:
            self.budget = whole

    def cell(self, line: Line) -> Markup:
        """A table's cell. Words are kept whole there, those apart that are too long for it."""
        made = self.line(line)
        return Markup('<span class="w">{}</span>').format(made) if _LONG_WORD.search(plain(line)) else made

    def coded(self, rows: Sequence[Row]) -> bool:
        """Whether every row is named by a piece of code: that is said once then, of the table."""
        return bool(rows) and all(
            len(row.cells[0]) == 1 and isinstance(row.cells[0][0], Code)
            for row in rows
            if row.cells and not row.heads
        )

    def stacked(self, head: Sequence[str]) -> str:
        """The class of a table whose rows are cards on a narrow screen, each cell with its column's name."""
        if head not in self.heads:
            self.heads.append(head)
        return f"h{self.heads.index(head)}"

    def _piece(self, piece: object) -> Markup:
        if isinstance(piece, str):
            return self.text(piece)
        if isinstance(piece, Code):
            return Markup("<code>{}</code>").format(self.text(piece.text))
        if isinstance(piece, Mark):
            return self.mark(piece)
        assert isinstance(piece, Link)
        target = self.names.target(piece.anchor)
        text = self.text(piece.text)
        return text if target is None else Markup('<a href="#{}">{}</a>').format(target, text)

    def mark(self, mark: Mark) -> Markup:
        """A word with its tone."""
        if mark.tone is Tone.PLAIN:
            return self.text(mark.text)
        return Markup('<b class="{}">{}</b>').format(mark.tone.value, self.text(mark.text))

    def text(self, text: str) -> Markup:
        """Text of a line."""
        return self._cut(text, self.budget.inline, lines=False)

    def command(self, text: str) -> Markup:
        """A command that stands on the page once."""
        return self._cut(text, _LONGEST_COMMAND, lines=False)

    def sentence(self, text: str) -> Markup:
        """Text that another sentence follows."""
        made = self.text(text)
        return made if not made or made[-1] in ".!?>" else made + "."

    def long(self, text: str) -> Markup:
        """Text of several lines."""
        return self._cut(text, self.budget.text, lines=True)

    def _cut(self, text: str, most: int, *, lines: bool) -> Markup:
        shown = cut(text, most)
        if len(shown) == len(text):
            return element(text, lines=lines)
        self.cuts += 1
        said = Markup('<span class="cut">… cut, {} characters in all</span>').format(f"{len(text):,}")
        return element(shown, lines=lines) + said

    def some(self, items: Sequence[_T]) -> Sequence[_T]:
        """As many items as the page has room for."""
        if len(items) <= self.budget.rows:
            return items
        self.left_out += len(items) - self.budget.rows
        return items[: self.budget.rows]

    def worst(self, failures: Sequence[Failure]) -> Sequence[Failure]:
        """As many failures as the page has room for with all that is known of them."""
        return failures[: min(self.budget.failures, self.budget.rows)]

    def brief(self, failures: Sequence[Failure]) -> "Brief | None":
        """The failures that are shown in brief; how many are not shown at all is counted too."""
        some = failures[: self.budget.rows]
        behind = some[self.budget.failures :]
        self.left_out += len(failures) - len(some) + len(behind)
        self._command = shared_command(behind)
        if not behind:
            return None
        loose = self._briefs.loose(behind)
        return Brief(len(behind), loose, shared_prefix(loose), self._command)

    def told(self, failure: Failure) -> Iterator[tuple[str, Markup]]:
        """What is told of a failure in brief: both answers, what is behind it, its command if of its own."""
        most = self.budget.brief
        for name, text in brief_of(failure):
            if text and most:
                yield name, element(text[:most]) + ("…" if len(text) > most else "")
        own = own_command(failure, self._command)
        if own is not None:
            yield "repeat", self.text(own)

    def account(self, row: Row) -> Failure | None:
        """The failure whose account stands in the row."""
        return None if row.anchor is None else self._briefs.in_rows.get(row.anchor)

    def without(self, line: Line, failure: Failure) -> Line | None:
        """The line without its link to the failure; None where it has none."""
        links = [one for one in line if isinstance(one, Link) and one.anchor == failure.anchor]
        if not links:
            return None
        return tuple(one for one in line if one not in links) or (links[0].text,)

    def tone_of(self, failure: Failure) -> str:
        """A failure's tone: what is known is not new, whatever came out; else the worse of its two marks."""
        expected, came = failure.expectation.tone, failure.result.tone
        if expected is Tone.KNOWN or came is Tone.PLAIN:
            return str(expected)
        return str(came if came is Tone.BAD or expected is Tone.PLAIN else expected)

    def copyable(self, text: str) -> bool:
        """Whether what is shown is the text, letter by letter."""
        return is_whole(text) and len(text) <= self.budget.inline

    def is_long(self, text: str) -> bool:
        """Whether it is scrolled in its own region."""
        shown = text[: self.budget.text]
        return len(shown) > _LONG_TEXT or shown.count("\n") > _LONG_LINES

    def changed(self, text: str) -> Markup:
        """A difference, its lines marked as gone or new."""
        shown = cut(text, self.budget.text)
        pieces = []
        for line in shown.splitlines(keepends=True):
            name = {"-": "del", "+": "ins"}.get(line[:1])
            safe = element(line, lines=True)
            pieces.append(Markup("<{0}>{1}</{0}>").format(Markup(name), safe) if name else safe)  # noqa: S704
        if len(shown) < len(text):
            pieces.append(self._cut(text, 0, lines=True))
        return Markup("").join(pieces)

    def facets(self, rows: Iterable[object]) -> tuple[Facet, ...]:
        """What these rows or failures may be filtered by."""
        found = facets_of([getattr(row, "facets", {}) for row in rows if not getattr(row, "heads", False)])
        for facet in found:
            self.tokens[facet.letter] = max(self.tokens.get(facet.letter, 0), len(facet.values))
        return found

    def classes(self, facets: Sequence[Facet], row: Mapping[str, str], tone: str, *more: str) -> str:
        """The classes of a row."""
        found = [*more, tokens_of(facets, row), "" if tone in ("plain", "good") else tone]
        return " ".join(name for name in found if name)

    def over(self, facets: Sequence[Facet], rows: Sequence[Row], first: int) -> str:
        """The classes of a heading: those of all rows below it, so that it is there where one of them is."""
        tokens: dict[str, None] = {"g": None}
        for row in rows[first:]:
            if row.heads:
                break
            tokens |= dict.fromkeys(tokens_of(facets, row.facets).split())
        return " ".join(tokens)

    def says(self, text: str, most: int = 300) -> str:
        """Text as an attribute."""
        return attribute(text, most)

    def plain(self, line: Line) -> str:
        """A line as an attribute."""
        return attribute(plain(line))

    def triples(self, parts: Iterable[Part | Count]) -> list[tuple[str, int, str]]:
        """The parts of a bar."""
        return [(part.name, part.number, part.tone.value) for part in parts]

    def fitting(self, heat: Heat) -> Heat:
        """The picture, with as many tasks and attempts as the page has room for."""
        rows = []
        for row in self.some(heat.rows):
            if len(row.cells) > _MOST_COLUMNS:
                self.left_out += len(row.cells) - _MOST_COLUMNS
                row = replace(row, cells=row.cells[:_MOST_COLUMNS])
            rows.append(row)
        return replace(heat, rows=tuple(rows), columns=heat.columns[:_MOST_COLUMNS])

    def legend(self, heat: Heat) -> list[tuple[str, str]]:
        """What a picture of trials shows, and what each of it means."""
        shown = {pictures.state_of(cell, heat) for row in heat.rows for cell in row.cells}
        steps = pictures.BUCKETS - 2
        at = [heat.low + (heat.high - heat.low) * step / steps for step in range(steps + 1)]
        told = {"v0": pictures.number(heat.low), f"v{pictures.BUCKETS - 1}": pictures.number(heat.high)}
        for step in range(steps):
            told[f"v{step + 1}"] = f"{pictures.number(at[step])} to {pictures.number(at[step + 1])}"
        told |= {"errored": "errored", "unscored": "without a reward", "missing": "missing"}
        return [(state, says) for state, says in sorted(told.items(), key=_place) if state in shown]

    def heat_rows(self, heat: Heat) -> list[tuple[str, int, str, str, str]]:
        """A picture of trials as a table: task, trials, mean of the scored ones, values in order, notes."""
        signs = {"errored": "E", "unscored": "?", "missing": "–"}
        found = []
        for row in heat.rows:
            scored = [cell.value for cell in row.cells if cell.state == "scored" and cell.value is not None]
            mean = pictures.number(sum(scored) / len(scored)) if scored else "–"
            values = " ".join(
                signs[cell.state] if cell.state in signs else pictures.number(cell.value)
                for cell in row.cells
            )
            notes = [f"{at + 1}: {cell.text}" for at, cell in enumerate(row.cells) if cell.text]
            kept = notes[:3] if self.budget.notes else []
            more = len(notes) - len(kept)
            if more:
                kept.append(f"{more:,} more")
            present = sum(cell.state != "missing" for cell in row.cells)
            found.append((row.label, present, mean, values, "; ".join(kept)))
        return found


def _place(item: tuple[str, str]) -> tuple[bool, str]:
    """Values first, from low to high."""
    return (item[0] in pictures.STATES, item[0])
