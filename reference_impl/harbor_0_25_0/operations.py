"""The operations that the reference answers for harbor 0.25.0: the changed ones, and all others as before."""

from collections.abc import Callable
from typing import Any

from ..metric_resolution import Dataset, DatasetKind
from ..pipeline import pipeline
from ..runner.operations import OPERATIONS as BASE
from ..runner.wire import decode_files, decode_number, encode_content, encode_rewards
from ..runner.wire_trials import decode_job, decode_unread_trial
from .metric_resolution import resolve_with_sources
from .pipeline import as_before
from .plan import plan_attempts
from .reward import parse_finite_reward
from .step_names import validate_step_names

__all__ = ["OPERATIONS"]


def _parse_reward(given: Any) -> Any:
    return {"rewards": encode_rewards(parse_finite_reward(decode_files(given["files"])))}


def _plan_trials(given: Any) -> Any:
    n_attempts: Any = decode_number(given["n_attempts"])  # an int, by the schema
    return {"trials": plan_attempts(n_attempts, given["tasks"], given["agents"])}


def _multi_step_reward(given: Any) -> Any:
    # A step without a name gets a unique one.
    validate_step_names(step["name"] for step in given["steps"] if "name" in step)
    return BASE["multi_step_reward"](given)


def _resolve_metrics(given: Any) -> Any:
    datasets = [
        Dataset(item["name"], DatasetKind(item["kind"]), item["metrics"], item["metric_py"])
        for item in given["datasets"]
    ]
    return {"metrics": resolve_with_sources(datasets, given["job_metrics"], given.get("sources", []))}


def _pipeline(given: Any) -> Any:
    trials = [as_before(decode_unread_trial(trial)) for trial in given["trials"]]
    result, line = pipeline(decode_job(given), trials)
    return {"result.json": encode_content(result.text().encode("utf-8")), "line": line}


# By the name in a request's `op`, in the order in which the runner lists them.
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    **BASE,
    "parse_reward": _parse_reward,
    "multi_step_reward": _multi_step_reward,
    "plan_trials": _plan_trials,
    "resolve_metrics": _resolve_metrics,
    "pipeline": _pipeline,
}
