"""What can be said of an input, and of the answer due, in words that complete a sentence after "where".

Nothing here knows an op: an input is walked as its schema names it, a file in it is read as text and as JSON.
"""

import base64
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.places import member_names
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import decode_at
from conformance.wire.text import printable

__all__ = ["ERROR_DUE", "due", "features", "files", "name_of", "parsed"]

ERROR_DUE = "an error is due"
_LONGEST_VALUE = 40
"""The longest text that is quoted as a value of its own."""
_WORD = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


def due(error: Refused) -> str:
    """An error as the words for it being due."""
    return f"{name_of(error)} is due"


def name_of(error: Refused) -> str:
    """An error as people read it."""
    code = f" ({printable(error.reason_code)[:80]})" if error.reason_code else ""
    return f"{printable(error.type)[:80]}{code}"


def features(item: Evidence) -> frozenset[str]:
    """All that can be said of one piece of evidence."""
    return frozenset((*_of_input(item), *_of_expected(item)))


def files(given: Any, path: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of an input, by the name that their content stands under."""
    if not isinstance(given, dict):
        return
    for key, value in given.items():
        if isinstance(value, dict) and len(value) == 1:
            (kind, content), *_ = value.items()
            if kind == "text" and isinstance(content, str):
                yield key, content.encode("utf-8", "surrogatepass")
                continue
            if kind == "base64" and isinstance(content, str):
                try:
                    yield key, base64.b64decode(content, validate=True)
                    continue
                except ValueError:
                    pass
        yield from files(value, f"{path}/{key}")


def parsed(content: bytes) -> Any:
    """What Python's json makes of a file.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(content.decode("utf-8"))


def _of_input(item: Evidence) -> Iterator[str]:
    for name, content in files(item.input):
        yield f"{name} is there"
        yield from _of_file(name, content)
    given = decode_at(item.input, item.op.input_numbers)
    yield from _of_nodes(given, member_names(item.op.name), "input", "")


def _of_expected(item: Evidence) -> Iterator[str]:
    if isinstance(item.expected, Refused):
        yield ERROR_DUE
        yield due(item.expected)
        yield f"{printable(item.expected.type)[:80]} is due"
    elif isinstance(item.expected, Ok):
        yield "a value is due"
        try:
            value = decode_at(item.expected.value, item.op.ok_numbers)
            for kind in {kind for leaf in _leaves(value) for kind in _kinds(leaf)}:
                yield f"the answer holds {kind}"
        except RecursionError:
            pass


def _of_file(name: str, content: bytes) -> Iterator[str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        yield f"{name} is not UTF-8"
        return
    stripped = text.strip()
    if not text:
        yield f"{name} is empty"
    elif not stripped:
        yield f"{name} is white space"
    if text.startswith("\ufeff"):
        yield f"{name} begins with a byte order mark"
    if not text.isascii():
        yield f"{name} is not ASCII"
    if stripped != text.rstrip("\n"):
        yield f"{name} has white space around it"
    try:
        value = parsed(content)
    except RecursionError:
        yield f"{name} is nested deeply"
        return
    except ValueError:
        yield f"{name} is not JSON"
        yield from _of_text(name, stripped)
        return
    yield f"{name} is JSON"
    if isinstance(value, dict):
        yield f"{name} is an object"
        if not value:
            yield f"{name} is an empty object"
        if len(value) > 1:
            yield f"{name} has several keys"
        try:
            for kind in {kind for leaf in _leaves(value) for kind in _kinds(leaf)}:
                yield f"{name} holds {kind}"
        except RecursionError:
            yield f"{name} is nested deeply"
        if any(isinstance(one, dict | list) for one in value.values()):
            yield f"{name} holds an array or an object"
    else:
        for kind in _kinds(value):
            yield f"{name} is {kind}"
        if isinstance(value, list):
            yield f"{name} is an array"
        yield f"{name} is not an object"
    yield from _of_text(name, stripped)


def _of_text(name: str, text: str) -> Iterator[str]:
    if _WORD.fullmatch(text):
        yield f"{name} is nan or inf"
    try:
        number = float(text)
    except ValueError:
        yield f"{name} is no number to Python"
        return
    yield f"{name} is a number to Python"
    if not math.isfinite(number):
        yield f"{name} is not finite"
    if "_" in text:
        yield f"{name} is a number with an underscore"
    if text.startswith("+"):
        yield f"{name} is a number with a plus sign"
    if not text.isascii():
        yield f"{name} is a number in other digits than 0 to 9"
    if re.search(r"(^|[^0-9])\.|\.($|[^0-9])", text):
        yield f"{name} is a number with a bare point"
    for kind in _kinds(number):
        yield f"{name} is {kind}"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
        if not value:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
        if not value:
            yield value
    else:
        yield value


def _kinds(value: Any) -> Iterator[str]:
    """What a value is, in words with their article."""
    if value is None:
        yield "null"
    elif isinstance(value, bool):
        yield "a boolean"
    elif isinstance(value, str):
        yield "a string"
        try:
            float(value)
        except ValueError:
            yield "a string that is no number"
        else:
            yield "a string that is a number"
        if not value.strip():
            yield "an empty or blank string"
    elif isinstance(value, dict):
        yield "an empty object" if not value else "an object"
    elif isinstance(value, list):
        yield "an empty array" if not value else "an array"
    elif isinstance(value, int):
        yield "an int"
        if abs(value) > 1 << 53:
            yield "an int beyond 2**53"
        if not -(1 << 63) <= value < 1 << 63:
            yield "an int beyond 64 bits"
        yield from _sizes(value)
    elif isinstance(value, float):
        if math.isnan(value):
            yield "NaN"
            yield "a number that is not finite"
        elif math.isinf(value):
            yield "an infinity"
            yield "a number that is not finite"
        else:
            yield "a float"
            if value.is_integer():
                yield "a whole float"
            if value == 0 and math.copysign(1, value) < 0:
                yield "minus zero"
        yield from _sizes(value)


def _sizes(number: int | float) -> Iterator[str]:
    if number < 0:
        yield "a negative number"
    if number > 1:
        yield "a number above 1"
    if number < 0 or number > 1:
        yield "a number outside [0, 1]"


def _is_file(value: dict[str, Any]) -> bool:
    return len(value) == 1 and not {"text", "base64"}.isdisjoint(value)


def _of_nodes(value: Any, names: frozenset[str], label: str, key: str) -> Iterator[str]:
    """What stands in an input, by the nearest name that the schema knows."""
    if isinstance(value, dict):
        if _is_file(value):
            return  # ``_of_file`` speaks of it
        if not value:
            yield f"{label} is an empty object"
        for name, item in value.items():
            known = name in names
            if known:
                yield f"{name} is given"
            if known and isinstance(item, str) and len(item) <= _LONGEST_VALUE:
                yield f"{name} is {printable(json.dumps(item))}"
            yield from _of_nodes(item, names, name if known else f"a value of {label}", name)
        if label == "input":
            for name in names:
                if name not in value:
                    yield f"{name} is not given"
    elif isinstance(value, list):
        if not value:
            yield f"{label} is empty"
        elif len(value) == 1:
            yield f"{label} has one item"
        else:
            yield f"{label} has several items"
        for item in value:
            yield from _of_nodes(
                item, names, label if label.startswith("an item of") else f"an item of {label}", key
            )
    else:
        for kind in _kinds(value):
            yield f"{label} is {kind}"
