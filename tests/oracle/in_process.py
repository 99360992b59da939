"""Sources that answer in this process, for tests of what is made of their answers."""

import json
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from conformance.oracle import sources
from conformance.oracle.sources import Source
from conformance.runner.settings import Settings
from conformance.wire.messages import Reply, Request, parse_reply, request_line

__all__ = ["answering", "by_input", "by_op", "instead_of_processes"]

Answer = Callable[[str, Any], Any]
_ANSWERS: dict[str, Answer] = {}
"""What answers, by the only word of its command."""


class Talk:
    """As `Conversation`, as far as sources are asked."""

    def __init__(self, settings: Settings) -> None:
        self._answer = _ANSWERS[settings.command[0]]
        self._asked: deque[Request] = deque()

    def start(self) -> None:
        pass

    def submit(self, request: Request) -> None:
        self._asked.append(request)

    def next_reply(self) -> Reply:
        request = self._asked.popleft()
        given = json.loads(request_line(1, request.tail))
        line = json.dumps({"id": 1, **self._answer(given["op"], given["input"])}).encode()
        return Reply(request.key, parse_reply(line, 1), 0.0)

    def finish(self) -> list[str]:
        return []

    def kill(self) -> None:
        pass


def instead_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "Conversation", Talk)


def answering(provenance: str, answer: Answer, *ops: str) -> Source:
    """A source of these operations, or of all that no other has."""
    command = f"in process: {len(_ANSWERS)}"
    _ANSWERS[command] = answer
    return Source(provenance, frozenset(ops), (command,))


def by_op(**answers: Any) -> Answer:
    """The same answer to whatever is asked of an operation."""
    return lambda op, _: answers[op]


def by_input(*entries: dict[str, Any]) -> Answer:
    """What vectors say is expected."""
    known = {json.dumps([entry["op"], entry["input"]]): entry["expected"] for entry in entries}
    return lambda op, given: known[json.dumps([op, given])]
