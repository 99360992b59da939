"""The reference as a runner: `python -m reference_impl` speaks the runner protocol, version 1.

It reads one request per line and writes one reply per line, in order. No request ends it: what a
rule raises is the answer, and so is what a malformed request raises. `operations` has what it can
be asked.
"""

import json
import os
import sys
from typing import Any

from .operations import OPERATIONS

__all__ = ["HELLO", "OPERATIONS", "main", "reply"]

RUNNER = "reference_impl"
VERSION = "0.3.0"
PROTOCOL = 1
READ_SIZE = 65536  # bytes, at most, that are read before replies are flushed

HELLO = {"runner": RUNNER, "version": VERSION, "protocol": PROTOCOL, "ops": list(OPERATIONS)}

# ASCII output: any reader can take it, and a lone surrogate in a key stays what it is.
_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def reply(line: bytes) -> bytes:
    """The reply to one request, both with the newline that ends them."""
    request_id = None
    try:
        request = json.loads(line)
        if not isinstance(request["id"], int):
            raise TypeError("a request's id is an int")
        request_id = request["id"]
        return _message(request_id, _answer(request))
    except Exception as error:
        return _message(request_id, {"error": _describe(error)})


def _answer(request: Any) -> dict[str, Any]:
    op = request["op"]
    if op == "hello":
        return {"ok": HELLO}
    if op not in OPERATIONS:
        return {"unsupported": f"{RUNNER} has no {op}"}
    return {"ok": OPERATIONS[op](request["input"])}


def _describe(error: Exception) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "reason_code": getattr(error, "reason_code", None),
        "message": str(error),
    }


def _message(request_id: Any, content: dict[str, Any]) -> bytes:
    return _to_json({"id": request_id, **content}).encode("ascii") + b"\n"


def main() -> None:
    """Answer requests until stdin closes.

    Replies are flushed before each wait for input and only then, so that requests sent together
    are answered together.
    """
    if hasattr(sys, "set_int_max_str_digits"):  # not in 3.10.0 to 3.10.6
        sys.set_int_max_str_digits(0)  # the wire has ints of any size, the rules count digits
    unfinished = b""
    while received := os.read(sys.stdin.fileno(), READ_SIZE):
        *lines, unfinished = (unfinished + received).split(b"\n")
        sys.stdout.buffer.writelines(map(reply, lines))
        sys.stdout.buffer.flush()
    if unfinished:
        sys.stdout.buffer.write(reply(unfinished))
