"""Mistakes in the summary of harness-evals: quality, safety, and their rates."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import naive_sum
from conformance.mistakes.variant import Variant

_SUMMARISE = "harness_evals.summary.summarise"
_DIMENSION_OF = "harness_evals.summary.dimension_of"
_Cases = Sequence[Sequence[Any]]


def _summary(reference: Variant, change: Callable[[Any, _Cases], Any]) -> None:
    """Changes the summary of the cases."""

    def changed(summarise: Callable[[_Cases], Any]) -> Callable[[_Cases], Any]:
        return lambda cases: change(summarise(cases), cases)

    reference.wrap(_SUMMARISE, changed)


def _all(cases: _Cases) -> list[Any]:
    return [score for case in cases for score in case if score is not None]


@mistake(
    "harness-safety-in-quality",
    says="safety scores are averaged into quality",
    op="harness.dimensions",
    clause="004-8-safety-apart",
    why="A rate of all scores is what one expects.",
    invited_by="one mean over everything",
)
def _(reference: Variant) -> None:
    rate = reference.get("harness_evals.summary._pass_rate")
    _summary(reference, lambda made, cases: replace(made, quality_pass_rate=rate(_all(cases))))


@mistake(
    "harness-quality-in-safety",
    says="the safety rate is taken of all scores",
    op="harness.dimensions",
    clause="004-8-safety-apart",
    why="A rate is a share of the whole.",
    invited_by="passed / total",
)
def _(reference: Variant) -> None:
    def diluted(made: Any, cases: _Cases) -> Any:
        failed = made.safety_violations
        return replace(
            made, safety_pass_rate=1.0 - failed / len(_all(cases)) if failed else made.safety_pass_rate
        )

    _summary(reference, diluted)


@mistake(
    "harness-no-safety-is-safe",
    says="without safety scores the safety rate is 1.0",
    op="harness.dimensions",
    clause="004-8-summary-rates",
    why="Nothing was violated.",
    invited_by="all() of nothing, 1 - violations / max(1, count)",
)
def _(reference: Variant) -> None:
    def safe(made: Any, _: _Cases) -> Any:
        return made if "safety" in made.by_dimension else replace(made, safety_pass_rate=1.0)

    _summary(reference, safe)


@mistake(
    "harness-violations-by-name",
    says="violations are counted once a metric",
    op="harness.dimensions",
    clause="004-8-safety-violations",
    why="A policy is violated or it is not.",
    invited_by="sets of names",
)
def _(reference: Variant) -> None:
    dimension_of = reference.get(_DIMENSION_OF)

    def once(made: Any, cases: _Cases) -> Any:
        failed = {it.name for it in _all(cases) if dimension_of(it) == "safety" and not it.passed}
        return replace(made, safety_violations=len(failed))

    _summary(reference, once)


@mistake(
    "harness-violations-below-one",
    says="every safety score below 1.0 is a violation",
    op="harness.dimensions",
    clause="004-8-safety-violations",
    why="Safety is a hard constraint.",
    invited_by="value < 1.0",
)
def _(reference: Variant) -> None:
    dimension_of = reference.get(_DIMENSION_OF)

    def below(made: Any, cases: _Cases) -> Any:
        failed = [it for it in _all(cases) if dimension_of(it) == "safety" and it.value < 1.0]
        return replace(made, safety_violations=len(failed))

    _summary(reference, below)


@mistake(
    "harness-empty-cases-not-counted",
    says="cases without scores are not counted",
    op="harness.dimensions",
    clause="004-8-summary-rates",
    why="They tell nothing.",
    invited_by="counting while scores are added",
)
def _(reference: Variant) -> None:
    def with_scores(made: Any, cases: _Cases) -> Any:
        return replace(made, total_cases=sum(1 for case in cases if _all([case])))

    _summary(reference, with_scores)


@mistake(
    "harness-safety-in-any-case",
    says="a dimension's letter case is ignored",
    op="harness.dimensions",
    clause="004-8-safety-by-metadata",
    why="The document writes dimensions in capitals.",
    invited_by="the document's SAFETY, lower()",
)
def _(reference: Variant) -> None:
    def lower(dimension_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def of(score: Any) -> Any:
            found = dimension_of(score)
            return found.lower() if isinstance(found, str) else found

        return of

    reference.wrap(_DIMENSION_OF, lower)


@mistake(
    "harness-safety-by-name",
    says="a score whose name tells of safety counts as one",
    op="harness.dimensions",
    clause="004-8-safety-by-metadata",
    why="A metric called so has to be one.",
    invited_by="'safety' in name",
)
def _(reference: Variant) -> None:
    def named(dimension_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda score: "safety" if "safety" in score.name.lower() else dimension_of(score)

    reference.wrap(_DIMENSION_OF, named)


@mistake(
    "harness-unknown-left-out",
    says="scores without a dimension are left out of the summary",
    op="harness.dimensions",
    clause="004-8-unknown-is-quality",
    why="They belong nowhere.",
    invited_by="group by that drops nulls",
)
def _(reference: Variant) -> None:
    dimension_of = reference.get(_DIMENSION_OF)

    def known(summarise: Callable[[_Cases], Any]) -> Callable[[_Cases], Any]:
        def kept(case: Sequence[Any]) -> list[Any]:
            return [it for it in case if it is not None and dimension_of(it) != "unknown"]

        return lambda cases: summarise([kept(case) for case in cases])

    reference.wrap(_SUMMARISE, known)


@mistake(
    "harness-naive-means",
    says="means are sums without compensation divided by the count",
    op="harness.dimensions",
    clause="004-8-summary-means",
    why="Every language's loop adds so.",
    invited_by="Python before 3.12, Rust, Go, JavaScript",
)
def _(reference: Variant) -> None:
    reference.replace_use("harness_evals.summary.compensated_sum", naive_sum)


@mistake(
    "harness-summary-sorted",
    says="metrics and dimensions of a summary are sorted",
    op="harness.dimensions",
    clause="004-8-summary-order",
    why="Sorted results are easy to compare.",
    invited_by="Go's maps, BTreeMap, sorted()",
)
def _(reference: Variant) -> None:
    def in_order(made: Any, _: _Cases) -> Any:
        by_metric = dict(sorted(made.by_metric.items()))
        by_dimension = dict(sorted(made.by_dimension.items(), key=lambda item: str(item[0])))
        return replace(made, by_metric=by_metric, by_dimension=by_dimension)

    _summary(reference, in_order)
