"""A page as Markdown of GitHub's kind, for a comment beside a change or the summary of a job.

What matters stands first, and what does not fit is counted: a comment takes 65,536 characters.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.publishing.blocks import Failure, Failures, Mark, Tone
from conformance.publishing.formats.markdown_blocks import block_lines, cut_line, failure_lines, signed, table
from conformance.publishing.formats.strokes import said_once
from conformance.publishing.model import Page, Section
from conformance.report.markdown import at_start, escaped
from conformance.wire.text import encodable, harmless

__all__ = ["COMMENT", "as_markdown"]

COMMENT = 60_000
"""Bytes that fit a comment on GitHub or GitLab, with room for what somebody writes around it."""
_RESERVED = 900
"""Bytes kept for the sentences on what was left out."""
_FEW = 12
"""The most failures in a comment: nobody reads more of them there."""
_EACH = 3000
"""Bytes that a failure takes about, where there is room for more than a comment."""
_MOST = 40
"""The most facts, counts or warnings."""


@dataclass(slots=True)
class _Piece:
    """Some lines that stand together, or failures that get the room that is left."""

    section: str
    """The title of the section that it is of."""
    lines: list[str]
    failures: Failures | None = None
    kept: bool = False

    def size(self) -> int:
        return _size(self.lines)


def as_markdown(page: Page, limit: int = COMMENT, failures: int | None = None) -> str:
    """The page in at most ``limit`` bytes, of which it needs a few thousand.

    ``failures`` are the most that are shown in full; without it, as many as readers of that much look at.
    """
    most = (_FEW if limit <= COMMENT else limit // _EACH) if failures is None else failures
    pieces = [*_head(page), *(piece for part in page.sections if part.brief for piece in _section(part))]
    absent = [part.title for part in page.sections if not part.brief]
    room = limit - _RESERVED
    dropped: set[str] = set()
    for piece in pieces:
        if piece.section in dropped or piece.size() > room:
            dropped.add(piece.section)
            continue
        piece.kept = True
        room -= piece.size()
    for piece in pieces:
        if piece.kept and piece.failures is not None:
            piece.lines, most = _some(piece.failures, room, most)
            room -= piece.size()
    absent += [title for title in dict.fromkeys(piece.section for piece in pieces) if title in dropped]
    lines = [line for piece in pieces if piece.kept for line in piece.lines]
    return _finished([*lines, *_elsewhere(absent)])


def _head(page: Page) -> list[_Piece]:
    """What any reader needs first: the verdict, what it is of, and of how many."""
    verdict = page.verdict
    said = [
        f"## {cut_line(page.title, 300)}",
        "",
        f"**{signed(verdict.word, verdict.tone)}**",
        "",
        at_start(escaped(_cut(verdict.sentence, 2000))),
    ]
    facts = [
        f"{escaped(_cut(fact.name, 100) + ':')} {cut_line(fact.value, 300)}" for fact in page.facts[:_MOST]
    ]
    counts = [
        [signed(_cut(one.name, 60), one.tone), f"{one.number:,}", escaped(_cut(one.means, 300))]
        for one in page.counts[:_MOST]
    ]
    whole = sum(one.number for one in page.counts)
    if counts:
        counts.append(["**in all**", f"**{whole:,}**", escaped(_cut(page.unit, 60))])
    warnings = [
        f"- {'' if line and isinstance(line[0], Mark) else '⚠️ '}{cut_line(line, 400)}"
        for line in page.warnings[:_MOST]
    ]
    if (more := len(page.warnings) - _MOST) > 0:
        warnings.append(f"- ⚠️ and {more:,} more of these")
    return [
        _Piece("the verdict", said),
        _Piece("the warnings", ["", *warnings] if warnings else []),
        _Piece("the facts", ["", at_start(" · ".join(facts))] if facts else []),
        _Piece("the counts", table(["", page.unit, ""], counts, frozenset({1})) if counts else []),
    ]


def _section(section: Section) -> Iterable[_Piece]:
    """A heading with the first of what stands under it, then the rest."""
    heading = ["", f"### {escaped(_cut(section.title, 200))}", ""]
    for block in said_once(section):
        if isinstance(block, Failures):
            yield _Piece(section.title, heading)
            yield _Piece(section.title, [], block)
        else:
            yield _Piece(section.title, [*heading, *block_lines(block)])
        heading = [""]


def _some(block: Failures, room: int, most: int) -> tuple[list[str], int]:
    """As many failures as there is room for, the new ones first; how many more may be shown after them."""
    lines: list[str] = []
    shown = 0
    for failure in sorted(block.failures, key=_is_known):
        one = failure_lines(failure)
        if shown == most or _size(one) > room:
            break
        lines += one
        shown += 1
        room -= _size(one)
    if (more := len(block.failures) + block.left_out - shown) > 0:
        said = f"And {more:,} more" if shown else f"{more:,}, of which none is shown here"
        option = f"--failures {len(block.failures)}"
        lines += ["", f"{said}: see the HTML page, or `harbor-conformance report` with `{option}`."]
    return lines, most - shown


def _is_known(failure: Failure) -> bool:
    return failure.expectation.tone is Tone.KNOWN


def _elsewhere(absent: list[str]) -> list[str]:
    """The sentence on sections for which there is no room."""
    if not absent:
        return []
    named = ", ".join(escaped(_cut(title, 40)) for title in absent[:8])
    named += f" and {len(absent) - 8} more sections" if len(absent) > 8 else ""
    return ["", "---", "", f"Not shown here, but in the HTML page and the JSON report: {named}."]


def _finished(lines: Iterable[str]) -> str:
    """Lines as a file: no two empty ones together, nothing that a CI system would act on."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    return harmless(encodable(re.sub(r"\n{3,}", "\n\n", text)))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _size(lines: Iterable[str]) -> int:
    """The bytes that lines take, with what may be added to make them harmless."""
    return len(harmless("\n".join(lines)).encode("utf-8", "backslashreplace")) + 2
