"""The vectors of the set of which a report has no result, and why, as far as it can be told."""

from collections import Counter
from dataclasses import dataclass

from conformance.publishing.kinds.runs.account import Run
from conformance.run.shards import in_shard, shard_by_id
from conformance.suite.vectors import Vector, select

__all__ = ["FILTERED", "MISSING", "NOT_REACHED", "OTHERS", "UNKNOWN", "Without", "without_result"]

FILTERED, NOT_REACHED = "filtered", "not reached"
OTHERS, MISSING = "in another shard", "in a missing shard"
UNKNOWN = "without a result"
"""Where it is not known which of these."""


@dataclass(frozen=True, slots=True)
class Without:
    """A vector without a result."""

    id: str
    rule: str
    clause: str
    conformance_class: str
    op: str
    why: str


def without_result(run: Run) -> list[Without]:
    """These vectors; none where the report is of vectors that this kit does not know."""
    missing = [run.of.known[key] for key in sorted(run.of.counting - run.results.keys())]
    why = _reasons(run, missing)
    return [
        Without(one.id, one.rule, one.clause, one.conformance_class, one.op.name, why[one.id])
        for one in missing
    ]


def _reasons(run: Run, missing: list[Vector]) -> dict[str, str]:
    """Why each is missing, by what was asked for; where that does not agree with the counts, nobody knows."""
    told = {one.id: _reason(run, one) for one in missing}
    counts = Counter(told.values())
    due = {FILTERED: run.filtered, NOT_REACHED: run.unreached, MISSING: run.missing_vectors}
    if counts == +Counter({**due, OTHERS: run.in_other_shards}):
        return told
    if run.filtered == len(missing):  # by a way that the report does not tell, such as pytest's -k
        return dict.fromkeys(told, FILTERED)
    return dict.fromkeys(told, UNKNOWN)


def _reason(run: Run, one: Vector) -> str:
    selection, shard, gone = run.selection, run.shard, run.missing
    if selection is not None:
        if selection["files"] or not select([one], selection["patterns"]):
            return FILTERED
        if shard is not None and not in_shard(one.id, (shard["number"], shard["of"])):
            return OTHERS
        if gone is not None and shard_by_id(one.id, gone["of"]) in gone["numbers"]:
            return MISSING
    return NOT_REACHED
