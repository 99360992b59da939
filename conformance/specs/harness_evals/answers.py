"""Reads answers, for the properties of several sections of harness-evals."""

import json
from typing import Any

from conformance.properties.asking import fail

__all__ = ["read"]


def read(answer: Any, name: str = "score.json") -> Any:
    """The JSON value of a file in an answer."""
    try:
        return json.loads(answer[name]["text"])
    except ValueError:
        fail(f"{name} is not JSON")
