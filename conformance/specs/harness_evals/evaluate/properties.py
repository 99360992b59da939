"""Properties of every evaluation of a case's metrics (004 §4.3, §8)."""

import json
from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import DIMENSIONS, name, plain_threshold, plain_value

__all__: list[str] = []

_OP = "harness.evaluate"
_FILE = "scores.json"
_ERRORS = ("ValueError", "RuntimeError", "AssertionError", "ZeroDivisionError")


def _making(source: Source) -> dict[str, Any]:
    fields = {"name": None, "value": plain_value(source), "threshold": None, "reason": None, "metadata": None}
    return {"score": {**fields, "clamped": False, "passed": None}}


def _scoring(source: Source) -> dict[str, Any]:
    """A metric that gives a score, or is skipped."""
    return {
        "name": name(source),
        "dimension": source.pick(DIMENSIONS),
        "threshold": plain_threshold(source),
        "measure": {"returns": None} if source.chance(10) else _making(source),
        "a_measure": None,
    }


def _metrics(source: Source) -> list[Any]:
    return source.items(_scoring, (3, 5))


def _skipping(source: Source) -> dict[str, Any]:
    return {**_scoring(source), "measure": {"returns": None}}


def _raising(source: Source) -> dict[str, Any]:
    raised = {"type": source.pick(_ERRORS), "message": source.pick(("boom", "", "two\nlines", "é"))}
    return {**_scoring(source), "measure": {"raises": raised}}


def _index(source: Source) -> int:
    return source.below(6)


def _input(metrics: list[Any], entry: str = "evaluate") -> dict[str, Any]:
    return {"entry": entry, "metrics": metrics}


def _scores(asker: Asker, metrics: list[Any], entry: str = "evaluate") -> list[Any]:
    scores: list[Any] = read(asker.ok(_OP, _input(metrics, entry)), _FILE)
    return scores


def _inserted(metrics: list[Any], index: int, metric: Any) -> list[Any]:
    return [*metrics[:index], metric, *metrics[index:]]


def _entry(source: Source) -> str:
    return source.pick(("evaluate", "a_evaluate"))


@holds("harness-evaluate-in-order", lambda source: (_metrics(source), _entry(source)))
def _in_order(asker: Asker, drawn: Any) -> None:
    metrics, entry = drawn
    expected = [metric["name"] for metric in metrics if "score" in metric["measure"]]
    asker.equal(
        expected, [score["name"] for score in _scores(asker, metrics, entry)], "the list of scores' names"
    )


@holds("harness-evaluate-metrics-apart", lambda source: (_metrics(source), _index(source)), examples=100)
def _metrics_are_separate(asker: Asker, drawn: Any) -> None:
    metrics, index = drawn
    parts = [*_scores(asker, metrics[:index]), *_scores(asker, metrics[index:])]
    asker.equal(parts, _scores(asker, metrics), "what all metrics give together")


@holds(
    "harness-evaluate-raising-disturbs-nobody",
    lambda source: (_metrics(source), _index(source), _raising(source), _entry(source)),
)
def _raising_disturbs_nobody(asker: Asker, drawn: Any) -> None:
    metrics, index, raising, entry = drawn
    index = min(index, len(metrics))
    undisturbed = _scores(asker, metrics, entry)
    scores = _scores(asker, _inserted(metrics, index, raising), entry)
    before = sum("score" in metric["measure"] for metric in metrics[:index])
    asker.equal(len(undisturbed) + 1, len(scores), "the number of scores next to one that raises")
    asker.equal(
        undisturbed, [*scores[:before], *scores[before + 1 :]], "what the others give next to one that raises"
    )
    raised = scores[before]
    message = raising["measure"]["raises"]["message"]
    asker.equal(f"Metric raised: {message}", raised.get("reason"), "the reason of a metric that raised")
    asker.holds(raised["value"] == 0, f"the value of a metric that raised is {raised['value']!r}")


@holds(
    "harness-evaluate-skipped-leaves-no-trace",
    lambda source: (_metrics(source), _index(source), _skipping(source), _entry(source)),
)
def _skipped_leaves_no_trace(asker: Asker, drawn: Any) -> None:
    metrics, index, skipping, entry = drawn
    plain, longer = _input(metrics, entry), _input(_inserted(metrics, index, skipping), entry)
    asker.same(_OP, plain, longer, "a metric that is skipped leaves a trace")


@holds("harness-evaluate-dimension-added", _metrics)
def _dimension_added(asker: Asker, metrics: Any) -> None:
    expected = [metric["dimension"] for metric in metrics if "score" in metric["measure"]]
    dimensions = [score.get("metadata", {}).get("dimension") for score in _scores(asker, metrics)]
    asker.equal(expected, dimensions, "the list of dimensions in the metadata")


_KEPT = ("safety", "Safety", "other", "", "10")


@holds(
    "harness-evaluate-dimension-kept",
    lambda source: (_scoring(source), plain_value(source), source.pick(_KEPT)),
)
def _dimension_kept(asker: Asker, drawn: Any) -> None:
    metric, value, dimension = drawn
    metadata = {"text": json.dumps({"dimension": dimension})}
    fields = {"name": None, "value": value, "threshold": None, "reason": None, "metadata": metadata}
    measure = {"score": {**fields, "clamped": False, "passed": None}}
    (score,) = _scores(asker, [{**metric, "measure": measure}])
    asker.equal({"dimension": dimension}, score["metadata"], "the metadata that had a dimension")


@holds("harness-evaluate-async-alike", _metrics)
def _async_alike(asker: Asker, metrics: Any) -> None:
    in_order, awaited = _input(metrics), _input(metrics, "a_evaluate")
    asker.same(_OP, in_order, awaited, "metrics without an asynchronous measure differ when awaited")


@holds(
    "harness-evaluate-own-async-measure",
    lambda source: (_metrics(source), [_scoring(source) for _ in range(5)]),
)
def _own_async_measure(asker: Asker, drawn: Any) -> None:
    metrics, awaited = drawn
    both = [{**metric, "a_measure": own["measure"]} for metric, own in zip(metrics, awaited, strict=False)]
    swapped = [{**metric, "measure": metric["a_measure"], "a_measure": None} for metric in both]
    asker.same(_OP, _input(metrics), _input(both), "evaluating in order calls a_measure")
    asker.same(_OP, _input(swapped), _input(both, "a_evaluate"), "awaiting does not call a_measure")


@holds("harness-evaluate-assert-test", _metrics)
def _assert_test(asker: Asker, metrics: Any) -> None:
    scores = _scores(asker, metrics)
    if all(score["passed"] for score in scores):
        asker.same(_OP, _input(metrics), _input(metrics, "assert_test"), "the assertion gives other scores")
    else:
        asker.refused(_OP, _input(metrics, "assert_test"), "AssertionError")
