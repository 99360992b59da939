"""Asking the sources of the expected answers.

Some vectors need more than one question: where the oracle gives a part of an answer another source completes
it, and what a vector says is ``played`` must come to the same when the oracle plays it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.judging.key_order import pointers_into, sorted_text
from conformance.registry.op import Playing
from conformance.registry.ops import OPS
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.suite.vectors import Vector
from conformance.wire import messages
from conformance.wire.messages import Answer, Failed, Ok, Refused, Request, Unsupported
from conformance.wire.numbers import spell_at
from conformance.wire.pointers import keys_of

__all__ = ["Answers", "RegenError", "Source", "ask", "check_played", "complete"]

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
        value = _changed_at(value, keys_of(file), _sorted_file if inside else _sorted_keys, pointer)
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


def complete(answers: Answers, vectors: list[Vector], known: list[Source], spec: str) -> dict[str, int]:
    """Completes answers of which the oracle gives a part.

    Returns:
        By provenance, how many were completed with what is locked, as the source is not at hand.

    Raises:
        RegenError: a rest could not be had.
    """
    kept: dict[str, int] = {}
    by_op: dict[str, list[Vector]] = {}
    for vector in vectors:
        if vector.op.completed_by is not None and "ok" in answers.get(vector.id, {}):
            by_op.setdefault(vector.op.completed_by, []).append(vector)
    for op, parts in by_op.items():
        source = next(source for source in known if op in source.ops)
        if source.command is None:
            _keep(answers, parts, op, source)
            kept[source.provenance] = len(parts)
            continue
        questions = [_Question(vector, op, answers[vector.id]["ok"]) for vector in parts]
        for vector_id, answer in _ask(source, questions, spec).items():
            if "ok" not in answer:
                raise RegenError(f"{vector_id}: {source.provenance} gives no {_rest(op)}: {answer}")
            answers[vector_id]["ok"] |= answer["ok"]
    return kept


def _rest(op: str) -> str:
    """The member that an op adds to the answer which it completes."""
    (path,) = OPS[op].ok_lines
    return path[0]


def _keep(answers: Answers, vectors: list[Vector], op: str, source: Source) -> None:
    """Completes answers with what is locked."""
    for vector in vectors:
        locked = (vector.expected or {}).get("ok", {})
        if _rest(op) not in locked:
            raise RegenError(f"{vector.id} has no {_rest(op)} yet, and {source.provenance} is not at hand")
        answers[vector.id]["ok"][_rest(op)] = locked[_rest(op)]


def check_played(answers: Answers, vectors: list[Vector], oracle: Source, spec: str) -> int:
    """Has the oracle play back what vectors say is played, and holds the answers to it; returns how many.

    Raises:
        RegenError: something could not be played, or comes to something else.
    """
    played = {vector.id: vector for vector in vectors if vector.played is not None and vector.id in answers}
    questions = [_Question(vector, _playing(vector).op, vector.played) for vector in played.values()]
    for vector_id, job in _ask(oracle, questions, spec).items():
        if problem := _playing(played[vector_id]).disagreement(answers[vector_id], job):
            raise RegenError(f"{vector_id}: the job that is played back {problem}")
    return len(questions)


def _playing(vector: Vector) -> Playing:
    if vector.op.playing is None:
        raise RegenError(f"{vector.id}: there is no way to play {vector.op.name}")
    return vector.op.playing
