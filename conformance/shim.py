"""The runner protocol of harbor-conformance, version 1, for Python. You never edit this file.

It reads requests, calls one function per operation, and writes replies. A complete runner::

    from conformance.shim import serve  # "from protocol import serve" if this file is next to yours

    def evals_key(agent, model, source):
        names = [agent, model, source or "adhoc"] if model else [agent, source or "adhoc"]
        return {"evals_key": "__".join(names)}

    serve(evals_key, name="keys", version="0.1")

A function gets the members of the input as arguments, and returns the object that becomes ``ok``. Values are
those of ``json``: ints of any size, and floats; NaN and the infinities are spelled for you. An exception
becomes the reply's error: its class is the type; the reason code is from the table in PROTOCOL.md.

- ``serve(operation, …)`` answers until standard input closes; ``spec()`` is the spec that hello named.
- ``fail(type)`` and ``fail(type, message)`` reject the input; ``unsupported(why)`` declines it.
- ``number(value)`` and ``rewards(value)`` read numbers, also from strings; ``to_double`` returns a float.
- ``to_bytes(file)`` returns the bytes of a file's content, ``content(data)`` the content for bytes.
- ``text(string)`` marks a string where a number is expected; ``spell`` and ``spelled`` write numbers.

What functions print goes to standard error. You need only Python 3.8 or later.
"""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import re
import sys

TYPE_CHECKING = False  # typing's own would take as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    Operation = Callable[..., Mapping[str, Any]]

__all__ = ["content", "fail", "number", "rewards", "serve", "spec", "spell", "spelled", "text"]
__all__ += ["to_bytes", "to_double", "unsupported"]

REASON_CODES = {
    "RewardFileNotFoundError": "harbor_reward_missing",
    "RewardFileEmptyError": "harbor_reward_empty",
    "VerifierOutputParseError": "harbor_reward_parse_error",
}
"""The reason code of each error type; all other types have null."""
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SPELLING = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
DEEPEST = 500
"""The deepest nesting of lists and objects, in a request and in a reply."""
_hello: dict[str, Any] = {}
"""The content of hello."""


class NoAnswerError(Exception):
    """Becomes the reply instead of ``ok``."""


def fail(type_: str, message: str | None = None) -> NoReturn:
    """Rejects the input with an error of this type."""
    if not isinstance(type_, str) or not isinstance(message, (str, type(None))):
        raise TypeError("the type and the message of an error are strings")
    raise NoAnswerError({"error": _error(type_, message)})


def unsupported(why: str) -> NoReturn:
    """Declines this input; the sentence says why."""
    if not isinstance(why, str):
        raise TypeError("the reason why something is unsupported is a string")
    raise NoAnswerError({"unsupported": _printable(why)})


def spec() -> str | None:
    """The spec named in hello."""
    return _hello.get("spec")


def number(value: Any) -> int | float:
    """The number that a value is, or that it spells."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if isinstance(value, str) and _SPELLING.fullmatch(value):
        with contextlib.suppress(ValueError):  # no double holds it
            return _read_number(value)
    raise _wrong("a number", value)


def _wrong(wanted: str, value: object) -> NoAnswerError:
    with _AnyDigits():
        return NoAnswerError({"error": _error("TypeError", f"{wanted} is expected, not {ascii(value)[:80]}")})


def rewards(value: Any) -> dict[str, int | float] | None:
    """The numbers by key, or None."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _wrong("an object of numbers", value)
    return {key: number(item) for key, item in value.items()}


def to_double(value: float) -> float:
    """The nearest double. Raises OverflowError for an int beyond the range of doubles."""
    return float(value)


def to_bytes(file: Any) -> bytes:
    """The bytes of a file's content, ``{"text": …}`` or ``{"base64": …}``."""
    if isinstance(file, dict) and len(file) == 1:
        if isinstance(file.get("text"), str):
            return str.encode(file["text"], "utf-8")
        if isinstance(file.get("base64"), str):
            return base64.b64decode(file["base64"], validate=True)
    raise _wrong("the content of a file", file)


def content(data: bytes) -> dict[str, str]:
    """The file content for these bytes."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def text(string: str) -> dict[str, str]:
    """Marks a string where a number is expected, so that it equals none."""
    return {"string": string}


def spell(value: float) -> str:
    """Writes a float as Python does; NaN and the infinities as words."""
    digits = float.__repr__(value)
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(digits, digits)


def spelled(value: float) -> str:
    """The string that spells a number."""
    if isinstance(value, float):
        return spell(value)
    with _AnyDigits():
        return int.__repr__(value)


class _AnyDigits:
    """Temporarily lifts Python's limit of 4300 digits. A runner's own code keeps it, as harbor's does."""

    def __enter__(self) -> None:
        self.limit = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else 0
        if self.limit:
            sys.set_int_max_str_digits(0)

    def __exit__(self, *_: object) -> None:
        if self.limit:
            sys.set_int_max_str_digits(self.limit)


def _read_number(token: str) -> int | float:
    if token in NOT_FINITE:
        raise ValueError(f"{token} is not a JSON number")
    if not any(mark in token for mark in ".eE"):
        with _AnyDigits():
            return int(token)
    found = float(token)
    if math.isinf(found):
        raise ValueError(f"no double holds {token[:80]}")
    return found


def _read_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a key twice")
    return members


_decode = json.JSONDecoder(
    object_pairs_hook=_read_members, parse_float=_read_number, parse_constant=_read_number
).decode


def _read(line: bytes) -> dict[str, Any]:
    """Parses a line by JSON's strict rules; Python's parser alone accepts more."""
    try:
        decoded = line.decode("utf-8")
        if _is_too_deep(decoded):
            raise ValueError(f"it is nested deeper than {DEEPEST} levels")
        with _AnyDigits():
            request = _decode(decoded)
            if re.search(r"\\u[dD][89a-fA-F]", decoded):  # half of a pair of surrogates is no text
                json.dumps(request, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        fail("ProtocolError", f"the line cannot be read: {error}")
    if not isinstance(request, dict):
        fail("ProtocolError", "the line is no object")
    if type(request.get("id")) is not int:
        fail("ProtocolError", "the id is no int")
    return request


def _is_too_deep(decoded: str) -> bool:
    depth = 0
    if decoded.count("[") + decoded.count("{") > DEEPEST:
        for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]', decoded, re.DOTALL):
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth > DEEPEST:
                break
    return depth > DEEPEST


def _write(reply: dict[str, Any]) -> bytes:
    """The line of a reply. Raises TypeError for anything that JSON cannot represent."""
    boxes: list[tuple[Any, int]] = [(reply, 1)]
    while boxes:  # each a copy, whose floats that are not finite are spelled
        box, depth = boxes.pop()
        if depth > DEEPEST:
            raise TypeError(f"the answer is nested deeper than {DEEPEST} levels, or holds itself")
        for key, item in list(box.items() if isinstance(box, dict) else enumerate(box)):
            if isinstance(box, dict) and not isinstance(key, str):
                raise TypeError(f"a key of the answer is a {type(key).__name__}, and no string")
            if isinstance(item, (dict, list, tuple)):
                box[key] = dict(item) if isinstance(item, dict) else list(item)
                boxes.append((box[key], depth + 1))
            elif isinstance(item, float) and not math.isfinite(item):
                box[key] = spell(item)
            elif not (item is None or isinstance(item, (str, int, float))):
                raise TypeError(f"the answer holds a {type(item).__name__}, which JSON has not")
    try:
        with _AnyDigits():
            line = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
        return line.encode("utf-8", "backslashreplace") + b"\n"  # half a surrogate pair becomes its escape
    except (ValueError, RecursionError) as error:
        raise TypeError(f"the answer cannot be written: {error}") from error


def serve(
    *operations: Operation | Mapping[str, Operation | None],
    name: str = "",
    version: str = "unversioned",
    string_numbers: bool = False,
) -> None:
    """Answers requests until standard input closes.

    Operations are functions named as they, or mappings from names to functions; None is not offered. The
    runner is named after the program if no name is given. With ``string_numbers`` all numbers of an input are
    sent as strings that spell them; ``number`` reads both.
    """
    offered: dict[str, Operation] = {}
    for given in operations:
        named = {given.__name__: given} if callable(given) else given
        offered.update((op, function) for op, function in named.items() if function is not None)
    name = name or os.path.splitext(os.path.basename(sys.argv[0]))[0]
    hello = {"runner": name, "version": version, "protocol": 1, "ops": list(offered)}
    hello.update({"numbers": "string"} if string_numbers else {})
    requests, replies, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    printed, sys.stdout = sys.stdout, sys.stderr
    os.dup2(nothing, 0)  # keeps other code from reading requests and from writing among the replies
    os.dup2(2 if sys.stderr else nothing, 1)
    try:
        with os.fdopen(requests, "rb", closefd=False) as lines:
            for line in lines:
                reply = memoryview(_answer(line, hello, offered))
                while reply:
                    reply = reply[os.write(replies, reply) :]
    except BrokenPipeError:
        pass  # nobody is listening any more
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    finally:
        if printed:
            printed.flush()
        sys.stdout = printed
        os.dup2(requests, 0)
        os.dup2(replies, 1)
        for file in (requests, replies, nothing):
            os.close(file)


def _answer(line: bytes, hello: dict[str, Any], offered: dict[str, Operation]) -> bytes:
    """The reply to a line."""
    request: dict[str, Any] = {}
    try:
        request = _read(line)
        op = request.get("op")
        answer: Mapping[str, Any] = hello
        if not isinstance(op, str):
            fail("ProtocolError", "the op is no string")
        if op == "hello":
            if type(request.get("protocol")) is not int or request["protocol"] != 1:
                fail("ProtocolError", "only protocol 1 is spoken here")
            _hello.update(request)
        elif op not in offered:
            unsupported(f"{hello['runner']} has no {op}")
        elif not isinstance(request.get("input"), dict):
            fail("ProtocolError", "the input is no object")
        else:
            answer = offered[op](**request["input"])
            if not isinstance(answer, dict):
                raise TypeError(f"the answer is a {type(answer).__name__}, and an object is expected")
        return _write({"id": request["id"], "ok": answer})
    except NoAnswerError as instead:
        reply = instead.args[0]
    except Exception as error:
        reply = {"error": _error(type(error).__name__, error)}
        place = error.__traceback__
        while place and place.tb_next:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}, line {place.tb_lineno}" if place else "nowhere"
        what = f"{reply['error']['type']}: {reply['error']['message']}"
        print(f"{request.get('op')}: {what} ({where})", file=sys.stderr, flush=True)  # noqa: T201
    return _write({"id": request.get("id"), **reply})


def _error(type_: str, message: object) -> dict[str, Any]:
    error = {"type": _printable(type_), "reason_code": REASON_CODES.get(type_)}
    return error if message is None else {**error, "message": _printable(message)}


def _printable(message: object) -> str:
    """A message that UTF-8 can encode, cut to a readable length."""
    try:
        return str(message)[:2000].encode("utf-8", "backslashreplace").decode("utf-8")
    except Exception:
        return f"a {type(message).__name__} that cannot be printed"
