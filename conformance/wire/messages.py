"""The messages of the runner protocol, version 1: requests as bytes, replies as values (PROTOCOL.md)."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.wire.numbers import MAX_INT_DIGITS
from conformance.wire.text import printable

__all__ = [
    "LARGE_LINE",
    "LINE",
    "PROTOCOL",
    "Answer",
    "BadReplyError",
    "Failed",
    "Hello",
    "Ok",
    "Refused",
    "Reply",
    "Request",
    "Unsupported",
    "encode_tail",
    "encoded",
    "hello_line",
    "parse_hello",
    "parse_reply",
    "request_line",
    "strict_json",
]

PROTOCOL = 1
LINE = 1 << 20
"""The longest line of an ordinary exchange, in bytes: 1 MiB."""
LARGE_LINE = 64 << 20
"""The longest line for a vector flagged ``large``, in bytes: 64 MiB."""


class BadReplyError(ValueError):
    """The line is not a valid reply; the message is a clause that says why."""


@dataclass(frozen=True, slots=True)
class Ok:
    """The runner answered with a value."""

    value: dict[str, Any]
    left_out: str = ""
    """The optional member that it lacks; empty if the value is complete."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The runner answered with an error: it rejected the input."""

    type: str
    reason_code: str | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The runner does not offer this."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The runner gave no answer: ``outcome`` is crash, timeout, protocol-error or not-run."""

    outcome: str
    sentence: str


Answer = Ok | Refused | Unsupported | Failed


@dataclass(frozen=True, slots=True)
class Request:
    """A request without its id. ``key`` identifies it for the caller."""

    key: str
    op: str
    tail: bytes
    line_limit: int = LINE
    skip: int = 0
    """The number of ids skipped before this request's."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a request."""

    key: str
    answer: Answer
    seconds: float
    stderr: str = ""
    """The end of the runner's stderr, only if the exchange failed."""
    before: tuple[str, ...] = ()
    """The keys that the same process had answered before, only if the exchange failed."""
    weight: int = 0
    """The approximate memory of the answer, in bytes."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A runner's description of itself."""

    runner: str
    version: str
    ops: frozenset[str]
    numbers_as_strings: bool
    unsupported: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The runner's reasons for not offering operations: sentences by operation."""

    def unlike(self, other: "Hello") -> str:
        """The first member that differs from another hello's; empty if none does."""
        members = ("runner", "version", "ops", "numbers_as_strings")
        return next((name for name in members if getattr(self, name) != getattr(other, name)), "")

    def packed(self) -> list[Any]:
        """The hello as JSON, for another process."""
        return [self.runner, self.version, sorted(self.ops), self.numbers_as_strings, dict(self.unsupported)]

    @classmethod
    def unpacked(cls, members: list[Any]) -> "Hello":
        """The hello from its ``packed`` form."""
        runner, version, ops, *limits = members
        return cls(runner, version, frozenset(ops), *limits)


encoded = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""A value as compact JSON, in ASCII."""


def encode_tail(op: str, request_input: Any) -> bytes:
    """The bytes of a request after its id, including the line feed."""
    return f'"op":"{op}","input":{encoded(request_input)}}}\n'.encode("ascii")


def request_line(request_id: int, tail: bytes) -> bytes:
    """A whole request line."""
    return b'{"id":%d,%b' % (request_id, tail)


def hello_line(spec: str) -> bytes:
    """The first request of every process."""
    hello = {"id": 0, "op": "hello", "protocol": PROTOCOL, "spec": spec}
    return encoded(hello).encode("ascii") + b"\n"


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadReplyError("it holds an object with a duplicate key")
    return members


def _constant(token: str) -> Any:
    raise BadReplyError(f"it holds the bare token {token}, which is not JSON (send a string)")


def _float(token: str) -> float:
    number = float(token)
    if math.isinf(number):
        raise BadReplyError(f"it holds {token[:40]}, which is beyond the double range (send a string)")
    return number


def _int(token: str) -> int:
    """Counts digits itself, since another thread may have lifted Python's limit."""
    if len(token) - token.startswith("-") > MAX_INT_DIGITS:
        raise BadReplyError(f"it is an int of more than {MAX_INT_DIGITS} digits")
    return int(token)


_HELLO_MEMBERS = ("runner", "version", "protocol", "ops", "numbers", "unsupported")
_OP_NAME = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")

_STRICT: dict[str, Any] = {"object_pairs_hook": _members, "parse_constant": _constant, "parse_float": _float}
_decode = json.JSONDecoder(**_STRICT).decode
_decode_reply = json.JSONDecoder(**_STRICT, parse_int=_int).decode


def strict_json(content: bytes, decode: Callable[[str], Any] = _decode) -> Any:
    """Parses JSON text strictly, rejecting anything ambiguous.

    Raises:
        BadReplyError: it is not UTF-8 or not JSON, or has a duplicate key, a bare NaN or Infinity, a number
        beyond the double range, or an int of more than 4300 digits.
    """
    try:
        return decode(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadReplyError("it is not well-formed UTF-8") from None
    except BadReplyError:
        raise
    except RecursionError:
        raise BadReplyError("it is nested too deeply") from None
    except ValueError as error:
        why = "an int of more than 4300 digits" if "digits" in str(error) else "not JSON"
        raise BadReplyError(f"it is {why}") from None


def parse_reply(line: bytes, request_id: int) -> Ok | Refused | Unsupported:
    """The answer in ``line`` to the request ``request_id``.

    Raises:
        BadReplyError: the line is not JSON, has another id, or does not have exactly one of ok, error,
        unsupported.
    """
    message = strict_json(line, _decode_reply)
    if not isinstance(message, dict):
        raise BadReplyError("it is not a JSON object")
    if len(message) != 2 or "id" not in message:
        raise _misshapen(message)
    answered = message["id"]
    if answered != request_id or type(answered) is not int:
        fix = "answer in order, each request once" if type(answered) is int else "send back the id as it came"
        raise BadReplyError(f"its id is {_typed(answered)} where {_typed(request_id)} was expected: {fix}")
    if "ok" in message:
        if not isinstance(message["ok"], dict):
            raise BadReplyError("its ok is not an object")
        return Ok(message["ok"])
    if "error" in message:
        return _refused(message["error"])
    if "unsupported" in message:
        if not isinstance(message["unsupported"], str):
            raise BadReplyError("its unsupported must be a string, the reason")
        return Unsupported(message["unsupported"])
    raise _misshapen(message)


def _misshapen(message: dict[str, Any]) -> BadReplyError:
    held = _short(", ".join(list(message)[:6]) or "nothing")
    return BadReplyError(f"it must have id and exactly one of ok, error, unsupported, but has {held}")


def _refused(error: Any) -> Refused:
    if not isinstance(error, dict) or not isinstance(error.get("type"), str):
        raise BadReplyError("its error must be an object with a string type")
    if not set(error) <= {"type", "reason_code", "message"}:
        raise BadReplyError("its error may hold type, reason_code and message only")
    reason_code, message = error.get("reason_code"), error.get("message", "")
    if reason_code is not None and not isinstance(reason_code, str):
        raise BadReplyError("its error's reason_code must be a string or null")
    if not isinstance(message, str):
        raise BadReplyError("its error's message must be a string")
    return Refused(error["type"], reason_code, message)


def parse_hello(line: bytes) -> Hello:
    """The runner's hello, from its first line.

    Raises:
        BadReplyError: the line is not a reply to hello, or has another protocol version.
    """
    answer = parse_reply(line, 0)
    if isinstance(answer, Unsupported):
        raise BadReplyError(f"it says unsupported: {_short(answer.reason, 300)}")
    if isinstance(answer, Refused):
        raise BadReplyError(f"it is an error: {_short(answer.type)}: {_short(answer.message)}")
    hello = answer.value
    if "protocol" not in hello:
        raise BadReplyError(f'protocol is missing: send "protocol":{PROTOCOL}')
    if hello["protocol"] != PROTOCOL or type(hello["protocol"]) is not int:
        raise BadReplyError(
            f"its protocol is {_typed(hello['protocol'])}, the kit speaks {_typed(PROTOCOL)}: "
            f'send "protocol":{PROTOCOL}'
        )
    unknown = sorted(set(hello).difference(_HELLO_MEMBERS))
    if unknown:
        members = ", ".join(_HELLO_MEMBERS)
        raise BadReplyError(f"its member {_short(unknown[0])} is unknown: the members are {members}")
    runner, version, ops = hello.get("runner"), hello.get("version"), hello.get("ops")
    if not (isinstance(runner, str) and isinstance(version, str) and runner and version):
        raise BadReplyError("runner and version must be strings that are not empty")
    if not isinstance(ops, list) or not all(isinstance(op, str) and _OP_NAME.fullmatch(op) for op in ops):
        raise BadReplyError("ops must be a list of the ops' names")
    if not ops or len(set(ops)) != len(ops):
        raise BadReplyError("ops must be at least one name, and none of them twice")
    numbers = hello.get("numbers", "json")
    if numbers not in ("json", "string"):
        raise BadReplyError(f'numbers must be "json" or "string", not {_short(numbers)}')
    reasons = hello.get("unsupported", {})
    if not isinstance(reasons, dict) or not all(isinstance(reason, str) for reason in reasons.values()):
        raise BadReplyError("unsupported must be an object that says, by op, why it is not offered")
    both = next((op for op in reasons if op in ops), None)
    if both is not None:
        raise BadReplyError(f"ops and unsupported both name {_short(both)}")
    return Hello(_short(runner), _short(version), frozenset(ops), numbers == "string", reasons)


def _typed(value: Any) -> str:
    """A value as JSON with its type, since "5" and 5 look alike otherwise."""
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        return "nested deeply"
    kinds = {str: "string", int: "number", float: "number", list: "list", dict: "object"}
    kind = kinds.get(type(value))
    return f"the {kind} {_short(text)}" if kind else _short(text)


def _short(value: Any, most: int = 80) -> str:
    try:
        text = printable(value if isinstance(value, str) else repr(value))
    except RecursionError:
        return "nested deeply"
    return text if len(text) <= most else text[: most - 3] + "..."
