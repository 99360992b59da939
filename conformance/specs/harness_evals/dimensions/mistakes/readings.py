"""What readers of the document alone understood of the summary: what counts, where, and in which order."""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary

in_dimension_of = family("harness.dimensions", of=summary.dimension_of, clause="004-8-unknown-is-quality")
in_summarise = family("harness.dimensions", of=summary.summarise, clause="004-8-summary-rates")
in_pass_rate = family("harness.dimensions", of=summary._pass_rate, clause="004-8-summary-rates")
in_metric = family("harness.dimensions", of=summary._metric, clause="004-8-summary-means")
_Cases = Sequence[Sequence[Any]]
_Summarise = Callable[[Any], Any]
_FIVE = ("correctness", "groundedness", "safety", "trajectory", "performance")


@way("harness.dimensions", clause="004-8-summary-rates")
def summaries(reference: Variant, change: Callable[[Any, _Cases], Any]) -> None:
    """Changes the summary of the cases."""

    def changed(summarise: _Summarise) -> _Summarise:
        return lambda cases: change(summarise(cases), cases)

    reference.wrap(summary.summarise, changed)


def _rate(scores: Sequence[Any]) -> float:
    return sum(1 for score in scores if score.passed) / len(scores)


@summaries.made(invited_by="mean of means")
def harness_case_rates_averaged(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Rates are means of the cases' rates. A case is what is counted."""
    dimension_of = reference.its(summary.dimension_of)

    def averaged(safety: bool) -> float:
        chosen = [
            [it for it in case if it is not None and (dimension_of(it) == "safety") is safety]
            for case in cases
        ]
        rates = [_rate(scores) for scores in chosen if scores]
        return sum(rates) / len(rates) if rates else 0.0

    return replace(made, quality_pass_rate=averaged(False), safety_pass_rate=averaged(True))


@summaries.made(invited_by="a case passes if all do")
def harness_case_passes_as_whole(reference: Variant, made: Any, cases: _Cases) -> Any:
    """The quality rate is the share of cases all of whose quality scores passed. A case passes as a whole."""
    dimension_of = reference.its(summary.dimension_of)
    chosen = [[it for it in case if it is not None and dimension_of(it) != "safety"] for case in cases]
    passed = [all(it.passed for it in scores) for scores in chosen if scores]
    return replace(made, quality_pass_rate=sum(passed) / len(passed) if passed else 0.0)


@summaries.made(invited_by="passed / total_cases")
def harness_rate_of_cases(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Rates are shares of the number of cases. total_cases is what is counted."""
    safe = made.by_dimension.get("safety")
    count = max(len(cases), 1)
    passed = sum(it.passed_count for it in made.by_metric.values())
    kept = safe.metric_count - made.safety_violations if safe else 0
    return replace(made, quality_pass_rate=(passed - kept) / count, safety_pass_rate=kept / count)


@in_summarise.wrapped(clause="004-8-safety-by-metadata", invited_by="one dimension per metric")
def harness_first_dimension_of_name(reference: Variant, summarise: _Summarise, cases: Any) -> Any:
    """All scores of a name count to the dimension of the first of them. A metric has one dimension."""
    dimension_of = reference.its(summary.dimension_of)
    first: dict[str, Any] = {}

    def moved(score: Any) -> Any:
        if score is None:
            return None
        dimension = first.setdefault(score.name, dimension_of(score))
        score = copy.copy(score)
        score.metadata = {"dimension": dimension}
        return score

    return summarise([[moved(score) for score in case] for case in cases])


def _digits_first(members: dict[Any, Any]) -> dict[Any, Any]:
    def whole(name: Any) -> bool:
        return isinstance(name, str) and name.isascii() and name.isdigit() and str(int(name)) == name

    numbers = sorted((name for name in members if whole(name)), key=int)
    return {name: members[name] for name in (*numbers, *(name for name in members if not whole(name)))}


@summaries.made(clause="004-8-summary-order", invited_by="objects of JavaScript")
def harness_digits_first(made: Any, cases: _Cases) -> Any:
    """Names that are whole numbers stand first, in order of size. Some objects put such members there."""
    return replace(
        made, by_metric=_digits_first(made.by_metric), by_dimension=_digits_first(made.by_dimension)
    )


@summaries.made(clause="004-8-summary-order", invited_by="objects of JavaScript")
def harness_proto_lost(made: Any, cases: _Cases) -> Any:
    """A metric called __proto__ is not in the summary. Some objects take the name for something else."""
    return replace(made, by_metric={name: it for name, it in made.by_metric.items() if name != "__proto__"})


@summaries.made(clause="004-8-summary-order", invited_by="if name")
def harness_nameless_not_summed(made: Any, cases: _Cases) -> Any:
    """A metric with an empty name is not in the summary by metric. It has no name."""
    return replace(made, by_metric={name: it for name, it in made.by_metric.items() if name})


@in_metric.wrapped(invited_by="<= for <")
def harness_last_of_equal(metric: Callable[..., Any], name: str, scores: list[Any]) -> Any:
    """Of equal least or greatest values the last is told. It makes no difference of size."""
    values = [score.value for score in reversed(scores)]
    return replace(metric(name, scores), min_value=min(values), max_value=max(values))


@in_metric.wrapped(invited_by="float(min(values))")
def harness_extremes_as_floats(metric: Callable[..., Any], name: str, scores: list[Any]) -> Any:
    """Least and greatest values are floats. The mean is one."""
    made = metric(name, scores)
    return replace(made, min_value=float(made.min_value), max_value=float(made.max_value))


@in_dimension_of.wrapped(invited_by="objects of JavaScript, maps by text")
def harness_dimensions_as_texts(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """A dimension that is no text counts as the one that its JSON spells. Names of members are texts."""
    found = dimension_of(score)
    return found if isinstance(found, str) else json.dumps(found)


@in_dimension_of.wrapped(invited_by="only texts are dimensions")
def harness_only_texts_are_dimensions(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """A dimension that is no text counts as none. Dimensions are texts."""
    found = dimension_of(score)
    return found if isinstance(found, str) else "unknown"


@way("harness.dimensions", clause="004-8-unknown-is-quality")
def empty_dimensions(reference: Variant, kept: Callable[[Any], bool]) -> None:
    """Keeps some of the empty dimensions, which count as none otherwise."""
    dimension_of = reference.get(summary.dimension_of)

    def found(score: Any) -> Any:
        told = score.metadata.get("dimension", "") if isinstance(score.metadata, dict) else ""
        named = isinstance(score.metadata, dict) and "dimension" in score.metadata
        return told if named and kept(told) else dimension_of(score)

    reference.replace(summary.dimension_of, found)


@empty_dimensions.made(invited_by="metadata.get('dimension', 'unknown')")
def harness_null_dimension_kept(told: Any) -> bool:
    """Scores whose dimension is null have a dimension of null. It is told."""
    return told is None


@empty_dimensions.made(invited_by="?? for ||")
def harness_empty_dimension_kept(told: Any) -> bool:
    """Scores whose dimension is an empty text have an empty dimension. It is a text like others."""
    return bool(told == "")


@empty_dimensions.made(invited_by="?? for ||")
def harness_false_dimension_kept(told: Any) -> bool:
    """Scores whose dimension is 0 or false have this dimension. Only null is none."""
    return isinstance(told, int | float) and not told


@in_dimension_of.wrapped(invited_by="exactly one of the five")
def harness_strange_dimensions_unknown(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """Scores of dimensions beyond the five are called unknown. There are five."""
    found = dimension_of(score)
    return found if isinstance(found, list | dict) or found in _FIVE else "unknown"


@in_dimension_of.wrapped(clause="004-8-safety-by-metadata", invited_by="strip()")
def harness_dimensions_trimmed(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """White space around a dimension is left out. It is taken for noise."""
    found = dimension_of(score)
    return found.strip() if isinstance(found, str) else found


@in_dimension_of.wrapped(clause="004-8-safety-by-metadata", invited_by="startswith('safety')")
def harness_safety_by_prefix(dimension_of: Callable[[Any], Any], score: Any) -> Any:
    """A dimension that begins with safety is safety. It is a kind of it."""
    found = dimension_of(score)
    return "safety" if isinstance(found, str) and found.startswith("safety") else found


@in_summarise.wrapped(invited_by="scores in a map by name")
def harness_names_once_a_case(summarise: _Summarise, cases: Any) -> Any:
    """Of scores with the same name in a case only the last counts. A case has one score per metric."""

    def once(case: Any) -> list[Any]:
        last = {score.name: score for score in case if score is not None}
        return [score for score in case if score is not None and score is last[score.name]]

    return summarise([once(case) for case in cases])


@summaries.made(clause="004-8-skipped", invited_by="null as failing")
def harness_skipped_lowers_quality(made: Any, cases: _Cases) -> Any:
    """A skipped metric counts as a quality score that failed. It did not pass."""
    safe = made.by_dimension.get("safety")
    count = sum(it.metric_count for it in made.by_dimension.values()) - (safe.metric_count if safe else 0)
    skipped = sum(1 for case in cases for score in case if score is None)
    return (
        replace(made, quality_pass_rate=made.quality_pass_rate * (count / (count + skipped)))
        if skipped
        else made
    )


@in_pass_rate.wrapped(invited_by="all() of nothing")
def harness_rate_of_nothing_is_one(rate: Callable[..., Any], scores: list[Any]) -> Any:
    """A rate of no scores is 1.0. Nothing has failed."""
    return rate(scores) if scores else 1.0


@summaries.made(clause="004-8-safety-violations", invited_by="any() per case")
def harness_violations_by_case(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Violations are counted once a case. A case violates a policy or doesn't."""
    dimension_of = reference.its(summary.dimension_of)
    failed = [
        case
        for case in cases
        if any(it is not None and dimension_of(it) == "safety" and not it.passed for it in case)
    ]
    return replace(made, safety_violations=len(failed))


@summaries.made(clause="004-8-safety-apart", invited_by="quality as what has a dimension of it")
def harness_unknown_not_quality(reference: Variant, made: Any, cases: _Cases) -> Any:
    """Scores without a dimension are in no rate. They belong to neither."""
    dimension_of = reference.its(summary.dimension_of)
    chosen = [
        it
        for case in cases
        for it in case
        if it is not None and dimension_of(it) not in ("safety", "unknown")
    ]
    return replace(made, quality_pass_rate=_rate(chosen) if chosen else 0.0)


@summaries.made(clause="004-8-safety-apart", invited_by="names in sets")
def harness_dimension_counts_metrics(reference: Variant, made: Any, cases: _Cases) -> Any:
    """A dimension's metric_count is the number of names, not of scores. It is called so."""
    dimension_of = reference.its(summary.dimension_of)
    names: dict[Any, set[str]] = {}
    for score in (score for case in cases for score in case if score is not None):
        names.setdefault(dimension_of(score), set()).add(score.name)
    return replace(
        made,
        by_dimension={
            name: replace(it, metric_count=len(names[name])) for name, it in made.by_dimension.items()
        },
    )
