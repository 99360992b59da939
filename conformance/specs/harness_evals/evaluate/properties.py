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
    made = {"name": None, "value": plain_value(source), "threshold": None, "reason": None, "metadata": None}
    return {"score": {**made, "clamped": False, "passed": None}}


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


def _place(source: Source) -> int:
    return source.below(6)


def _of(metrics: list[Any], entry: str = "evaluate") -> dict[str, Any]:
    return {"entry": entry, "metrics": metrics}


def _scores(asker: Asker, metrics: list[Any], entry: str = "evaluate") -> list[Any]:
    found: list[Any] = read(asker.ok(_OP, _of(metrics, entry)), _FILE)
    return found


def _with(metrics: list[Any], place: int, metric: Any) -> list[Any]:
    return [*metrics[:place], metric, *metrics[place:]]


def _entry(source: Source) -> str:
    return source.pick(("evaluate", "a_evaluate"))


@holds("harness-evaluate-in-order", lambda source: (_metrics(source), _entry(source)))
def _in_order(asker: Asker, given: Any) -> None:
    metrics, entry = given
    expected = [metric["name"] for metric in metrics if "score" in metric["measure"]]
    asker.equal(
        expected, [score["name"] for score in _scores(asker, metrics, entry)], "the list of scores' names"
    )


@holds("harness-evaluate-metrics-apart", lambda source: (_metrics(source), _place(source)), examples=100)
def _metrics_are_separate(asker: Asker, given: Any) -> None:
    metrics, place = given
    parts = [*_scores(asker, metrics[:place]), *_scores(asker, metrics[place:])]
    asker.equal(parts, _scores(asker, metrics), "what all metrics give together")


@holds(
    "harness-evaluate-raising-disturbs-nobody",
    lambda source: (_metrics(source), _place(source), _raising(source), _entry(source)),
)
def _raising_disturbs_nobody(asker: Asker, given: Any) -> None:
    metrics, place, raising, entry = given
    place = min(place, len(metrics))
    others = _scores(asker, metrics, entry)
    found = _scores(asker, _with(metrics, place, raising), entry)
    before = sum("score" in metric["measure"] for metric in metrics[:place])
    asker.equal(len(others) + 1, len(found), "the number of scores next to one that raises")
    asker.equal(
        others, [*found[:before], *found[before + 1 :]], "what the others give next to one that raises"
    )
    raised = found[before]
    message = raising["measure"]["raises"]["message"]
    asker.equal(f"Metric raised: {message}", raised.get("reason"), "the reason of a metric that raised")
    asker.holds(raised["value"] == 0, f"the value of a metric that raised is {raised['value']!r}")


@holds(
    "harness-evaluate-skipped-leaves-no-trace",
    lambda source: (_metrics(source), _place(source), _skipping(source), _entry(source)),
)
def _skipped_leaves_no_trace(asker: Asker, given: Any) -> None:
    metrics, place, skipping, entry = given
    one, other = _of(metrics, entry), _of(_with(metrics, place, skipping), entry)
    asker.same(_OP, one, other, "a metric that is skipped leaves a trace")


@holds("harness-evaluate-dimension-added", _metrics)
def _dimension_added(asker: Asker, given: Any) -> None:
    expected = [metric["dimension"] for metric in given if "score" in metric["measure"]]
    found = [score.get("metadata", {}).get("dimension") for score in _scores(asker, given)]
    asker.equal(expected, found, "the list of dimensions in the metadata")


_KEPT = ("safety", "Safety", "other", "", "10")


@holds(
    "harness-evaluate-dimension-kept",
    lambda source: (_scoring(source), plain_value(source), source.pick(_KEPT)),
)
def _dimension_kept(asker: Asker, given: Any) -> None:
    metric, value, dimension = given
    metadata = {"text": json.dumps({"dimension": dimension})}
    made = {"name": None, "value": value, "threshold": None, "reason": None, "metadata": metadata}
    measure = {"score": {**made, "clamped": False, "passed": None}}
    (score,) = _scores(asker, [{**metric, "measure": measure}])
    asker.equal({"dimension": dimension}, score["metadata"], "the metadata that had a dimension")


@holds("harness-evaluate-async-alike", _metrics)
def _async_alike(asker: Asker, given: Any) -> None:
    one, other = _of(given), _of(given, "a_evaluate")
    asker.same(_OP, one, other, "metrics without an asynchronous measure differ when awaited")


@holds(
    "harness-evaluate-own-async-measure",
    lambda source: (_metrics(source), [_scoring(source) for _ in range(5)]),
)
def _own_async_measure(asker: Asker, given: Any) -> None:
    metrics, others = given
    both = [{**metric, "a_measure": other["measure"]} for metric, other in zip(metrics, others, strict=False)]
    swapped = [{**metric, "measure": metric["a_measure"], "a_measure": None} for metric in both]
    asker.same(_OP, _of(metrics), _of(both), "evaluating in order calls a_measure")
    asker.same(_OP, _of(swapped), _of(both, "a_evaluate"), "awaiting does not call a_measure")


@holds("harness-evaluate-assert-test", _metrics)
def _assert_test(asker: Asker, given: Any) -> None:
    scores = _scores(asker, given)
    if all(score["passed"] for score in scores):
        asker.same(_OP, _of(given), _of(given, "assert_test"), "the assertion gives other scores")
    else:
        asker.refused(_OP, _of(given, "assert_test"), "AssertionError")
