"""A page: what every format renders. Items can pass or fail; everything else is facts, counts and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Badge", "Bar", "Cell", "Code", "Item", "Mark", "Page", "Spread", "Table", "Tone"]


class Tone(str, Enum):
    """How a reader should take something."""

    GOOD = "good"
    BAD = "bad"
    """It fails the run."""
    KNOWN = "known"
    """Wrong, and listed as a known failure."""
    WARN = "warn"
    QUIET = "quiet"


class Code(str):
    """Text to be read letter by letter."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A word with a tone."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """Parts of a whole, drawn in a cell."""

    parts: tuple[tuple[str, int, Tone], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A number with its interval, drawn on the scale that the numbers of a table share."""

    text: str
    value: float
    low: float
    high: float
    ends: tuple[float, float]
    """The ends of the scale."""


Cell = str | Code | Mark | Bar | Spread | int


@dataclass(frozen=True, slots=True)
class Badge:
    """What a badge says: GOOD only where nothing is left open."""

    label: str
    message: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Item:
    """A vector, a property, an operation offered, a job, a rule: whatever can pass or fail."""

    key: str
    """The same whether it is right or wrong, and without the spec's name: differences match items by it."""
    group: str
    """The class, the job, the subject."""
    outcome: str
    tone: Tone
    summary: str = ""
    """The rule, in one sentence."""
    detail: str = ""
    """Why it failed, in one sentence."""
    cause: str = ""
    """Items with one cause are shown together; empty where none is known."""
    fields: Mapping[str, Cell] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Longer texts by name: asked, expected, actual, stderr."""
    repeat: str = ""
    """The command line that repeats it."""
    seconds: float = 0.0
    fingerprint: str = ""
    """What distinguishes two wrong answers."""
    place: tuple[str, int] | None = None
    """The file and the line that it is about, where CI can show it there."""
    shown: Tone | None = None
    """The tone of its word, where that is another one than its own."""

    @property
    def look(self) -> Tone:
        """The tone of its word."""
        return self.shown or self.tone

    @property
    def wrong(self) -> bool:
        """Whether the run fails because of it."""
        return self.tone is Tone.BAD


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    long: bool = False
    """Whether only HTML shows its rows; other formats count them."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a report says."""

    kind: str
    """`run`, `check`, `metric`, `matrix`, `fuzz` or `difference`."""
    title: str
    verdict: Mark
    sentence: str
    """What the verdict rests on, with its denominator."""
    exit_code: int
    """What the command that wrote the report exited with; of a difference, 1 where something got worse."""
    facts: Mapping[str, Cell]
    counts: Sequence[tuple[Mark, int, str]]
    """A word, how many, and what is counted."""
    problems: Sequence[str]
    """What is wrong with the run as a whole, or makes the page less than the whole story."""
    items: Sequence[Item]
    causes: Mapping[str, str] = field(default_factory=dict)
    """What to do about each cause."""
    tables: Sequence[Table] = ()
    first_tables: Sequence[Table] = ()
    """What is shown before the items."""
    unit: str = "items"
    """What `counts` counts."""
    badge: Badge | None = None
    started_at: str = ""
    """RFC 3339; empty where the report does not say."""
    seconds: float = 0.0
    findings_only: bool = False
    """Whether items that are fine are left out: of a group that was looked at, what is not listed is fine."""

    def groups(self, tone: Tone) -> list[tuple[str, list[Item]]]:
        """The items of a tone by cause, the gravest and the one with the most items first."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            if item.tone is tone:
                found.setdefault(item.cause or item.detail or item.outcome, []).append(item)
        return sorted(found.items(), key=lambda pair: (pair[1][0].look is not tone, -len(pair[1])))

    def accounts(self, tone: Tone, each: int, most: int) -> list[tuple[str, list[Item], list[Item]]]:
        """The groups, each divided into what is shown in full and what in brief.

        At most `each` items of a cause and `most` of a tone are shown in full, one of every cause first.
        """
        groups = self.groups(tone)
        share = max(1, min(each, most // max(1, len(groups))))
        return [
            (cause, items[: share if number < most else 0], items[share if number < most else 0 :])
            for number, (cause, items) in enumerate(groups)
        ]
