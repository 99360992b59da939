"""Parses numbers and JSON as CPython 3.12 does; harbor's rules depend on it (003 §1.2, §1.3, §6).

Two limits change with the Python version or its settings and are fixed here: the characters that
count as digits, and the number of digits of an int. A third one, the nesting depth of JSON, is
left to Python: 994 levels on 3.11.7, 1497 on 3.12.1, 9998 on 3.13.0. Every version reads 500 levels
and none reads 100,000; the depths in between are not specified.
"""

import json

from .unicode15 import WHITE_SPACE, decimal_digit

__all__ = ["MAX_INT_DIGITS", "Json", "parse_float", "parse_int", "parse_json"]

# JSON as `parse_json` returns it.
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# CPython's default for conversions between int and decimal text, in digits without the sign.
MAX_INT_DIGITS = 4300


def parse_float(text: str) -> float:
    """Read a float as Python's `float` does (003 §1.2).

    White space around it, digits of any script, single underscores between digits, and `inf`,
    `infinity` and `nan` in any letter case are accepted.

    Raises:
        ValueError: the text is not a float.
    """
    return float(_with_ascii_digits(text))


def parse_int(text: str) -> int:
    """Read a decimal int as Python's `int` does (003 §5).

    White space, digits and underscores are as for `parse_float`.

    Raises:
        ValueError: the text is not an int, or has more than 4300 digits, leading zeros included.
    """
    ascii_text = _with_ascii_digits(text)
    if sum(character.isdigit() for character in ascii_text) > MAX_INT_DIGITS:
        raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return int(ascii_text)


def _with_ascii_digits(text: str) -> str:
    """Write every decimal digit as 0 to 9 and every non-ASCII space as a space.

    Python's number parsers do this first and then accept only ASCII. U+001C to U+001F are ASCII
    already, so they stay and are refused, although `str.isspace` counts them as space.
    """
    return "".join(character if character.isascii() else _as_ascii(character) for character in text)


def _as_ascii(character: str) -> str:
    """A digit or a space; a question mark for everything else, since no number contains one."""
    digit = decimal_digit(character)
    if digit is not None:
        return str(digit)
    return " " if character in WHITE_SPACE else "?"


def parse_json(text: str) -> Json:
    """Read JSON as Python's `json.loads` does (003 §1.3).

    `NaN` and `Infinity` are numbers, a fraction or exponent too large for a double is infinite,
    the last of duplicate keys wins, and a byte order mark is an error.

    Raises:
        json.JSONDecodeError: the text is not JSON.
        ValueError: an int has more than 4300 digits.
        RecursionError: arrays and objects are nested too deeply to read.
    """
    value: Json = json.loads(text, parse_int=_parse_json_int)
    return value


def _parse_json_int(digits: str) -> int:
    """An int in JSON's grammar: an optional minus, then ASCII digits."""
    if len(digits.removeprefix("-")) > MAX_INT_DIGITS:
        raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return int(digits)
