"""The model of a page, which every format renders: facts, counts, items that pass or fail, and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Badge", "Bar", "Cell", "Code", "Item", "Mark", "Page", "Spread", "Table", "Tone"]


class Tone(str, Enum):
    """How good or bad something is."""

    GOOD = "good"
    BAD = "bad"
    """It fails the run."""
    KNOWN = "known"
    """It is wrong, but listed as a known failure."""
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
    """A bar that shows parts of a whole: names, counts and tones."""

    parts: tuple[tuple[str, int, Tone], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A number with its interval, drawn on a scale that the table shares."""

    text: str
    value: float
    low: float
    high: float
    ends: tuple[float, float]
    """The ends of the scale."""


Cell = str | Code | Mark | Bar | Spread | int


@dataclass(frozen=True, slots=True)
class Badge:
    """A badge's text and tone, which is GOOD only if nothing is missing."""

    label: str
    message: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can pass or fail: a vector, a property, an offered operation, a job or a rule."""

    key: str
    """The key by which differences match items; it does not depend on outcome or spec."""
    group: str
    """The class, job or subject that it belongs to."""
    outcome: str
    tone: Tone
    summary: str = ""
    """The rule, in one sentence."""
    detail: str = ""
    """Why it failed, in one sentence."""
    cause: str = ""
    """The likely cause, by which items are grouped; empty if unknown."""
    fields: Mapping[str, Cell] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Longer texts by name, such as input, expected, actual and stderr."""
    repeat: str = ""
    """The command that repeats it."""
    seconds: float = 0.0
    fingerprint: str = ""
    """Equal for equal wrong answers."""
    place: tuple[str, int] | None = None
    """The file and line that it is about, for CI annotations."""
    shown: Tone | None = None
    """The tone for showing the outcome, if it differs from the item's."""

    @property
    def look(self) -> Tone:
        """The tone for showing the outcome."""
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
    """Whether only HTML shows the table."""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a report for display."""

    kind: str
    """`run`, `check`, `metric`, `matrix`, `fuzz` or `difference`."""
    title: str
    verdict: Mark
    sentence: str
    """The numbers behind the verdict."""
    exit_code: int
    """The exit code of the command that wrote the report; for a difference, 1 if something got worse."""
    facts: Mapping[str, Cell]
    counts: Sequence[tuple[Mark, int, str]]
    """An outcome, its count, and its meaning."""
    problems: Sequence[str]
    """Problems of the run as a whole, and its limitations."""
    items: Sequence[Item]
    causes: Mapping[str, str] = field(default_factory=dict)
    """Advice for each cause."""
    tables: Sequence[Table] = ()
    first_tables: Sequence[Table] = ()
    """Tables that are shown before the items."""
    unit: str = "items"
    """The noun for what `counts` counts, in the plural."""
    wrong: str = "failure"
    """The noun for an item that makes the verdict bad."""
    badge: Badge | None = None
    started_at: str = ""
    """A time in the format of RFC 3339; empty if unknown."""
    seconds: float = 0.0
    findings_only: bool = False
    """Whether passing items are omitted, so that unlisted items of a group are right."""

    def sections(self) -> Sequence[tuple[Tone, str]]:
        """Return the tones of items that are shown one by one, each with a title."""
        return ((Tone.BAD, f"{self.wrong.capitalize()}s"), (Tone.KNOWN, "Known failures"))

    def groups(self, tone: Tone) -> list[tuple[str, list[Item]]]:
        """Return the items of a tone by cause, the most severe and most frequent causes first."""
        groups: dict[str, list[Item]] = {}
        for item in self.items:
            if item.tone is tone:
                groups.setdefault(item.cause or item.detail or item.outcome, []).append(item)
        return sorted(groups.items(), key=lambda pair: (pair[1][0].look is not tone, -len(pair[1])))

    def accounts(self, tone: Tone, per_group: int, most: int) -> list[tuple[str, list[Item], list[Item]]]:
        """Return the groups, each with its items shown in full and those shown in brief.

        At most `per_group` items of a cause and `most` of a tone are shown in full, one of every cause first.
        """
        groups = self.groups(tone)
        share = max(1, min(per_group, most // max(1, len(groups))))
        return [
            (cause, items[: share if number < most else 0], items[share if number < most else 0 :])
            for number, (cause, items) in enumerate(groups)
        ]
