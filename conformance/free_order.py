"""Whose order of keys is free in the answer to any input, because harbor takes it from a set (erratum E6)."""

import json
from typing import Any

__all__ = ["unordered"]

_NONE: frozenset[str] = frozenset()
_MEAN_OF_STEPS = frozenset({"/verifier_result/rewards"})


def unordered(op: str, given: Any, expected_ok: Any) -> frozenset[str]:
    """Pointers to the objects whose key order is free: the mean of steps, and what lists its keys.

    ``given`` is the op's input, ``expected_ok`` the ``ok`` expected of it.
    """
    if op == "multi_step_reward":
        return _MEAN_OF_STEPS
    if op != "pipeline" or all(trial["steps"] is None for trial in given["trials"]):
        return _NONE
    try:
        groups = json.loads(expected_ok["result.json"]["text"])["stats"]["evals"]
    except ValueError:  # an int of more digits than Python reads
        return _NONE
    keys = (key.replace("~", "~0").replace("/", "~1") for key in groups)
    return frozenset(f"/result.json#/stats/evals/{key}/reward_stats" for key in keys)
