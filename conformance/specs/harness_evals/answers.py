"""What the properties of several sections of harness-evals read in an answer."""

import json
from typing import Any

from conformance.properties.asking import fail

__all__ = ["read"]


def read(answer: Any, name: str = "score.json") -> Any:
    """The JSON in a file of an answer."""
    try:
        return json.loads(answer[name]["text"])
    except ValueError:
        fail(f"{name} holds no JSON")
