"""What stands on a page: lines, tables, pictures, failures.

All texts are data as a runner, a job or a metric wrote them. Nothing is escaped here: each format escapes
what it writes, all of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

__all__ = [
    "Bar",
    "Bars",
    "Block",
    "Cell",
    "Code",
    "Failure",
    "Failures",
    "Heat",
    "HeatCell",
    "HeatRow",
    "Inline",
    "Line",
    "Lines",
    "Link",
    "Mark",
    "Paragraph",
    "Part",
    "Pre",
    "Range",
    "Ranges",
    "Row",
    "Table",
    "Tone",
    "plain",
]


class Tone(str, Enum):
    """How something is to be taken; a format shows it by more than a colour."""

    GOOD = "good"
    """As it should be."""
    BAD = "bad"
    """New, and wrong."""
    KNOWN = "known"
    """Wrong, and listed as known."""
    WARN = "warn"
    """Neither: unsupported, in part, stale."""
    QUIET = "quiet"
    """Not there: filtered, not run."""
    PLAIN = "plain"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Code:
    """Text to be read letter by letter: an id, a command, a value."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A way to another place of the same page."""

    text: str
    anchor: str
    """An anchor that a section, a row or a failure of the page has; formats without anchors show the text."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A word with a tone, such as an outcome."""

    text: str
    tone: Tone


Inline = str | Code | Link | Mark
Line = tuple[Inline, ...]
"""What stands in one line or one cell."""
Cell = Line


def plain(line: Line) -> str:
    """The line's text alone."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in line)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    cells: tuple[Cell, ...]
    anchor: str | None = None
    tone: Tone = Tone.PLAIN
    facets: Mapping[str, str] = field(default_factory=dict)
    """What it may be filtered by: facet to value."""
    heads: bool = False
    """Whether its one cell is a heading over the rows up to the next such one; it is no row itself."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its first column names the row."""

    head: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str
    numbers: frozenset[int] = frozenset()
    """The columns that hold numbers."""
    long: bool = False
    """Whether it lists everything (all vectors): formats with little room leave it out, and say so."""

    @property
    def listed(self) -> tuple[Row, ...]:
        """The rows, without headings among them."""
        return tuple(row for row in self.rows if not row.heads)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar."""

    name: str
    number: int
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar whose parts add up to a whole."""

    label: Line
    parts: tuple[Part, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars under each other, each as long as the others: classes of a run, subjects of a matrix."""

    caption: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A number with its spread."""

    label: str
    value: float
    low: float | None
    """The ends of its spread; None where there is none."""
    high: float | None
    note: str = ""
    marked: bool = False
    """Whether it is the one that was stated."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Numbers of one scale, each as a point with its spread."""

    caption: str
    ranges: tuple[Range, ...]
    stated: float | None = None
    """A number to be drawn through all of them, where one is stated."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One trial."""

    value: float | None
    """Its reward; None where it has none."""
    state: str = "scored"
    """`scored`, `errored`, `unscored` or `missing`."""
    text: str = ""
    """What is known of it, in a line."""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One task."""

    label: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """Tasks by attempts."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    low: float
    high: float
    """Between which values lie."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that went wrong, or was expected to."""

    anchor: str
    title: str
    """The vector's id, the finding's name."""
    result: Mark
    """What came out: `mismatch`, `passed`."""
    expectation: Mark
    """What had been expected of it: `new`, `known failure`, `should fail, and passes`."""
    summary: Line
    """The rule, in a sentence."""
    fields: tuple[tuple[str, Line], ...]
    """Short ones: clause, op, likely mistake, what to do, reason and age of the known failure."""
    texts: tuple[tuple[str, str], ...]
    """Long ones: input, expected, actual, difference, stderr. Formats cut them, and say so."""
    repeat: str | None
    """The one command that repeats it."""
    facets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failures:
    """Failures, the ones to look at first before the others; filtered by their facets."""

    failures: tuple[Failure, ...]
    left_out: int = 0
    """How many more there are of which the report has no account."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    line: Line
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Lines:
    """A list."""

    lines: tuple[Line, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Pre:
    """Text as it is, such as a file."""

    text: str
    caption: str = ""


Block = Table | Bars | Ranges | Heat | Failures | Paragraph | Lines | Pre
