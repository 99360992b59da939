"""What is done to a value or an answer under a condition, and how values are shown."""

import json
from typing import Any

from conformance.deviations.changes import Test, equal
from conformance.deviations.deviation import Answer, RefuseError
from conformance.deviations.lens import ABSENT, Change, values_at
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path

__all__ = [
    "always",
    "error_text",
    "instead",
    "is_answer",
    "is_error",
    "is_value",
    "refusing",
    "same_answer",
    "setting",
    "shown",
    "where_holds",
]


def shown(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def is_value(one: Any, value: Any) -> bool:
    """Whether something is a value; nothing is where a member is absent."""
    return value is not ABSENT and equal(one, value)


def instead(one: Any, other: Any) -> Change:
    """One value for another."""
    return lambda value: other if is_value(one, value) else value


def always(one: Any) -> Change:
    """A value for everything that is there."""
    return lambda value: value if value is ABSENT or is_value(one, value) else one


def setting(new: Any) -> Change:
    """A value, or no member, for what is there."""
    return lambda value: value if value is ABSENT or (new is not ABSENT and equal(value, new)) else new


def where_holds(record: Any, rel: Path, test: Test, change: Change) -> Any:
    """A record changed where one of its members passes a test."""
    holds = isinstance(record, dict) and any(map(test.holds, values_at(record, rel)))
    return change(record) if holds else record


def refusing(value: Any, test: Test, error: Refused) -> Any:
    """Ends in an error if a test holds."""
    if test.holds(value):
        raise RefuseError(error)
    return value


def error_text(error: Refused) -> str:
    """An error in words."""
    return f"error {error.type}" + (f":{error.reason_code}" if error.reason_code is not None else "")


def is_error(error: Refused | None, one: Answer) -> bool:
    """Whether an answer is an error, or any error."""
    return isinstance(one, Refused) and (error is None or same_answer(one, error))


def is_answer(value: Any, one: Answer) -> bool:
    """Whether an answer is this value."""
    return isinstance(one, Ok) and equal(one.value, value)


def same_answer(one: Answer, other: Answer) -> bool:
    """Whether two answers are one; messages of errors do not count."""
    if isinstance(one, Refused) and isinstance(other, Refused):
        return (one.type, one.reason_code) == (other.type, other.reason_code)
    return isinstance(one, Ok) and isinstance(other, Ok) and equal(one.value, other.value)
