"""Properties of every resolution of metrics since harbor 0.22.0."""

from typing import Any

from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor_0_25_0.metric_resolution.draw import INPUTS

__all__: list[str] = []

_OP = "resolve_metrics"


@holds("resolve-metrics-every-source-has-some", INPUTS[_OP])
def _every_source_has_some(asker: Asker, input_: Any) -> None:
    metrics = asker.ok(_OP, input_)["metrics"]
    named = {source or "adhoc" for source in input_.get("sources", [])}
    missing = sorted(name for name in named if not metrics.get(name))
    asker.equal([], missing, "the sources without metrics")
