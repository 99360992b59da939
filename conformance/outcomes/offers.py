"""What the runner of a report offers, operation by operation, and what it no longer offers."""

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
    """Whether the run fails because of a result, a property or a rephrased vector."""
    return entry["outcome"] not in _FINE or bool(entry["demanded"])


@dataclass(frozen=True, slots=True)
class OpOffer:
    """One operation: whether it is offered, and what became of the vectors that have a result."""

    op: str
    offered: bool
    """Whether hello names it."""
    own: bool
    """Whether the package of the spec's oracle answers it, at least in part."""
    vectors: int
    passed: int
    unsupported: int
    demanded: int
    """How many of the unsupported fail the run: their class is demanded, or another outcome is listed."""
    failed: int
    """How many fail the run one by one, those included."""
    reason: str | None
    """What the runner says most often where it is unsupported."""


def offer(document: Document) -> list[OpOffer]:
    """What the runner offers of the operations that were asked for, in the spec's order."""
    by_op: dict[str, list[Entry]] = {op: [] for op in document["asked"]}
    for one in document["results"]:
        by_op.setdefault(one["op"], []).append(one)
    known = {op.name: op for op in ops_of(document["spec"], package=True)}
    return [
        _op_offer(op, known[op].source == ORACLE if op in known else True, document, by_op[op])
        for op in (*(op for op in known if op in by_op), *(op for op in by_op if op not in known))
    ]


def _op_offer(op: str, own: bool, document: Document, others: list[Entry]) -> OpOffer:
    """The account of one operation; ``others`` are its vectors that did not pass."""
    refused = [one for one in others if _UNSUPPORTED in (one["outcome"], one["real_outcome"])]
    reasons = Counter(one["detail"] for one in others if one["outcome"] == _UNSUPPORTED and one["detail"])
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
        reason=_reason(reasons.most_common(1)[0][0]) if reasons else None,
    )


def _reason(detail: str) -> str:
    return shortened(printable(detail).removeprefix(_UNSUPPORTED_DETAIL), _LONGEST_REASON)


def package_of(document: Document) -> str | None:
    """The package of the spec's oracle, where the runner is one of its releases or forks."""
    recipe = SPEC_TABLE[document["spec"]].oracle.recipe
    return recipe.package if recipe is not None and document["runner"]["name"] == recipe.package else None


@dataclass(frozen=True, slots=True)
class LostOffer:
    """An operation of which the runner offers less than required."""

    op: str
    less: str
    """What it offers now, or why it doesn't."""
    required: str
    """What requires more."""

    @property
    def sentence(self) -> str:
        """It for people."""
        return f"no longer offered: {self.op}: {self.less} ({self.required})"


def lost_offers(document: Document) -> list[LostOffer]:
    """The ratchet: what the runner does not offer although the run requires it. Only a whole run shows it."""
    runner = document["runner"]
    if runner["name"] is None or document["interrupted"] or document["selection"]["shard"]:
        return []
    offered = {one.op: one for one in offer(document)} if document["required"] else {}
    later = (document["known_failures"] or {}).get("newer", {})
    waiting = Counter((one["op"], one["real_outcome"]) for one in document["results"] if _is_waiting(one))
    known = {op.name for op in ops_of(document["spec"], package=True)}
    found = []
    for required in (Offered(**one) for one in document["required"]):
        op, less, one = required.op, None, offered.get(required.op)
        if op not in known:
            less = f"this kit has no operation {op} any more: 'baseline --update' takes its line out"
        elif op not in runner["ops"]:
            less = runner["unsupported"].get(op, f"{op} is not among the ops that hello named")
        elif one is not None:
            newer = later.get(op, 0)
            refused = one.unsupported - one.demanded - waiting[op, _UNSUPPORTED]
            less = required.shrunk(
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


def _is_waiting(entry: Entry) -> bool:
    """Whether it is newer than the list of known failures, and did not pass."""
    return bool(entry["outcome"] == Outcome.NOT_COUNTED.value)


def _why(document: Document, required: Offered) -> str:
    if required.vectors and document["known_failures"] is not None:
        return f"{document['known_failures']['file']} records: {required.sentence}"
    return "harbor offers it whole; to accept less, record it with 'harbor-conformance baseline'"
