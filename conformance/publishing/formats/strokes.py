"""Pictures as characters, for formats that have nothing else: bars, points on a scale, tasks by attempts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.publishing.blocks import (
    Bar,
    Bars,
    Block,
    Heat,
    HeatCell,
    Part,
    Pre,
    Range,
    Ranges,
    Table,
    Tone,
)
from conformance.publishing.model import Section

__all__ = [
    "HEAT_KEY",
    "SIGNS",
    "SQUARES",
    "amount",
    "bar_line",
    "heat_letters",
    "part_names",
    "range_line",
    "said_once",
    "scale_of",
]

SIGNS = {
    Tone.GOOD: "=",
    Tone.BAD: "x",
    Tone.KNOWN: "~",
    Tone.WARN: "?",
    Tone.QUIET: ".",
    Tone.PLAIN: "-",
}
SQUARES = {
    Tone.GOOD: "🟩",
    Tone.BAD: "🟥",
    Tone.KNOWN: "🟧",
    Tone.WARN: "🟨",
    Tone.QUIET: "⬜",
    Tone.PLAIN: "🟦",
}
HEAT_KEY = "0 the lowest value to 9 the highest, E errored, ? no score, . no trial"
_STATES = {"errored": "E", "unscored": "?", "missing": "."}


def amount(value: float) -> str:
    """A number, short enough to be compared at a glance."""
    return f"{value:.4g}"


def said_once(section: Section) -> Iterator[Block]:
    """A section's blocks, without a caption that says again what the heading says."""
    for block in section.blocks:
        if isinstance(block, Table | Bars | Ranges | Heat | Pre) and block.caption == section.title:
            yield replace(block, caption="")
        else:
            yield block


def part_names(bars: Sequence[Bar]) -> list[str]:
    """The names of all parts of some bars, in the order of their first appearance."""
    return list(dict.fromkeys(part.name for bar in bars for part in bar.parts))


def bar_line(parts: Sequence[Part], width: int, signs: dict[Tone, str]) -> str:
    """A bar of ``width`` signs; no part that there is goes without one."""
    there = [part for part in parts if part.number > 0]
    whole = sum(part.number for part in there)
    if not whole or len(there) > width:
        return ""
    shares = [max(1, part.number * width // whole) for part in there]
    while (over := sum(shares) - width) != 0:
        # What the rounding left goes where it is most wanting; what it took too much comes from the longest.
        wanting = [part.number * width / whole - share for part, share in zip(there, shares, strict=True)]
        if over < 0:
            shares[wanting.index(max(wanting))] += 1
        else:
            shares[shares.index(max(shares))] -= 1
    return "".join(signs[part.tone] * share for part, share in zip(there, shares, strict=True))


def scale_of(ranges: Ranges) -> tuple[float, float]:
    """The scale that all of them, their spreads and the stated number lie on."""
    ends = [
        end
        for one in ranges.ranges
        for end in (one.value, one.low, one.high)
        if end is not None and end - end == 0  # finite
    ]
    if ranges.stated is not None and ranges.stated - ranges.stated == 0:
        ends.append(ranges.stated)
    return (min(ends), max(ends)) if ends else (0.0, 1.0)


def range_line(one: Range, scale: tuple[float, float], stated: float | None, width: int) -> str:
    """A point ``o`` on its spread ``---``, and ``|`` where the stated number lies."""
    low, high = scale
    if one.value - one.value != 0:
        return " " * width

    def place(value: float) -> int:
        return round(_share(value, low, high) * (width - 1))

    line = [" "] * width
    if one.low is not None and one.high is not None and one.low - one.low == 0 == one.high - one.high:
        for at in range(place(min(one.low, one.high)), place(max(one.low, one.high)) + 1):
            line[at] = "-"
    if stated is not None and stated - stated == 0:
        line[place(stated)] = "|"
    line[place(one.value)] = "o"
    return "".join(line)


def heat_letters(heat: Heat, cells: Sequence[HeatCell]) -> str:
    """A letter for each trial of a task."""
    return "".join(_letter(heat, cell) for cell in cells)


def _letter(heat: Heat, cell: HeatCell) -> str:
    if cell.state in _STATES or cell.value is None or cell.value - cell.value != 0:
        return _STATES.get(cell.state, "?")
    share = _share(cell.value, heat.low, heat.high) if heat.high > heat.low else 1.0
    return str(min(9, int(share * 10)))


def _share(value: float, low: float, high: float) -> float:
    """Where a number lies on a scale, from 0 to 1; in halves, as the scale may be as long as floats go."""
    if not high > low:
        return 0.5
    inside = min(high, max(low, value))
    return (inside / 2 - low / 2) / (high / 2 - low / 2 or 1.0)
