"""Asks one release of harbor many questions."""

from collections.abc import Sequence
from typing import Any

from conformance.oracle.python import OracleError
from conformance.registry.op import Op
from conformance.runner.conversation import Conversation, Settings
from conformance.wire.messages import LARGE_LINE, Answer, Failed, Request, Unsupported

__all__ = ["answers_of"]


def answers_of(settings: Settings, questions: Sequence[tuple[Op, Any]]) -> list[Answer]:
    """Return a runner's answers to inputs, in order; an operation that it does not offer is unsupported.

    Raises:
        RunnerStartError: it can't be started.
        OracleError: it failed too often to be asked the remaining questions.
    """
    talk = Conversation(settings)
    try:
        hello = talk.start()
        as_strings = hello.numbers_as_strings
        for op, input_ in questions:
            if op.name in hello.ops:
                tail = op.tail(input_, numbers_as_strings=as_strings)
                talk.submit(Request(op.name, op.name, tail, LARGE_LINE))
        answers: list[Answer] = []
        for op, _ in questions:
            if op.name not in hello.ops:
                answers.append(Unsupported(f"{op.name} is not among the ops that hello named"))
                continue
            answer = talk.next_reply().answer
            if isinstance(answer, Failed) and answer.outcome == "not-run":
                raise OracleError(f"{hello.runner} {hello.version}: {answer.sentence}")
            answers.append(op.meant(answer, hello))
        return answers
    finally:
        talk.kill()
