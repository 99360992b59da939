"""A whole job: `result.json` from finished trials, or from the files of their verifiers."""

import json
from typing import Any

from conformance.registry.op import Changing, Playing, define
from conformance.specs.harbor.job_result.played import playback_difference
from conformance.wire.pointers import pointer

__all__ = ["OPS"]


_USAGE = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
_COUNTS = "n_total_trials n_retries"
_LIMITS = {
    "n_total_trials": (0, 2**63 - 1),  # harbor uses the length of a list
    "n_retries": (0, 2**63 - 1),
    **dict.fromkeys(_USAGE[:3], (-(10**20), 10**20)),  # harbor adds up the given numbers
}


def _usage(*owners: str) -> str:
    """The paths of an agent's usage, below each owner."""
    return " ".join(f"{owner}/agent_result/{name}" for owner in owners for name in _USAGE)


def _keys_of_steps(input_: Any, expected_ok: Any) -> frozenset[str]:
    """The keys of a multi-step trial come from a set, which decides the order in which a group lists them."""
    if all(trial["steps"] is None for trial in input_["trials"]):
        return frozenset()
    try:
        groups = json.loads(expected_ok["result.json"]["text"])["stats"]["evals"]
    except ValueError:  # an int with more digits than Python converts
        return frozenset()
    return frozenset(f"/result.json#{pointer('stats', 'evals', key, 'reward_stats')}" for key in groups)


def _by_kind_of_trial(input_: Any) -> Any:
    """A trial with steps has no files and usage of its own, and one without steps has no strategy."""
    trials = [
        trial | ({"strategy": None} if trial["steps"] is None else {"files": None, "agent_result": None})
        for trial in input_["trials"]
    ]
    return input_ | {"trials": trials}


_PLAYING = Playing("play_job", playback_difference)

OPS = (
    define(
        "job_result",
        "job",
        fallback_clause="003-6-exact-answers",
        weight=4,
        examples=60,
        shows=("*",),
        changing=Changing(_LIMITS, frozenset({"exception_type", "exception_message"})),
        input_numbers=f"{_COUNTS} {_usage('trials/*', 'trials/*/step_results/*')} "
        "trials/*/verifier_result/rewards/*",
        ok_files="result.json",
        playing=_PLAYING,
        content_schemas=("result-json",),
    ),
    define(
        "pipeline",
        "job",
        fallback_clause="003-6-exact-answers",
        weight=3,
        examples=50,
        oracle_op="pipeline_result",  # harbor prints no outcome line
        completed_by="outcome",
        optional_ok=("line", "outcome"),
        playing=_PLAYING,
        shows=("*",),
        free_key_order=_keys_of_steps,
        changing=Changing(
            _LIMITS, frozenset({"exception", "exception_type", "exception_message"}), _by_kind_of_trial
        ),
        input_numbers=f"{_COUNTS} {_usage('trials/*', 'trials/*/steps/*')} "
        "trials/*/steps/*/min_reward trials/*/steps/*/min_reward/*",
        ok_files="result.json",
        ok_lines="line",
        ok_free_order=".",
    ),
)
