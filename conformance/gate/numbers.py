"""What a gate comes to in numbers, for later steps of a CI system; all read off the JSON reports."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.outcomes import claims
from conformance.outcomes.words import counted

__all__ = ["Numbers", "counted", "exit_code", "verdict_word"]

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
        totals, known = claims.totals(document), document["known_failures"]
        results = [*document["results"], *document["properties"], *claims.again_results(document)]
        return cls(
            vectors=document["vectors"]["total"],
            passed=totals[Outcome.PASSED.value],
            new_failures=sum(_new(one) for one in results),
            known_failures=_count(results, Outcome.EXPECTED_FAILURE),
            unexpected_passes=_count(results, Outcome.UNEXPECTED_PASS),
            stale_entries=0 if known is None else len(known["problems"]),
            offers_lost=len(claims.lost_offers(document)),
            unsupported=totals[Outcome.UNSUPPORTED.value],
            not_run=totals[Outcome.NOT_RUN.value],
            filtered=claims.filtered(document),
        )

    def outputs(self) -> dict[str, str]:
        """The numbers as outputs of a step."""
        return {field.name.replace("_", "-"): str(getattr(self, field.name)) for field in fields(self)}


def _new(one: Mapping[str, Any]) -> bool:
    outcome = one["outcome"]
    return bool(one.get("demanded")) or (outcome in set(UNEXPECTED) and outcome not in _APART)


def _count(results: list[Any], outcome: Outcome) -> int:
    return sum(one["outcome"] == outcome.value for one in results)


def exit_code(run: int, fuzzed: int | None) -> int:
    """The gate's, of a run's and of what was fuzzed after it: a failure outweighs what was not tried."""
    codes = [run] if fuzzed is None else [run, fuzzed]
    if run == 2:  # what is fuzzed after it shows nothing
        return 2
    return max((code for code in codes if code > 2), default=1 if 1 in codes else max(codes))


def verdict_word(code: int) -> str:
    """An exit code for machines that compare words."""
    return {0: "passed", 1: "failed", 2: "not-tried"}.get(code, "interrupted")
