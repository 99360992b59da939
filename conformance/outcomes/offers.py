"""The runner's offer in a report by operation, and what it no longer offers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome
from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.wire.text import printable, shortened

__all__ = ["LostOffer", "OpOffer", "fails", "lost_offers", "offer", "package_of"]

RunReport = Mapping[str, Any]
Entry = Mapping[str, Any]
_PASSED, _UNSUPPORTED = Outcome.PASSED.value, Outcome.UNSUPPORTED.value
_NOT_COUNTED = Outcome.NOT_COUNTED.value
_RIGHT = frozenset({_PASSED, Outcome.UNEXPECTED_PASS.value})
_FINE = frozenset({_PASSED, _UNSUPPORTED, _NOT_COUNTED, Outcome.EXPECTED_FAILURE.value})
_UNSUPPORTED_DETAIL = "the runner says unsupported: "
_LONGEST_REASON = 300


def fails(entry: Entry) -> bool:
    """Whether a result, a property or a rephrased vector fails the run."""
    return entry["outcome"] not in _FINE or bool(entry["demanded"])


@dataclass(frozen=True, slots=True)
class OpOffer:
    """One operation: whether it is offered, and the outcomes of its vectors."""

    op: str
    offered: bool
    """Whether hello names the operation."""
    own: bool
    """Whether the oracle's package answers it, at least in part."""
    vectors: int
    passed: int
    unsupported: int
    demanded: int
    """The number of unsupported vectors that fail the run: their class is required, or another outcome is
    listed."""
    failed: int
    """The number of vectors that fail the run one by one, including these."""
    reason: str | None
    """The runner's most frequent reason for unsupported."""


def offer(document: RunReport) -> list[OpOffer]:
    """The runner's offer for each operation asked, in the spec's order."""
    by_op: dict[str, list[Entry]] = {op: [] for op in document["asked"]}
    for result in document["results"]:
        by_op.setdefault(result["op"], []).append(result)
    known = {op.name: op.source == ORACLE for op in ops_of(document["spec"], package=True)}
    ops = [op for op in {**known, **by_op} if op in by_op]
    return [_op_offer(op, known.get(op, True), document, by_op[op]) for op in ops]


def _op_offer(op: str, own: bool, document: RunReport, results: list[Entry]) -> OpOffer:
    """The offer of one operation; ``results`` are those of its vectors that did not pass."""
    refused = [row for row in results if _UNSUPPORTED in (row["outcome"], row["real_outcome"])]
    reasons = Counter(row["detail"] for row in results if row["outcome"] == _UNSUPPORTED and row["detail"])
    why = printable(reasons.most_common(1)[0][0]) if reasons else ""
    vectors = sum(document["asked"].get(op, {}).values())
    right = sum(row["outcome"] in _RIGHT for row in results)
    return OpOffer(
        op=op,
        offered=op in document["runner"]["ops"],
        own=own,
        vectors=vectors,
        passed=vectors - len(results) + right,
        unsupported=len(refused),
        demanded=sum(row["demanded"] for row in refused),
        failed=sum(fails(row) and row["outcome"] not in _RIGHT for row in results),
        reason=shortened(why.removeprefix(_UNSUPPORTED_DETAIL), _LONGEST_REASON) if reasons else None,
    )


def package_of(document: RunReport) -> str | None:
    """The oracle's package, if the runner is one of its releases or forks."""
    recipe = SPEC_TABLE[document["spec"]].oracle.recipe
    return recipe.package if recipe is not None and document["runner"]["name"] == recipe.package else None


@dataclass(frozen=True, slots=True)
class LostOffer:
    """An operation that the runner offers less of than required."""

    op: str
    less: str
    """The current offer, or why there is none."""
    required: str
    """The requirement."""

    @property
    def sentence(self) -> str:
        """The loss as a sentence."""
        return f"no longer offered: {self.op}: {self.less} ({self.required})"


def lost_offers(document: RunReport) -> list[LostOffer]:
    """The required operations that the runner no longer offers. Only a complete run shows them."""
    runner = document["runner"]
    if runner["name"] is None or document["interrupted"] or document["selection"]["shard"]:
        return []
    offers = {op_offer.op: op_offer for op_offer in offer(document)} if document["required"] else {}
    lost = []
    for required in (Offered(**row) for row in document["required"]):
        less = _loss(document, required, offers.get(required.op))
        if less is not None:
            less = printable(shortened(less, _LONGEST_REASON))
            lost.append(LostOffer(required.op, less, _requirement(document, required)))
    return lost


def _loss(document: RunReport, required: Offered, current: OpOffer | None) -> str | None:
    """How the current offer of an operation falls short; None if it does not."""
    op, runner = required.op, document["runner"]
    if op not in {spec_op.name for spec_op in ops_of(document["spec"], package=True)}:
        return f"this kit no longer has the operation {op}: 'baseline --update' removes its line"
    if op not in runner["ops"]:
        return str(runner["unsupported"].get(op, f"{op} is not among the ops that hello named"))
    if current is None:
        return None
    newer = (document["known_failures"] or {}).get("newer", {}).get(op, 0)
    waiting = [row for row in document["results"] if row["op"] == op and row["outcome"] == _NOT_COUNTED]
    unsupported = current.unsupported - current.demanded
    unsupported -= sum(row["real_outcome"] == _UNSUPPORTED for row in waiting)
    less = required.shortfall(
        vectors=current.vectors - newer,
        passed=current.passed - newer + len(waiting),
        failed=current.failed,
        unsupported=unsupported,
    )
    return f"{less}: {current.reason}" if less is not None and unsupported else less


def _requirement(document: RunReport, required: Offered) -> str:
    if required.vectors and document["known_failures"] is not None:
        return f"{document['known_failures']['file']} records: {required.sentence}"
    return "harbor offers it whole; to accept less, record it with 'harbor-conformance baseline'"
