"""Writes JSON as pydantic 2.14 does; `result.json` is such a text (003 §3.3).

Each level is indented by four spaces, an empty object or array stays on its line, and there is no final
newline. Characters beyond ASCII are written unchanged. Numbers follow two rules: as a value a number may be
0.00001, but as a key the same number is "1e-05".

Keys may repeat: each NaN is a key of its own, and all of them are spelled "nan". So an object is a list of
members here, not a dict.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass

from .cpython312.parsing import MAX_INT_DIGITS

__all__ = [
    "JsonObject",
    "JsonTree",
    "PydanticSerializationError",
    "json_text",
    "number_key",
    "printable",
]

INDENT = "    "  # harbor asks for four spaces, 003 §3.3
_FIRST_INT_TOO_LONG = 10**MAX_INT_DIGITS  # Python refuses to print it
_quote = json.JSONEncoder(ensure_ascii=False).encode


class PydanticSerializationError(ValueError):
    """A value cannot be written as JSON, so there is no `result.json`."""


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A JSON object in written form: in order, with all members, even if they have the same name."""

    members: list[tuple[str, "JsonTree"]]
    """Name and value."""


# JSON to be written; floats need not be finite.
JsonTree = None | int | float | str | list["JsonTree"] | JsonObject


def json_text(tree: JsonTree, margin: str = "") -> str:
    """The text of `tree`, without a final newline; lines after the first start with `margin`.

    Raises:
        PydanticSerializationError: a string that is no key holds a lone surrogate.
    """
    inner = margin + INDENT
    if isinstance(tree, JsonObject):
        members = (f"{_quoted(_key(key))}: {json_text(value, inner)}" for key, value in tree.members)
        return _block("{", members, "}", margin)
    if isinstance(tree, list):
        return _block("[", (json_text(value, inner) for value in tree), "]", margin)
    if isinstance(tree, str):
        return _quoted(printable(tree))
    if isinstance(tree, float):
        return _float_text(tree)
    return "null" if tree is None else _int_text(tree)


def _block(opening: str, entries: Iterable[str], closing: str, margin: str) -> str:
    """An object or array: one entry per line; without entries, only the brackets."""
    lines = f",\n{margin}{INDENT}".join(entries)
    return f"{opening}\n{margin}{INDENT}{lines}\n{margin}{closing}" if lines else opening + closing


def number_key(number: int | float) -> str:
    """A number as a key: by Python's `repr`, so `1e-05`, `1e+16`, `-0.0`, `nan`, `inf`.

    Raises:
        ValueError: an int has more than 4300 digits, unless Python's limit is lifted.
    """
    return repr(number)


def printable(text: str) -> str:
    """The text itself.

    Raises:
        PydanticSerializationError: it has a lone surrogate, which UTF-8 cannot encode.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise PydanticSerializationError(str(error)) from error
    return text


def _key(text: str) -> str:
    """Write a key, whatever it contains: a lone surrogate becomes three U+FFFD."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _quoted(text: str) -> str:
    r"""Escape only `"`, `\` and characters below U+0020; five of these by letter, `\b\f\n\r\t`."""
    return _quote(text)


def _int_text(number: int) -> str:
    """Write an int of any size as a value, in pieces because of Python's limit."""
    if abs(number) < _FIRST_INT_TOO_LONG:
        return str(number)
    high, low = divmod(abs(number), _FIRST_INT_TOO_LONG)
    return f"{'-' if number < 0 else ''}{_int_text(high)}{low:0{MAX_INT_DIGITS}}"


def _float_text(number: float) -> str:
    """A float as a value: `null` if it is not finite, else the fewest digits that identify it.

    From 1e-5 on and below 1e16 it is a decimal fraction; otherwise it has an exponent, with a plus if
    positive and never padded: 1e+16, 1e-7. Python uses exponents below 1e-4 already.
    """
    if not math.isfinite(number):
        return "null"
    text = repr(number)
    if text.endswith("e-05"):
        sign = "-" if number < 0 else ""
        return f"{sign}0.0000{text.removeprefix(sign).removesuffix('e-05').replace('.', '')}"
    return text.replace("e-0", "e-")
