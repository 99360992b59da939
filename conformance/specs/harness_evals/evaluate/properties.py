"""What holds wherever the metrics of a case are evaluated (004 §4.3, §8)."""

import json
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.harness import harness, names, scoring, thresholds, units
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "harness.evaluate"
_RELIABILITY = "harness.reliability"
_FILE = "scores.json"
_lists = st.lists(scoring(), max_size=5)
_skipping = scoring().map(lambda metric: {**metric, "measure": {"returns": None}})


@st.composite
def _raising(draw: Any) -> dict[str, Any]:
    error = draw(st.sampled_from(("ValueError", "RuntimeError", "AssertionError", "ZeroDivisionError")))
    message = draw(st.sampled_from(("boom", "", "two\nlines", "é")))
    return {**draw(scoring()), "measure": {"raises": {"type": error, "message": message}}}


def _of(metrics: list[Any], entry: str = "evaluate") -> dict[str, Any]:
    return {"entry": entry, "metrics": metrics}


def _scores(asker: Asker, metrics: list[Any], entry: str = "evaluate") -> list[Any]:
    found: list[Any] = read(asker.ok(_OP, _of(metrics, entry)), _FILE)
    return found


def _with(metrics: list[Any], place: int, metric: Any) -> list[Any]:
    return [*metrics[:place], metric, *metrics[place:]]


_entries = st.sampled_from(("evaluate", "a_evaluate"))


@holds("harness-evaluate-in-order", st.tuples(_lists, _entries))
def _in_order(asker: Asker, given: Any) -> None:
    metrics, entry = given
    due = [metric["name"] for metric in metrics if "score" in metric["measure"]]
    asker.equal(due, [score["name"] for score in _scores(asker, metrics, entry)], "the list of scores' names")


@holds("harness-evaluate-metrics-apart", st.tuples(_lists, st.integers(0, 5)))
def _metrics_apart(asker: Asker, given: Any) -> None:
    metrics, place = given
    parts = [*_scores(asker, metrics[:place]), *_scores(asker, metrics[place:])]
    asker.equal(parts, _scores(asker, metrics), "what all metrics give together")


@holds("harness-evaluate-raising-disturbs-nobody", st.tuples(_lists, st.integers(0, 5), _raising(), _entries))
def _raising_disturbs_nobody(asker: Asker, given: Any) -> None:
    metrics, place, raising, entry = given
    place = min(place, len(metrics))
    others = _scores(asker, metrics, entry)
    found = _scores(asker, _with(metrics, place, raising), entry)
    before = sum("score" in metric["measure"] for metric in metrics[:place])
    asker.equal(len(others) + 1, len(found), "the number of scores beside one that raises")
    asker.equal(
        others, [*found[:before], *found[before + 1 :]], "what the others give beside one that raises"
    )
    raised = found[before]
    message = raising["measure"]["raises"]["message"]
    asker.equal(f"Metric raised: {message}", raised.get("reason"), "the reason of a metric that raised")
    asker.holds(raised["value"] == 0, f"the value of a metric that raised is {raised['value']!r}")


@holds("harness-evaluate-skipped-leaves-no-trace", st.tuples(_lists, st.integers(0, 5), _skipping, _entries))
def _skipped_leaves_no_trace(asker: Asker, given: Any) -> None:
    metrics, place, skipping, entry = given
    one, other = _of(metrics, entry), _of(_with(metrics, place, skipping), entry)
    asker.same(_OP, one, other, "a metric that is skipped leaves a trace")


@holds("harness-evaluate-dimension-added", _lists)
def _dimension_added(asker: Asker, given: Any) -> None:
    due = [metric["dimension"] for metric in given if "score" in metric["measure"]]
    found = [score.get("metadata", {}).get("dimension") for score in _scores(asker, given)]
    asker.equal(due, found, "the list of dimensions in the metadata")


_kept = st.sampled_from(("safety", "Safety", "other", "", "10"))


@holds("harness-evaluate-dimension-kept", st.tuples(scoring(), units, _kept))
def _dimension_kept(asker: Asker, given: Any) -> None:
    metric, value, dimension = given
    metadata = {"text": json.dumps({"dimension": dimension})}
    made = {"name": None, "value": value, "threshold": None, "reason": None, "metadata": metadata}
    measure = {"score": {**made, "clamped": False, "passed": None}}
    (score,) = _scores(asker, [{**metric, "measure": measure}])
    asker.equal({"dimension": dimension}, score["metadata"], "the metadata that had a dimension")


@holds("harness-evaluate-async-alike", _lists)
def _async_alike(asker: Asker, given: Any) -> None:
    one, other = _of(given), _of(given, "a_evaluate")
    asker.same(_OP, one, other, "metrics without an asynchronous measure differ when awaited")


@holds("harness-evaluate-own-async-measure", st.tuples(_lists, st.lists(scoring(), min_size=5, max_size=5)))
def _own_async_measure(asker: Asker, given: Any) -> None:
    metrics, others = given
    both = [{**metric, "a_measure": other["measure"]} for metric, other in zip(metrics, others, strict=False)]
    swapped = [{**metric, "measure": metric["a_measure"], "a_measure": None} for metric in both]
    asker.same(_OP, _of(metrics), _of(both), "evaluating in order calls a_measure")
    asker.same(_OP, _of(swapped), _of(both, "a_evaluate"), "awaiting does not call a_measure")


@holds("harness-evaluate-assert-test", _lists)
def _assert_test(asker: Asker, given: Any) -> None:
    scores = _scores(asker, given)
    if all(score["passed"] for score in scores):
        asker.same(_OP, _of(given), _of(given, "assert_test"), "the assertion gives other scores")
    else:
        asker.refused(_OP, _of(given, "assert_test"), "AssertionError")


_texts = st.sampled_from(("a", "b", "A", "é", ""))
_runs = st.lists(_texts, max_size=8)
_methods = st.sampled_from(("measure", "a_measure", "evaluate", "a_evaluate"))


def _reliability(runs: Any, threshold: Any = 1.0, **others: Any) -> dict[str, Any]:
    fields = {"entry": "measure", "k": 5, "measure_runs": "majority", "a_measure_runs": None}
    return {**fields, "threshold": threshold, "runs": runs, **others}


@holds("harness-reliability-no-runs-not-asked", st.tuples(harness(_RELIABILITY), st.sampled_from(([], None))))
def _no_runs_not_asked(asker: Asker, given: Any) -> None:
    described, none = given
    answer = asker.ok(_RELIABILITY, {**described, "runs": none})
    asker.equal([], answer["calls"], "the list of calls without runs")
    score = read(answer)
    asker.holds(score["value"] == 0, f"the value without runs is {score['value']!r}")


_ks = st.sampled_from((0, 1, 2, 5, 10))


@holds("harness-reliability-k-not-enforced", st.tuples(harness(_RELIABILITY), _ks))
def _k_not_enforced(asker: Asker, given: Any) -> None:
    described, k = given
    asker.same(_RELIABILITY, described, {**described, "k": k}, "the number of runs expected matters")


@st.composite
def _permuted(draw: Any) -> tuple[list[str], list[str]]:
    runs = draw(_runs)
    return runs, draw(st.permutations(runs))


@holds("harness-reliability-majority-in-any-order", st.tuples(_permuted(), thresholds, _methods))
def _majority_in_any_order(asker: Asker, given: Any) -> None:
    (one, other), threshold, entry = given
    left, right = (_reliability(runs, threshold, entry=entry) for runs in (one, other))
    asker.same(_RELIABILITY, left, right, "the order of runs matters")


@holds("harness-reliability-majority-is-a-share", _runs)
def _majority_is_a_share(asker: Asker, given: Any) -> None:
    due = max(Counter(given).values()) / len(given) if len(given) > 1 else 0.0
    asker.equal(
        due, read(asker.ok(_RELIABILITY, _reliability(given)))["value"], "the share of the most frequent"
    )


@holds("harness-reliability-any-names", st.tuples(_runs, st.sampled_from(("x", "é ", "\n"))))
def _any_names(asker: Asker, given: Any) -> None:
    runs, prefix = given
    renamed = [prefix + run for run in runs]
    asker.same(_RELIABILITY, _reliability(runs), _reliability(renamed), "what the outputs are matters")


@holds("harness-reliability-raises-unless-evaluated", st.tuples(_runs.filter(bool), _methods, names))
def _raises_unless_evaluated(asker: Asker, given: Any) -> None:
    runs, entry, message = given
    raises = {"raises": {"type": "RuntimeError", "message": message}}
    described = _reliability(runs, entry=entry, measure_runs=raises)
    if entry in ("measure", "a_measure"):
        asker.refused(_RELIABILITY, described, "RuntimeError")
        return
    answer = asker.answer(_RELIABILITY, described)
    asker.holds(isinstance(answer, Ok), "evaluating does not catch what measure_runs raises")
