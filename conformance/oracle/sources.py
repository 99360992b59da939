"""Asks the sources of the expected answers.

Some vectors need more than one question: if the oracle gives a part of an answer, another source completes
it, and a vector's ``played`` job must give the same answer when the oracle plays it.
"""

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.errors import UserError
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
"""``{"ok": …}`` or ``{"error": …}`` by vector id."""


class RegenError(UserError):
    """An answer is not available; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of the expected answers of some ops."""

    provenance: str
    """Its name in the vectors."""
    ops: frozenset[str]
    command: tuple[str, ...] | None
    """None if the source is not available; its answers then stay as locked."""


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


def _in_order(ok: Any, unordered: frozenset[str]) -> Any:
    """``ok`` with its unordered objects, including those in files, sorted by key."""
    ok = {"": copy.deepcopy(ok)}
    for pointer in unordered:
        file, inside, _ = pointer.partition("#")
        *above, last = ["", *keys_of(file)]
        holder = functools.reduce(lambda held, key: held.get(key, {}), above, ok)
        value = holder.get(last)
        if isinstance(value, dict) and not inside:
            holder[last] = dict(sorted(value.items()))
        elif isinstance(value, dict) and "text" in value:
            holder[last] = {"text": sorted_text(value["text"], pointers_into(file, [pointer]))}
    return ok[""]


_Question = tuple[Vector, str, Any]
"""A vector, the operation to ask for it, and the input."""


def ask(source: Source, vectors: list[Vector], spec: str, tick: Callable[[], None]) -> Answers:
    """The source's answers to these vectors, or its part of them.

    Raises:
        RegenError: an answer is not available.
    """
    questions = [(vector, vector.op.oracle_op or vector.op.name, vector.input) for vector in vectors]
    return _ask(source, questions, spec, tick)


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
        for vector, op, input_ in questions:
            talk.submit(Request(vector.id, op, messages.encode_tail(op, input_), messages.LARGE_LINE))
        for vector, _, _ in questions:
            answers[vector.id] = _expected(vector, talk.next_reply().answer)
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
    """Completes answers if the oracle gives only a part of them.

    Returns:
        The number completed from the lock because the source is not available, by provenance.

    Raises:
        RegenError: the other part is not available.
    """
    kept: dict[str, int] = {}
    by_op: dict[str, list[Vector]] = {}
    for vector in vectors:
        if vector.op.completed_by is not None and "ok" in answers.get(vector.id, {}):
            by_op.setdefault(vector.op.completed_by, []).append(vector)
    for op, parts in by_op.items():
        source = next(source for source in known if op in source.ops)
        if source.command is None:
            _complete_from_lock(answers, parts, op, source)
            kept[source.provenance] = len(parts)
            continue
        questions = [(vector, op, answers[vector.id]["ok"]) for vector in parts]
        for vector_id, answer in _ask(source, questions, spec).items():
            if "ok" not in answer:
                raise RegenError(f"{vector_id}: {source.provenance} gives no {_added(op)}: {answer}")
            answers[vector_id]["ok"] |= answer["ok"]
    return kept


def _added(op: str) -> str:
    """The member that an op adds to complete an answer."""
    (path,) = OPS[op].ok_lines
    return path[0]


def _complete_from_lock(answers: Answers, vectors: list[Vector], op: str, source: Source) -> None:
    """Completes answers from the lock."""
    for vector in vectors:
        locked = (vector.expected or {}).get("ok", {})
        if _added(op) not in locked:
            raise RegenError(f"{vector.id} has no {_added(op)} yet, and {source.provenance} is not available")
        answers[vector.id]["ok"][_added(op)] = locked[_added(op)]


def check_played(answers: Answers, vectors: list[Vector], oracle: Source, spec: str) -> int:
    """Has the oracle play back vectors' jobs, and checks the answers; returns the number of jobs.

    Raises:
        RegenError: a job could not be played, or gives another answer.
    """
    played = {vector.id: vector for vector in vectors if vector.played is not None and vector.id in answers}
    questions = [(vector, _playing(vector).op, vector.played) for vector in played.values()]
    for vector_id, job in _ask(oracle, questions, spec).items():
        if problem := _playing(played[vector_id]).disagreement(answers[vector_id], job):
            raise RegenError(f"{vector_id}: the job that is played back {problem}")
    return len(questions)


def _playing(vector: Vector) -> Playing:
    if vector.op.playing is None:
        raise RegenError(f"{vector.id}: there is no way to play {vector.op.name}")
    return vector.op.playing
