"""Asks a runner new inputs after the run, in a process of its own."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.diagnosis.experiments import Ask
from conformance.registry.op import Op
from conformance.registry.ops import OPS
from conformance.runner.conversation import RunnerStartError
from conformance.runner.hello import NoTimeError
from conformance.runner.one_shot import Talk
from conformance.wire.messages import Failed, Hello, Ok, Refused, Request
from conformance.wire.numbers import meant_at

__all__ = ["asking"]


@contextlib.contextmanager
def asking(new_talk: Callable[[], Talk], seconds: float) -> Iterator[Ask]:
    """A function that asks a runner, which ``new_talk`` starts on first use and which ends with the context.

    After ``seconds`` of waiting in total, not counting its start, nothing more is asked.
    """
    talks: list[tuple[Talk, Hello]] = []
    """The conversation, if there is one."""

    def ask(op: str, inputs: Sequence[Any]) -> list[Ok | Refused | None]:
        """The runner's answers; None from the first that failed, or for which no time was left."""
        nonlocal seconds
        answers: list[Ok | Refused | None] = []
        with contextlib.suppress(NoTimeError, RunnerStartError):
            if not talks:
                new = new_talk()
                talks.append((new, new.start()))
            began = time.monotonic()
            try:
                answers += _answers(*talks[0], began + seconds, OPS[op], inputs)
            finally:
                seconds -= time.monotonic() - began
        if len(answers) < len(inputs):
            close()  # the outstanding replies are of no use
        return [*answers, *[None] * (len(inputs) - len(answers))]

    def close() -> None:
        while talks:
            talks.pop()[0].kill()

    try:
        yield ask
    finally:
        close()


def _answers(
    talk: Talk, hello: Hello, until: float, op: Op, inputs: Sequence[Any]
) -> Iterator[Ok | Refused | None]:
    """The answers before the first that failed."""
    talk.until, as_strings = until, hello.numbers_as_strings
    for value in inputs:
        talk.submit(Request(op.name, op.name, op.tail(value, numbers_as_strings=as_strings)))
    for _ in inputs:
        answer = talk.next_reply().answer
        if isinstance(answer, Failed):
            return
        if isinstance(answer, Ok):
            answer = Ok(meant_at(answer.value, op.ok_numbers, numbers_as_strings=as_strings))
        yield answer if isinstance(answer, Ok | Refused) else None
