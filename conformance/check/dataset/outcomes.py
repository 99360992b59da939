"""Outcomes of trials and steps, and JSON values: how they differ, and how they are shown."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.judging.comparison import Level
from conformance.wire.pointers import pointer
from conformance.wire.text import shortened
from reference_impl.runner.wire import decode_number

__all__ = ["SHOWN", "at", "breaks", "counted", "differs", "due_outcome", "recorded_outcome", "show"]

Json = Any

SHOWN = 200


def differs(due: Mapping[str, Json], record: Json) -> Iterator[tuple[str, Level]]:
    """The first place where a trial's or a step's record is another than expected, if there is one."""
    result = at(record, "verifier_result")
    rewards = at(result, "rewards")
    if at(record, "exception_info", "exception_type") != due["exception"]:
        yield "/exception_info", Level.VALUE
    elif (result is not None) != due["verified"]:
        yield "/verifier_result", Level.VALUE
    elif due["rewards"] is None or not isinstance(rewards, dict):
        if rewards is not None or due["rewards"] is not None:
            yield "/verifier_result/rewards", Level.VALUE
    elif set(rewards) != set(due["rewards"]):
        yield "/verifier_result/rewards", Level.VALUE
    else:
        for key, spelled in due["rewards"].items():
            number = decode_number(spelled)
            finite = isinstance(number, int) or math.isfinite(number)
            found = breaks(number if finite else None, rewards[key])  # a record has null for NaN
            if found is not None:
                yield pointer("verifier_result", "rewards", key), found
                return


def breaks(due: Json, stands: Json) -> Level | None:
    """The lowest level at which two JSON values differ, order of keys aside; None if at none."""
    if isinstance(due, dict) and isinstance(stands, dict):
        if set(due) != set(stands):
            return Level.VALUE
        return _lowest(breaks(due[key], stands[key]) for key in due)
    if isinstance(due, list) and isinstance(stands, list):
        if len(due) != len(stands):
            return Level.VALUE
        return _lowest(map(breaks, due, stands))
    if _is_number(due) and _is_number(stands):
        if due != stands:
            return Level.VALUE
        same_zero = math.copysign(1.0, due) == math.copysign(1.0, stands) if due == 0 else True
        return None if type(due) is type(stands) and same_zero else Level.EXACT
    return None if type(due) is type(stands) and due == stands else Level.VALUE


def _lowest(levels: Iterable[Level | None]) -> Level | None:
    return min((level for level in levels if level is not None), default=None)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def counted(value: Json, depth: int = 2) -> Json:
    """Lists of trials replaced by their lengths, down to ``depth`` objects deep."""
    if isinstance(value, dict) and depth > 0:
        return {key: counted(item, depth - 1) for key, item in value.items()}
    return len(value) if isinstance(value, list) else value


def at(value: Json, *path: str) -> Json:
    """What stands at a path of keys, or of attributes of a record's shape; None where nothing does."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else getattr(value, key, None)
    return value


def recorded_outcome(record: Json) -> str:
    """A trial's or step's outcome as it is recorded."""
    exception = at(record, "exception_info")
    result = at(record, "verifier_result")
    rewards = show(at(result, "rewards")) if result is not None else "not verified"
    if exception is None:
        return rewards
    kind, message = at(exception, "exception_type"), at(exception, "exception_message")
    said = f"{kind if isinstance(kind, str) else show(kind)}: {message if isinstance(message, str) else ''}"
    return shortened(f"{said.rstrip(': ')}; {rewards}", SHOWN)


def due_outcome(task: Mapping[str, Json]) -> str:
    """A trial's or step's outcome as the manifest has it."""
    if task["exception"] is not None:
        return str(task["exception"])
    if not task["verified"]:
        return "no verifier result"
    if task["rewards"] is None:
        return "rewards null"
    special = any(isinstance(value, str) for value in task["rewards"].values())
    return show(task["rewards"]) + (", recorded as null" if special else "")


def show(value: Json) -> str:
    """A value as JSON for people, cut where it is long."""
    try:
        return shortened(json.dumps(value, ensure_ascii=False), SHOWN)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__}"
