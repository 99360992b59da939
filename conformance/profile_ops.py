"""The operations of the specs beside harbor 0.13.1: metric scripts, EvSys metrics, harness-evals metrics."""

from conformance.op import Op, ops_of

__all__ = ["PROFILE_OPS"]

_script = ops_of("harbor-metric")
_evsys = ops_of("evsys")
_harness = ops_of("harness-evals")


def _does(*places: str) -> str:
    """The paths of what a metric described at each place scores or returns."""
    inside = ("score/value", "score/threshold", "returns")
    return " ".join(f"{place}/{path}" for place in places for path in inside)


PROFILE_OPS: tuple[Op, ...] = (
    _script("rewards_jsonl", "metric-script", input_numbers="rewards/*/*", ok_json_lines="rewards.jsonl"),
    _script("metric_script", "metric-script", input_numbers="rewards/*/*", ok_parsed="metric.json"),
    _evsys("evsys.compute", "evsys", input_numbers="task_rewards/*/*", ok_numbers="value"),
    _evsys(
        "evsys.registry",
        "evsys",
        input_numbers="actions/*/task_rewards/*/* classes/*/returns",
        ok_numbers="results/*/values/*",
    ),
    _harness(
        "harness.score",
        "harness-evals",
        input_numbers="value threshold scoring_duration_ms",
        ok_files="score.json",
    ),
    _harness(
        "harness.metric", "harness-evals", input_numbers="threshold k others/*", ok_numbers="threshold k"
    ),
    _harness(
        "harness.evaluate",
        "harness-evals",
        input_numbers="metrics/*/threshold " + _does("metrics/*/measure", "metrics/*/a_measure"),
        ok_files="scores.json",
    ),
    _harness(
        "harness.reliability",
        "harness-evals",
        input_numbers="threshold k " + _does("measure_runs", "a_measure_runs"),
        ok_files="score.json",
    ),
    _harness(
        "harness.operational",
        "harness-evals",
        input_numbers="maximum threshold case/latency_ms case/token_count case/cost_usd case/retry_count "
        "case/messages/*/latency_ms case/messages/*/token_count",
        ok_files="score.json",
    ),
    _harness(
        "harness.dimensions",
        "harness-evals",
        input_numbers="cases/*/*/value cases/*/*/threshold",
        ok_files="summary.json",
    ),
    _harness(
        "harness.json",
        "harness-evals",
        input_numbers="cases/*/scores/*/value cases/*/scores/*/threshold "
        "cases/*/scores/*/scoring_duration_ms",
        ok_json_lines="results.jsonl",
    ),
    _harness(
        "harness.template",
        "harness-evals",
        input_numbers="threshold given/latency_ms given/max_value given/value given/vectors/*/*",
        ok_files="score.json",
    ),
)
