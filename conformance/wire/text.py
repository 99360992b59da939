"""The one place where text of a runner's making is turned into text that a terminal, or UTF-8, can take."""

import json
from typing import Any

__all__ = ["compact", "decoded", "encodable", "printable", "shortened"]


def printable(text: str) -> str:
    """The text with everything escaped that a terminal would act on or could not show."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def shortened(text: str, most: int) -> str:
    """The printable text, cut where it is longer than ``most`` characters."""
    cut = printable(text[:most])
    return cut if len(text) <= most else f"{cut}… (cut, {len(text)} characters in all)"


def compact(value: Any, most: int) -> str:
    """A value as JSON on one line, printable and cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        return "(nested too deeply to be shown)"
    return shortened(text, most)


def decoded(content: bytes) -> str:
    """Bytes as text; those that are not UTF-8 are escaped."""
    return content.decode("utf-8", "backslashreplace")


def encodable(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate, such as a byte of a name that is not UTF-8, is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
