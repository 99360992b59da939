"""Pictures as SVG that stands in the page: no script, no style, one path for all trials of a kind.

Each is beside a text that says the same. What a colour tells is told by a pattern, a size or a place too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from conformance.publishing.blocks import Heat, HeatCell, Range, Ranges
from conformance.publishing.formats.html.texts import attribute

__all__ = ["Scale", "bar", "heat_labels", "heat_trials", "number", "scale_of", "spread", "state_of"]

BUCKETS = 5
"""Into how many sizes the values of trials are sorted."""
STATES = ("errored", "unscored", "missing")
ROW = 16
"""A row of trials is so high, in pixels."""


def number(value: float | None) -> str:
    """A number as people read it."""
    if value is None:
        return "none"
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def _percent(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "%"


def bar(parts: Sequence[tuple[str, int, str]]) -> Markup:
    """A bar of parts: name, number, tone. The text that says the same stands beside it."""
    whole = sum(count for _, count, _ in parts if count > 0)
    pieces, at = [], 0.0
    for name, count, tone in parts:
        if count <= 0:
            continue
        width = 100.0 * count / whole
        pieces.append(
            Markup('<g class="{}"><title>{}</title><rect x="{}" width="{}" height="100%"/>{}</g>').format(
                tone,
                attribute(f"{name}: {count:,} of {whole:,}"),
                _percent(at),
                _percent(width),
                _hatched(tone, at, width),
            )
        )
        at += width
    return Markup('<svg class="bar" aria-hidden="true">{}</svg>').format(Markup("").join(pieces))


def _hatched(tone: str, at: float, width: float) -> Markup:
    if tone not in ("bad", "known", "warn", "quiet"):
        return Markup("")
    return Markup('<rect x="{}" width="{}" height="100%" fill="url(#page-{})"/>').format(
        _percent(at), _percent(width), tone
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where numbers are drawn."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Where it stands, in per cent; what is beyond an end stands there."""
        span = self.high - self.low
        share = 0.5 if span <= 0 or not math.isfinite(span) else (value - self.low) / span
        return 2 + 96 * min(1.0, max(0.0, share)) if not math.isnan(share) else 50.0


def scale_of(ranges: Ranges) -> Scale:
    """The scale of all numbers that a picture shows; of shares it is 0 to 1 where they take much of it."""
    stated = [] if ranges.stated is None else [ranges.stated]
    each = [v for r in ranges.ranges for v in (r.value, r.low, r.high) if v is not None]
    values = [float(value) for value in each + stated if math.isfinite(value)]
    if not values:
        return Scale(0.0, 1.0)
    low, high = min(values), max(values)
    if low >= 0 and high <= 1 and high - low > 0.4:
        return Scale(0.0, 1.0)
    room = (high - low) * 0.08 or abs(high) * 0.1 or 0.5
    least = 0.0 if low >= 0 and low - room < 0 else low - room
    most = 1.0 if high <= 1 and high + room > 1 and low >= 0 else high + room
    return Scale(least, most)


def spread(one: Range, scale: Scale, stated: float | None) -> Markup:
    """A number as a point with its spread; the line through all is the stated one."""
    pieces = [Markup('<line class="axis" x1="2%" x2="98%" y1="50%" y2="50%"/>')]
    if stated is not None and math.isfinite(stated):
        place = _percent(scale.at(stated))
        pieces.append(Markup('<line class="stated" x1="{0}" x2="{0}" y1="0" y2="100%"/>').format(place))
    if one.low is not None and one.high is not None and math.isfinite(one.low) and math.isfinite(one.high):
        ends = [_percent(scale.at(one.low)), _percent(scale.at(one.high))]
        pieces.append(Markup('<line class="spread" x1="{}" x2="{}" y1="50%" y2="50%"/>').format(*ends))
        pieces += [Markup('<line class="end" x1="{0}" x2="{0}" y1="30%" y2="70%"/>').format(x) for x in ends]
    if math.isfinite(one.value):
        place = _percent(scale.at(one.value))
        if one.marked:
            pieces.append(Markup('<circle class="ring" cx="{}" cy="50%" r="8.5"/>').format(place))
        pieces.append(Markup('<circle class="point" cx="{}" cy="50%" r="5"/>').format(place))
    told = attribute(f"{one.label}: {number(one.value)}")
    return Markup('<svg class="range" aria-hidden="true"><title>{}</title>{}</svg>').format(
        told, Markup("").join(pieces)
    )


def state_of(cell: HeatCell, heat: Heat) -> str:
    """What a trial is drawn as: the size of its value, or what it is instead of scored."""
    if cell.state in STATES:
        return cell.state
    if cell.value is None or math.isnan(cell.value):
        return "unscored"
    span = heat.high - heat.low
    if span <= 0 or not math.isfinite(span):
        return f"v{BUCKETS - 1}"
    share = min(1.0, max(0.0, (cell.value - heat.low) / span))
    if share in (0.0, 1.0):
        return "v0" if share == 0.0 else f"v{BUCKETS - 1}"
    return f"v{1 + min(BUCKETS - 3, int(share * (BUCKETS - 2)))}"


def column_width(heat: Heat) -> int:
    """How wide a trial is, in pixels: the more there are, the less."""
    columns = max([len(heat.columns), *(len(row.cells) for row in heat.rows)], default=0)
    return 20 if columns <= 12 else 16 if columns <= 40 else 10 if columns <= 120 else 6


def heat_trials(heat: Heat, told: int) -> Markup:
    """The trials, a row for each task: a path for all of a kind. ``told`` of them say more, pointed at."""
    width = column_width(heat)
    runs: dict[str, list[str]] = {}
    notes: list[Markup] = []
    most = 0
    for y, row in enumerate(heat.rows):
        states = [state_of(cell, heat) for cell in row.cells]
        most = max(most, len(states))
        x = 0
        while x < len(states):
            end = x
            while end < len(states) and states[end] == states[x]:
                end += 1
            runs.setdefault(states[x], []).append(f"M{x} {y}h{end - x}v1H{x}z")
            x = end
        for x, cell in enumerate(row.cells):
            if cell.text and len(notes) < told:
                title = attribute(f"{row.label}, {_column(heat, x)}: {cell.text}", 200)
                notes.append(Markup('<path d="M{} {}h1v1h-1z"><title>{}</title></path>').format(x, y, title))
    rows = max(1, len(heat.rows))
    most = max(1, most, len(heat.columns))
    paths = [
        Markup('<path class="{}" fill="url(#page-{})" d="{}"/>').format(
            f"h-{state}", f"h-{state}", "".join(d)
        )
        for state, d in sorted(runs.items())
    ]
    over = Markup('<g fill-opacity="0">{}</g>').format(Markup("").join(notes)) if notes else Markup("")
    return Markup(
        '<svg class="trials" width="{}" height="{}" viewBox="0 0 {} {}" preserveAspectRatio="none"'
        ' aria-hidden="true">{}{}</svg>'
    ).format(width * most, ROW * rows, most, rows, Markup("").join(paths), over)


def heat_labels(heat: Heat, most: int = 200) -> Markup:
    """The tasks' names, each beside its row."""
    texts = [
        Markup('<text x="100%" y="{}">{}</text>').format(ROW * y + 12, attribute(row.label, most))
        for y, row in enumerate(heat.rows)
    ]
    return Markup('<svg class="tasks" height="{}" aria-hidden="true">{}</svg>').format(
        ROW * max(1, len(heat.rows)), Markup("").join(texts)
    )


def _column(heat: Heat, x: int) -> str:
    return heat.columns[x] if x < len(heat.columns) else str(x + 1)
