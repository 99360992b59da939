"""Metrics of latency, tokens, cost and retries."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING

__all__ = ["OPS"]

OPS = (
    define(
        "harness.operational",
        "harness-evals",
        fallback_clause="004-3-conversion",
        weight=3,
        shows=("*",),
        changing=CHANGING,
        input_numbers="maximum threshold case/latency_ms case/token_count case/cost_usd case/retry_count "
        "case/messages/*/latency_ms case/messages/*/token_count",
        ok_files="score.json",
        ok_free_order=".",
    ),
)
