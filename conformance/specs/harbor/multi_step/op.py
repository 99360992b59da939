"""Multi-step trials: minimums, and one reward from several steps."""

from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


def _mean_of_steps(_: Any, __: Any) -> frozenset[str]:
    """Harbor gets the keys of the mean from a set."""
    return frozenset({"/verifier_result/rewards"})


OPS = (
    define(
        "multi_step_reward",
        "multi-step",
        fallback_clause="003-6-exact-answers",
        weight=4,
        shows=("aggregate", "parse_reward"),
        free_key_order=_mean_of_steps,
        changing=Changing(kept=frozenset({"exception"})),
        input_numbers="steps/*/verifier_result/rewards/* steps/*/min_reward steps/*/min_reward/*",
        ok_numbers="verifier_result/rewards/* steps_run",
        ok_free_order=".",
    ),
)
