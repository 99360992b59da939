"""The only place where a runner's text is made safe for terminals and UTF-8."""

import json
import re
from typing import Any

__all__ = [
    "compact",
    "cut",
    "decoded",
    "encodable",
    "first_and_last",
    "harmless",
    "is_json",
    "left_out",
    "printable",
    "shortened",
]

_ENDS = 6
"""The lines shown of a long text's start, and of its end."""
_LONGEST_LINE = 500
_LEFT_OUT = re.compile(r"\.\.\. (\d+) lines? \.\.\.")
_ALARM = re.compile(
    r"panicked at|^panic: |^fatal error: |^Traceback \(most recent call last\)|^Exception in thread|"
    r"^Unhandled exception|^Uncaught |^Fatal error|^\w*(Error|Exception)\b"
)
"""The usual start of a crash report in runners' languages."""
_COMMAND = re.compile(r"(?:(?<=[\n\r])|\A)([^\S\n\r]*):(?=:[A-Za-z])|#(?=#[A-Za-z]*\[)")
"""Commands for CI systems in a log: GitHub reads lines that start with ``::name`` after spaces, and ``##[``
anywhere; Azure reads ``##vso[`` anywhere, TeamCity ``##teamcity[``."""


def printable(text: str) -> str:
    """The text with everything escaped that a terminal would interpret or can't show."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def harmless(text: str) -> str:
    r"""The text without anything that a CI system would interpret in a log.

    It stays readable, and equal if it is JSON: ``::error::`` at the beginning of a line becomes
    ``\u003a:error::``, and ``##[error]`` anywhere ``\u0023#[error]``.
    """
    return _COMMAND.sub(lambda match: f"{match[1]}\\u003a" if match[1] is not None else "\\u0023", text)


def shortened(text: str, most: int) -> str:
    """The printable text, cut to ``most`` characters."""
    cut = printable(text[:most])
    return cut if len(text) <= most else f"{cut}… (cut, {len(text)} characters in all)"


def cut(text: str, most: int) -> str:
    """The text, or its start and its length; nothing is escaped."""
    return text if len(text) <= most else f"{text[:most]}… (cut, {len(text):,} characters in all)"


def compact(value: Any, most: int) -> str:
    """A value as JSON on one line, printable, and cut if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        return "(nested too deeply to be shown)"
    except ValueError:
        return "(an int of more digits than can be shown)"
    return shortened(text, most)


def decoded(content: bytes) -> str:
    """Bytes as text, with invalid UTF-8 escaped."""
    return content.decode("utf-8", "backslashreplace")


def is_json(text: str | bytes) -> bool:
    """Return whether Python reads the text as JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def encodable(text: str) -> str:
    """Text that UTF-8 can encode, with lone surrogates (as from file names that are not UTF-8) escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def left_out(count: int) -> str:
    """The line that replaces ``count`` omitted lines."""
    return f"... {count} line{'' if count == 1 else 's'} ..."


def first_and_last(text: str) -> list[str]:
    """The printable first and last lines of a text, with the number of lines omitted between.

    Both ends matter: a panic's message comes before its backtrace, and a log's last line is at the end. If a
    crash report starts in the middle, its first lines are shown.
    """
    lines = text.strip("\r\n").splitlines()
    if len(lines) > 2 * _ENDS + 1:
        last = len(lines) - _ENDS
        alarm = next((index for index in range(last) if _ALARM.search(lines[index])), 0)
        begins = alarm if alarm >= _ENDS else 0
        ends = min(begins + _ENDS, last)
        lines = [*_omitted(lines[:begins]), *lines[begins:ends], *_omitted(lines[ends:last]), *lines[last:]]
    return [shortened(line, _LONGEST_LINE) for line in lines]


def _omitted(lines: list[str]) -> list[str]:
    """The line that replaces these, if there are any; those that an omission line replaced are counted."""
    matches = [_LEFT_OUT.fullmatch(line) for line in lines]
    return [left_out(sum(int(match[1]) if match else 1 for match in matches))] if lines else []
