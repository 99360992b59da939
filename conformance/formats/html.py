"""Renders a page as one self-contained HTML file that needs no network and no scripts."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup, escape

from conformance import __version__
from conformance.formats.html_text import attribute, element, is_whole
from conformance.pages.model import Bar, Cell, Code, Item, Mark, Page, Spread, Tone

__all__ = ["as_html"]

_EACH, _MOST = 20, 200
"""The most items shown in full, per cause and per section; each of the others gets a line."""
_ROWS, _BRIEF = 8_000, 3_000
"""The most rows of a table, and the most one-line items."""
_SIMPLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_/-]{0,150}")
_TEMPLATE = "page.html.jinja"


def as_html(page: Page) -> str:
    """Return the page; long texts and lists are truncated to keep it small."""
    style, script = _asset("style.css") + _facet_rules(page), _asset("page.js")
    sections = {tone: page.accounts(tone, _EACH, _MOST) for tone, _ in page.sections()}
    linked = {
        item.key for parts in sections.values() for _, full, tail in parts for item in (*full, *tail[:_BRIEF])
    }
    return (
        _templates()
        .get_template(_TEMPLATE)
        .render(
            page=page,
            sections=[(tone, title, sections[tone]) for tone, title in page.sections() if sections[tone]],
            most_brief=_BRIEF,
            most_rows=_ROWS,
            linked=linked,
            facets=_facets(page),
            style=Markup(style),  # noqa: S704 - the kit's own
            style_hash=_hash(style),
            script=Markup(script),  # noqa: S704
            script_hash=_hash(script),
            version=__version__,
            description=attribute(f"{page.verdict.text}: {page.sentence}", 500),
        )
    )


def _hash(text: str) -> str:
    """Return the hash of an inline text for the content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _anchor(key: str) -> str:
    """Return an item's anchor on the page, which is readable if its key is simple."""
    if _SIMPLE.fullmatch(key):
        return "i-" + key.replace("/", ".")
    return "x-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _facets(page: Page) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return the filters for items: letter, name, and values with their counts."""
    values = {
        ("o", "outcome"): Counter(item.outcome for item in page.items),
        ("g", "group"): Counter(item.group for item in page.items),
    }
    return [(*key, counts.most_common()) for key, counts in values.items() if 1 < len(counts) <= 60]


def _facet_rules(page: Page) -> str:
    """Return the CSS that hides items by the chosen values, without a script.

    ``:has`` looks only into the filter: with ``body:has``, Chromium needs minutes to print a long page.
    """
    return "".join(
        f".filter:has([value={letter}{index}]:checked)~.list .r:not(.{letter}{index}){{display:none}}\n"
        for letter, _, values in _facets(page)
        for index in range(len(values))
    )


def _tokens(item: Item, facets: Iterable[tuple[str, str, list[tuple[str, int]]]]) -> str:
    """Return the CSS classes by which an item is filtered."""
    own_values = {"o": item.outcome, "g": item.group}
    places = ((letter, [value for value, _ in values]) for letter, _, values in facets)
    return " ".join([*(f"{letter}{values.index(own_values[letter])}" for letter, values in places), "r"])


def _cell(cell: Cell) -> Markup:
    """Render a table cell by its type."""
    match cell:
        case Code():
            return Markup("<code>{}</code>").format(element(cell))
        case Mark(text, tone):
            return Markup('<b class="{}">{}</b>').format(tone.value, element(text))
        case Bar(parts):
            return _drawn(parts)
        case Spread():
            return _spread(cell)
        case int():
            return Markup(f"{cell:,}")  # noqa: S704
    return element(cell)


def _drawn(parts: Iterable[tuple[str, int, Tone]]) -> Markup:
    """Draw a bar, with its parts as text for screen readers."""
    parts = [part for part in parts if part[1]]
    whole, left = sum(count for _, count, _ in parts) or 1, 0.0
    rects = []
    for _, count, tone in parts:
        width = 100 * count / whole
        rects.append(f'<rect class="{tone.value}" x="{left:.2f}" width="{width:.2f}" height="1"/>')
        left += width
    begin = '<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
    words = [
        Markup('<b class="{}">{} {}</b>').format(t.value, f"{n:,}", element(name)) for name, n, t in parts
    ]
    return Markup(f"{begin}{''.join(rects)}</svg>") + Markup(" ").join(words)  # noqa: S704


def _spread(cell: Spread) -> Markup:
    """Draw a number with its interval on the table's scale."""
    first, last = cell.ends
    low, value, high = (
        100 * (number - first) / ((last - first) or 1) for number in (cell.low, cell.value, cell.high)
    )
    svg = (
        '<svg class="spread" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{low:.1f}" y="4" width="{max(0.5, high - low):.1f}" height="2"/>'
        f'<rect x="{value - 0.7:.1f}" y="1" width="1.4" height="8"/></svg>'
    )
    return Markup(svg) + element(cell.text)  # noqa: S704


def _finalize(value: Any) -> Any:
    """Escape text for an element; templates mark intended markup explicitly."""
    return element(value) if type(value) in (str, Code) else value


def _attr(text: str, most: int = 300) -> Markup:
    """Escape text for an attribute."""
    return escape(attribute(text, most))


@cache
def _asset(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "attr": _attr,
        "lines": lambda text: element(text, 4_000, lines=True),
        "brief": lambda text: element(text, 200),
        "n": lambda count: Markup(f"{count:,}"),  # noqa: S704
        "drawn": lambda counts: _drawn((mark.text, count, mark.tone) for mark, count, _ in counts),
    }
    environment.globals |= {"anchor": _anchor, "cell": _cell, "tokens": _tokens, "is_whole": is_whole}
    return environment
