"""From the trial of a property to its verdict."""

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict, considered
from conformance.properties.trying import Trial
from conformance.registry.ops import OPS
from conformance.suite.properties import Property

__all__ = ["not_offered", "verdict_on"]


def not_offered(
    one: Property, offered: frozenset[str], known: KnownFailures | None, demanded: frozenset[str]
) -> Verdict | None:
    """The verdict on a property that asks for what hello did not name; None where it names all."""
    missing = next((op for op in one.ops if op.name not in offered), None)
    if missing is None:
        return None
    sentence = f"{missing.name} is not among the ops that hello named"
    return _unsupported(one, missing.name, sentence, 0.0, known, demanded)


def _unsupported(
    one: Property,
    op: str,
    sentence: str,
    seconds: float,
    known: KnownFailures | None,
    demanded: frozenset[str],
) -> Verdict:
    """A property of two classes is demanded where the class of the missing op is."""
    verdict = Verdict(
        one.as_vector,
        Outcome.UNSUPPORTED,
        None,
        seconds,
        sentence,
        demanded=OPS[op].conformance_class in demanded,
    )
    return considered(verdict, known)


def verdict_on(
    one: Property, trial: Trial, level: Level, known: KnownFailures | None, demanded: frozenset[str]
) -> Verdict:
    """The verdict on a property that was tried at ``level``."""
    if trial.failure is not None:
        outcome = Outcome(trial.failure.outcome)
        reached = Level.NONE if outcome is Outcome.MISMATCH else None
        verdict = Verdict(one.as_vector, outcome, reached, trial.seconds, trial.failure.sentence)
        return considered(verdict, known)
    if trial.environments is not None and not trial.environments:
        sentence = (
            "some answers are those of one environment, some those of another: none explains all of them"
        )
        return considered(
            Verdict(one.as_vector, Outcome.MISMATCH, Level.NONE, trial.seconds, sentence), known
        )
    if trial.unsupported is not None:
        op, reason = trial.unsupported
        sentence = f"the runner says unsupported: {reason}"
        return _unsupported(one, op, sentence, trial.seconds, known, demanded)
    return considered(Verdict(one.as_vector, Outcome.PASSED, level, trial.seconds), known)
