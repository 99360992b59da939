"""What the tests of the fuzzer share: runners in this process, short runs."""

import json
import math
import shlex
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformance.fuzz import asking, engine
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.expected import Reference, read_reply
from conformance.fuzz.inputs import all_ops
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import find_mistakes, made
from conformance.oracle.commands import settings_of
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.run.options import RunOptions
from conformance.suite.vectors import Vector
from conformance.wire.messages import BadReplyError, Failed, Hello, Reply, Request, request_line
from reference_impl.runner.serving import RUNNER, VERSION

Body = Callable[[str, Any], "bytes | Failed"]
"""A reply to an operation's input, from behind the id to the closing brace."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine too, counterexamples are made as small as they get."""
    monkeypatch.setattr(engine, "_SHRINK_SECONDS", 300.0)
    monkeypatch.setattr(engine, "_SHRINK_ALL", 900.0)


class Direct:
    until = math.inf
    read = staticmethod(read_reply)

    def __init__(self, body: Body, ops: Sequence[str]) -> None:
        self.body, self.ops = body, ops
        self.waiting: deque[Request] = deque()

    def start(self) -> Hello:
        return Hello(RUNNER, VERSION, frozenset(self.ops), False)

    def submit(self, request: Request) -> None:
        self.waiting.append(request)

    def next_reply(self) -> Reply:
        request = self.waiting.popleft()
        message = json.loads(request_line(1, request.tail))
        answer: Any = self.body(message["op"], message["input"])
        try:
            if isinstance(answer, bytes):
                answer = self.read(b'{"id":1,' + answer, 1, request)
        except BadReplyError as error:
            answer = Failed("protocol-error", str(error))
        return Reply(request.key, answer, 0.0)

    def withdraw(self, count: int) -> None:
        for _ in range(count):
            self.waiting.pop()

    def finish(self) -> list[str]:
        return []

    def kill(self) -> None:
        self.waiting.clear()


def body_of(mistakes: str = "", spec: str = DEFAULT_SPEC) -> Body:
    """The reference's replies, or those of known mistakes."""
    reference = Reference(spec)
    if mistakes:
        reference._operations = made(*find_mistakes(mistakes)).operations
    return reference.reply


def values(given: Any) -> list[Any]:
    return [value for reward in given["rewards"] if reward for value in reward.values()]


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``direct(body, ops)``: whatever the runner's command, a function answers in this process."""

    def use(body: Body | None = None, ops: Sequence[str] = ()) -> None:
        def talk(*_: Any, **__: Any) -> Direct:
            return Direct(body or body_of(), ops or tuple(OPS))

        monkeypatch.setattr(engine, "open_talk", talk)
        monkeypatch.setattr(asking, "open_talk", talk)

    return use


@pytest.fixture
def fuzz() -> Callable[..., Fuzz]:
    """A run of so many inputs, with a seed; nothing has been asked yet."""

    def make(
        command: Sequence[str],
        inputs: int,
        *,
        ops: Sequence[str] = (),
        vectors: Sequence[Vector] = (),
        seed: int = 1,
        timeout: float = 20.0,
        level: Level = Level.BYTES,
        **more: Any,
    ) -> Fuzz:
        options = RunOptions(command=shlex.join(command), timeout=timeout, level=level, **more)
        return Fuzz(Plan(options, settings_of(options), seed, ops or all_ops(), vectors, None, inputs))

    return make
