"""Renders a page for a CI log, in a limited number of lines."""

from collections.abc import Iterator, Sequence

from conformance.outcomes.words import counted
from conformance.pages.model import Item, Page, Tone
from conformance.wire.text import cut, encodable, first_and_last, harmless, printable

__all__ = ["LIMIT", "as_log", "counts_line"]

LIMIT = 60
"""The most lines."""
_WIDTH = 500
_SAME = 100
"""A problem whose first characters are in the sentence is not repeated."""
_PROBLEMS = 12
_STDERR = 4
_ORDER = {"offer": 0, "known failures": 2}
"""Lost offers come before failures, and outdated list entries after them."""


def as_log(page: Page, limit: int = LIMIT, failures: int = LIMIT) -> str:
    """Return the verdict, the run's problems, new failures by cause, and counts that the verdict lacks.

    For each cause, the number of failures is shown and, for the first ``failures`` causes, a fix, an example
    with its stderr, and the command that repeats it.
    """
    intro = [f"{page.verdict.text}: {page.sentence}"]
    all_problems = [problem for problem in page.problems if problem[:_SAME] not in page.sentence]
    problems = all_problems[: min(_PROBLEMS, limit // 4)]
    intro += [f"- {problem}" for problem in problems]
    if len(problems) < len(all_problems):
        intro.append(f"- and {counted(len(all_problems) - len(problems), 'more problem')}: see the reports")
    counts = [mark.text for mark, count, _ in page.counts if count]
    tail = [] if all(name in page.sentence for name in counts) else [counts_line(page)]
    groups = sorted(page.groups(Tone.BAD), key=lambda group: _ORDER.get(group[1][0].group, 1))
    room = limit - len(intro) - len(tail) - 1
    body: list[str] = []
    for number, (cause, items) in enumerate(groups):
        cause_lines = list(_cause(page, cause, items, number + 1))[: None if number < failures else 1]
        cause_lines = cause_lines if len(body) + len(cause_lines) <= room else cause_lines[:1]
        if len(body) + len(cause_lines) > room:
            body.append(f"and {counted(len(groups) - number, 'more cause')}: see the reports")
            break
        body += cause_lines
    lines = [_flat(line) for line in (*intro, *body, *tail)]
    return "\n".join(lines[:limit]) + "\n"


def _cause(page: Page, cause: str, items: Sequence[Item], number: int) -> Iterator[str]:
    first = items[0]
    yield f"{number}. {counted(len(items), page.wrong)}: {cause}"
    if cause in page.causes:
        yield f"   fix: {page.causes[cause]}"
    yield f"   example: {first.key}: {first.detail or first.outcome}"
    yield from (f"   stderr: {line}" for line in first_and_last(first.texts.get("stderr", ""))[-_STDERR:])
    if first.repeat:
        yield f"   repeat: {first.repeat}"


def counts_line(page: Page) -> str:
    """Return all counts on a line."""
    return ", ".join(f"{count:,} {mark.text}" for mark, count, _ in page.counts if count)


def _flat(text: str) -> str:
    """Make a line safe for terminals and CI systems. Commands that repeat something are not truncated."""
    most = 4_000 if text.startswith("   repeat: ") else _WIDTH
    return harmless(encodable(printable(cut(text, most))))
