"""What a gate comes to in numbers, for later steps of a CI system; all read off the JSON reports."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.report.lost_offers import LOST_OFFER

__all__ = ["Numbers", "counted", "exit_code", "verdict_word"]

_LIST = "known failures, line "
"""How a problem begins that is one of the list."""
_APART = frozenset({Outcome.UNEXPECTED_PASS.value, Outcome.NOT_RUN.value})


@dataclass(frozen=True, slots=True)
class Numbers:
    """How much of what there was; properties and questions in other words count among the failures."""

    vectors: int
    """Of the whole set, selected or not."""
    passed: int
    new_failures: int
    known_failures: int
    unexpected_passes: int
    stale_entries: int
    """Entries of the list that expect what does not happen, or name nothing."""
    offers_lost: int
    """Operations that the runner offers less of than required."""
    unsupported: int
    not_run: int
    filtered: int
    """Not selected."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Numbers":
        """The numbers of a run's report."""
        again = (document.get("asked_again") or {}).get("results", [])
        totals = document["totals"]
        results = [*document["results"], *document.get("properties", []), *again]
        return cls(
            vectors=document.get("vectors", {}).get("total", len(document["results"])),
            passed=totals.get(Outcome.PASSED.value, 0),
            new_failures=sum(_new(one) for one in results),
            known_failures=_count(results, Outcome.EXPECTED_FAILURE),
            unexpected_passes=_count(results, Outcome.UNEXPECTED_PASS),
            stale_entries=sum(problem.startswith(_LIST) for problem in document.get("problems", [])),
            offers_lost=sum(problem.startswith(LOST_OFFER) for problem in document.get("problems", [])),
            unsupported=totals.get(Outcome.UNSUPPORTED.value, 0),
            not_run=totals.get(Outcome.NOT_RUN.value, 0),
            filtered=document.get("selection", {}).get("filtered", 0),
        )

    def outputs(self) -> dict[str, str]:
        """The numbers as outputs of a step."""
        return {field.name.replace("_", "-"): str(getattr(self, field.name)) for field in fields(self)}


def _new(one: Mapping[str, Any]) -> bool:
    outcome = one["outcome"]
    return bool(one.get("demanded")) or (outcome in set(UNEXPECTED) and outcome not in _APART)


def _count(results: list[Any], outcome: Outcome) -> int:
    return sum(one["outcome"] == outcome.value for one in results)


def counted(number: int, name: str) -> str:
    """So many of them: `1 stale entry`, `2 unexpected passes`."""
    if number == 1:
        return f"1 {name}"
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}es" if name.endswith("s") else f"{name}s"
    return f"{number:,} {plural}"


def exit_code(run: int, fuzzed: int | None) -> int:
    """The gate's, of a run's and of what was fuzzed after it: a failure outweighs what was not tried."""
    codes = [run] if fuzzed is None else [run, fuzzed]
    if run == 2:  # what is fuzzed after it shows nothing
        return 2
    return max((code for code in codes if code > 2), default=1 if 1 in codes else max(codes))


def verdict_word(code: int) -> str:
    """An exit code for machines that compare words."""
    return {0: "passed", 1: "failed", 2: "not-tried"}.get(code, "interrupted")
