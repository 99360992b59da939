"""Asks one release of harbor many questions at once."""

from collections.abc import Sequence
from typing import Any

from conformance.oracle.python import OracleError
from conformance.registry.op import Op
from conformance.runner.conversation import Conversation, Settings
from conformance.wire.messages import LARGE_LINE, Answer, Failed, Ok, Request, Unsupported, encode_tail
from conformance.wire.numbers import meant_at, spell_at

__all__ = ["answers_of"]


def answers_of(settings: Settings, asked: Sequence[tuple[Op, Any]]) -> list[Answer]:
    """A runner's answers to inputs, in order; an operation that its hello lacks is unsupported.

    Raises:
        RunnerStartError: it can't be started.
        OracleError: it failed too often to be asked the rest.
    """
    talk = Conversation(settings)
    try:
        hello = talk.start()
        as_strings = hello.numbers_as_strings
        for op, given in asked:
            if op.name in hello.ops:
                spelled = spell_at(given, op.input_numbers, everything=True) if as_strings else given
                talk.submit(Request(op.name, op.name, encode_tail(op.name, spelled), LARGE_LINE))
        answers: list[Answer] = []
        for op, _ in asked:
            if op.name not in hello.ops:
                answers.append(Unsupported(f"{op.name} is not among the ops that hello named"))
                continue
            answer = talk.next_reply().answer
            if isinstance(answer, Failed) and answer.outcome == "not-run":
                raise OracleError(f"{hello.runner} {hello.version}: {answer.sentence}")
            if isinstance(answer, Ok):
                value = meant_at(answer.value, op.ok_numbers, numbers_as_strings=as_strings)
                answer = Ok(value, op.omitted_member(value, hello.ops))
            answers.append(answer)
        return answers
    finally:
        talk.kill()
