"""What a conforming runner reports for a dataset: for each task, and for its job as a whole.

A task's answer is that of the vector it plays, and so the oracle's; the reference gives the
others, and the job's: the reference is held equal to the oracle by the kit's own tests.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.extensions.dataset.situations import Dataset, Scene, Situation, situations
from conformance.extensions.dataset.tasks import step_names
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
"""The agent that the expectations are for: it does nothing and counts no tokens."""

SEPARATOR = "__"
_DEFAULT_METRIC = "mean"

Json = dict[str, Any]


def expected_dataset(dataset: Dataset, vectors: Mapping[str, Vector]) -> Json:
    """The dataset's entry in the manifest."""
    made = situations(dataset, vectors)
    tasks = [_task(situation, vectors) for situation in made]
    return {
        "name": dataset.name,
        "about": dataset.about,
        "attempts": dataset.attempts,
        "tasks": tasks,
        "job": _job(dataset, tasks),
    }


# Tasks


def _task(situation: Situation, vectors: Mapping[str, Vector]) -> Json:
    verified, exception, steps = _expected(situation)
    found: Json = {
        "rewards": encode_rewards(verified.rewards) if verified else None,
        "verified": verified is not None,
        "exception": exception,
    }
    if situation.vector is not None:
        _agree(found, len(steps or ()), vectors[situation.vector])
    return {
        "name": situation.name,
        "rule": situation.rule,
        "clause": situation.clause,
        "vector": situation.vector,
        "catches": situation.catches,
        **found,
        "steps": steps,
    }


def _expected(situation: Situation) -> tuple[VerifierResult | None, str | None, list[Json] | None]:
    """The trial's verifier result, the type of its exception, and its steps."""
    if not situation.multi_step:
        result, exception = _verify(situation.scenes[0])
        return result, exception, None
    ran: list[tuple[Step, Json]] = []
    for name, scene in zip(step_names(situation), situation.scenes, strict=True):
        result, exception = _verify(scene)
        minimum = scene.min_reward
        if isinstance(minimum, dict):
            minimum = {key: decode_number(value) for key, value in minimum.items()}
        elif minimum is not None:
            minimum = decode_number(minimum)
        entry = {
            "name": name,
            "rewards": encode_rewards(result.rewards) if result else None,
            "verified": result is not None,
            "exception": exception,
        }
        ran.append((Step(result, exception, validate_min_reward(minimum)), entry))
    total, count = multi_step_reward(Strategy(situation.strategy or "mean"), [step for step, _ in ran])
    return total, None, [entry for _, entry in ran[:count]]


def _verify(scene: Scene) -> tuple[VerifierResult | None, str | None]:
    try:
        return VerifierResult(parse_reward(scene.files)), None
    except (VerifierError, ValidationError, RecursionError) as error:
        return None, type(error).__name__


def _agree(found: Json, steps: int, vector: Vector) -> None:
    """Hold the reference's answer to the vector's, which is the oracle's."""
    answer: Json = vector.expected or {}
    if "error" in answer:
        told = {"rewards": None, "verified": False, "exception": answer["error"]["type"]}
    elif "verifier_result" in answer["ok"]:
        result = answer["ok"]["verifier_result"]
        told = {"rewards": result and result["rewards"], "verified": result is not None, "exception": None}
        if steps != answer["ok"]["steps_run"]:
            raise ValueError(f"{vector.id} runs {answer['ok']['steps_run']} steps, not {steps}")
    else:
        told = {"rewards": answer["ok"]["rewards"], "verified": True, "exception": None}
    if repr(_sorted(told)) != repr(_sorted(found)):
        raise ValueError(f"the reference and {vector.id} differ: {found} and {told}")


def _sorted(answer: Json) -> Json:
    """Without an order of keys, which is free for steps (erratum E6)."""
    rewards = answer["rewards"]
    return answer | {"rewards": dict(sorted(rewards.items())) if rewards else rewards}


# The job


def _job(dataset: Dataset, tasks: Sequence[Json]) -> Json:
    by_name = {task["name"]: task for task in tasks}
    plan = [by_name[name] for name, _ in plan_trials(dataset.attempts, list(by_name), [AGENT])]
    rewards = [_rewards(task) for task in plan]
    errors = Counter(task["exception"] for task in plan if task["exception"])
    group: Json = {
        "n_trials": sum(reward is not None for reward in rewards),
        "n_errors": errors.total(),
        "metrics": _metrics(dataset, rewards),
        "pass_at_k": {
            str(k): value
            for k, value in pass_at_k(
                [GradedTrial(task["name"], reward) for task, reward in zip(plan, rewards, strict=True)]
            ).items()
        },
        "reward_stats": reward_counts(rewards),
        "exception_stats": dict(sorted(errors.items())),
    }
    counters = {
        "n_total_trials": len(plan),
        "n_completed_trials": len(plan),
        "n_errored_trials": errors.total(),
    }
    key = evals_key(AGENT, None, dataset.name)
    return {"evals_key": key, **counters, "group": group, "line": _line(counters, key, group)}


def _rewards(task: Json) -> Rewards | None:
    if task["rewards"] is None:
        return None
    return {key: decode_number(value) for key, value in task["rewards"].items()}


def _metrics(dataset: Dataset, rewards: Sequence[Rewards | None]) -> list[Json]:
    """One mean, unless the group's key leads to another dataset's metrics (erratum E7)."""
    if SEPARATOR in dataset.name:
        return []
    values = aggregate(_DEFAULT_METRIC, rewards)
    return [{key: value if math.isfinite(value) else None for key, value in values.items()}]


def reward_counts(rewards: Sequence[Rewards | None]) -> dict[str, dict[str, int]]:
    """How many trials have each value, by reward key; values as result.json spells its keys."""
    counts: dict[str, Counter[str]] = {}
    for reward in rewards:
        for key, value in (reward or {}).items():
            counts.setdefault(key, Counter())[repr(value)] += 1
    return {key: dict(sorted(counter.items())) for key, counter in sorted(counts.items())}


def _line(counters: Json, key: str, group: Json) -> str:
    stats = {name: counters[name] for name in ("n_completed_trials", "n_errored_trials")}
    result = {
        "n_total_trials": counters["n_total_trials"],
        "stats": {**stats, "evals": {key: {"metrics": group["metrics"]}}},
    }
    return summarise(json.dumps(result).encode()).line()
