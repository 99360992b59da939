"""The file of rewards for a metric script."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "rewards_jsonl",
        "metric-script",
        fallback_clause="000-lines-one-per-trial",
        weight=4,
        shows=("*",),
        input_numbers="rewards/*/*",
        ok_json_lines="rewards.jsonl",
    ),
)
