"""The files in the answers of both ops, for properties."""

from typing import Any

from conformance.properties.asking import Asker, fail

__all__ = ["LINES", "rewards_file", "text_in"]

LINES = "rewards_jsonl"


def text_in(content: Any) -> str:
    """The text of a file in an answer."""
    text = content.get("text")
    if not isinstance(text, str):
        fail("the file is not UTF-8")
    return str(text)


def rewards_file(asker: Asker, rewards_given: Any) -> str:
    """The text of rewards.jsonl for these rewards."""
    return text_in(asker.ok(LINES, {"rewards": rewards_given})["rewards.jsonl"])
