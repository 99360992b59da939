"""Metrics, evaluated: what they keep, what is caught, which method is asked (004 §1, §2, §4.3, §8)."""

from collections.abc import Callable
from typing import Any

import pytest

from reference_impl.harness_evals import (
    Base,
    Dimension,
    Metric,
    Score,
    assert_test,
    construct,
    evaluate,
    measure_reliability,
)
from reference_impl.harness_evals.dimension import PlainText
from reference_impl.harness_evals.evaluate import AnyScore


def gives(value: Any) -> Callable[[Metric], AnyScore]:
    return lambda metric: Score(metric.name, value, metric.threshold)


def raises(error: Exception) -> Callable[[Metric], AnyScore]:
    def measure(_: Metric) -> AnyScore:
        raise error

    return measure


def metric(measure: Callable[[Metric], AnyScore], name: str = "m", **more: Any) -> Metric:
    settings: dict[str, Any] = {
        "dimension": Dimension.CORRECTNESS,
        "threshold": 0.5,
        "a_measure": None,
        **more,
    }
    return Metric(name, measure=measure, **settings)


def test_a_metric_names_its_dimension() -> None:
    arguments = {"name": "m", "treshold": 0.1}
    with pytest.raises(TypeError):
        construct(Base.METRIC, {"measure"}, arguments)
    assert construct(Base.SAFETY, {"measure"}, arguments).dimension is Dimension.SAFETY
    made = construct(Base.RELIABILITY, {"measure_runs"}, {**arguments, "dimension": Dimension.TRAJECTORY})
    assert (made.threshold, made.k) == (1.0, 5)


def test_a_metric_has_the_methods_of_its_base() -> None:
    arguments = {"name": "m", "dimension": Dimension.SAFETY}
    for base, methods in ((Base.METRIC, {"measure_runs"}), (Base.RELIABILITY, {"measure"})):
        with pytest.raises(TypeError):
            construct(base, methods, arguments)


def test_evaluating_goes_on() -> None:
    scores = evaluate([metric(raises(ValueError("boom"))), metric(lambda _: None), metric(gives(1.0), "n")])
    assert [(score.name, score.value, score.reason) for score in scores] == [
        ("m", 0.0, "Metric raised: boom"),
        ("n", 1.0, None),
    ]
    assert [score.metadata for score in scores] == [{"dimension": "correctness"}] * 2


@pytest.mark.parametrize("returned", [0.5, 0, False, "1.0", {"value": 1.0}])
def test_what_is_no_score_is_not_caught(returned: Any) -> None:
    with pytest.raises(AttributeError):
        evaluate([metric(lambda _: returned)])


def test_a_plain_text_is_no_dimension() -> None:
    with pytest.raises(AttributeError):
        evaluate([metric(gives(1.0), dimension=PlainText("safety"))])


def test_a_program_can_be_ended() -> None:
    stop = type("SystemExit", (Exception,), {})
    with pytest.raises(stop):
        evaluate([metric(raises(stop("bye")))])
    (score,) = evaluate([metric(raises(stop("bye")))], asynchronous=True)
    assert score.reason == "Metric raised: bye"


def test_an_assertion_believes_passed() -> None:
    def by_hand(one: Metric) -> Score:
        score = Score(one.name, 0.0, one.threshold)
        score.passed = True
        return score

    assert [score.passed for score in assert_test([metric(by_hand)])] == [True]
    with pytest.raises(AssertionError, match="m"):
        assert_test([metric(gives(0.1))])


@pytest.mark.parametrize(("runs", "called"), [(None, False), ([], False), (["a"], True)])
def test_runs_are_asked_where_there_are_some(runs: list[str] | None, called: bool) -> None:
    measure = measure_reliability(runs, gives(1.0))
    assert (measure(metric(measure)).value == 1.0) is called
