"""Requests to an echo runner, and what came of them."""

import json
from collections.abc import Sequence
from typing import Any

from tests.templates.echoing.lines import VALUES
from tests.templates.echoing.reading import Object, due, read
from tests.templates.echoing.talking import Runner

OPS: list[str] = VALUES["ops"]
"""What hello names, in any order; `stub` is none of them."""
OPS_OF_SOME = {"units", "leave"}
"""What only some languages have: the first where text may be none, the second where a process goes on."""


class Asked:
    """An echo runner that is asked, and held to one valid line for every line."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.last = 0

    def request(self, op: str, given: Any = None) -> bytes:
        """A request with the next id; ``given`` is JSON as bytes, or Python's."""
        self.last += 1
        text = given if isinstance(given, bytes) else json.dumps(given or {}).encode()
        return b'{"id":%d,"op":%s,"input":%s}' % (self.last, json.dumps(op).encode(), text)

    def line(self, line: bytes) -> Object:
        """The reply to a line, and whatever was in it, the next line is answered."""
        reply = read(self.runner.ask(line))
        if not self.runner.oneshot:
            self.answers_still()
        return reply

    def answers_still(self) -> None:
        """The runner is alive, and has written one line for each that it was sent."""
        line = self.request("echo", b'{"value":null}')
        reply = read(self.runner.ask(line))
        assert reply["id"] == due(self.last), f"another reply was due: {reply}"
        assert reply["ok"] == due({"value": None})

    def ask(self, op: str, given: Any = None) -> Any:
        """What `ok`, `error` or `unsupported` has, as a pair with that word."""
        (reply,) = self.ask_all([(op, given)])
        return reply

    def ask_all(self, requests: Sequence[tuple[str, Any]]) -> list[Any]:
        """The same of many, pipelined."""
        first = self.last + 1
        lines = [self.request(op, given) for op, given in requests]
        found = []
        for number, raw in enumerate(self.runner.ask_all(lines), start=first):
            reply = read(raw)
            assert reply["id"] == due(number), f"{lines[number - first][:200]!r}: {raw[:200]!r}"
            (kind,) = (name for name in reply.names() if name != "id")
            found.append((kind, reply[kind]))
        return found

    def oks(self, requests: Sequence[tuple[str, Any]]) -> list[Any]:
        found = self.ask_all(requests)
        for (op, given), (kind, value) in zip(requests, found, strict=True):
            assert kind == "ok", f"{op} of {str(given)[:300]}: {kind} {value}"
        return [value for _, value in found]

    def ok(self, op: str, given: Any = None) -> Any:
        (value,) = self.oks([(op, given)])
        return value

    def error(self, op: str, given: Any = None) -> str:
        kind, value = self.ask(op, given)
        assert kind == "error", f"{op} of {str(given)[:300]}: {kind} {value}"
        found: str = value["type"]
        return found


def is_protocol_error(reply: Object, request: int | None) -> None:
    """The answer to a bad message: with the id where it has one."""
    assert reply["id"] == due(request), reply
    assert "error" in reply.names(), reply
    error = dict(reply["error"].members)
    assert (error["type"], error["reason_code"]) == ("ProtocolError", None), reply
    assert error.get("message"), reply
