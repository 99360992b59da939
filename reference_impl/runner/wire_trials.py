"""Decodes jobs, trials and steps in the runner protocol's messages.

A trial is harbor's own record of it, reduced to the parts that the job's result depends on; other members
are ignored, so a whole record is accepted too.
"""

from typing import Any

from ..agent_result import AgentResult, validate_agent_result
from ..job_result import Job, Trial
from ..multi_step import MinReward, Step, Strategy, validate_min_reward
from ..pipeline import UnreadStep, UnreadTrial
from ..verifier_result import VerifierResult
from .wire import decode_files, decode_number, decode_rewards

__all__ = ["decode_job", "decode_step", "decode_strategy", "decode_trial", "decode_unread_trial"]

# Each of these raises KeyError, TypeError or ValueError for an invalid object, and
# ValidationError for a number that harbor's data model refuses.


def decode_job(given: Any) -> Job:
    """A job without its trials."""
    return Job(
        id=given["id"],
        started_at=given["started_at"],
        updated_at=given["updated_at"],
        finished_at=given["finished_at"],
        n_total_trials=int(decode_number(given["n_total_trials"])),
        n_retries=int(decode_number(given["n_retries"])),
        metrics=given["metrics"],
    )


def decode_trial(given: Any) -> Trial:
    """A trial's record."""
    steps = given["step_results"]
    return Trial(
        **_identity(given),
        verifier_result=_verifier_result(given["verifier_result"]),
        exception=_exception(given["exception_info"]),
        agent_result=_agent_result(given["agent_result"]),
        step_results=None if steps is None else [_agent_result(step["agent_result"]) for step in steps],
    )


def decode_unread_trial(given: Any) -> UnreadTrial:
    """A trial with the files of its verifier, or of its steps' verifiers."""
    steps = given["steps"]
    return UnreadTrial(
        **_identity(given),
        exception=_exception(given["exception_info"]),
        agent_result=_agent_result(given["agent_result"]),
        files=_files(given["files"]),
        steps=None if steps is None else [_unread_step(step) for step in steps],
        strategy=decode_strategy(given["strategy"]),
    )


def decode_strategy(given: Any) -> Strategy:
    """`mean` or `final`; null is `mean`."""
    return Strategy.MEAN if given is None else Strategy(given)


def decode_step(given: Any) -> Step:
    """A step with what its verifier measured."""
    return Step(
        verifier_result=_verifier_result(given["verifier_result"]),
        exception=given["exception"],
        min_reward=_min_reward(given["min_reward"]),
    )


def _unread_step(given: Any) -> UnreadStep:
    return UnreadStep(
        files=_files(given["files"]),
        exception=given["exception"],
        min_reward=_min_reward(given["min_reward"]),
        agent_result=_agent_result(given["agent_result"]),
    )


def _identity(given: Any) -> dict[str, Any]:
    agent = given["agent_info"]
    model = agent["model_info"]
    return {
        "task_name": given["task_name"],
        "trial_name": given["trial_name"],
        "source": given["source"],
        "agent": agent["name"],
        "model": None if model is None else model["name"],
    }


def _verifier_result(given: Any) -> VerifierResult | None:
    return None if given is None else VerifierResult(decode_rewards(given["rewards"]))


def _min_reward(given: Any) -> MinReward:
    has_keys = given is None or isinstance(given, dict)
    return validate_min_reward(decode_rewards(given) if has_keys else decode_number(given))


def _exception(given: Any) -> str | None:
    # There may be a message next to the type; it has no effect.
    return None if given is None else given["exception_type"]


def _files(given: Any) -> dict[str, bytes] | None:
    return None if given is None else decode_files(given)


def _agent_result(given: Any) -> AgentResult | None:
    if given is None:
        return None
    cost = given["cost_usd"]
    return validate_agent_result(
        _count(given["n_input_tokens"]),
        _count(given["n_cache_tokens"]),
        _count(given["n_output_tokens"]),
        None if cost is None else decode_number(cost),
    )


def _count(given: Any) -> int | None:
    return None if given is None else int(decode_number(given))
