"""Sources that answer in this process, for tests of what is made of their answers."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.oracle import sources
from conformance.oracle.sources import Source
from conformance.runner.settings import Settings
from conformance.wire.messages import parse_reply
from tests.fuzz.conftest import Direct

Answer = Callable[[str, Any], Any]
_ANSWERS: dict[str, Answer] = {}
"""What answers, by the only word of its command."""


class Talk(Direct):
    """As `Conversation`, as far as sources are asked."""

    read = staticmethod(lambda line, number, _: parse_reply(line, number))

    def __init__(self, settings: Settings) -> None:
        answer = _ANSWERS[settings.command[0]]
        super().__init__(lambda op, given: json.dumps(answer(op, given)).encode()[1:], ())


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
    known = {json.dumps([entry["op"], entry["input"]]): entry["expected"] for entry in entries}
    return lambda op, given: known[json.dumps([op, given])]
