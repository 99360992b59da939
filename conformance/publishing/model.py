"""A page: what every format is made of, whatever the report was about; ``blocks`` has what stands on it."""

from dataclasses import dataclass

from conformance.publishing.blocks import Block, Line, Tone

__all__ = [
    "Badge",
    "Case",
    "Count",
    "Fact",
    "Note",
    "Page",
    "Section",
    "Verdict",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the report comes to."""

    word: str
    """Such as `does not conform`."""
    tone: Tone
    sentence: str
    """What it rests on, in a sentence, with its denominator."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that has to be known of all that follows: level, versions, runner, date."""

    name: str
    value: Line


@dataclass(frozen=True, slots=True)
class Count:
    """One part of the whole; all counts of a page together are its denominator."""

    name: str
    number: int
    tone: Tone
    means: str
    """What is counted, in a sentence."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page with a heading."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    brief: bool = True
    """Whether formats with little room show it."""


@dataclass(frozen=True, slots=True)
class Badge:
    """What a badge says."""

    label: str
    """Spec and level."""
    message: str
    tone: Tone
    """GOOD only for the whole vector set with every class claimed."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test, as JUnit counts them."""

    group: str
    name: str
    state: str
    """`passed`, `failed`, `error` or `skipped`."""
    message: str = ""
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Note:
    """What CI shows beside a change: few, one for all failures of a cause."""

    severity: str
    """`error`, `warning` or `notice`."""
    title: str
    text: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """What a report says."""

    kind: str
    """`run`, `check`, `metric`, `matrix`, `fuzz` or `difference`."""
    title: Line
    verdict: Verdict
    exit_code: int
    """What the command that wrote the report exited with; of a difference, 1 where something got worse."""
    facts: tuple[Fact, ...]
    counts: tuple[Count, ...]
    unit: str
    """What `counts` count, in the plural: `vectors`, `jobs`."""
    warnings: tuple[Line, ...]
    """What keeps this page from being the whole story: in part, missing shards, cut, contradictions."""
    sections: tuple[Section, ...]
    badge: Badge | None
    cases: tuple[Case, ...] = ()
    notes: tuple[Note, ...] = ()
