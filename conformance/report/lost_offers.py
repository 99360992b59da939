"""The ratchet: operations of which a runner offers less than it did, or than a harbor has."""

from collections import Counter
from collections.abc import Callable

from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome
from conformance.report.records import RIGHT, Record
from conformance.report.run_report import Report
from conformance.wire.text import printable, shortened

__all__ = ["LOST_OFFER", "lost_offers"]

LOST_OFFER = "no longer offered: "
"""How a problem begins that is such an operation."""
_REASON = 300
"""Characters of the runner's reason."""


def lost_offers(report: Report) -> list[str]:
    """What the runner does not offer although the run requires it, a sentence for each operation."""
    if report.hello is None or report.offer is None:
        return []
    offered = {one.op.name: one for one in report.offer.ops}
    passed = _by_op(report, lambda record: Outcome(record.outcome) in RIGHT)
    failed = _by_op(report, lambda record: record.failed)
    unsupported = _by_op(report, _is_unsupported)
    found = []
    for required in report.required:
        op, less, one = required.op, None, offered.get(required.op)
        if op not in report.hello.ops:
            less = report.hello.unsupported.get(op, f"{op} is not among the ops that hello named")
        elif one is not None:
            less = required.shrunk(
                vectors=one.vectors, passed=passed[op], failed=failed[op], unsupported=unsupported[op]
            )
            if less is not None and unsupported[op]:
                less += f": {one.reason}"
        if less is not None:
            found.append(
                f"{LOST_OFFER}{op}: {printable(shortened(less, _REASON))} ({_why(report, required)})"
            )
    return found


def _is_unsupported(record: Record) -> bool:
    """Whether it is, and the run does not fail for it anyway."""
    return Outcome.UNSUPPORTED.value in (record.outcome, record.real_outcome) and not record.demanded


def _why(report: Report, required: Offered) -> str:
    if required.vectors:
        return f"{report.options.known_failures} records: {required.sentence}"
    return "harbor offers it whole; to accept less, record it with 'harbor-conformance baseline'"


def _by_op(report: Report, wanted: Callable[[Record], bool]) -> Counter[str]:
    ops = {vector.id: vector.op.name for vector in report.every}
    return Counter(ops[one.id] for one in report.records.values() if wanted(one))
