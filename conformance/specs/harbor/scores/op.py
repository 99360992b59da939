"""Scores: the values of a leaderboard, from records of trials."""

from conformance.registry.op import Changing, define

__all__ = ["OPS"]

OPS = (
    define(
        "scores",
        "scores",
        fallback_clause="003-6-exact-answers",
        weight=4,
        shows=("aggregate", "pass_at_k", "parse_reward"),
        changing=Changing(limits={"attempt": (1, 10**6)}),
        input_numbers="trials/*/attempt trials/*/rewards/*",
        ok_numbers="groups/*/n groups/*/n_scored groups/*/n_errors groups/*/mean/* groups/*/pass_at_k/*",
        ok_free_order="groups groups/*",
    ),
)
