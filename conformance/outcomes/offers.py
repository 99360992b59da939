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

Document = Mapping[str, Any]
Entry = Mapping[str, Any]
_PASSED, _UNSUPPORTED = Outcome.PASSED.value, Outcome.UNSUPPORTED.value
_RIGHT = frozenset({_PASSED, Outcome.UNEXPECTED_PASS.value})
_FINE = frozenset({_PASSED, _UNSUPPORTED, Outcome.EXPECTED_FAILURE.value, Outcome.NOT_COUNTED.value})
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


def offer(document: Document) -> list[OpOffer]:
    """The runner's offer for each operation asked, in the spec's order."""
    by_op: dict[str, list[Entry]] = {op: [] for op in document["asked"]}
    for one in document["results"]:
        by_op.setdefault(one["op"], []).append(one)
    known = {op.name: op for op in ops_of(document["spec"], package=True)}
    return [
        _op_offer(op, known[op].source == ORACLE if op in known else True, document, by_op[op])
        for op in (*(op for op in known if op in by_op), *(op for op in by_op if op not in known))
    ]


def _op_offer(op: str, own: bool, document: Document, others: list[Entry]) -> OpOffer:
    """The offer of one operation; ``others`` are its vectors that did not pass."""
    refused = [one for one in others if _UNSUPPORTED in (one["outcome"], one["real_outcome"])]
    reasons = Counter(one["detail"] for one in others if one["outcome"] == _UNSUPPORTED and one["detail"])
    why = printable(reasons.most_common(1)[0][0]) if reasons else ""
    vectors = sum(document["asked"].get(op, {}).values())
    right = sum(one["outcome"] in _RIGHT for one in others)
    return OpOffer(
        op=op,
        offered=op in document["runner"]["ops"],
        own=own,
        vectors=vectors,
        passed=vectors - len(others) + right,
        unsupported=len(refused),
        demanded=sum(one["demanded"] for one in refused),
        failed=sum(fails(one) and one["outcome"] not in _RIGHT for one in others),
        reason=shortened(why.removeprefix(_UNSUPPORTED_DETAIL), _LONGEST_REASON) if reasons else None,
    )


def package_of(document: Document) -> str | None:
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


def lost_offers(document: Document) -> list[LostOffer]:
    """The ratchet: required operations that the runner does not offer. Only a complete run shows them."""
    runner = document["runner"]
    if runner["name"] is None or document["interrupted"] or document["selection"]["shard"]:
        return []
    offered = {one.op: one for one in offer(document)} if document["required"] else {}
    later = (document["known_failures"] or {}).get("newer", {})
    uncounted = [one for one in document["results"] if one["outcome"] == Outcome.NOT_COUNTED.value]
    waiting = Counter((one["op"], one["real_outcome"]) for one in uncounted)
    known = {op.name for op in ops_of(document["spec"], package=True)}
    found = []
    for required in (Offered(**one) for one in document["required"]):
        op, less, one = required.op, None, offered.get(required.op)
        if op not in known:
            less = f"this kit no longer has the operation {op}: 'baseline --update' removes its line"
        elif op not in runner["ops"]:
            less = runner["unsupported"].get(op, f"{op} is not among the ops that hello named")
        elif one is not None:
            newer = later.get(op, 0)
            refused = one.unsupported - one.demanded - waiting[op, _UNSUPPORTED]
            less = required.shortfall(
                vectors=one.vectors - newer,
                passed=one.passed - newer + sum(n for (name, _), n in waiting.items() if name == op),
                failed=one.failed,
                unsupported=refused,
            )
            if less is not None and refused:
                less += f": {one.reason}"
        if less is not None:
            found.append(LostOffer(op, printable(shortened(less, _LONGEST_REASON)), _why(document, required)))
    return found


def _why(document: Document, required: Offered) -> str:
    if required.vectors and document["known_failures"] is not None:
        return f"{document['known_failures']['file']} records: {required.sentence}"
    return "harbor offers it whole; to accept less, record it with 'harbor-conformance baseline'"
