"""Computes the expected results of a dataset: for each task, and for its job.

The result of a task is its vector's answer, which is the oracle's. All others come from the reference, which
the kit's tests compare with the oracle.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.extensions.dataset.tasks import Dataset, Scene, Task, tasks_of
from conformance.suite.vectors import Vector
from reference_impl import (
    GradedTrial,
    Step,
    Strategy,
    ValidationError,
    VerifierError,
    VerifierResult,
    aggregate,
    evals_key,
    multi_step_reward,
    parse_reward,
    pass_at_k,
    plan_trials,
    summarise,
)
from reference_impl.multi_step import validate_min_reward
from reference_impl.runner.wire import decode_number, encode_rewards
from reference_impl.verifier_result import Rewards

__all__ = ["AGENT", "expected_dataset"]

AGENT = "nop"
"""The agent to run, which does nothing and uses no tokens."""

Json = dict[str, Any]


def expected_dataset(dataset: Dataset, vectors: Mapping[str, Vector]) -> Json:
    """Return the dataset's entry in the manifest.

    Raises:
        ValueError: the reference and a vector disagree.
    """
    tasks = [_task(task, vectors) for task in tasks_of(dataset, vectors)]
    return {
        "name": dataset.name,
        "about": dataset.about,
        "attempts": dataset.attempts,
        "tasks": tasks,
        "job": _job(dataset, tasks),
    }


def _task(task: Task, vectors: Mapping[str, Vector]) -> Json:
    steps: list[Json] | None = None
    if task.multi_step:
        ran = [(name, scene, *_verify(scene)) for name, scene in task.scenes.items()]
        planned = [Step(result, exception, _minimum(scene)) for _, scene, result, exception in ran]
        total, count = multi_step_reward(Strategy(task.strategy or "mean"), planned)
        steps = [{"name": name, **_outcome(result, exception)} for name, _, result, exception in ran[:count]]
        outcome = _outcome(total, None)
    else:
        outcome = _outcome(*_verify(task.scenes[""]))
    if task.vector is not None:
        _agree(outcome, len(steps or ()), vectors[task.vector])
    about = {name: getattr(task, name) for name in ("name", "rule", "clause", "vector", "catches")}
    return {**about, **outcome, "steps": steps}


def _verify(scene: Scene) -> tuple[VerifierResult | None, str | None]:
    try:
        return VerifierResult(parse_reward(scene.files)), None
    except (VerifierError, ValidationError, RecursionError) as error:
        return None, type(error).__name__


def _minimum(scene: Scene) -> Any:
    least = scene.min_reward
    if isinstance(least, dict):
        return validate_min_reward({key: decode_number(value) for key, value in least.items()})
    return validate_min_reward(None if least is None else decode_number(least))


def _outcome(result: VerifierResult | None, exception: str | None) -> Json:
    rewards = encode_rewards(result.rewards) if result else None
    return {"rewards": rewards, "verified": result is not None, "exception": exception}


def _agree(outcome: Json, steps: int, vector: Vector) -> None:
    """Check that the reference's answer is the vector's, which is the oracle's."""
    answer: Json = vector.expected or {}
    if "error" in answer:
        wanted = {"rewards": None, "verified": False, "exception": answer["error"]["type"]}
    elif "verifier_result" in answer["ok"]:
        result = answer["ok"]["verifier_result"]
        wanted = {"rewards": result and result["rewards"], "verified": result is not None, "exception": None}
        if steps != answer["ok"]["steps_run"]:
            raise ValueError(f"{vector.id} runs {answer['ok']['steps_run']} steps, not {steps}")
    else:
        wanted = {"rewards": answer["ok"]["rewards"], "verified": True, "exception": None}
    if repr(_sorted(wanted)) != repr(_sorted(outcome)):
        raise ValueError(f"the reference and {vector.id} differ: {outcome} and {wanted}")


def _sorted(answer: Json) -> Json:
    """Sort the keys, whose order is free for steps (erratum E6)."""
    rewards = answer["rewards"]
    return answer | {"rewards": dict(sorted(rewards.items())) if rewards else rewards}


def _job(dataset: Dataset, tasks: Sequence[Json]) -> Json:
    by_name = {task["name"]: task for task in tasks}
    plan = [by_name[name] for name, _ in plan_trials(dataset.attempts, list(by_name), [AGENT])]
    rewards = [_rewards(task) for task in plan]
    graded = [GradedTrial(task["name"], reward) for task, reward in zip(plan, rewards, strict=True)]
    errors = Counter(task["exception"] for task in plan if task["exception"])
    group: Json = {
        "n_trials": sum(reward is not None for reward in rewards),
        "n_errors": errors.total(),
        "metrics": _metrics(dataset, rewards),
        "pass_at_k": {str(k): value for k, value in pass_at_k(graded).items()},
        "reward_stats": _reward_counts(rewards),
        "exception_stats": dict(sorted(errors.items())),
    }
    stats: Json = {"n_completed_trials": len(plan), "n_errored_trials": errors.total()}
    key = evals_key(AGENT, None, dataset.name)
    result = {"n_total_trials": len(plan), "stats": {**stats, "evals": {key: {"metrics": group["metrics"]}}}}
    line = summarise(json.dumps(result).encode()).line()
    return {"evals_key": key, "n_total_trials": len(plan), **stats, "group": group, "line": line}


def _rewards(task: Json) -> Rewards | None:
    if task["rewards"] is None:
        return None
    return {key: decode_number(value) for key, value in task["rewards"].items()}


def _metrics(dataset: Dataset, rewards: Sequence[Rewards | None]) -> list[Json]:
    """Return the mean, unless harbor looks up the metrics under another dataset's name (erratum E7)."""
    if "__" in dataset.name:
        return []
    values = aggregate("mean", rewards)
    return [{key: value if math.isfinite(value) else None for key, value in values.items()}]


def _reward_counts(rewards: Sequence[Rewards | None]) -> dict[str, dict[str, int]]:
    """Count the trials by reward key and value, spelled like the keys of result.json."""
    counts: dict[str, Counter[str]] = {}
    for reward in rewards:
        for key, value in (reward or {}).items():
            counts.setdefault(key, Counter())[repr(value)] += 1
    return {key: dict(sorted(counter.items())) for key, counter in sorted(counts.items())}
