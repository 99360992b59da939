r"""Markdown for untrusted text: shows the text literally, with no other effect.

GitHub and GitLab act on more than Markdown, and on the rendered text, where backslashes are gone:
``http://…``, ``@name``, ``#12``, ``:tada:``, ``$x$`` and strings that look like commits. Words with any of
these become code spans, which GitHub and GitLab leave alone; all other Markdown is escaped.
"""

import re
from collections.abc import Iterable

from conformance.wire.text import printable

__all__ = ["at_start", "code", "escaped", "fenced", "inline", "is_inert"]

_SPECIAL = re.compile(r"[\\`*\[\]<>|#~&$]|(?<!\w)_|_(?!\w)")
"""Characters with a meaning in Markdown; an underscore only at the edge of a word."""
_ACTED_ON = re.compile(
    r"(?<![a-z0-9_])@|@\S*\.|://|(?<![a-z0-9])www\.|mailto:|xmpp:"  # addresses, mentions
    r"|[#!&~%^][\w\"{\x80-\U0010ffff]|gh-\d|[\[\]]"  # issues, labels, wikis, mathematics
    r"|:(?:[\w+-]*[a-z][\w+-]*|[+-]1|100|1234):|\$|\{[+-]|[+-]\}"  # emoji, mathematics, changes
    r"|/[^\s>]*>|\b[0-9a-f]{7,64}\b",  # projects, commits
    re.IGNORECASE | re.ASCII,
)
"""Text that GitHub or GitLab interpret wherever it occurs."""
_STARTS = re.compile(r"(?:(\d{1,9})(?=[.)])|(?=[-+=/:]))")
"""Text that starts a list, a heading or a GitLab quick action at the start of a line."""
_FENCE = "  "
"""Indents each line of a code block, so that no untrusted text starts a line of the file."""


def escaped(text: str) -> str:
    """Untrusted text, as Markdown that shows it literally."""
    return inline([(False, text)])


def code(text: str) -> str:
    """Untrusted text as an inline code span, also valid in a table."""
    return inline([(True, text)])


def is_inert(text: str) -> bool:
    """Return whether neither Markdown nor HTML would interpret the text."""
    return _ACTED_ON.search(text) is None


def inline(pieces: Iterable[tuple[bool, str]]) -> str:
    """Joins the pieces of one line, each marked as code or text; neighbours are escaped together."""
    parts: list[str] = []
    for is_code, text in _joined(_words(pieces)):
        if not is_code:
            parts.append(_SPECIAL.sub(lambda match: "\\" + match[0], text))
            continue
        if parts and parts[-1].endswith("`"):  # otherwise it would extend the code span's opening backticks
            parts[-1] = f"{parts[-1][:-2]}&#96;"
        parts.append(_span(text))
    return "".join(parts)


def at_start(line: str) -> str:
    """The line of Markdown, escaped so that it can only start a paragraph."""
    line = line.lstrip(" ")
    return _STARTS.sub(lambda match: f"{match[1] or ''}\\", line, count=1) if _STARTS.match(line) else line


def fenced(text: str, kind: str = "") -> list[str]:
    """Untrusted text as a code block that keeps its lines."""
    lines = [printable(line) for line in text.splitlines()]
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{_FENCE}{ticks}{kind}", *(_FENCE + line for line in lines), f"{_FENCE}{ticks}"]


def _words(pieces: Iterable[tuple[bool, str]]) -> Iterable[tuple[bool, str]]:
    """The text, with words that would be interpreted turned into code spans."""
    for is_code, text in _joined((is_code, printable(text)) for is_code, text in pieces):
        if is_code:
            yield True, text
        else:
            for word in re.split("( +)", text):
                yield not is_inert(word), word


def _joined(pieces: Iterable[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Merges neighbours of the same kind and drops empty ones."""
    joined: list[tuple[bool, str]] = []
    for is_code, text in pieces:
        if text and joined and joined[-1][0] is is_code:
            joined[-1] = (is_code, joined[-1][1] + text)
        elif text:
            joined.append((is_code, text))
    return joined


def _span(text: str) -> str:
    r"""An inline code span. Vertical bars go between two spans, since a span in a table can't hold ``\|``."""
    return "\\|".join(_ticked(part) for part in text.split("|"))


def _ticked(text: str) -> str:
    if not text:
        return ""
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    blank = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
    pad = " " if text.startswith("`") or text.endswith("`") or blank else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
