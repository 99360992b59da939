"""harbor's own metric scripts: the input of a `metric.py`, and the use of its output (document 000)."""

from conformance.registry.spec import ADAPTERS, Spec, SpecOracle
from conformance.specs.harbor import HARBOR

__all__ = ["SPEC"]

SPEC = Spec(
    "harbor-metric",
    "000",
    SpecOracle(HARBOR.name, ADAPTERS / "uv_script.py", HARBOR, runs_uv=True),
    sections=("rewards_jsonl", "metric_script"),
    reference=("runner.metric_operations", "metric_script"),
)
