"""What an input has to be beyond its shape, where schemas of the specs beside harbor's demand it in words.

``changes.meant`` mends inputs of harbor's ops; what is checked here can only be refused.
"""

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["makes_sense"]

_JSON = frozenset({"metadata", "input", "judge"})
"""Members of harness-evals inputs that are files of JSON."""
_TEMPLATES = {
    "deterministic": {"output", "expected"},
    "operational": {"latency_ms", "max_value"},
    "reliability": {"runs", "value"},
    "llm": {"judge"},
    "embedding": {"vectors"},
}


def makes_sense(op: str, given: Any, before: Any) -> bool:
    """Whether ``given``, made from ``before`` by a small change, is an input that the op's rules speak of."""
    if op == "metric_script":  # a script with a change somewhere may do anything to this machine
        return given["script"] is None or given["script"] == before["script"]
    if op == "evsys.registry":  # labels are handles: a runner may make what it likes of them
        return set(_labels(given["actions"])) <= set(given["classes"]) <= set(before["classes"])
    if not op.startswith("harness."):
        return True
    if op == "harness.template":
        parts = given["given"]
        if set(parts) != _TEMPLATES[given["template"]] or len(parts.get("vectors", "12")) != 2:
            return False
    if given.get("measure_runs") == "majority" and given["a_measure_runs"] is not None:
        return False
    return all(map(_is_json, _texts(given)))


def _labels(actions: list[Any]) -> Iterator[str]:
    for action in actions:
        if action["do"] == "register":
            yield action["class"]
        for point in action.get("entry_points", ()):
            yield from (label for _, label in point["registers"])


def _texts(value: Any) -> Iterator[Any]:
    """All that has to be JSON; None for what is no text."""
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
