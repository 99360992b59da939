"""What holds of every score and of every metric that makes them (004 §1, §2)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import DIMENSIONS, name, plain_score, plain_threshold, plain_value
from conformance.specs.harness_evals.metric.draw import metric
from conformance.wire.messages import Ok, Refused

__all__: list[str] = []

_SCORE = "harness.score"
_METRIC = "harness.metric"
_TOLERANCE = 1e-6


def _score(asker: Asker, given: Any) -> Any:
    return read(asker.ok(_SCORE, given))


@holds("harness-score-passed-is-computed", plain_score)
def _passed_is_computed(asker: Asker, given: Any) -> None:
    threshold = float(given["threshold"])
    due = given["value"] >= threshold
    asker.equal(due, _score(asker, given)["passed"], f"passed for {given['value']!r} at {threshold!r}")


@holds("harness-score-value-kept", plain_score)
def _value_kept(asker: Asker, given: Any) -> None:
    asker.equal(given["value"], _score(asker, given)["value"], "the value")


_ANY = (2, -1, 1.5, -0.25, 1e308, "NaN", "Infinity", "-Infinity", 10**30)


def _any_value(source: Source) -> Any:
    return plain_value(source) if source.below(2) else source.pick(_ANY)


@holds("harness-score-clamped-in-range", lambda source: (plain_score(source), _any_value(source)))
def _clamped_in_range(asker: Asker, given: Any) -> None:
    fields, value = given
    found = _score(asker, {**fields, "value": value, "clamped": True})["value"]
    asker.holds(isinstance(found, int | float) and 0 <= found <= 1, f"the clamped value is {found!r}")


_OUTSIDE = (1.0000011, -1.1e-6, 1.5, 2, -1, 1e308, -5.0, 10**30, "NaN", "Infinity", "-Infinity")


@holds("harness-score-outside-refused", lambda source: (plain_score(source), source.pick(_OUTSIDE)))
def _outside_refused(asker: Asker, given: Any) -> None:
    fields, value = given
    asker.refused(_SCORE, {**fields, "value": value}, "ValueError")


_BARELY = (1.000001, 1.0000000000000002, 1.0000009, -1e-6, -1e-7, -5e-324)


@holds("harness-score-barely-outside-moved", lambda source: (plain_score(source), source.pick(_BARELY)))
def _barely_outside_moved(asker: Asker, given: Any) -> None:
    fields, value = given
    one, other = ({**fields, "value": moved} for moved in (value, 1.0 if value > 1 else 0.0))
    asker.same(_SCORE, one, other, f"{value!r} is not moved to the border")


@holds("harness-score-passed-not-given", lambda source: (plain_score(source), bool(source.below(2))))
def _passed_not_given(asker: Asker, given: Any) -> None:
    fields, passed = given
    asker.refused(_SCORE, {**fields, "passed": passed}, "TypeError")


_ORDER = ("name", "value", "threshold", "passed", "reason", "metadata", "scoring_duration_ms", "created_at")


@holds("harness-score-none-left-out", plain_score)
def _none_left_out(asker: Asker, given: Any) -> None:
    due = [member for member in _ORDER if member == "passed" or given[member] is not None]
    asker.equal(sorted(due), sorted(_score(asker, given)), "the list of members")


@holds(
    "harness-score-lower-threshold-never-fails",
    lambda source: (plain_score(source), plain_value(source), plain_value(source)),
)
def _lower_threshold_never_fails(asker: Asker, given: Any) -> None:
    fields, *both = given
    low, high = (_score(asker, {**fields, "threshold": limit})["passed"] for limit in sorted(both))
    asker.holds(low or not high, "a score that passes fails at a lower threshold")


def _metric(source: Source) -> dict[str, Any]:
    """Arguments of which a metric can be made."""
    base = source.pick(("BaseMetric", "SafetyMetric", "ReliabilityMetric"))
    return {
        "base": base,
        "implements": ["measure_runs" if base == "ReliabilityMetric" else "measure"],
        "name": name(source),
        "dimension": source.pick(DIMENSIONS),
        "threshold": plain_threshold(source),
        "k": None,
        "others": {},
    }


@holds("harness-metric-keeps-arguments", _metric)
def _keeps_arguments(asker: Asker, given: Any) -> None:
    kept = asker.ok(_METRIC, given)
    asker.equal(given["name"], kept["name"], "the name")
    asker.equal(given["dimension"], kept["dimension"], "the dimension")
    spelled = given["threshold"]
    threshold = float(spelled) if isinstance(spelled, str) else spelled
    asker.equal(threshold, kept["threshold"], "the threshold")


def _others(source: Source) -> dict[str, Any]:
    return {other: plain_value(source) for other in source.sample(("treshold", "weight", "n"), 3, 1)}


@holds("harness-metric-others-swallowed", lambda source: (metric(source), _others(source)))
def _others_swallowed(asker: Asker, given: Any) -> None:
    arguments, others = given
    plain = {**arguments, "others": {}}
    asker.same(_METRIC, plain, {**arguments, "others": others}, "arguments that no class knows matter")


@holds("harness-metric-without-threshold", _metric)
def _without_threshold(asker: Asker, given: Any) -> None:
    one, other = ({**given, "threshold": threshold} for threshold in (None, 1.0))
    asker.same(_METRIC, one, other, "the default threshold is not 1.0")


@holds("harness-metric-dimension-demanded", _metric)
def _dimension_demanded(asker: Asker, given: Any) -> None:
    bare = {**given, "dimension": None}
    if given["base"] == "SafetyMetric":
        asker.equal("safety", asker.ok(_METRIC, bare)["dimension"], "the dimension of a safety metric")
    else:
        asker.refused(_METRIC, bare, "TypeError")


_NO_DIMENSIONS = ("Safety", "quality", "", "CORRECTNESS", "security")


@holds(
    "harness-metric-five-dimensions",
    lambda source: (_metric(source), source.pick((*DIMENSIONS, *_NO_DIMENSIONS))),
)
def _five_dimensions(asker: Asker, given: Any) -> None:
    arguments, dimension = given
    named = {**arguments, "dimension": dimension}
    if dimension in DIMENSIONS:
        by_name = {**arguments, "dimension": {"member": dimension.upper()}}
        asker.same(_METRIC, named, by_name, "a dimension's name and value differ")
    else:
        asker.refused(_METRIC, named, "ValueError")


@holds("harness-metric-method-demanded", lambda source: (_metric(source), source.pick((1.0, 0.5))))
def _method_demanded(asker: Asker, given: Any) -> None:
    arguments, threshold = given
    wrong = "measure" if arguments["base"] == "ReliabilityMetric" else "measure_runs"
    for methods in ([], [wrong]):
        bare = {**arguments, "implements": methods, "threshold": threshold}
        answer = asker.answer(_METRIC, bare)
        if isinstance(answer, Ok):
            fail("a metric without the method that its base class demands is made")
        assert isinstance(answer, Refused)
        asker.equal("TypeError", answer.type, "the error")
