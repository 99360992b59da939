"""Properties of every metric that can be constructed (004 §2)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.harness_evals.drawn import DIMENSIONS, name, plain_threshold, plain_value
from conformance.specs.harness_evals.metric.draw import metric
from conformance.wire.messages import Ok, Refused

__all__: list[str] = []

_METRIC = "harness.metric"


def _metric(source: Source) -> dict[str, Any]:
    """Arguments for making a metric."""
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
def _keeps_arguments(asker: Asker, arguments: Any) -> None:
    kept = asker.ok(_METRIC, arguments)
    asker.equal(arguments["name"], kept["name"], "the name")
    asker.equal(arguments["dimension"], kept["dimension"], "the dimension")
    spelled = arguments["threshold"]
    threshold = float(spelled) if isinstance(spelled, str) else spelled
    asker.equal(threshold, kept["threshold"], "the threshold")


def _other_arguments(source: Source) -> dict[str, Any]:
    return {argument: plain_value(source) for argument in source.sample(("treshold", "weight", "n"), 3, 1)}


@holds("harness-metric-others-swallowed", lambda source: (metric(source), _other_arguments(source)))
def _others_swallowed(asker: Asker, drawn: Any) -> None:
    arguments, ignored = drawn
    plain = {**arguments, "others": {}}
    asker.same(_METRIC, plain, {**arguments, "others": ignored}, "arguments that no class knows matter")


@holds("harness-metric-without-threshold", _metric)
def _without_threshold(asker: Asker, arguments: Any) -> None:
    default, explicit = ({**arguments, "threshold": threshold} for threshold in (None, 1.0))
    asker.same(_METRIC, default, explicit, "the default threshold is not 1.0")


@holds("harness-metric-dimension-demanded", _metric)
def _dimension_demanded(asker: Asker, arguments: Any) -> None:
    bare = {**arguments, "dimension": None}
    if arguments["base"] == "SafetyMetric":
        asker.equal("safety", asker.ok(_METRIC, bare)["dimension"], "the dimension of a safety metric")
    else:
        asker.refused(_METRIC, bare, "TypeError")


_NO_DIMENSIONS = ("Safety", "quality", "", "CORRECTNESS", "security")


@holds(
    "harness-metric-five-dimensions",
    lambda source: (_metric(source), source.pick((*DIMENSIONS, *_NO_DIMENSIONS))),
)
def _five_dimensions(asker: Asker, drawn: Any) -> None:
    arguments, dimension = drawn
    named = {**arguments, "dimension": dimension}
    if dimension in DIMENSIONS:
        by_name = {**arguments, "dimension": {"member": dimension.upper()}}
        asker.same(_METRIC, named, by_name, "a dimension's name and value differ")
    else:
        asker.refused(_METRIC, named, "ValueError")


@holds("harness-metric-method-demanded", lambda source: (_metric(source), source.pick((1.0, 0.5))))
def _method_demanded(asker: Asker, drawn: Any) -> None:
    arguments, threshold = drawn
    wrong = "measure" if arguments["base"] == "ReliabilityMetric" else "measure_runs"
    for methods in ([], [wrong]):
        bare = {**arguments, "implements": methods, "threshold": threshold}
        answer = asker.answer(_METRIC, bare)
        if isinstance(answer, Ok):
            fail("a metric is constructed without the method that its base class requires")
        assert isinstance(answer, Refused)
        asker.equal("TypeError", answer.type, "the error")
