"""Conclusions from a run report, live or read back: counts, claims, the exit code.

They are stored only in the member ``summary``, for readers without the kit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome
from conformance.outcomes.offers import LostOffer, OpOffer, fails, lost_offers, offer, package_of
from conformance.outcomes.words import counted, counts_sentence
from conformance.run.options import REPHRASED_SUFFIX

__all__ = [
    "LIST_PROBLEM",
    "REPHRASED_SUFFIX",
    "ClassAccount",
    "LostOffer",
    "OpOffer",
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
    "rephrased_results",
    "summary",
    "totals",
]

RunReport = Mapping[str, Any]
"""A document of the schema ``run-report``."""
Entry = Mapping[str, Any]
"""A result, a property, or a rephrased vector that did not pass."""

LIST_PROBLEM = "known failures, line "
"""The start of sentences about outdated entries of the list of known failures."""
_PASSED, _UNSUPPORTED, _NOT_RUN = Outcome.PASSED.value, Outcome.UNSUPPORTED.value, Outcome.NOT_RUN.value


def _rows(document: RunReport) -> Iterator[tuple[str, str, str, str | None]]:
    """Every vector that has a result: id, class, outcome, level."""
    for name, rows in document["passed"].items():
        for key, level, _ in rows:
            yield key, name, _PASSED, level
    for result in document["results"]:
        yield result["id"], result["class"], result["outcome"], result["level"]


def outcomes(document: RunReport) -> Iterator[tuple[str, str, str]]:
    """Every vector that has a result: id, class, outcome."""
    return (row[:3] for row in _rows(document))


def totals(document: RunReport) -> Counter[str]:
    """The number of vectors by outcome."""
    return Counter(outcome for _, _, outcome, _ in _rows(document))


def rephrased_results(document: RunReport) -> list[Entry]:
    """The rephrased vectors that did not pass."""
    rephrased = document["asked_again"]
    return [] if rephrased is None else list(rephrased["results"])


def failures(document: RunReport) -> list[Entry]:
    """Everything that fails the run by itself; rephrased vectors that were not asked do not."""
    again = [result for result in rephrased_results(document) if result["outcome"] != _NOT_RUN]
    return [result for result in (*document["results"], *document["properties"], *again) if fails(result)]


def problems(document: RunReport) -> list[str]:
    """A sentence for each problem of the run as a whole or of its list."""
    listed = [] if document["known_failures"] is None else document["known_failures"]["problems"]
    return [*document["problems"], *listed, *(loss.sentence for loss in lost_offers(document))]


def filtered(document: RunReport) -> int:
    """The number of vectors that were not selected."""
    total, selected = int(document["vectors"]["total"]), int(document["selection"]["selected"])
    return max(0, total - selected)


def not_reached(document: RunReport) -> int:
    """The number of selected vectors without a result, excluding those in missing shards."""
    selection = document["selection"]
    missing = int(selection.get("missing_shards", {"vectors": 0})["vectors"])
    return max(0, int(selection["selected"]) - sum(totals(document).values()) - missing)


def part_reason(document: RunReport) -> str | None:
    """Why the run is partial; None if every vector of the spec has a result."""
    selection, vectors = document["selection"], document["vectors"]
    if selection["shard"] is not None:
        return f"this is part {selection['shard']['number']} of {selection['shard']['of']}: merge them all"
    if "missing_shards" in selection:
        return "parts of the run are missing"
    if sum(totals(document).values()) < vectors["total"]:
        return "only some vectors were selected" if filtered(document) else "not every vector was reached"
    if vectors["newer"]:
        newer = counted(vectors["newer"], "newer one")
        return f"vectors {selection['vectors_version']} were asked for, and the kit has {newer}"
    return None


def complete(document: RunReport) -> bool:
    """Whether every vector of the spec was selected and has a result, in this one run."""
    return part_reason(document) is None


def exit_code(document: RunReport) -> int:
    """0: no unexpected failure and at least one pass; 1: does not conform; 2: could not be tried.

    128 and the signal where the run was interrupted. A shard of a run needs no pass.
    """
    if document["interrupted"] is not None:
        return int(document["interrupted"]["exit_code"])
    if document["could_not_try"]:
        return 2
    if failures(document) or problems(document):
        return 1
    passed = any(document["passed"].values()) or any(
        result["outcome"] == _PASSED for result in document["properties"]
    )
    return 0 if passed or document["selection"]["shard"] is not None else 2


@dataclass(slots=True)
class ClassAccount:
    """The result of one class of vectors."""

    name: str
    vectors: int
    """The number of vectors of the class in the set, selected or not."""
    totals: Counter[str] = field(default_factory=Counter)
    properties: Counter[str] = field(default_factory=Counter)
    """The outcomes of the class's properties."""
    reached: str | None = None
    """The highest level at which every executed vector of the class agrees."""
    claimed: str | None = None
    """The level that the runner may claim: only after a complete, clean run of the class."""
    reason: str | None = None
    """Why there is no claim."""


def classes(document: RunReport) -> list[ClassAccount]:
    """Every class of the spec, in the protocol's order."""
    accounts = {name: ClassAccount(name, count) for name, count in document["vectors"]["classes"].items()}
    levels: defaultdict[str, set[str | None]] = defaultdict(set)

    def account_of(name: str) -> ClassAccount:
        return accounts.setdefault(name, ClassAccount(name, 0))

    for _, name, outcome, level in _rows(document):
        account_of(name).totals[outcome] += 1
        levels[name].add(level)
    for result in document["properties"]:
        account_of(result["class"]).properties[result["outcome"]] += 1
    differing = Counter(row["class"] for row in rephrased_results(document) if row["outcome"] != _NOT_RUN)
    partial = part_reason(document)
    for name, account in accounts.items():
        account.reached = _lowest(levels[name])
        account.reason = partial or _no_claim(account, differing[name], document)
        account.claimed = account.reached if account.reason is None else None
    return list(accounts.values())


def _lowest(levels: set[str | None]) -> str | None:
    answered = [Level[level.upper()] for level in levels if level is not None]
    lowest = min(answered, default=Level.NONE)
    return None if None in levels or lowest is Level.NONE else str(lowest)


def _no_claim(account: ClassAccount, differing: int, document: RunReport) -> str | None:
    """Why a complete run of a class makes no claim; ``differing`` of its rephrased vectors did not pass."""
    not_passed = {outcome: count for outcome, count in account.totals.items() if outcome != _PASSED}
    broken = sum(n for outcome, n in account.properties.items() if outcome not in (_PASSED, _UNSUPPORTED))
    if set(account.totals) == {_UNSUPPORTED}:
        return "all vectors were unsupported"
    if not_passed:
        return counts_sentence(not_passed)
    if broken:
        return f"{counted(broken, 'property')} did not hold"
    if document["interrupted"] is not None:
        return "the run was interrupted"
    if account.properties[_UNSUPPORTED]:
        return f"{counted(account.properties[_UNSUPPORTED], 'property')} found inputs that are unsupported"
    if differing:
        rephrased = document["asked_again"]
        rows = (result for result in rephrased["results"] if result["class"] == account.name)
        count = len(rephrased["passed"].get(account.name, ())) + sum(1 for _ in rows)
        return f"{differing} of {counted(count, 'rephrased vector')} did not get the expected answer"
    return "the run had problems" if problems(document) or document["could_not_try"] else None


def clause_counts(document: RunReport) -> dict[str, Counter[str]]:
    """The number of vectors by clause id and outcome."""
    by_clause: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for counts in document["asked"].values():
        for clause, count in counts.items():
            by_clause[clause][_PASSED] += count
    for result in document["results"]:
        by_clause[result["clause"]].update({result["outcome"]: 1, _PASSED: -1})
    return {clause: +counts for clause, counts in sorted(by_clause.items())}


def summary(document: RunReport) -> dict[str, Any]:
    """The member ``summary``."""
    return {
        "exit_code": exit_code(document),
        "totals": dict(sorted(totals(document).items())),
        "classes": {row.name: {"claimed": row.claimed, "reached": row.reached} for row in classes(document)},
    }
