"""The one place where text of a runner's making is turned into text that a terminal, or UTF-8, can take."""

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
    "left_out",
    "printable",
    "shortened",
]

_ENDS = 6
"""How many lines are shown of a long text's beginning, and how many of its end."""
_LONGEST_LINE = 500
_LEFT_OUT = re.compile(r"\.\.\. (\d+) lines? \.\.\.")
_ALARM = re.compile(
    r"panicked at|^panic: |^fatal error: |^Traceback \(most recent call last\)|^Exception in thread|"
    r"^Unhandled exception|^Uncaught |^Fatal error|^\w*(Error|Exception)\b"
)
"""Where the account of a death usually begins, in the languages that runners are written in."""
_COMMAND = re.compile(r"(?:(?<=[\n\r])|\A)([^\S\n\r]*):(?=:[A-Za-z])|#(?=#[A-Za-z]*\[)")
"""Where a CI system sees a command in a log: GitHub where a line begins with ``::name``, spaces apart, and
anywhere in it at ``##[``; Azure anywhere at ``##vso[``, TeamCity at ``##teamcity[``."""


def printable(text: str) -> str:
    """The text with everything escaped that a terminal would act on or could not show."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def harmless(text: str) -> str:
    r"""The text with nothing in it that a CI system would act on when it is in a log.

    Readable still, and the same text where it is JSON: ``::error::`` at the beginning of a line becomes
    ``\u003a:error::``, and ``##[error]`` anywhere ``\u0023#[error]``.
    """
    return _COMMAND.sub(lambda found: f"{found[1]}\\u003a" if found[1] is not None else "\\u0023", text)


def shortened(text: str, most: int) -> str:
    """The printable text, cut where it is longer than ``most`` characters."""
    cut = printable(text[:most])
    return cut if len(text) <= most else f"{cut}… (cut, {len(text)} characters in all)"


def cut(text: str, most: int) -> str:
    """The text, or its beginning and its length; nothing is escaped."""
    return text if len(text) <= most else f"{text[:most]}… (cut, {len(text):,} characters in all)"


def compact(value: Any, most: int) -> str:
    """A value as JSON on one line, printable and cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        return "(nested too deeply to be shown)"
    except ValueError:
        return "(an int of more digits than can be shown)"
    return shortened(text, most)


def decoded(content: bytes) -> str:
    """Bytes as text; those that are not UTF-8 are escaped."""
    return content.decode("utf-8", "backslashreplace")


def encodable(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate, such as a byte of a name that is not UTF-8, is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def left_out(count: int) -> str:
    """The line that stands for ``count`` lines."""
    return f"... {count} line{'' if count == 1 else 's'} ..."


def first_and_last(text: str) -> list[str]:
    """The printable first and last lines of a text, with one line that says how many stood between.

    A panic's message comes before its backtrace, a log's last line last: both ends say something. Where
    an error's account begins in the midst of other lines, these are its first lines that are shown.
    """
    lines = text.strip("\r\n").splitlines()
    if len(lines) > 2 * _ENDS + 1:
        last = len(lines) - _ENDS
        begins = next((at for at in range(_ENDS, last) if _ALARM.search(lines[at])), 0)
        if any(_ALARM.search(line) for line in lines[:_ENDS]):
            begins = 0
        ends = min(begins + _ENDS, last)
        between = [_counted(lines[:begins]), _counted(lines[ends:last])]
        first = [left_out(between[0])] if between[0] else []
        second = [left_out(between[1])] if between[1] else []
        lines = [*first, *lines[begins:ends], *second, *lines[last:]]
    return [shortened(line, _LONGEST_LINE) for line in lines]


def _counted(lines: list[str]) -> int:
    """How many lines these are, where one of them may itself stand for many."""
    told = [_LEFT_OUT.fullmatch(line) for line in lines]
    return sum(int(match[1]) if match else 1 for match in told)
