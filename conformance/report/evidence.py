"""The evidence for the diagnosis, of the records of a run: where answers came from other processes."""

from collections.abc import Callable, Iterable, Mapping

from conformance.diagnosis.evidence import Evidence, from_outcome
from conformance.judging.verdict import Outcome
from conformance.report.records import Record
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused

__all__ = ["evidence_of"]

_WRONG = frozenset({Outcome.MISMATCH, Outcome.WRONG_ERROR})


def evidence_of(
    records: Iterable[Record],
    due: Mapping[str, Vector],
    answered: Callable[[Record], Ok | Refused | None],
    left_out: set[str],
) -> list[Evidence]:
    """The answers, right and wrong, that known mistakes are compared with.

    Args:
        records: what became of vectors.
        due: the vectors by id, with what is due in the environment that explains the run.
        answered: the answer behind a record, where it was kept.
        left_out: takes the ids of those whose wrong answers were not.
    """
    evidence = []
    for record in records:
        actual, outcome = answered(record), Outcome(record.real_outcome or record.outcome)
        if outcome in _WRONG and actual is None:
            left_out.add(record.id)
            continue
        if actual is None and record.left_out:
            actual = Ok({}, record.left_out)  # of a right answer only what it lacks is of interest
        told = from_outcome(due[record.id], outcome, actual, record.detail or "")
        if told is not None:
            evidence.append(told)
    return evidence
