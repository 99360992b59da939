"""Random inputs for metric resolution: datasets of every kind, some with the same name."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.drawn import METRICS

__all__ = ["INPUTS", "dataset", "metric_names"]

_NAMES = ("d", "e", "adhoc", "my__data", "名", "10")
_METRICS = (*METRICS, "uv-script")
_KINDS = ("local", "package", "registry")


def metric_names(source: Source) -> list[str]:
    """The names of several metrics; often empty."""
    return [source.pick(_METRICS) for _ in range((0, 0, 1, 2, 3)[source.below(5)])]


def dataset(source: Source) -> dict[str, Any]:
    """A dataset in a job's configuration."""
    kind = source.pick(_KINDS)
    name = source.pick(_NAMES)
    if kind == "local" and source.below(8) == 7:
        name += "@2"  # for the other kinds a version; here a part of a directory's name
    return {
        "name": f"o/{name}" if kind == "package" else name,
        "kind": kind,
        "metrics": metric_names(source) if kind == "registry" else [],
        "metric_py": bool(source.below(2)),
    }


def _resolve_metrics(source: Source) -> Any:
    datasets = source.items(dataset, (5,))
    if source.below(5) == 4:
        # Datasets with metrics of their own next to others, in a job that names none.
        return {"datasets": [*datasets, dataset(source), dataset(source)], "job_metrics": []}
    return {"datasets": datasets, "job_metrics": metric_names(source)}


INPUTS: Mapping[str, Draw[Any]] = {"resolve_metrics": _resolve_metrics}
"""An input for every op of the section."""
