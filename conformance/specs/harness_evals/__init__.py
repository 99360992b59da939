"""harness-evals: scores, metrics and their evaluation (document 004)."""

from conformance.registry.spec import ADAPTERS, Recipe, Spec, SpecOracle

__all__ = ["HARNESS_EVALS", "SPEC"]

HARNESS_EVALS = Recipe("harness-evals", "0.25.5", "harness-evals", ADAPTERS / "harness_evals.py")
"""The environment of the real package."""

SPEC = Spec(
    "harness-evals",
    "004",
    SpecOracle(
        HARNESS_EVALS.name,
        HARNESS_EVALS.adapter,
        HARNESS_EVALS,
        partly_own={
            "harness.template": "templates of document 004, completed by the kit, on the real package"
        },
    ),
    sections=(
        *("score", "metric", "evaluate", "reliability", "operational", "dimensions", "json", "template"),
    ),
    reference=("harness_evals",),
)
