"""A failing property's disagreements with the reference: their vector file, and the likely mistake."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.environments import variant_answers
from conformance.diagnosis.evidence import agree, evidence_of_verdict
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.mistakes.plain import reference_answer
from conformance.properties.asking import Exchange
from conformance.properties.trying import Trial
from conformance.registry.ops import OPS
from conformance.run.options import RunOptions
from conformance.suite.counterexamples import counterexample, write_counterexamples
from conformance.suite.properties import Property
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok

__all__ = ["Disagreements", "disagreements"]


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
    if isinstance(actual := exchange.reply.answer, Ok):  # it may be right in another environment
        answers, op = variant_answers(exchange.op, exchange.input, expected).values(), OPS[exchange.op]
        expected = next((want for want in answers if agree(op, want, actual, Level.BYTES, free)), expected)
    return counterexample(
        *(spec, exchange.op, exchange.input, expected),
        actual=actual,
        likely=likely,
        unordered=free,
        note=note,
        path=path,
    )


def _judged(
    exchanges: Iterable[Exchange], spec: str, level: Level, path: Path
) -> dict[str, tuple[Exchange, Verdict]]:
    """The distinct requests, by the id of their vector."""
    by_id: dict[str, tuple[Exchange, Verdict]] = {}
    for exchange in exchanges:
        vector = _example(exchange, None, "", spec, path)
        by_id[vector.id] = (exchange, judge(vector, exchange.reply, level))
    return by_id


def disagreements(property_: Property, trial: Trial, options: RunOptions, note: str) -> Disagreements:
    """Compares the answers of a failure with the reference's, and writes those that differ to a file.

    All requests of the failure, and of inputs that passed, are evidence for the likely mistake.
    """
    assert trial.failure is not None
    spec, level, folder = options.spec, options.level, options.counterexamples
    path = folder / f"{property_.slug}.json"
    judged = _judged(trial.failure.exchanges, spec, level, path)
    wrong = {key: pair for key, pair in judged.items() if pair[1].outcome is not Outcome.PASSED}
    if not wrong:
        return Disagreements()
    known = _judged(trial.passed, spec, level, path) | judged
    evidence = [item for _, verdict in known.values() if (item := evidence_of_verdict(verdict)) is not None]
    diagnosis = diagnose(evidence, level)
    result = Disagreements()
    examples = []
    for key, (exchange, _) in wrong.items():
        likely = diagnosis.likely(key)
        example = _example(exchange, likely, note, spec, path)
        examples.append(example)
        result.likely.append(likely)
        result.verdicts.append(judge(example, exchange.reply, level))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_counterexamples(path, spec, examples)
        result.path = path
    except OSError as error:
        result.problem = f"{path} can't be written: {error.strerror}"
    return result
