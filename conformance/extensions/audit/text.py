"""The text of `result.json`, once everything that it says is right."""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.reading import pointer
from conformance.judging.comparison import Level
from conformance.wire.text import decoded, shortened

__all__ = ["text_finding"]

_OLD_EXPONENT = re.compile(r'(?m)^( +(?:"(?:[^"\\]|\\.)*": )?-?[0-9](?:\.[0-9]+)?e)\+([0-9]+,?)$')
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)": ?')
_MOST_SHOWN = 120


def text_finding(file: str, due: str, content: bytes) -> Iterator[Finding]:
    """At most one finding: where the text first departs from that which harbor writes.

    Exponents may lack the plus that pydantic writes from 2.13 on.
    """
    if content in (due.encode(), _OLD_EXPONENT.sub(r"\1\2", due).encode()):
        return
    found, lines = decoded(content).split("\n"), due.split("\n")
    at = next(number for number, (left, right) in enumerate(zip_longest(found, lines)) if left != right)
    left, right = (one[at] if at < len(one) else "nothing" for one in (found, lines))
    clause, likely = _mistake(content, due.encode())
    what = (f"line {at + 1}: {shortened(left, _MOST_SHOWN)}", shortened(right, _MOST_SHOWN))
    place = _place(lines, min(at, len(lines) - 1))
    yield Finding("text", file, place, *what, clause, likely, Level.BYTES)


def _mistake(found: bytes, due: bytes) -> tuple[str, str | None]:
    if found.rstrip() == due:
        return "003-3.3-text", "white space after the end; the file has no final newline"
    if found.replace(b"\r\n", b"\n") == due:
        return "003-3.3-text", "lines end in CR LF"
    if found.removeprefix(b"\xef\xbb\xbf") == due:
        return "003-3.3-text", "a byte order mark"
    if found.translate(None, b" \t\r\n") == due.translate(None, b" \t\r\n"):
        return "003-3.3-text", "the layout differs: four spaces a level, one member a line"
    if not due.isascii() and found.isascii():
        return "003-3.3-string-text", "characters beyond ASCII are escaped; harbor writes them as they are"
    return "003-3.3-string-text", "a string is escaped in another way"


def _place(lines: list[str], number: int) -> str:
    """The JSON pointer of a line of the text, by the indents of the lines before it."""
    path: list[str | int] = []
    for line in lines[: number + 1]:
        depth = (len(line) - len(line.lstrip(" "))) // 4
        if line.strip(" ,") in ("}", "]"):
            del path[depth:]
            continue
        key = _KEY.match(line.lstrip(" "))
        if depth == 0:
            continue
        before = path[depth - 1] if len(path) >= depth else -1
        del path[depth - 1 :]
        path.append(json.loads(f'"{key[1]}"') if key else before + 1 if isinstance(before, int) else 0)
    return pointer(*path)
