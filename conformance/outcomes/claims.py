"""What follows from a run report: counts, claims, the exit code; of a live run and of a report read back.

Nothing here is stored but in the member ``summary``, which is for readers who don't have the kit.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.known_failures import Offered
from conformance.judging.verdict import Outcome
from conformance.outcomes.words import counted, counts_sentence
from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.run.options import AGAIN
from conformance.wire.text import printable, shortened

__all__ = [
    "AGAIN",
    "LIST_PROBLEM",
    "ClassAccount",
    "LostOffer",
    "OpOffer",
    "again_results",
    "classes",
    "clause_counts",
    "complete",
    "exit_code",
    "fails",
    "failures",
    "filtered",
    "lost_offers",
    "not_reached",
    "offer",
    "outcomes",
    "package_of",
    "part_reason",
    "problems",
    "summary",
    "totals",
]

Document = Mapping[str, Any]
Entry = Mapping[str, Any]
"""A result, a property, or a rephrased vector that did not pass."""

LIST_PROBLEM = "known failures, line "
"""The beginning of a sentence on what is no longer true of the list of known failures."""
_PASSED, _UNSUPPORTED, _NOT_RUN = Outcome.PASSED.value, Outcome.UNSUPPORTED.value, Outcome.NOT_RUN.value
_RIGHT = frozenset({_PASSED, Outcome.UNEXPECTED_PASS.value})
_FINE = frozenset({_PASSED, _UNSUPPORTED, Outcome.EXPECTED_FAILURE.value, Outcome.NOT_COUNTED.value})
_UNSUPPORTED_DETAIL = "the runner says unsupported: "
_LONGEST_REASON = 300


def outcomes(document: Document) -> Iterator[tuple[str, str, str]]:
    """Every vector that has a result: id, class, outcome."""
    for name, rows in document["passed"].items():
        for row in rows:
            yield row[0], name, _PASSED
    for one in document["results"]:
        yield one["id"], one["class"], one["outcome"]


def totals(document: Document) -> Counter[str]:
    """How many vectors had each outcome."""
    return Counter(outcome for _, _, outcome in outcomes(document))


def fails(entry: Entry) -> bool:
    """Whether the run fails because of a result, a property or a rephrased vector."""
    return entry["outcome"] not in _FINE or bool(entry["demanded"])


def again_results(document: Document) -> list[Entry]:
    """The rephrased vectors that did not pass."""
    asked = document["asked_again"]
    return [] if asked is None else list(asked["results"])


def failures(document: Document) -> list[Entry]:
    """All that fails the run by itself; that rephrased vectors were not asked is not held against it."""
    again = [one for one in again_results(document) if one["outcome"] != _NOT_RUN]
    return [one for one in (*document["results"], *document["properties"], *again) if fails(one)]


def problems(document: Document) -> list[str]:
    """What is wrong with the run as a whole or with its list, one sentence each."""
    listed = [] if document["known_failures"] is None else document["known_failures"]["problems"]
    return [*document["problems"], *listed, *(one.sentence for one in lost_offers(document))]


def filtered(document: Document) -> int:
    """How many vectors of the set were not selected."""
    total, selected = int(document["vectors"]["total"]), int(document["selection"]["selected"])
    return max(0, total - selected)


def not_reached(document: Document) -> int:
    """How many vectors were selected and have no result, those in missing shards not counted."""
    selection = document["selection"]
    missing = int(selection.get("missing_shards", {"vectors": 0})["vectors"])
    return max(0, int(selection["selected"]) - sum(totals(document).values()) - missing)


def part_reason(document: Document) -> str | None:
    """Why the run shows less than the whole; None where every vector of the spec has a result."""
    selection, vectors = document["selection"], document["vectors"]
    if selection["shard"] is not None:
        return f"this is part {selection['shard']['number']} of {selection['shard']['of']}: merge them all"
    if "missing_shards" in selection:
        return "parts of the run are missing"
    if sum(totals(document).values()) < vectors["total"]:
        return "not every vector was selected" if filtered(document) else "not every vector was reached"
    if vectors["newer"]:
        newer = counted(vectors["newer"], "newer one")
        return f"vectors {selection['vectors_version']} were asked for, and the kit has {newer}"
    return None


def complete(document: Document) -> bool:
    """Whether every vector of the spec was selected and has a result, in this one run."""
    return part_reason(document) is None


def exit_code(document: Document) -> int:
    """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried.

    128 and the signal where the run was interrupted. A part of a run needs no pass.
    """
    if document["interrupted"] is not None:
        return int(document["interrupted"]["exit_code"])
    if document["could_not_try"]:
        return 2
    if failures(document) or problems(document):
        return 1
    passed = any(document["passed"].values()) or any(
        one["outcome"] == _PASSED for one in document["properties"]
    )
    return 0 if passed or document["selection"]["shard"] is not None else 2


@dataclass(slots=True)
class ClassAccount:
    """What one class of vectors came to."""

    name: str
    vectors: int
    """How many vectors the set has of the class, selected or not."""
    totals: Counter[str] = field(default_factory=Counter)
    properties: Counter[str] = field(default_factory=Counter)
    """What became of the class's properties."""
    reached: str | None = None
    """The highest level at which every vector of the class that ran agrees."""
    claimed: str | None = None
    """The level that the runner may claim: only after a whole, clean run of the class."""
    reason: str | None = None
    """Why there is no claim."""


def classes(document: Document) -> list[ClassAccount]:
    """Every class of the spec, in the protocol's order."""
    found = {name: ClassAccount(name, count) for name, count in document["vectors"]["classes"].items()}
    levels: dict[str, set[str | None]] = {}
    again = again_results(document)
    for name, rows in document["passed"].items():
        account = found.setdefault(name, ClassAccount(name, 0))
        account.totals[_PASSED] += len(rows)
        levels.setdefault(name, set()).update(row[1] for row in rows)
    for one in document["results"]:
        found.setdefault(one["class"], ClassAccount(one["class"], 0)).totals[one["outcome"]] += 1
        levels.setdefault(one["class"], set()).add(one["level"])
    for one in document["properties"]:
        found.setdefault(one["class"], ClassAccount(one["class"], 0)).properties[one["outcome"]] += 1
    for name, account in found.items():
        account.reached = _lowest(levels.get(name, set()))
        differing = sum(one["class"] == name and one["outcome"] != _NOT_RUN for one in again)
        account.reason = part_reason(document) or _no_claim(account, differing, document)
        account.claimed = account.reached if account.reason is None else None
    return list(found.values())


def _lowest(levels: set[str | None]) -> str | None:
    answered = [Level[level.upper()] for level in levels if level is not None]
    lowest = min(answered, default=Level.NONE)
    return None if None in levels or lowest is Level.NONE else str(lowest)


def _no_claim(account: ClassAccount, differing: int, document: Document) -> str | None:
    """Why a whole run of a class makes no claim; ``differing`` rephrased vectors of it did not pass."""
    others = {outcome: count for outcome, count in account.totals.items() if outcome != _PASSED}
    broken = sum(n for outcome, n in account.properties.items() if outcome not in (_PASSED, _UNSUPPORTED))
    if set(account.totals) == {_UNSUPPORTED}:
        return "all vectors were unsupported"
    if others:
        return counts_sentence(others)
    if broken:
        return f"{counted(broken, 'property')} did not hold"
    if document["interrupted"] is not None:
        return "the run was interrupted"
    if account.properties[_UNSUPPORTED]:
        return f"{counted(account.properties[_UNSUPPORTED], 'property')} found inputs that are unsupported"
    if differing:
        asked = document["asked_again"]
        rows = (one for one in asked["results"] if one["class"] == account.name)
        count = len(asked["passed"].get(account.name, ())) + sum(1 for _ in rows)
        return f"{differing} of {counted(count, 'rephrased vector')} did not get the expected answer"
    return "the run had problems" if problems(document) or document["could_not_try"] else None


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


def clause_counts(document: Document) -> dict[str, Counter[str]]:
    """How many vectors of each clause had each outcome, by the clause's id."""
    found: dict[str, Counter[str]] = {}
    for counts in document["asked"].values():
        for clause, count in counts.items():
            found.setdefault(clause, Counter())[_PASSED] += count
    for one in document["results"]:
        counter = found.setdefault(one["clause"], Counter())
        counter[one["outcome"]] += 1
        counter[_PASSED] -= 1
    return {clause: +counts for clause, counts in sorted(found.items())}


def summary(document: Document) -> dict[str, Any]:
    """The member ``summary``."""
    return {
        "exit_code": exit_code(document),
        "totals": dict(sorted(totals(document).items())),
        "classes": {one.name: {"claimed": one.claimed, "reached": one.reached} for one in classes(document)},
    }
