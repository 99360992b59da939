"""The file of rewards that a metric script is given."""

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
