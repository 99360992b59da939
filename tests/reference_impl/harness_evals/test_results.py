"""What becomes of scores: the summary and the file (004 §8)."""

import json
from typing import Any

import pytest

from reference_impl.harness_evals import Case, Record, Score, json_lines, measure_operational, summarise

NOTHING = Case(latency_ms=None, token_count=None, cost_usd=None, retry_count=None, messages=None)


def score(value: Any = 1.0, dimension: Any = "correctness", name: str = "m") -> Score:
    return Score(name, value, 0.5, metadata={"dimension": dimension})


def test_safety_is_counted_apart() -> None:
    summary = summarise([[score(1.0), score(0.0, "safety", "pii")], [score(1.0), None]])
    assert (summary.quality_pass_rate, summary.safety_pass_rate, summary.safety_violations) == (1.0, 0.0, 1)
    assert summary.total_cases == 2


def test_nothing_has_rates_of_zero() -> None:
    summary = summarise([])
    assert (summary.quality_pass_rate, summary.safety_pass_rate, summary.safety_violations) == (0.0, 0.0, 0)


@pytest.mark.parametrize("dimension", [None, "", [], "Safety"])
def test_only_the_word_itself_is_safety(dimension: Any) -> None:
    assert summarise([[score(0.0, dimension)]]).safety_violations == 0


def test_means_have_the_bits_of_312() -> None:
    assert summarise([[score(0.1) for _ in range(10)]]).by_metric["m"].mean == 0.1


def test_the_last_line_is_the_summary() -> None:
    record = Record("q", None, {"golden_id": "g"}, [score(0.125, "performance"), score(1, "safety")])
    text = json_lines([record], with_summary=True)
    assert text is not None
    first, last = map(json.loads, text.splitlines())
    assert list(first) == ["input", "scores", "id"]
    assert list(last["dimensions"]) == ["safety", "performance"]
    assert last["dimensions"]["performance"]["mean"] == 0.12
    assert "violations" not in last["dimensions"]["safety"]
    assert json_lines([], with_summary=True) is None


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("latency", "latency_ms"),
        ("token_cost", "token_count"),
        ("cost_efficiency", "cost_usd"),
        ("retry_count", "retry_count"),
        ("turn_latency", "messages"),
        ("turn_token_cost", "messages"),
    ],
)
def test_a_missing_field_fails_by_its_name(name: str, field: str) -> None:
    measured, missing = measure_operational(name, NOTHING, None, None)
    assert (measured.value, measured.passed, missing) == (0.0, False, field)
    assert measure_operational(name, NOTHING, None, 0)[0].passed
