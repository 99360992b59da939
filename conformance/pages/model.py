"""The model of a page, which every format renders: items that pass or fail, facts, counts and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Badge", "Bar", "Cell", "Code", "Item", "Mark", "Page", "Spread", "Table", "Tone"]


class Tone(str, Enum):
    """How a reader should interpret something."""

    GOOD = "good"
    BAD = "bad"
    """Fails the run."""
    KNOWN = "known"
    """Wrong, and listed as a known failure."""
    WARN = "warn"
    QUIET = "quiet"


class Code(str):
    """Text shown as code."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A word with a tone."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of parts of a whole, drawn in a cell."""

    parts: tuple[tuple[str, int, Tone], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A number with its interval, drawn on the shared scale of its table."""

    text: str
    value: float
    low: float
    high: float
    ends: tuple[float, float]
    """The ends of the scale."""


Cell = str | Code | Mark | Bar | Spread | int


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge's text and tone; the tone is GOOD only if nothing is open."""

    label: str
    message: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Item:
    """Anything that can pass or fail: a vector, a property, an offered operation, a job, a rule."""

    key: str
    """A key that does not depend on the outcome or the spec; differences match items by it."""
    group: str
    """The class, the job, the subject."""
    outcome: str
    tone: Tone
    summary: str = ""
    """The rule, in one sentence."""
    detail: str = ""
    """Why it failed, in one sentence."""
    cause: str = ""
    """Items with the same cause are shown together; empty if unknown."""
    fields: Mapping[str, Cell] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Longer texts by name: asked, expected, actual, stderr."""
    repeat: str = ""
    """The command line that repeats it."""
    seconds: float = 0.0
    fingerprint: str = ""
    """Distinguishes two wrong answers."""
    place: tuple[str, int] | None = None
    """The file and line that it concerns, for CI annotations."""
    shown: Tone | None = None
    """The tone of its word, if it differs from the item's."""

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
    """The basis of the verdict, with its denominator."""
    exit_code: int
    """The exit code of the command that wrote the report; for a difference, 1 if something got worse."""
    facts: Mapping[str, Cell]
    counts: Sequence[tuple[Mark, int, str]]
    """A word, the count, and an explanation."""
    problems: Sequence[str]
    """Problems of the run as a whole, and limitations of the page."""
    items: Sequence[Item]
    causes: Mapping[str, str] = field(default_factory=dict)
    """What to do about each cause."""
    tables: Sequence[Table] = ()
    first_tables: Sequence[Table] = ()
    """Facts shown before the items."""
    unit: str = "items"
    """The noun for `counts`."""
    wrong: str = "failure"
    """The noun for an item that makes the verdict bad."""
    badge: Badge | None = None
    started_at: str = ""
    """RFC 3339; empty if the report has no time."""
    seconds: float = 0.0
    findings_only: bool = False
    """Whether passing items are omitted: in a checked group, unlisted items are fine."""

    def sections(self) -> Sequence[tuple[Tone, str]]:
        """The tones of items that are shown one by one, with their titles."""
        return ((Tone.BAD, f"{self.wrong.capitalize()}s"), (Tone.KNOWN, "Known failures"))

    def groups(self, tone: Tone) -> list[tuple[str, list[Item]]]:
        """The items of a tone by cause, the most severe and most frequent causes first."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            if item.tone is tone:
                found.setdefault(item.cause or item.detail or item.outcome, []).append(item)
        return sorted(found.items(), key=lambda pair: (pair[1][0].look is not tone, -len(pair[1])))

    def accounts(self, tone: Tone, each: int, most: int) -> list[tuple[str, list[Item], list[Item]]]:
        """The groups, each divided into items shown in full and in brief.

        At most `each` items of a cause and `most` of a tone are shown in full, one of every cause first.
        """
        groups = self.groups(tone)
        share = max(1, min(each, most // max(1, len(groups))))
        return [
            (cause, items[: share if number < most else 0], items[share if number < most else 0 :])
            for number, (cause, items) in enumerate(groups)
        ]
