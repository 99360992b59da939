"""The file that the verifier of a Terminal-Bench task writes."""

from conformance.registry.op import Changing, define

__all__ = ["OPS"]

OPS = (
    define(
        "terminal_bench_reward",
        "reward",
        fallback_clause="003-6-exact-answers",
        weight=0.05,
        changing=Changing(limits={"exit_code": (0, 255)}),
        input_numbers="exit_code",
        ok_files="reward.txt",
    ),
)
