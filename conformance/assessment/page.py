"""Renders the page, and compares it section by section with the one in the checkout."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import jinja2

from conformance.assessment import tables
from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.measurements import Measurements
from conformance.formats.markdown_text import code, escaped

PAGE = "SELF-ASSESSMENT.md"
"""The page's file name, at the root of the checkout."""

_HERE = Path(__file__).parent
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_HEAD = "the introduction"


def render(specs: Sequence[Measurements], benchmarks: Sequence[Benchmark] = ()) -> str:
    """The page; it depends only on the measurements."""
    limits = (_HERE / "limits.md").read_text(encoding="utf-8").strip()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=False,  # noqa: S701 - Markdown, not HTML; conformance.formats.markdown_text escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": code, "escaped": escaped, "table": tables.table}
    page = environment.get_template("page.md.j2")
    shortfalls = [sentence for one in specs for sentence in one.shortfalls()]
    return page.render(
        tables=tables, specs=specs, shortfalls=shortfalls, benchmarks=benchmarks, limits=limits
    )


def first_difference(before: str, after: str) -> str | None:
    """The first section in which two pages differ, the introduction last; None if they are equal."""
    old, new = _sections(before), _sections(after)
    for one, other in zip_longest(old[1:], new[1:]):
        if one != other:
            heading = (other or one)[0]
            return f"section “{heading}”"
    return _HEAD if old[0] != new[0] else None


def _sections(page: str) -> list[tuple[str, str]]:
    """Headings with their sections; the part before the first heading comes first."""
    head, *rest = _HEADING.split(page)
    return [(_HEAD, head), *zip(rest[::2], rest[1::2], strict=True)]
