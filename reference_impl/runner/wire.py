"""Decodes and encodes numbers, rewards and files in the runner protocol's messages.

JSON has one kind of number, the rules have two: with `.`, `e` or `E` a number is a float, otherwise an int
of any size. Where a number is expected, a string with its spelling is accepted, and NaN and the infinities
are always strings. A file's content is `{"text": ...}`, or `{"base64": ...}` if its bytes are not UTF-8.
"""

import math
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from ..verifier_result import Rewards

__all__ = [
    "decode_content",
    "decode_files",
    "decode_number",
    "decode_rewards",
    "encode_content",
    "encode_number",
    "encode_rewards",
]

_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


def decode_number(value: Any) -> int | float:
    """Decode an int or a float, given as a number or as its spelling. Each NaN is a new object.

    Raises:
        TypeError: `value` is neither a number nor a string.
        ValueError: the string spells no number.
    """
    if type(value) is int or type(value) is float:
        return value
    if not isinstance(value, str):
        raise TypeError(f"a number is due here, not a {type(value).__name__}")
    is_float = value in _NON_FINITE or any(mark in value for mark in ".eE")
    return float(value) if is_float else int(value)


def encode_number(number: int | float) -> int | float | str:
    """A finite number unchanged, any other by its name."""
    if isinstance(number, int) or math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def decode_rewards(value: Any) -> Rewards | None:
    """An object of numbers, or null for no rewards."""
    return None if value is None else {key: decode_number(item) for key, item in value.items()}


def encode_rewards(rewards: Rewards | None) -> dict[str, int | float | str] | None:
    """The reverse of `decode_rewards`."""
    return None if rewards is None else {key: encode_number(item) for key, item in rewards.items()}


def decode_content(content: Mapping[str, str]) -> bytes:
    """The bytes of a file.

    Raises:
        KeyError: there is neither `text` nor `base64`.
        ValueError: the text is not well-formed Unicode, or the base64 is invalid.
    """
    if "text" in content:
        return content["text"].encode("utf-8")
    return b64decode(content["base64"], validate=True)


def encode_content(content: bytes) -> dict[str, str]:
    """The reverse of `decode_content` for UTF-8; no operation writes anything else."""
    return {"text": content.decode("utf-8")}


def decode_files(files: Mapping[str, Mapping[str, str]]) -> dict[str, bytes]:
    """The bytes of several files by name."""
    return {name: decode_content(content) for name, content in files.items()}
