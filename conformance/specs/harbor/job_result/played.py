"""Compares a job played back by the real harbor with the answer of the vector that describes it."""

from itertools import zip_longest
from typing import Any

__all__ = ["playback_difference"]


def playback_difference(answer: dict[str, Any], job: dict[str, Any]) -> str | None:
    """The first difference between an answer and the same job played back; None if there is none."""
    if "ok" not in job:
        return f"could not be played: {job['error']['type']}"
    played = job["ok"]
    if "error" in answer:
        if answer["error"]["type"] not in played["errors"]:
            return f"ends with {played['errors']}, not with {answer['error']['type']}"
        return None
    if played["errors"]:
        return f"ends with {played['errors']}"
    if played["result.json"] != answer["ok"]["result.json"]:
        contents = (answer["ok"]["result.json"], played["result.json"])
        lines = ((content or {}).get("text", "").split("\n") for content in contents)
        ours, theirs = next((a, b) for a, b in zip_longest(*lines) if a != b)
        return f"has a different result.json: {theirs!r} where the answer has {ours!r}"
    return None
