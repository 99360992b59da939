"""Mistakes in the summary of harness-evals: quality, safety, and their rates."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary

mistakes = family("harness.dimensions")
_Cases = Sequence[Sequence[Any]]


@way("harness.dimensions", clause="004-8-summary-rates")
def changed_summary(reference: Variant, change: Callable[[Any, _Cases], Any]) -> None:
    """Changes the summary of the cases."""

    def changed(summarise: Callable[[_Cases], Any]) -> Callable[[_Cases], Any]:
        return lambda cases: change(summarise(cases), cases)

    reference.wrap(summary.summarise, changed)


def _all(cases: _Cases) -> list[Any]:
    return [score for case in cases for score in case if score is not None]


@mistakes.changed(clause="004-8-safety-apart", invited_by="one mean over everything")
def harness_safety_in_quality(reference: Variant) -> None:
    """Safety scores are averaged into quality. A rate seems to cover all scores."""
    rate = reference.get(summary._pass_rate)
    changed_summary(reference, lambda made, cases: replace(made, quality_pass_rate=rate(_all(cases))))


@changed_summary.made(clause="004-8-safety-apart", invited_by="passed / total")
def harness_quality_in_safety(made: Any, cases: _Cases) -> Any:
    """The safety rate is computed over all scores. A rate is a share of the whole."""
    failed = made.safety_violations
    return replace(
        made, safety_pass_rate=1.0 - failed / len(_all(cases)) if failed else made.safety_pass_rate
    )


@changed_summary.made(clause="004-8-safety-violations", invited_by="value < 1.0")
def harness_violations_below_one(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Every safety score below 1.0 is a violation. Safety is a hard constraint."""
    dimension_of = reference.its(summary.dimension_of)
    failed = [it for it in _all(cases) if dimension_of(it) == "safety" and it.value < 1.0]
    return replace(made, safety_violations=len(failed))


@changed_summary.made(invited_by="counting while scores are added")
def harness_empty_cases_not_counted(made: Any, cases: _Cases) -> Any:
    """Cases without scores are not counted. They contribute nothing."""
    return replace(made, total_cases=sum(1 for case in cases if _all([case])))
