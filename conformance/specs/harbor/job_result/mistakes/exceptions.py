"""Mistakes in what is known of a trial's exception: its type decides, and its message is taken for more."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.job_result import _Group
from reference_impl.runner import wire_trials

__all__: list[str] = []

_TYPE = re.compile(r"[A-Za-z_.]*(?:Error|Exception)\b")


@way("job_result", clause="003-3.3-exception-message-unused")
def known_by(reference: Variant, kind: Callable[[str, str], str | None]) -> None:
    """Has ``kind`` make what is counted of an exception's type and message, where it has a message."""

    def around(read: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
        def reading(given: Any) -> str | None:
            message = None if given is None else given.get("exception_message")
            return read(given) if message is None else kind(given["exception_type"], message)

        return reading

    reference.wrap(wire_trials._exception, around)


@known_by.made(invited_by='`if str(error)`, `message != ""`, Go\'s zero values')
def empty_message_is_no_error(kind: str, message: str) -> str | None:
    """An exception with an empty message is none. A test for truth on the message."""
    return kind if message else None


@known_by.made(invited_by="str(error), error.toString(), %v in Go")
def message_in_place_of_type(kind: str, message: str) -> str:
    """Exceptions are listed by their messages, not by their types. The message is what people read."""
    return message or kind


@known_by.made(invited_by="traceback's last line, repr(error), toString() in Java and JavaScript")
def type_with_message(kind: str, message: str) -> str:
    """Exceptions are listed by type and message, as in ValueError: no. A traceback ends so."""
    return f"{kind}: {message}" if message else kind


@known_by.made(invited_by="logs, where a message begins with the type that was raised")
def type_that_the_message_begins_with(kind: str, message: str) -> str:
    """A type that begins an exception's message replaces its own. Wrappers hide the real error."""
    match = _TYPE.match(message)
    return match[0] if match else kind


@known_by.made(invited_by='"cancelled" in str(error).lower(), grep')
def cancelled_by_message(kind: str, message: str) -> str:
    """A message that speaks of cancelling makes its exception a CancelledError.
    The words say what happened."""
    return "CancelledError" if "cancel" in message.lower() else kind


@known_by.made(invited_by='"timed out" in str(error), classifiers of errors')
def time_out_by_message(kind: str, message: str) -> str:
    """A message that says timed out makes its exception an AgentTimeoutError.
    Time-outs have many types, and one phrase."""
    return "AgentTimeoutError" if "timed out" in message.lower() else kind


@known_by.made(invited_by="a reason that is matched against a text, type and message together")
def missing_reward_by_message(kind: str, message: str) -> str:
    """A message that tells of no reward file makes its exception a RewardFileNotFoundError.
    Reasons are found in texts elsewhere."""
    return "RewardFileNotFoundError" if "no reward file" in message.lower() else kind


@family("job_result", clause="003-3.3-exception-message-unused").changed(
    invited_by="a trial that is thrown away for what its log says"
)
def reward_dropped_by_message(reference: Variant) -> None:
    """A trial whose exception's message tells of no reward file has no reward. The message is believed."""

    def around(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reading(given: Any) -> Any:
            info = given["exception_info"] or {}
            said = "no reward file" in info.get("exception_message", "").lower()
            return read(
                {**given, **dict.fromkeys({"files", "verifier_result"} & given.keys())} if said else given
            )

        return reading

    reference.wrap(wire_trials.decode_trial, around)
    reference.wrap(wire_trials.decode_unread_trial, around)


@family("job_result", clause="003-3.3-exception-message-unused").changed(
    invited_by="strict readers: serde's deny_unknown_fields, pydantic's extra='forbid'"
)
def message_refused(reference: Variant) -> None:
    """An exception with a message is a ValueError.
    A reader knows the type alone, and refuses what it does not know."""

    def around(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def reading(given: Any) -> Any:
            if given is not None and len(given) > 1:
                raise ValueError("an unknown member")
            return read(given)

        return reading

    reference.wrap(wire_trials._exception, around)


class _Known(str):
    """A type, with the message that came with it."""

    __slots__ = ("message",)
    message: str


@family("job_result", clause="003-3.3-exception-message-unused").changed(
    invited_by="`stats[error.message]` beside counters that know the type"
)
def exceptions_listed_by_message(reference: Variant) -> None:
    """Exceptions are listed by their messages, an empty one too, and are known by their types elsewhere.
    The message is what people look for in a list, and a cancellation is still told by its type."""

    def around_read(read: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
        def reading(given: Any) -> str | None:
            kind = read(given)
            if kind is None:
                return None
            known = _Known(kind)
            known.message = given.get("exception_message", "")
            return known

        return reading

    def around_add(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            told = trial.exception
            original(self, trial if told is None else replace(trial, exception=getattr(told, "message", "")))

        return add

    reference.wrap(wire_trials._exception, around_read)
    reference.wrap(_Group.add, around_add)
