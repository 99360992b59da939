"""Mistakes in the summary of harness-evals: quality, safety, and their rates."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation
from reference_impl.harness_evals import summary

mistakes = family("harness.dimensions")
in_dimension_of = family("harness.dimensions", of=summary.dimension_of, clause="004-8-safety-by-metadata")
in_summarise = family("harness.dimensions", of=summary.summarise)
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
    """Safety scores are averaged into quality. A rate of all scores is what one expects."""
    rate = reference.get(summary._pass_rate)
    changed_summary(reference, lambda made, cases: replace(made, quality_pass_rate=rate(_all(cases))))


@changed_summary.made(clause="004-8-safety-apart", invited_by="passed / total")
def harness_quality_in_safety(made: Any, cases: _Cases) -> Any:
    """The safety rate is taken of all scores. A rate is a share of the whole."""
    failed = made.safety_violations
    return replace(
        made, safety_pass_rate=1.0 - failed / len(_all(cases)) if failed else made.safety_pass_rate
    )


@changed_summary.made(invited_by="all() of nothing, 1 - violations / max(1, count)")
def harness_no_safety_is_safe(made: Any, _: _Cases) -> Any:
    """Without safety scores the safety rate is 1.0. Nothing was violated."""
    return made if "safety" in made.by_dimension else replace(made, safety_pass_rate=1.0)


@changed_summary.made(clause="004-8-safety-violations", invited_by="sets of names")
def harness_violations_by_name(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Violations are counted once a metric. A policy is violated or it is not."""
    dimension_of = reference.its(summary.dimension_of)
    failed = {it.name for it in _all(cases) if dimension_of(it) == "safety" and not it.passed}
    return replace(made, safety_violations=len(failed))


@changed_summary.made(clause="004-8-safety-violations", invited_by="value < 1.0")
def harness_violations_below_one(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Every safety score below 1.0 is a violation. Safety is a hard constraint."""
    dimension_of = reference.its(summary.dimension_of)
    failed = [it for it in _all(cases) if dimension_of(it) == "safety" and it.value < 1.0]
    return replace(made, safety_violations=len(failed))


@changed_summary.made(invited_by="counting while scores are added")
def harness_empty_cases_not_counted(made: Any, cases: _Cases) -> Any:
    """Cases without scores are not counted. They tell nothing."""
    return replace(made, total_cases=sum(1 for case in cases if _all([case])))


@in_dimension_of.wrapped(invited_by="the document's SAFETY, lower()")
def harness_safety_in_any_case(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """A dimension's letter case is ignored. The document writes dimensions in capitals."""
    found = dimension_of(score)
    return found.lower() if isinstance(found, str) else found


@in_dimension_of.wrapped(invited_by="'safety' in name")
def harness_safety_by_name(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """A score whose name tells of safety counts as one. A metric called so has to be one."""
    return "safety" if "safety" in score.name.lower() else dimension_of(score)


@in_summarise.wrapped(clause="004-8-unknown-is-quality", invited_by="group by that drops nulls")
def harness_unknown_left_out(reference: Variant, summarise: Callable[[_Cases], Any], cases: Any) -> Any:
    """Scores without a dimension are left out of the summary. They belong nowhere."""
    dimension_of = reference.its(summary.dimension_of)

    def kept(case: Sequence[Any]) -> list[Any]:
        return [it for it in case if it is not None and dimension_of(it) != "unknown"]

    return summarise([kept(case) for case in cases])


@mistakes.changed(clause="004-8-summary-means", invited_by="Python before 3.12, Rust, Go, JavaScript")
def harness_naive_means(reference: Variant) -> None:
    """Means are sums without compensation divided by the count. Every language's loop adds so."""
    reference.replace_use((summary, summation.compensated_sum), naive_sum)


@changed_summary.made(clause="004-8-summary-order", invited_by="Go's maps, BTreeMap, sorted()")
def harness_summary_sorted(made: Any, _: _Cases) -> Any:
    """Metrics and dimensions of a summary are sorted. Sorted results are easy to compare."""
    by_metric = dict(sorted(made.by_metric.items()))
    by_dimension = dict(sorted(made.by_dimension.items(), key=lambda item: str(item[0])))
    return replace(made, by_metric=by_metric, by_dimension=by_dimension)
