"""pass@k: the chance that at least one of k attempts succeeds."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "pass_at_k",
        "pass-at-k",
        fallback_clause="003-6-exact-answers",
        weight=3,
        shows=("aggregate",),
        input_numbers="trials/*/rewards/*",
        ok_numbers="*",
    ),
)
