"""The JSON of a report that somebody kept: parsed as what it may be, whoever wrote it."""

import json
import math
from typing import Any, NoReturn

__all__ = ["parsed_report"]

_MOST_DIGITS = 4_300
"""Digits of an int that Python takes where nobody says otherwise; vectors ask for as many."""


def parsed_report(content: bytes) -> Any:
    """What the bytes say.

    Raises:
        ValueError: they are no JSON, or hold a number that is not finite.
        RecursionError: they are nested too deeply.
    """
    return json.loads(
        content.decode("utf-8"), parse_constant=_refused, parse_float=_finite, parse_int=_bounded
    )


def _refused(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(text)
    return value


def _bounded(text: str) -> int | str:
    """An int; its text where it has more digits than Python takes, which some answer may have."""
    return int(text) if len(text.lstrip("-")) <= _MOST_DIGITS else text
