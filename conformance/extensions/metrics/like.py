"""The user's data to start from: a `rewards.jsonl`, a data set of cases, the rewards of tasks."""

import json
import math
import os
from collections.abc import Callable
from typing import Any

from conformance.extensions.metrics.findings import CannotTryError
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Folder, Refused, quantity

__all__ = ["parse_values", "read_like"]

_MOST_BYTES, _MOST_LINES = 64 * MIB, 100_000


def read_like(path: str, contract: str) -> list[Any]:
    """Reads a file for `--like`: trials' rewards, cases, or lists of a task's rewards.

    Raises:
        CannotTryError: the file can't be read, or has the wrong kind of data.
    """
    text = _text_of(path)
    if contract == "evsys":
        found = _parsed(text, path)
        if not isinstance(found, list) or not all(map(_is_task, found)):
            raise _unlike(path, "a list with a list of numbers for each task")
        return found
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        raise _unlike(path, f"at most {_MOST_LINES:,} lines")
    if not lines:
        raise _unlike(path, "at least one line")
    is_record, what = _RECORDS[contract]
    places = [f"line {number} of {path}" for number in range(1, len(lines) + 1)]
    records = list(map(_parsed, lines, places))
    for record, place in zip(records, places, strict=True):
        if not is_record(record):
            raise _unlike(place, what)
    return records


def parse_values(text: str, contract: str) -> list[Any]:
    """The values of `--values`: numbers for rewards, JSON or plain text for harness-evals.

    Raises:
        CannotTryError: they are of the wrong kind.
    """
    try:
        values = json.loads(f"[{text}]")
    except (ValueError, RecursionError):
        values = [part.strip() for part in text.split(",") if part.strip()]
    numbers = all(_is_number(value) and math.isfinite(value) for value in values)
    if not values or (contract != "harness-evals" and not numbers):
        what = "JSON or texts" if contract == "harness-evals" else "finite numbers"
        takes = f"{metric_option('values')} takes {what}, separated by commas"
        raise CannotTryError(f"{takes}, not {shortened(text, 60)!r}")
    return list(values)


def _text_of(path: str) -> str:
    try:
        folder = Folder.top(os.path.dirname(os.path.realpath(path)))
    except (OSError, ValueError):
        raise _unreadable(path, "it is not there") from None
    try:
        content = folder.read(os.path.basename(os.path.realpath(path)), _MOST_BYTES)
        if content is None:
            raise _unreadable(path, "it is not there")
        return content.decode("utf-8-sig")
    except Refused as refused:
        most = f"at most {quantity(_MOST_BYTES, 'bytes')}" if refused.kind == "too-large" else refused.due
        raise _unreadable(path, f"it is {refused.what}, {most} is expected") from None
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8") from None
    finally:
        folder.leave()


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _unlike(where, "JSON that can be read") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_task(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _is_trial(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and all(map(_is_number, value.values())))


_RECORDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "harbor-metric": (_is_trial, "an object of numbers by reward key, or null"),
    "harness-evals": (lambda value: isinstance(value, dict), "an object, one case"),
}
"""By contract, whether a line is a record, and a description of one."""


def _unlike(where: str, what: str) -> CannotTryError:
    return CannotTryError(f"{where} is not valid for {metric_option('like')}: {what}")


def _unreadable(path: str, why: str) -> CannotTryError:
    return CannotTryError(f"{metric_option('like')} {path} can't be read: {why}")
