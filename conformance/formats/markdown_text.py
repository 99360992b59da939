r"""Markdown of text that anybody may have made: it shows what was written, and does nothing.

A forge acts on more than Markdown does, and on the text that a reader sees, where a backslash is no more:
``http://…``, ``@name``, ``#12``, ``:tada:``, ``$x$`` and what looks like a commit. Words with any of these
stand as code, which GitHub and GitLab leave alone; whatever else Markdown may read is escaped.
"""

import re
from collections.abc import Iterable

from conformance.wire.text import printable

__all__ = ["at_start", "code", "escaped", "fenced", "inline", "is_inert"]

_SPECIAL = re.compile(r"[\\`*\[\]<>|#~&$]|(?<!\w)_|_(?!\w)")
"""What Markdown may read as more than itself; an underscore only at the edge of a word."""
_ACTED_ON = re.compile(
    r"(?<![a-z0-9_])@|@\S*\.|://|(?<![a-z0-9])www\.|mailto:|xmpp:"  # addresses, mentions
    r"|[#!&~%^][\w\"{\x80-\U0010ffff]|gh-\d|[\[\]]"  # issues, labels, wikis, mathematics
    r"|:(?:[\w+-]*[a-z][\w+-]*|[+-]1|100|1234):|\$|\{[+-]|[+-]\}"  # emoji, mathematics, changes
    r"|/[^\s>]*>|\b[0-9a-f]{7,64}\b",  # projects, commits
    re.IGNORECASE | re.ASCII,
)
"""What GitHub or GitLab make something of, wherever it is in text."""
_STARTS = re.compile(r"(?:(\d{1,9})(?=[.)])|(?=[-+=/:]))")
"""What begins a list, a heading or one of GitLab's quick actions, where it begins a line."""
_FENCE = "  "
"""Before each line of a block of code: with it no line of another's making begins a line of the file."""


def escaped(text: str) -> str:
    """Text of anybody's making, as Markdown that shows it and nothing else."""
    return inline([(False, text)])


def code(text: str) -> str:
    """Text of anybody's making as code within a line, also within a table."""
    return inline([(True, text)])


def is_inert(text: str) -> bool:
    """Whether nothing would be made of the text, also where it is in HTML."""
    return _ACTED_ON.search(text) is None


def inline(pieces: Iterable[tuple[bool, str]]) -> str:
    """Pieces of one line, each with whether it is code; neighbours are judged together."""
    shown: list[str] = []
    for is_code, text in _joined(_words(pieces)):
        if not is_code:
            shown.append(_SPECIAL.sub(lambda found: "\\" + found[0], text))
            continue
        if shown and shown[-1].endswith("`"):  # else it would lengthen the run that begins the code
            shown[-1] = f"{shown[-1][:-2]}&#96;"
        shown.append(_span(text))
    return "".join(shown)


def at_start(line: str) -> str:
    """A line of Markdown such that it begins nothing but a paragraph."""
    line = line.lstrip(" ")
    return _STARTS.sub(lambda found: f"{found[1] or ''}\\", line, count=1) if _STARTS.match(line) else line


def fenced(text: str, kind: str = "") -> list[str]:
    """Text of anybody's making as a block of code, its lines kept."""
    lines = [printable(line) for line in text.splitlines()]
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{_FENCE}{ticks}{kind}", *(_FENCE + line for line in lines), f"{_FENCE}{ticks}"]


def _words(pieces: Iterable[tuple[bool, str]]) -> Iterable[tuple[bool, str]]:
    """The same with the words as code that would be acted on."""
    for is_code, text in _joined((is_code, printable(text)) for is_code, text in pieces):
        if is_code:
            yield True, text
        else:
            for word in re.split("( +)", text):
                yield not is_inert(word), word


def _joined(pieces: Iterable[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Neighbours of one kind as one, without the empty ones."""
    joined: list[tuple[bool, str]] = []
    for is_code, text in pieces:
        if text and joined and joined[-1][0] is is_code:
            joined[-1] = (is_code, joined[-1][1] + text)
        elif text:
            joined.append((is_code, text))
    return joined


def _span(text: str) -> str:
    r"""Code in a line. Its bars come between two spans: within one, a table has no way to hold ``\|``."""
    return "\\|".join(_ticked(part) for part in text.split("|"))


def _ticked(text: str) -> str:
    if not text:
        return ""
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    blank = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
    pad = " " if text.startswith("`") or text.endswith("`") or blank else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
