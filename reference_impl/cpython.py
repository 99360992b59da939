"""How CPython 3.12 reads numbers and JSON; harbor's rules lean on it (003 §1.2, §1.3, §6).

Three things change with the Python version or its settings and are fixed here: which digits a
number may be written with, how many digits an int may have, and how deep JSON may be nested.
"""

import json
import re

from .unicode15 import WHITE_SPACE, decimal_digit

__all__ = ["MAX_INT_DIGITS", "MAX_JSON_NESTING", "Json", "parse_float", "parse_int", "parse_json"]

# JSON as `parse_json` returns it.
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# CPython's default for conversions between int and decimal text, in digits without the sign.
MAX_INT_DIGITS = 4300

# CPython's own limit depends on its build: 994 levels on 3.11.7, 1497 on 3.12.1, 9998 on 3.13.0.
# Every version reads 500 levels and none reads 100,000; what lies between is not specified.
MAX_JSON_NESTING = 500

_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def parse_float(text: str) -> float:
    """Read a float as Python's `float` does (003 §1.2).

    White space around it, digits of any script, single underscores between digits, and `inf`,
    `infinity` and `nan` in any letter case are accepted.

    Raises:
        ValueError: the text is no float.
    """
    return float(_with_ascii_digits(text))


def parse_int(text: str) -> int:
    """Read a decimal int as Python's `int` does (003 §5).

    White space, digits and underscores are as for `parse_float`.

    Raises:
        ValueError: the text is no int, or has more than 4300 digits, leading zeros included.
    """
    ascii_text = _with_ascii_digits(text)
    if sum(map(str.isdigit, ascii_text)) > MAX_INT_DIGITS:
        raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return int(ascii_text)


def _with_ascii_digits(text: str) -> str:
    """Write every decimal digit as 0 to 9 and every non-ASCII space as a space.

    Python's number parsers do so first and then accept ASCII alone. U+001C to U+001F are ASCII
    already, so they stay and are refused, although `str.isspace` counts them as space.
    """
    if text.isascii():
        return text
    return "".join(character if character.isascii() else _as_ascii(character) for character in text)


def _as_ascii(character: str) -> str:
    digit = decimal_digit(character)
    if digit is not None:
        return str(digit)
    return " " if character in WHITE_SPACE else "?"  # no number holds a question mark


def parse_json(text: str) -> Json:
    """Read JSON as Python's `json.loads` does (003 §1.3).

    `NaN` and `Infinity` are numbers, a fraction or exponent too large for a double is infinite,
    the last of duplicate keys wins, and a byte order mark is an error.

    Raises:
        json.JSONDecodeError: the text is not JSON.
        ValueError: an int has more than 4300 digits.
        RecursionError: arrays and objects are nested too deeply to read.
    """
    _refuse_deep_nesting(text)
    return _read_json(text)


def _read_json(text: str) -> Json:
    value: Json = json.loads(text, parse_int=_parse_json_int)
    return value


def _parse_json_int(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INT_DIGITS:
        raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return int(digits)


def _refuse_deep_nesting(text: str) -> None:
    """Raise RecursionError where the reader would go too deep.

    An error in the text before that place is what the reader meets first, so that is raised.
    """
    if text.count("[") + text.count("{") <= MAX_JSON_NESTING:
        return
    too_deep = _first_too_deep(text)
    if too_deep is None:
        return
    try:
        _read_json(text[:too_deep] + "null")
    except json.JSONDecodeError as error:
        if error.pos <= too_deep:
            raise
    raise RecursionError(f"JSON nested deeper than {MAX_JSON_NESTING} levels")


def _first_too_deep(text: str) -> int | None:
    """The position of the first bracket that opens one level too many, outside of strings."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            if depth > MAX_JSON_NESTING:
                return match.start()
        elif match[0] in ("]", "}"):
            depth -= 1
    return None
