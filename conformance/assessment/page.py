"""The page: rendered from measurements, and compared section by section with the one that stands there."""

import inspect
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import jinja2

from conformance.assessment.measurements import CaughtMistake, ExcusedMutant, Measurements
from conformance.mutants import sites
from conformance.registry.ops import OPS

__all__ = ["PAGE", "first_difference", "in_table", "render"]

PAGE = "SELF-ASSESSMENT.md"
"""The page's name, at the root of the checkout."""

_HERE = Path(__file__).parent
_MARKED = re.compile(r"[\\|`*<>\[\]~$&]|(?<![^\W_])_|_(?![^\W_])")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_HEAD = "the summary"


def render(measured: Measurements, others: Sequence[Measurements] = ()) -> str:
    """The whole page, the same for the same measurements; ``others`` are those of further specs."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=False,  # noqa: S701 - Markdown, not HTML; in_table escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["in_table"] = in_table
    environment.filters["number"] = lambda count: f"{count:,}"
    environment.filters["by_op"] = _by_op
    environment.filters["families"] = _families
    environment.filters["ends"] = _ends
    return environment.get_template("page.md.j2").render(
        m=measured,
        others=others,
        left_alone=_left_alone(),
        limits=(_HERE / "limits.md").read_text(encoding="utf-8").strip(),
    )


def _by_op(mistakes: Sequence[CaughtMistake]) -> dict[str, list[CaughtMistake]]:
    return {op: of for op in OPS if (of := [one for one in mistakes if one.op == op])}


def _ends(measured: Measurements) -> dict[str, int]:
    """How many mutants ended how."""
    fates = ("killed", "at_import", "excused", "survived")
    return {fate: sum(getattr(one, fate) for one in measured.modules) for fate in fates}


def in_table(text: str, code: bool = False) -> str:
    """Text on one line in which nothing is Markdown; with ``code``, a code span that holds it.

    A ``|`` is escaped in code too, which is right in tables and nowhere else.
    """
    line = " ".join(text.split())
    if not code:
        return _MARKED.sub(lambda found: f"\\{found[0]}", line)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    padded = f" {line} " if "`" in (line[:1], line[-1:]) else line
    return f"{fence}{padded}{fence}".replace("|", "\\|")


def first_difference(before: str, after: str) -> str | None:
    """The first section in which two pages differ, the summary at the top last; None where none does."""
    old, new = _sections(before), _sections(after)
    for one, other in zip_longest(old[1:], new[1:]):
        if one != other:
            heading = (other or one)[0]
            return f"section “{heading}”"
    return _HEAD if old[0] != new[0] else None


def _sections(page: str) -> list[tuple[str, str]]:
    """Headings and what stands below them, first the part before any."""
    head, *rest = _HEADING.split(page)
    return [(_HEAD, head), *zip(rest[::2], rest[1::2], strict=True)]


def _families(excused: tuple[ExcusedMutant, ...]) -> dict[str, dict[str, list[ExcusedMutant]]]:
    """The excused mutants by module, and there by reason."""
    families: dict[str, dict[str, list[ExcusedMutant]]] = {}
    for one in excused:
        module = one.id.partition(":")[0]
        families.setdefault(module, {}).setdefault(one.reason, []).append(one)
    return families


def _left_alone() -> str:
    """What the mutator leaves alone and why, in its own words."""
    text = inspect.getdoc(sites) or ""
    return text.partition("\n\n")[2]
