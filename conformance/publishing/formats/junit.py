"""A page as JUnit's XML, in the dialect that GitLab, Jenkins and GitHub's viewers agree on."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.publishing.blocks import plain
from conformance.publishing.formats.xml import xml_text
from conformance.publishing.model import Case, Page

__all__ = ["as_junit"]

_NAME, _MESSAGE, _DETAIL = 400, 1000, 6000
"""The most characters of each."""
_ALL_DETAILS = 8 << 20
"""The most characters of all details together; what comes later has its message alone."""
_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
_VERDICT = "verdict"


@dataclass(slots=True)
class _Room:
    left: int


def as_junit(page: Page) -> str:
    """The page's cases, a suite for each group.

    Where a report fails by what is no case, such as a missing part or a stale entry, its verdict is one: no
    reader of the file may take it for a success.
    """
    cases = [*_told(page), *page.cases]
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.group, []).append(case)
    room = _Room(_ALL_DETAILS)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {_name('harbor-conformance')} {_counts(cases, of_all=True)}>",
    ]
    for group, own in suites.items():
        lines.append(f"  <testsuite {_name(group or page.kind)} {_counts(own)}>")
        lines += _properties(page)
        for case in own:
            lines += _case(case, group or page.kind, room)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _told(page: Page) -> Iterator[Case]:
    """The verdict as a case, where no other case tells it."""
    if page.exit_code and not any(_element(case) in ("failure", "error") for case in page.cases):
        state = "failed" if page.exit_code == 1 else "error"
        said = f"{page.verdict.word}: {page.verdict.sentence}"
        yield Case(_VERDICT, _VERDICT, state, said, "\n".join(map(plain, page.warnings)))


def _element(case: Case) -> str | None:
    """What a case's element has within it; a state that nobody knows is an error."""
    return None if case.state == "passed" else _ELEMENTS.get(case.state, "error")


def _counts(cases: Sequence[Case], *, of_all: bool = False) -> str:
    found = Counter(map(_element, cases))
    seconds = math.fsum(map(_seconds, cases))
    skipped = "" if of_all else f' skipped="{found["skipped"]}"'
    return (
        f'tests="{len(cases)}" failures="{found["failure"]}" errors="{found["error"]}"{skipped} '
        f'time="{seconds:.6f}"'
    )


def _seconds(case: Case) -> float:
    return case.seconds if math.isfinite(case.seconds) and case.seconds > 0 else 0.0


def _properties(page: Page) -> Iterator[str]:
    if page.facts:
        yield "    <properties>"
        for fact in page.facts:
            value = xml_text(_cut(plain(fact.value), _NAME))
            yield f'      <property {_name(fact.name)} value="{value}"/>'
        yield "    </properties>"


def _case(case: Case, group: str, room: _Room) -> Iterator[str]:
    name = f'{_name(case.name)} classname="{xml_text(_cut(group, _NAME))}" time="{_seconds(case):.6f}"'
    element = _element(case)
    if element is None:
        yield f"    <testcase {name}/>"
        return
    message = xml_text(_cut(case.message, _MESSAGE))
    detail = _cut(case.detail, _DETAIL) if room.left > 0 else ""
    room.left -= len(detail)
    kind = f' type="{element}"' if element != "skipped" else ""
    yield f"    <testcase {name}>"
    if detail and element != "skipped":
        yield f'      <{element} message="{message}"{kind}>{xml_text(detail)}</{element}>'
    else:
        yield f'      <{element} message="{message}"{kind}/>'
    yield "    </testcase>"


def _name(text: str) -> str:
    return f'name="{xml_text(_cut(text, _NAME))}"'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… (cut, {len(text)} characters in all)"
