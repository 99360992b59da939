"""Replies, read so that nothing is lost: how each number is spelled, the order of members."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Int:
    """An int, by its digits: of any size, and other than a float of the same value."""

    digits: str


@dataclass(frozen=True)
class Float:
    spelling: str


@dataclass(frozen=True)
class Object:
    members: tuple[tuple[str, Any], ...]

    def __getitem__(self, key: str) -> Any:
        found = dict(self.members)
        assert key in found, f"no {key} in {str(self)[:300]}"
        return found[key]

    def names(self) -> list[str]:
        return [key for key, _ in self.members]


def _once(pairs: list[tuple[str, Any]]) -> Object:
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"a member twice: {names}"
    return Object(tuple(pairs))


def _never(token: str) -> Any:
    raise AssertionError(f"the bare token {token}")


def _as_written(line: bytes) -> Any:
    return json.loads(
        line.decode("utf-8"), parse_int=Int, parse_float=Float, parse_constant=_never, object_pairs_hook=_once
    )


def read(line: bytes) -> Object:
    """A reply, of one line, strictly."""
    assert line.endswith(b"\n"), f"no line feed behind {line[-100:]!r}"
    assert b"\n" not in line[:-1]
    assert not line.startswith(b"\xef\xbb\xbf"), "a byte order mark"
    try:
        reply = _as_written(line)
    except (ValueError, RecursionError) as error:
        raise AssertionError(f"no JSON, {error}: {line[:200]!r}") from None
    assert isinstance(reply, Object), line[:200]
    kind = next((name for name in reply.names() if name != "id"), "")
    assert {*reply.names()} == {"id", kind}, line[:200]
    kinds = {"ok": Object, "unsupported": str, "error": Object}
    assert isinstance(reply[kind], kinds.get(kind, ())), line[:200]
    if kind == "error":
        error = dict(reply["error"].members)
        assert set(error) - {"message"} == {"type", "reason_code"}, line[:200]
        assert isinstance(error["type"], str), line[:200]
        assert error["type"], line[:200]
        assert isinstance(error["reason_code"], (str, type(None))), line[:200]
        assert isinstance(error.get("message", ""), str), line[:200]
    return reply


def due(value: Any) -> Any:
    """What a value is in a reply: from JSON as bytes, from what was read, or from Python's own values."""
    if isinstance(value, bytes):
        return due(_as_written(value))
    if isinstance(value, Int):
        return Int("0") if value.digits == "-0" else value
    if isinstance(value, Float):
        return due_double(float(value.spelling))
    if isinstance(value, Object):
        return Object(tuple((key, due(each)) for key, each in value.members))
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return Int(str(value))
    if isinstance(value, float):
        return due_double(value)
    if isinstance(value, list):
        return [due(each) for each in value]
    assert isinstance(value, dict)
    return due(Object(tuple(value.items())))


def due_double(value: float) -> Any:
    """How a double is written: as Python's repr, or by the protocol's strings."""
    spelled = repr(value)
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(spelled, Float(spelled))


def spelled(value: float) -> str:
    written = due_double(value)
    return written.spelling if isinstance(written, Float) else written
