"""Properties of every metric over several runs (004 §4.3)."""

from collections import Counter
from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import name, plain_threshold
from conformance.specs.harness_evals.reliability.draw import reliability
from conformance.wire.messages import Ok

__all__: list[str] = []

_RELIABILITY = "harness.reliability"


def _output(source: Source) -> str:
    return source.pick(("a", "b", "A", "é", ""))


def _runs(source: Source) -> list[str]:
    return source.times(8, _output)


def _method(source: Source) -> str:
    return source.pick(("measure", "a_measure", "evaluate", "a_evaluate"))


def _reliability(runs: Any, threshold: Any = 1.0, **changes: Any) -> dict[str, Any]:
    fields = {"entry": "measure", "k": 5, "measure_runs": "majority", "a_measure_runs": None}
    return {**fields, "threshold": threshold, "runs": runs, **changes}


@holds("harness-reliability-no-runs-not-asked", lambda source: (reliability(source), source.pick(([], None))))
def _no_runs_no_calls(asker: Asker, drawn: Any) -> None:
    described, none = drawn
    answer = asker.ok(_RELIABILITY, {**described, "runs": none})
    asker.equal([], answer["calls"], "the list of calls without runs")
    score = read(answer)
    asker.holds(score["value"] == 0, f"the value without runs is {score['value']!r}")


@holds(
    "harness-reliability-k-not-enforced", lambda source: (reliability(source), source.pick((0, 1, 2, 5, 10)))
)
def _k_not_enforced(asker: Asker, drawn: Any) -> None:
    described, k = drawn
    asker.same(_RELIABILITY, described, {**described, "k": k}, "the number of runs expected matters")


def _in_two_orders(source: Source) -> tuple[list[str], list[str]]:
    runs = _runs(source)
    return runs, source.shuffled(runs)


@holds(
    "harness-reliability-majority-in-any-order",
    lambda source: (_in_two_orders(source), plain_threshold(source), _method(source)),
)
def _majority_in_any_order(asker: Asker, drawn: Any) -> None:
    (listed, shuffled), threshold, entry = drawn
    left, right = (_reliability(runs, threshold, entry=entry) for runs in (listed, shuffled))
    asker.same(_RELIABILITY, left, right, "the order of runs matters")


@holds("harness-reliability-majority-is-a-share", _runs)
def _majority_is_a_share(asker: Asker, runs: Any) -> None:
    expected = max(Counter(runs).values()) / len(runs) if len(runs) > 1 else 0.0
    asker.equal(
        expected, read(asker.ok(_RELIABILITY, _reliability(runs)))["value"], "the share of the most frequent"
    )


@holds("harness-reliability-any-names", lambda source: (_runs(source), source.pick(("x", "é ", "\n"))))
def _any_names(asker: Asker, drawn: Any) -> None:
    runs, prefix = drawn
    renamed = [prefix + run for run in runs]
    asker.same(_RELIABILITY, _reliability(runs), _reliability(renamed), "the texts of the outputs matter")


@holds(
    "harness-reliability-raises-unless-evaluated",
    lambda source: (source.several(8, _output), _method(source), name(source)),
)
def _raises_unless_evaluated(asker: Asker, drawn: Any) -> None:
    runs, entry, message = drawn
    raises = {"raises": {"type": "RuntimeError", "message": message}}
    described = _reliability(runs, entry=entry, measure_runs=raises)
    if entry in ("measure", "a_measure"):
        asker.refused(_RELIABILITY, described, "RuntimeError")
        return
    answer = asker.answer(_RELIABILITY, described)
    asker.holds(isinstance(answer, Ok), "evaluating does not catch what measure_runs raises")
