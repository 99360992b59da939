"""Renders a page's badge as JSON for shields.io's endpoint, and as an SVG in the same flat style."""

from conformance.formats.xml import xml_text
from conformance.outcomes.reading import ReportError
from conformance.pages.model import Badge, Page, Tone
from conformance.wire.text import harmless, printable
from conformance.wire.writing import dumps

__all__ = ["COLOURS", "as_json", "as_svg"]

COLOURS = {
    Tone.GOOD: "#2a7a2e",
    Tone.BAD: "#c0312b",
    Tone.KNOWN: "#8f5a00",
    Tone.WARN: "#8a5d00",
    Tone.QUIET: "#62676d",
}
"""Colours with a contrast to white of at least 4.5, which text of this size needs."""
_LABEL = "#4a4f55"
_MOST = 120
"""The most characters in each half."""
_CACHED = 300
"""Seconds after which shields.io reloads the badge; its minimum."""

# Advance widths of Verdana at 11 px in tenths, from U+0020 on, as shields has them.
_WIDTHS = (
    "39 43 50 90 70 118 80 30 50 50 70 90 40 50 40 50 70 70 70 70 70 70 70 70 70 70 50 50 90 90 90 60 "
    "110 75 75 77 85 70 63 85 83 46 50 76 61 93 82 87 66 87 76 75 68 81 75 109 75 68 75 50 50 50 90 70 "
    "70 66 69 57 69 66 39 69 70 30 38 65 30 107 70 67 69 69 47 57 43 70 65 90 65 65 58 70 50 70 90"
)
_ADVANCES = [int(width) / 10 for width in _WIDTHS.split()]
_WIDE = 11.0
"""The width of any other character: that of a wide letter."""


def as_json(page: Page) -> str:
    """Return the JSON document for shields.io's endpoint badge.

    Every tone but GOOD is marked as an error, since a URL could otherwise override the colour.
    """
    badge = _badge(page)
    document = dumps(
        {
            "schemaVersion": 1,
            "label": _short(badge.label),
            "message": _short(badge.message) or "unknown",
            "color": COLOURS[badge.tone],
            "labelColor": _LABEL,
            "isError": badge.tone is not Tone.GOOD,
            "cacheSeconds": _CACHED,
        }
    )
    return harmless(document)


def as_svg(page: Page) -> str:
    """Return the badge as an accessible SVG picture."""
    badge = _badge(page)
    label, message = _short(badge.label), _short(badge.message) or "unknown"
    left, right = _width(label) + 10, _width(message) + 10
    whole = left + right
    text = xml_text(f"{label}: {message}")
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" ',
            f'aria-label="{text}"><title>{text}</title>',
            '<linearGradient id="s" x2="0" y2="100%"><stop offset="0" stop-color="#bbb" stop-opacity=".1"/>',
            '<stop offset="1" stop-opacity=".1"/></linearGradient>',
            f'<clipPath id="r"><rect width="{whole}" height="20" rx="3" fill="#fff"/></clipPath>',
            f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="{_LABEL}"/>',
            f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[badge.tone]}"/>',
            f'<rect width="{whole}" height="20" fill="url(#s)"/></g>',
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" ',
            'text-rendering="geometricPrecision" font-size="11">',
            _text(label, left / 2, left - 10),
            _text(message, left + right / 2, right - 10),
            "</g></svg>\n",
        ]
    )


def _text(text: str, middle: float, width: int) -> str:
    """Return a text with its shadow, stretched to the computed width in any font."""
    if not text:
        return ""
    safe = xml_text(text)
    position = f'x="{middle:g}" textLength="{width}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text {position} y="15" fill="#010101" fill-opacity=".3" aria-hidden="true">{safe}</text>'
        f'<text {position} y="14">{safe}</text>'
    )


def _badge(page: Page) -> Badge:
    if page.badge is None:
        raise ReportError(f"a report of kind {page.kind} has no badge")
    return page.badge


def _short(text: str) -> str:
    return printable(text if len(text) <= _MOST else f"{text[:_MOST]}…")


def _width(text: str) -> int:
    """Return the width of a text in whole pixels."""
    return round(
        sum(_ADVANCES[index] if 0 <= (index := ord(char) - 32) < len(_ADVANCES) else _WIDE for char in text)
    )
