"""The reference as a runner: `python -m reference_impl` speaks the runner protocol, version 1.

It reads one request per line and writes one reply per line, in order. No request ends it: an exception from
a rule is the answer, and so is the exception for a malformed request. `operations` has the operations; a
release with different rules has a package with a table of its own, and hello's `spec` chooses between them.
"""

import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from .operations import OPERATIONS

__all__ = ["HELLO", "OPERATIONS", "TABLES", "main", "reply", "table_of"]

RUNNER = "reference_impl"
VERSION = "1.0.0"  # the release of the kit, as conformance.version has it
PROTOCOL = 1
READ_SIZE = 65536  # bytes, at most, that are read before replies are flushed

TABLES: dict[object, dict[str, Callable[[Any], Any]]] = {}
"""The tables of releases that were requested, by spec."""
_RELEASE = re.compile(r"harbor-[0-9]+\.[0-9]+\.[0-9]+")
_talk: dict[str, object] = {"spec": None}  # the spec in the last hello

HELLO: dict[str, Any] = {"runner": RUNNER, "version": VERSION, "protocol": PROTOCOL, "ops": list(OPERATIONS)}

# ASCII output: any reader accepts it, and a lone surrogate in a key stays unchanged.
_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def table_of(spec: object) -> dict[str, Callable[[Any], Any]]:
    """The operations by the rules of a spec; for a release without rules of its own, those of harbor 0.13.1.

    If harbor 1.2.3 has different rules, they are in the package `harbor_1_2_3`; its module `operations` has
    the whole table.
    """
    if isinstance(spec, str) and spec not in TABLES and _RELEASE.fullmatch(spec):
        package = f"{__package__.rpartition('.')[0]}.{re.sub('[-.]', '_', spec)}"
        known = importlib.util.find_spec(package) is not None
        TABLES[spec] = importlib.import_module(f"{package}.operations").OPERATIONS if known else OPERATIONS
    return TABLES.get(spec, OPERATIONS) if isinstance(spec, str) else OPERATIONS


def reply(line: bytes) -> bytes:
    """The reply to one request; both include the final newline."""
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
        _talk["spec"] = request.get("spec")
        more = [name for name in table_of(_talk["spec"]) if name not in OPERATIONS]
        return {"ok": {**HELLO, "ops": [*HELLO["ops"], *more]} if more else HELLO}
    operations = table_of(_talk["spec"])
    if op not in operations:
        return {"unsupported": f"{RUNNER} has no {op}"}
    return {"ok": operations[op](request["input"])}


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
