"""The reference's answers, computed in this process: the bytes it would write, parsed only if needed."""

import json
from dataclasses import dataclass, field
from typing import Any

from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.wire import messages
from conformance.wire.messages import Answer, Hello, Ok, Refused, Request, Unsupported
from conformance.wire.numbers import any_digits
from reference_impl.runner.serving import table_of

__all__ = ["AGREED", "Asked", "Reference", "holds_half_a_pair", "parsed", "read_reply"]

AGREED = Ok({})
"""Marks an answer that equals the expected bytes; compared by identity."""


@dataclass(frozen=True, slots=True)
class Asked(Request):
    """A request with its expected reply."""

    expected: bytes = b""
    """The reply after its id, without the line feed."""
    hello: Hello = field(kw_only=True)
    """The hello of the runner that is asked."""


class Reference:
    """The reference in this process."""

    def __init__(self, spec: str = DEFAULT_SPEC) -> None:
        self._operations = table_of(spec)

    def reply(self, op: str, input_: Any) -> bytes:
        """Its reply to an input, from after the id to the closing brace."""
        with any_digits():
            try:
                return b'"ok":%b}' % messages.encoded(self._operations[op](input_)).encode("ascii")
            except Exception as error:
                code = getattr(error, "reason_code", None)
                content = {"type": type(error).__name__, "reason_code": code, "message": str(error)}
                return b'"error":%b}' % messages.encoded(content).encode("ascii")


def parsed(expected: bytes) -> Ok | Refused:
    """An expected reply as a value.

    Raises:
        BadReplyError: it holds an int of more digits than a message may.
    """
    answer = messages.parse_reply(b'{"id":0,' + expected, 0)
    assert not isinstance(answer, Unsupported)
    return answer


def holds_half_a_pair(expected: bytes) -> bool:
    """Whether a string or key of an expected reply holds a lone surrogate."""
    value = json.loads(b'{"id":0,' + expected, parse_int=str)  # of any number of digits
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def read_reply(line: bytes, request_id: int, request: Request) -> Answer:
    """Reads the reply to an ``Asked``; a reply that equals the expected bytes is not parsed.

    Raises:
        BadReplyError: as ``messages.parse_reply``.
    """
    assert isinstance(request, Asked)
    if line == b'{"id":%d,%b' % (request_id, request.expected):
        return AGREED
    answer = messages.parse_reply(line, request_id)
    return OPS[request.op].meant(answer, request.hello)
