"""The vectors of the set of which a report has no result, and why, as far as it can be told."""

from dataclasses import dataclass

from conformance.publishing.kinds.runs.account import Run
from conformance.suite.vectors import Vector, select

__all__ = ["FILTERED", "NOT_REACHED", "Without", "without_result"]

FILTERED, NOT_REACHED = "filtered", "not reached"
_EITHER = "filtered or not reached"


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
    """Why each is missing: the patterns say so, where they agree with the counts."""
    if not run.unreached:
        return {one.id: FILTERED for one in missing}
    if not run.filtered:
        return {one.id: NOT_REACHED for one in missing}
    patterns = run.selection["patterns"] if run.selection is not None else ()
    chosen = {one.id for one in select(missing, patterns)} if patterns else set()
    if len(chosen) == run.unreached:
        return {one.id: NOT_REACHED if one.id in chosen else FILTERED for one in missing}
    return {one.id: _EITHER for one in missing}
