"""Runs made up in this process: the evidence that runners would leave behind."""

import functools
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from conformance.diagnosis.account import Diagnosis, Kind
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, agree, expected_answer
from conformance.diagnosis.experiments import Ask
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake, all_mistakes, made
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused

Answering = Callable[[str, object], Ok | Refused | None]


@functools.cache
def vectors() -> tuple[Vector, ...]:
    return tuple(load_spec(DEFAULT_SPEC))


def of_ops(*ops: str) -> list[Vector]:
    return [vector for vector in vectors() if vector.op.name in ops]


def piece(vector: Vector, answer: Ok | Refused | None, level: Level = Level.BYTES) -> Evidence:
    """What one answer leaves behind; None is a crash."""
    expected = expected_answer(vector)
    if answer is not None and not agree(vector.op, answer, answer, level):
        answer = None  # no reply may hold it, such as an int of more than 4300 digits
    passed = answer is not None and agree(vector.op, expected, answer, level, vector.unordered)
    kept = None if passed else answer
    return Evidence(
        vector.id,
        vector.op,
        vector.input,
        expected,
        kept,
        vector.unordered,
        passed,
        vector.clause,
        vector.rule,
    )


def evidence_of(
    answering: Answering, asked: Iterable[Vector] | None = None, level: Level = Level.BYTES
) -> list[Evidence]:
    """The evidence that a runner would leave behind."""
    return [
        piece(vector, answering(vector.op.name, vector.input), level)
        for vector in (vectors() if asked is None else asked)
    ]


def evidence_where(
    asked: Iterable[Vector], change: Callable[[Ok | Refused, object], Ok | Refused | None]
) -> list[Evidence]:
    """The same of a runner that changes the answer due, knowing the input."""
    return [piece(vector, change(expected_answer(vector), vector.input)) for vector in asked]


def evidence_of_mistakes(*names: str, asked: Iterable[Vector] | None = None) -> list[Evidence]:
    return evidence_of(made(*(all_mistakes()[name] for name in names)).answer, asked)


def asking(*names: str) -> Ask:
    """Asks a runner that makes some mistakes."""
    runner = made(*(all_mistakes()[name] for name in names))
    return lambda op, inputs: [runner.answer(op, given) for given in inputs]


def named(diagnosis: Diagnosis) -> set[str]:
    return {one.name for explanation in diagnosis.explanations for one in explanation.mistakes}


def covered(diagnosis: Diagnosis, *kinds: Kind) -> set[str]:
    """The failures in the lines of some kinds, of all where none is given."""
    return {key for line in diagnosis.lines if line.kind in (kinds or Kind) for key in line.keys}


def draws(count: int, seed: int, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Sets of one, two and three mistakes by turns."""
    chance = random.Random(seed)
    return [tuple(chance.sample(names, size)) for size in itertools.islice(itertools.cycle((1, 2, 3)), count)]


REFERENCE = Variant()
Change = Callable[[str], str]


def mistake(name: str, change: Change, op: str = "evals_key", ops: Iterable[str] = ()) -> Mistake:
    """A mistake that changes the key of ``evals_key``, or the tasks of ``plan_trials``."""

    def apply(reference: Variant) -> None:
        def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def answering(given: Any) -> Any:
                ok = answer(given)
                if "evals_key" in ok:
                    return {"evals_key": change(ok["evals_key"])}
                return {"trials": [[change(task), agent] for task, agent in ok["trials"]]}

            return answering

        for each in ops or (op,):
            reference.wrap_op(each, around)

    return Mistake(name, f"it does {name}", op, "003-3.3-made-up", "Why not.", "a test", apply)


def asked(agent: str, op: str = "evals_key") -> Any:
    if op == "evals_key":
        return {"agent": agent, "model": None, "source": None}
    return {"n_attempts": 1, "tasks": [agent], "agents": ["nop"]}


def evidence(
    answers: Mapping[str, Ok | Refused | str | None], op: str = "evals_key", clause: str = ""
) -> list[Evidence]:
    """A piece for each agent: its answer, the key alone where it is a string."""
    found = []
    for agent, given in answers.items():
        expected = REFERENCE.answer(op, asked(agent, op))
        actual: Ok | Refused | None = Ok({"evals_key": given}) if isinstance(given, str) else given
        passed = actual is not None and agree(OPS[op], expected, actual, Level.BYTES)
        kept = None if passed else actual
        found.append(
            Evidence(f"{op}/{agent}", OPS[op], asked(agent, op), expected, kept, frozenset(), passed, clause)
        )
    return found


def diagnosed(told: list[Evidence], *known: Mistake, level: Level = Level.BYTES) -> Diagnosis:
    return diagnose(told, level, mistakes={one.name: one for one in known})
