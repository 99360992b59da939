"""What an oracle is made of: a package, pinned with all that it needs, and the adapter that asks it.

The lock files in ``locks`` are named after package and version. Further recipes go into ``RECIPES``;
which spec asks which oracle stands in ``spec_oracles``.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["HARBOR", "HARNESS_EVALS", "RECIPES", "Check", "Recipe"]

_HERE = Path(__file__).resolve().parent

Check = tuple[str, dict[str, Any], dict[str, Any]]
"""An operation, its input, and what a whole oracle answers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One environment that the kit can build."""

    package: str
    version: str
    """The package's version; the adapter's hello must say the same."""
    spec: str
    """The spec that its hello is about."""
    adapter: Path
    """The runner, one file, executed by the environment's Python."""
    checks: tuple[Check, ...]
    """What a new environment is asked. To ask it loads most of the package, so that the bytecode is there."""
    python_version: str = "3.12"

    @property
    def name(self) -> str:
        """Package and version, as the lock file has them and the vectors' provenance."""
        return f"{self.package}-{self.version}"

    @property
    def lock(self) -> Path:
        """Every package of the environment, by hash."""
        return _HERE / "locks" / f"{self.name}.txt"


HARBOR = Recipe(
    "harbor",
    "0.13.1",
    "harbor-0.13.1",
    _HERE / "adapters" / "harbor.py",
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

HARNESS_EVALS = Recipe(
    "harness-evals",
    "0.25.5",
    "harness-evals",
    _HERE / "adapters" / "harness_evals.py",
    (
        ("harness.evaluate", {"entry": "evaluate", "metrics": []}, {"scores.json": {"text": "[]"}}),
        (
            "harness.json",
            {"cases": [], "include_summary": True, "finalize": True},
            {"results.jsonl": None},
        ),
        (
            "harness.metric",
            {
                "base": "SafetyMetric",
                "implements": ["measure"],
                "name": "m",
                "dimension": None,
                "threshold": None,
                "k": None,
                "others": {},
            },
            {"name": "m", "dimension": "safety", "threshold": 1.0, "k": None},
        ),
    ),
)

RECIPES = (HARBOR, HARNESS_EVALS)
