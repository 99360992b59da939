"""Properties of every resolution of metrics since harbor 0.22.0."""

from typing import Any

from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor_0_25_0.metric_resolution.draw import INPUTS

__all__: list[str] = []

_OP = "resolve_metrics"


@holds("resolve-metrics-every-source-has-some", INPUTS[_OP])
def _every_source_has_some(asker: Asker, given: Any) -> None:
    found = asker.ok(_OP, given)["metrics"]
    named = {source or "adhoc" for source in given.get("sources", [])}
    missing = sorted(name for name in named if not found.get(name))
    asker.equal([], missing, "the sources without metrics")
