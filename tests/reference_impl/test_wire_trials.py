"""Jobs, trials and steps in the runner protocol's messages, and the operations that take them."""

import json
import math
from typing import Any

import pytest

from reference_impl.agent_result import AgentResult
from reference_impl.errors import ValidationError
from reference_impl.job_result import Trial
from reference_impl.multi_step import Step, Strategy
from reference_impl.pipeline import UnreadStep
from reference_impl.runner.serving import reply
from reference_impl.runner.wire_trials import decode_job, decode_step, decode_trial, decode_unread_trial
from reference_impl.verifier_result import VerifierResult

IDENTITY: dict[str, Any] = {
    "task_name": "t",
    "trial_name": "x",
    "source": None,
    "agent_info": {"name": "a", "model_info": {"name": "m"}},
}
NOTHING = dict.fromkeys(("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"))
NO_RESULT: dict[str, Any] = {"agent_result": None, "exception_info": None}
JOB: dict[str, Any] = {
    "id": "0d0d0d0d-0000-4000-8000-000000000000",
    "started_at": "2026-01-02T03:04:05",
    "updated_at": None,
    "finished_at": None,
    "n_total_trials": "1",
    "n_retries": 0,
    "metrics": {"adhoc": ["mean"]},
}


def ask(op: str, given: object) -> Any:
    return json.loads(reply(json.dumps({"id": 7, "op": op, "input": given}).encode()))["ok"]


def test_a_trial() -> None:
    given = {
        **IDENTITY,
        "agent_result": {**NOTHING, "n_input_tokens": "12", "cost_usd": 1},
        "step_results": [{"agent_result": None}, {"agent_result": NOTHING}],
        "verifier_result": {"rewards": {"r": "1.0"}},
        "exception_info": {"exception_type": "E", "exception_message": "ignored"},
    }
    result = AgentResult(12, cost_usd=1.0)
    expected = Trial("t", "x", None, "a", "m", VerifierResult({"r": 1.0}), "E", result, [None, AgentResult()])
    assert repr(decode_trial(given)) == repr(expected)


def test_a_trial_with_nothing() -> None:
    given = {**IDENTITY, **NO_RESULT, "step_results": None, "verifier_result": None}
    given["agent_info"] = {"name": "a", "model_info": None}
    assert decode_trial(given) == Trial("t", "x", None, "a", None)
    assert decode_trial({**given, "verifier_result": {"rewards": None}}).verifier_result == VerifierResult()


def test_each_nan_is_its_own() -> None:
    given = {**IDENTITY, **NO_RESULT, "step_results": None, "verifier_result": {"rewards": {"r": "NaN"}}}
    first, second = (decode_trial(given).verifier_result for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.rewards is not None
    assert second.rewards is not None
    assert math.isnan(first.rewards["r"])
    assert first.rewards["r"] is not second.rewards["r"]


def test_unread_trials() -> None:
    one_step: dict[str, Any] = {**IDENTITY, **NO_RESULT, "steps": None, "strategy": None}
    read = decode_unread_trial({**one_step, "files": {"reward.txt": {"text": "1"}}})
    assert (read.files, read.steps) == ({"reward.txt": b"1"}, None)
    steps = [{"files": None, "exception": "E", "min_reward": "0.5", "agent_result": NOTHING}]
    read = decode_unread_trial({**one_step, "files": None, "steps": steps, "strategy": "final"})
    assert (read.files, read.strategy) == (None, Strategy.FINAL)
    assert read.steps == [UnreadStep(None, "E", 0.5, AgentResult())]


def test_a_step() -> None:
    given = {"verifier_result": {"rewards": None}, "exception": None, "min_reward": {"r": 1}}
    assert decode_step(given) == Step(VerifierResult(), None, {"r": 1.0})


def test_what_the_data_model_refuses() -> None:
    given = {**IDENTITY, **NO_RESULT, "step_results": None, "verifier_result": None}
    with pytest.raises(ValidationError, match="cost_usd"):
        decode_trial({**given, "agent_result": {**NOTHING, "cost_usd": 10**400}})


def test_a_job() -> None:
    job = decode_job(JOB)
    assert (job.n_total_trials, job.updated_at, job.metrics) == (1, None, {"adhoc": ["mean"]})


def test_job_result_and_pipeline_agree() -> None:
    recorded = {
        **IDENTITY,
        **NO_RESULT,
        "step_results": None,
        "verifier_result": {"rewards": {"reward": 1.0}},
    }
    unread = {
        **IDENTITY,
        **NO_RESULT,
        "files": {"reward.txt": {"text": "1"}},
        "steps": None,
        "strategy": None,
    }
    result = ask("job_result", {**JOB, "trials": [recorded]})
    answer = ask("pipeline", {**JOB, "trials": [unread]})
    assert answer.pop("line").startswith("BASE_BENCHMARK_RESULT={")
    assert answer == result
    stats = json.loads(result["result.json"]["text"])["stats"]
    assert stats["evals"]["a__m__adhoc"]["metrics"] == [{"mean": 1.0}]


def test_resolve_metrics() -> None:
    datasets = [
        {"name": "o/d", "kind": "package", "metrics": [], "metric_py": True},
        {"name": "r", "kind": "registry", "metrics": ["sum"], "metric_py": True},
        {"name": "l", "kind": "local", "metrics": [], "metric_py": True},
    ]
    answer = ask("resolve_metrics", {"datasets": datasets, "job_metrics": []})
    metrics = {"adhoc": ["mean"], "o/d": ["uv-script"], "r": ["sum"], "l": ["mean"]}
    assert json.dumps(answer) == json.dumps({"metrics": metrics})
