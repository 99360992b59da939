"""The built-in metrics of EvSys."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "evsys.compute",
        "evsys",
        fallback_clause="002-returns-float",
        weight=2,
        shows=("*",),
        input_numbers="task_rewards/*/*",
        ok_numbers="value",
    ),
)
