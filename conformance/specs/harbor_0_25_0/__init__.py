"""harbor 0.25.0, as a difference to 0.13.1: what is not said here is as it is there."""

from conformance.registry.spec import ADAPTERS, Recipe, Spec, SpecOracle
from conformance.specs.harbor import SPEC as BASE

__all__ = ["HARBOR", "SPEC"]

HARBOR = Recipe(
    "harbor",
    "0.25.0",
    "harbor-0.25.0",
    ADAPTERS / "harbor.py",
    (
        ("aggregate", {"metric": "sum", "rewards": [{"reward": 0.1}] * 10}, {"sum": 1.0}),
        ("parse_reward", {"files": {"reward.txt": {"text": "1_0"}}}, {"rewards": {"reward": 10.0}}),
        ("terminal_bench_reward", {"exit_code": 0}, {"reward.txt": {"text": "1\n"}}),
        ("evals_key", {"agent": "a", "model": None, "source": None}, {"evals_key": "a__adhoc"}),
        ("pass_at_k", {"trials": []}, {}),
        ("multi_step_reward", {"strategy": None, "steps": []}, {"verifier_result": None, "steps_run": 0}),
        ("plan_trials", {"n_attempts": 1, "tasks": ["t"], "agents": ["a"]}, {"trials": [["t", "a"]]}),
    ),
)
"""The environment of the real harbor, and what a whole one answers."""

SPEC = Spec(
    "harbor-0.25.0",
    "003",
    # the consumer of results is no part of harbor: it is the same for every release
    SpecOracle(HARBOR.name, HARBOR.adapter, HARBOR, further=BASE.oracle.further),
    reference=("harbor_0_25_0",),
    base=BASE.name,
)
