"""harbor 0.13.1: from a verifier's reward files to `result.json`, and the consumer's line (document 003)."""

from dataclasses import replace

from conformance.registry.spec import ADAPTERS, EnvironmentVariant, FurtherSource, Recipe, Spec, SpecOracle

__all__ = ["HARBOR", "SPEC"]

HARBOR = Recipe("harbor", "0.13.1", "harbor-0.13.1", ADAPTERS / "harbor.py")
"""The environment of the real harbor."""

OLDER_PYDANTIC = EnvironmentVariant(
    "pydantic-2.12.5",
    replace(HARBOR, variant="pydantic-2.12.5"),
    described_as="harbor 0.13.1 with pydantic 2.11.7 to 2.12.5",
    differs="Before 2.13 pydantic wrote floats from 1e16 on without a plus sign in the exponent: "
    "result.json has 1e16, and 1e+16 since 2.13.",
    mistake="rust-ryu-exponents",
    op="job_result",
    shows="e+",
)
"""harbor requires pydantic 2.11.7 or later; all permitted versions give one of two answers."""

SPEC = Spec(
    "harbor-0.13.1",
    "003",
    SpecOracle(
        HARBOR.name,
        HARBOR.adapter,
        HARBOR,
        further=(  # the consumer of results: a decision table, and the program printed in the document
            FurtherSource("decision-table", ADAPTERS / "consumer.py", "the kit's own decision table"),
            FurtherSource(
                "document-003-5",
                ADAPTERS / "consumer.py",
                "the program that document 003 prints, executed",
                document="003",
            ),
        ),
        variants=(OLDER_PYDANTIC,),
    ),
    sections=(
        *("reward", "terminal_bench", "aggregation", "evals_key", "pass_at_k", "multi_step", "plan"),
        *("metric_resolution", "job_result", "scores", "played", "outcome", "reason_code"),
        "result_score",
    ),
)
