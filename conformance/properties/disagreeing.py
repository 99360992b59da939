"""A failing property's disagreements with the reference: their vector file, and the likely mistake."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.diagnosis.account import Diagnosis
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.environments import others
from conformance.diagnosis.evidence import Evidence, agree, of_verdict
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.mistakes.plain import reference_answer
from conformance.properties.asking import Exchange
from conformance.properties.trying import Trial
from conformance.registry.ops import OPS
from conformance.suite.counterexamples import (
    counterexample,
    write_counterexamples,
)
from conformance.suite.properties import Property
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Unsupported
from conformance.wire.text import shortened

__all__ = ["Diagnose", "Disagreements", "disagreements"]

Diagnose = Callable[[Sequence[Evidence], Level], Diagnosis]


@dataclass(slots=True)
class Disagreements:
    """The requests of a failure on which the runner differs from the reference."""

    verdicts: list[Verdict] = field(default_factory=list)
    """The verdict on each, as a vector."""
    likely: list[str | None] = field(default_factory=list)
    """The known mistake that explains each."""
    path: Path | None = None
    """The file that has them; None if there are none, or it could not be written."""
    problem: str | None = None
    """Why the file could not be written."""


def _example(exchange: Exchange, likely: str | None, note: str, spec: str, path: Path) -> Vector:
    expected = reference_answer(spec, exchange.op, exchange.input)
    free = OPS[exchange.op].free_order(exchange.input, expected)
    if isinstance(exchange.reply.answer, Ok):
        expected = _closest(exchange, expected, exchange.reply.answer, free)
    match exchange.reply.answer:
        case Ok(value):
            shown = shortened(repr(value), 300)
        case Refused(error_type, _, _):
            shown = f"the error {error_type}"
        case Unsupported(reason):
            shown = f"unsupported: {reason}"
        case failed:
            shown = failed.outcome
    return counterexample(
        *(spec, exchange.op, exchange.input, expected),
        actual=shown,
        likely=likely,
        unordered=free,
        note=note,
        path=path,
    )


def _closest(exchange: Exchange, expected: Ok | Refused, actual: Ok, free: frozenset[str]) -> Ok | Refused:
    """The expected answer in the environment that gives this answer, or else in the main one."""
    op = OPS[exchange.op]
    answers = others(exchange.op, exchange.input, expected).values()
    return next((answer for answer in answers if agree(op, answer, actual, Level.BYTES, free)), expected)


def _judged(
    exchanges: Iterable[Exchange], spec: str, level: Level, path: Path
) -> dict[str, tuple[Exchange, Verdict]]:
    """The distinct requests, by the id of their vector."""
    found: dict[str, tuple[Exchange, Verdict]] = {}
    for exchange in exchanges:
        vector = _example(exchange, None, "", spec, path)
        found[vector.id] = (exchange, judge(vector, exchange.reply, level))
    return found


def disagreements(
    one: Property,
    trial: Trial,
    *,
    spec: str,
    level: Level,
    folder: Path,
    note: str,
    diagnosing: Diagnose = diagnose,
) -> Disagreements:
    """Compares the answers of a failure with the reference's, and writes those that differ to ``folder``.

    The evidence for the likely mistake is every request of the failure, and of inputs that passed.
    """
    assert trial.failure is not None
    path = folder / f"{one.slug}.json"
    judged = _judged(trial.failure.exchanges, spec, level, path)
    wrong = {key: pair for key, pair in judged.items() if pair[1].outcome is not Outcome.PASSED}
    if not wrong:
        return Disagreements()
    seen = _judged(trial.passed, spec, level, path) | judged
    evidence = [item for _, verdict in seen.values() if (item := of_verdict(verdict)) is not None]
    diagnosis = diagnosing(evidence, level)
    found = Disagreements()
    examples = []
    for key, (exchange, _) in wrong.items():
        likely = diagnosis.likely(key)
        example = _example(exchange, likely, note, spec, path)
        examples.append(example)
        found.likely.append(likely)
        found.verdicts.append(judge(example, exchange.reply, level))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_counterexamples(path, spec, examples)
        found.path = path
    except OSError as error:
        found.problem = f"{path} can't be written: {error.strerror}"
    return found
