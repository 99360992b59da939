"""Renders a page as JUnit XML, in the dialect that GitLab, Jenkins and GitHub's viewers share."""

import math
from collections.abc import Sequence

from conformance.formats.xml import xml_text
from conformance.pages.model import Item, Page, Tone
from conformance.wire.text import cut

__all__ = ["as_junit", "with_verdict"]

_NAME, _MESSAGE, _DETAIL = 400, 1_000, 6_000
"""The most characters of a name, a message and a detail."""
_ALL_DETAILS = 8 << 20
"""The most characters of all details together; further items have only a message."""


def with_verdict(page: Page) -> list[Item]:
    """Return the items; if none is wrong but the report fails, its verdict comes first as an item."""
    if page.exit_code == 0 or any(item.wrong for item in page.items):
        return list(page.items)
    detail = f"{page.verdict.text}: {page.sentence}"
    texts = {"problems": "\n".join(page.problems)} if page.problems else {}
    return [Item("verdict", "verdict", page.verdict.text, Tone.BAD, detail=detail, texts=texts), *page.items]


def as_junit(page: Page) -> str:
    """Return a suite for each group, with a case for each item, which passes, fails or is skipped."""
    items = with_verdict(page)
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    facts = [
        f'      <property {_name(name)} value="{_short(str(value))}"/>' for name, value in page.facts.items()
    ]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f"<testsuites {_name('harbor-conformance')} {_counts(items)}>")
    room = _ALL_DETAILS
    for group, own in groups.items():
        skipped = sum(map(_is_skipped, own))
        lines.append(f'  <testsuite {_name(group or page.kind)} {_counts(own)} skipped="{skipped}">')
        lines += ["    <properties>", *facts, "    </properties>"] if facts else []
        for item in own:
            case = f'    <testcase {_name(item.key)} classname="{_short(group or page.kind)}" '
            case += f'time="{_seconds(item):.6f}"'
            message = xml_text(cut(item.detail or item.outcome, _MESSAGE))
            if item.wrong:
                detail = cut(_detail(item), _DETAIL) if room > 0 else ""
                room -= len(detail)
                kind = f'message="{message}" type="{_short(item.outcome)}"'
                lines.append(f"{case}><failure {kind}>{xml_text(detail)}</failure></testcase>")
            elif _is_skipped(item):
                lines.append(f'{case}><skipped message="{message}"/></testcase>')
            else:
                lines.append(f"{case}/>")
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _is_skipped(item: Item) -> bool:
    return item.tone not in (Tone.GOOD, Tone.BAD)


def _detail(item: Item) -> str:
    parts = {"rule": item.summary, "cause": item.cause, **item.fields, **item.texts, "repeat": item.repeat}
    return "\n".join(f"{name}: {cut(str(value), _DETAIL // 3)}" for name, value in parts.items() if value)


def _counts(items: Sequence[Item]) -> str:
    seconds = math.fsum(map(_seconds, items))
    wrong = sum(item.wrong for item in items)
    return f'tests="{len(items)}" failures="{wrong}" errors="0" time="{seconds:.6f}"'


def _seconds(item: Item) -> float:
    return item.seconds if math.isfinite(item.seconds) and item.seconds > 0 else 0.0


def _short(text: str) -> str:
    return xml_text(cut(text, _NAME))


def _name(text: str) -> str:
    return f'name="{_short(text)}"'
