"""Asking the sources of the expected answers.

Some vectors need more than one question: the answer to ``pipeline`` is harbor's result.json with the line of
the document's program, and what a vector says is ``played`` must come to the same when harbor runs the job.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from conformance.judging.key_order import pointers_into, sorted_text
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.suite.vectors import Vector
from conformance.wire import messages
from conformance.wire.messages import Answer, Failed, Ok, Refused, Request, Unsupported
from conformance.wire.numbers import spell_at

__all__ = ["Answers", "RegenError", "Source", "add_lines", "ask", "check_played"]

Answers = dict[str, dict[str, Any]]
"""Vector id to ``{"ok": …}`` or ``{"error": …}``."""


class RegenError(Exception):
    """An answer that could not be had; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the expected answers of some ops come from."""

    provenance: str
    """What the vectors say of it."""
    ops: frozenset[str]
    command: tuple[str, ...] | None
    """None where the source is not at hand; its answers are then left as they are locked."""


def _expected(vector: Vector, answer: Answer) -> dict[str, Any]:
    match answer:
        case Ok(value):
            value = _in_order(value, vector.unordered)
            return {"ok": spell_at(value, vector.op.ok_numbers, everything=False)}
        case Refused(error_type, reason_code):
            return {"error": {"type": error_type, "reason_code": reason_code}}
        case Unsupported(reason):
            raise RegenError(f"{vector.id}: the source says unsupported: {reason}")
        case Failed(outcome, sentence):
            raise RegenError(f"{vector.id}: {outcome}: {sentence}")


def _in_order(value: Any, unordered: frozenset[str]) -> Any:
    """``ok`` with its unordered objects sorted by key, those inside its files too."""
    for pointer in unordered:
        file, inside, _ = pointer.partition("#")
        value = _changed_at(value, file.split("/")[1:], _sorted_file if inside else _sorted_keys, pointer)
    return value


def _changed_at(value: Any, path: list[str], change: Callable[[Any, str], Any], pointer: str) -> Any:
    if not path:
        return change(value, pointer)
    if isinstance(value, dict) and path[0] in value:
        return value | {path[0]: _changed_at(value[path[0]], path[1:], change, pointer)}
    return value


def _sorted_keys(value: Any, _: str) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _sorted_file(content: Any, pointer: str) -> Any:
    if not isinstance(content, dict) or "text" not in content:
        return content
    file = pointer.partition("#")[0]
    return {"text": sorted_text(content["text"], pointers_into(file, [pointer]))}


@dataclass(frozen=True, slots=True)
class _Question:
    vector: Vector
    op: str
    input: Any

    @classmethod
    def of(cls, vector: Vector) -> "_Question":
        """What a vector asks, of a source that may know only a part of the answer."""
        return cls(vector, vector.op.oracle_op or vector.op.name, vector.input)


def ask(source: Source, vectors: list[Vector], spec: str, tick: Callable[[], None]) -> Answers:
    """What the source answers to these vectors, or its part of that.

    Raises:
        RegenError: an answer could not be had.
    """
    return _ask(source, [_Question.of(vector) for vector in vectors], spec, tick)


def _ask(
    source: Source, questions: list[_Question], spec: str, tick: Callable[[], None] = lambda: None
) -> Answers:
    if not questions:
        return {}
    assert source.command is not None
    talk = Conversation(Settings(source.command, spec, timeout=60.0))
    answers: Answers = {}
    try:
        talk.start()
        for question in questions:
            tail = messages.encode_tail(question.op, question.input)
            talk.submit(Request(question.vector.id, tail, messages.LARGE_LINE))
        for question in questions:
            answers[question.vector.id] = _expected(question.vector, talk.next_reply().answer)
            tick()
        problems = talk.finish()
    except RunnerStartError as error:
        raise RegenError(f"the source {source.provenance} can't be started: {error}") from None
    finally:
        talk.kill()
    if problems:
        raise RegenError(f"the source {source.provenance}: {problems[0]}")
    return answers


def add_lines(answers: Answers, vectors: list[Vector], known: list[Source], spec: str) -> int:
    """Completes the answers to ``pipeline`` with the lines; returns how many lines are the locked ones.

    Raises:
        RegenError: a line could not be had.
    """
    whole = [
        vector for vector in vectors if vector.op.name == "pipeline" and "ok" in answers.get(vector.id, {})
    ]
    if not whole:
        return 0
    program = next(source for source in known if "outcome" in source.ops)
    if program.command is None:
        for vector in whole:
            locked = (vector.expected or {}).get("ok", {})
            if "line" not in locked:
                raise RegenError(f"{vector.id} has no line yet, and {program.provenance} is not at hand")
            answers[vector.id]["ok"]["line"] = locked["line"]
        return len(whole)
    lines = [_Question(vector, "outcome", answers[vector.id]["ok"]) for vector in whole]
    for vector_id, answer in _ask(program, lines, spec).items():
        if "ok" not in answer:
            raise RegenError(f"{vector_id}: {program.provenance} gives no line: {answer}")
        answers[vector_id]["ok"] |= answer["ok"]
    return 0


def check_played(answers: Answers, vectors: list[Vector], harbor: Source, spec: str) -> int:
    """Has harbor play back the whole jobs, and holds the answers to them; returns how many.

    Raises:
        RegenError: a job could not be played, or comes to something else.
    """
    questions = [
        _Question(vector, "play_job", vector.played)
        for vector in vectors
        if vector.played is not None and vector.id in answers
    ]
    for vector_id, job in _ask(harbor, questions, spec).items():
        if problem := _disagreement(answers[vector_id], job):
            raise RegenError(f"{vector_id}: the job that is played back {problem}")
    return len(questions)


def _disagreement(answer: dict[str, Any], job: dict[str, Any]) -> str | None:
    """Where an answer and the same job, played back, come to different ends."""
    if "ok" not in job:
        return f"could not be played: {job['error']['type']}"
    played = job["ok"]
    if "error" in answer:
        if answer["error"]["type"] not in played["errors"]:
            return f"ends with {played['errors']}, not with {answer['error']['type']}"
        return None
    if not played["finished"]:
        return f"ends with {played['errors']}"
    if played["result.json"] != answer["ok"]["result.json"]:
        contents = (answer["ok"]["result.json"], played["result.json"])
        lines = ((content or {}).get("text", "").split("\n") for content in contents)
        ours, theirs = next((a, b) for a, b in zip_longest(*lines) if a != b)
        return f"has another result.json: {theirs!r} where the answer has {ours!r}"
    return None
