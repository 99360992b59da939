"""The operations that the reference answers: a request's `input` in, its reply's `ok` out (PROTOCOL.md).

To add an operation for harbor's rules, add a function here and a line to `OPERATIONS`. A function decodes
the input (`wire`, `wire_trials`), calls the rule of the same name, and encodes the result; exceptions from
the rule propagate. The other specifications have tables of their own in the same form.
"""

from collections.abc import Callable
from typing import Any

from ..aggregation import aggregate
from ..evals_key import evals_key
from ..evsys.operations import OPERATIONS as EVSYS_OPERATIONS
from ..harness_evals.operations import OPERATIONS as HARNESS_OPERATIONS
from ..job_result import job_result
from ..metric_resolution import Dataset, DatasetKind, resolve_metrics
from ..multi_step import multi_step_reward
from ..outcome import read_outcome, result_score, summarise
from ..pass_at_k import GradedTrial, pass_at_k
from ..pipeline import pipeline
from ..plan import plan_trials
from ..reason_code import reason_code
from ..reward import REWARD_TEXT, parse_reward
from ..scores import GroupScore, TrialRecord, scores
from ..terminal_bench import terminal_bench_reward
from .metric_operations import OPERATIONS as SCRIPT_OPERATIONS
from .wire import (
    decode_content,
    decode_files,
    decode_number,
    decode_rewards,
    encode_content,
    encode_number,
    encode_rewards,
)
from .wire_trials import decode_job, decode_step, decode_strategy, decode_trial, decode_unread_trial

__all__ = ["OPERATIONS"]


def _parse_reward(given: Any) -> Any:
    return {"rewards": encode_rewards(parse_reward(decode_files(given["files"])))}


def _terminal_bench_reward(given: Any) -> Any:
    content = terminal_bench_reward(int(decode_number(given["exit_code"])))
    return {REWARD_TEXT: encode_content(content)}


def _aggregate(given: Any) -> Any:
    rewards = [decode_rewards(reward) for reward in given["rewards"]]
    return encode_rewards(aggregate(given["metric"], rewards))


def _evals_key(given: Any) -> Any:
    return {"evals_key": evals_key(given["agent"], given["model"], given["source"])}


def _pass_at_k(given: Any) -> Any:
    trials = [GradedTrial(t["task"], decode_rewards(t["rewards"])) for t in given["trials"]]
    return {str(k): value for k, value in pass_at_k(trials).items()}


def _multi_step_reward(given: Any) -> Any:
    steps = [decode_step(step) for step in given["steps"]]
    result, steps_run = multi_step_reward(decode_strategy(given["strategy"]), steps)
    rewards = None if result is None else {"rewards": encode_rewards(result.rewards)}
    return {"verifier_result": rewards, "steps_run": steps_run}


def _plan_trials(given: Any) -> Any:
    n_attempts = int(decode_number(given["n_attempts"]))
    return {"trials": plan_trials(n_attempts, given["tasks"], given["agents"])}


def _resolve_metrics(given: Any) -> Any:
    datasets = [
        Dataset(item["name"], DatasetKind(item["kind"]), item["metrics"], item["metric_py"])
        for item in given["datasets"]
    ]
    return {"metrics": resolve_metrics(datasets, given["job_metrics"])}


def _job_result(given: Any) -> Any:
    result = job_result(decode_job(given), [decode_trial(trial) for trial in given["trials"]])
    return {"result.json": encode_content(result.text().encode("utf-8"))}


def _pipeline(given: Any) -> Any:
    trials = [decode_unread_trial(trial) for trial in given["trials"]]
    result, line = pipeline(decode_job(given), trials)
    return {"result.json": encode_content(result.text().encode("utf-8")), "line": line}


def _scores(given: Any) -> Any:
    records = [
        TrialRecord(
            group=trial["group"],
            task=trial["task"],
            rewards=decode_rewards(trial["rewards"]),
            exception=None if trial["exception"] is None else trial["exception"]["type"],
        )
        for trial in given["trials"]
    ]
    return {"groups": {group: _group_score(score) for group, score in scores(records).items()}}


def _group_score(score: GroupScore) -> Any:
    return {
        "n": score.n,
        "n_scored": score.n_scored,
        "n_errors": score.n_errors,
        "mean": encode_rewards(score.mean),
        "pass_at_k": {str(k): value for k, value in score.pass_at_k.items()},
    }


def _outcome(given: Any) -> Any:
    content = given["result.json"]
    return {"line": summarise(None if content is None else decode_content(content)).line()}


def _result_score(given: Any) -> Any:
    content = given["result.json"]
    return {"score": result_score(None if content is None else decode_content(content))}


def _reason_code(given: Any) -> Any:
    return {"reason_code": reason_code(given["text"])}


def _read_outcome(given: Any) -> Any:
    returncode = int(decode_number(given["returncode"]))
    outcome = read_outcome(given["stdout"], returncode, given["timed_out"])
    return {
        "status": outcome.status,
        "score": encode_number(outcome.score),
        "reason_code": outcome.reason_code,
    }


# By the name in a request's `op`, in the order in which the runner lists them.
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "parse_reward": _parse_reward,
    "terminal_bench_reward": _terminal_bench_reward,
    "aggregate": _aggregate,
    "evals_key": _evals_key,
    "pass_at_k": _pass_at_k,
    "multi_step_reward": _multi_step_reward,
    "plan_trials": _plan_trials,
    "resolve_metrics": _resolve_metrics,
    "job_result": _job_result,
    "pipeline": _pipeline,
    "scores": _scores,
    "outcome": _outcome,
    "reason_code": _reason_code,
    "read_outcome": _read_outcome,
    "result_score": _result_score,
    **SCRIPT_OPERATIONS,
    **EVSYS_OPERATIONS,
    **HARNESS_OPERATIONS,
}
