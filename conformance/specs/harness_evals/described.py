"""Shared code for the ops of harness-evals: described metrics, and JSON files."""

import json
from collections.abc import Iterator
from typing import Any

from conformance.registry.op import Changing

__all__ = ["CHANGING", "does", "files_are_json"]

_JSON = frozenset({"metadata", "input", "judge"})
"""Members of inputs that are JSON files."""


def does(*owners: str) -> str:
    """The paths of a described metric's score or return value, below each owner."""
    inside = ("score/value", "score/threshold", "returns")
    return " ".join(f"{owner}/{path}" for owner in owners for path in inside)


def files_are_json(input_: Any, _: Any = None) -> bool:
    """Whether all required files are valid JSON."""
    return all(map(_is_json, _texts(input_)))


CHANGING = Changing(sensible=files_are_json)


def _texts(value: Any) -> Iterator[Any]:
    """The texts that must be JSON; None for a value that is not a text."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "json" and isinstance(item, str):
                yield item
            elif key in _JSON and isinstance(item, dict):
                yield item.get("text")
            else:
                yield from _texts(item)


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
