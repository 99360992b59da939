"""The metrics that a job computes for each of its datasets (003 §3.1).

A job's own metrics apply to all of its datasets, and to tasks without a dataset, under the name `adhoc`. A
dataset can have metrics of its own. If there are none at all, the metric is `mean`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from .aggregation import DEFAULT_METRIC
from .evals_key import ADHOC

__all__ = ["Dataset", "DatasetKind", "resolve_metrics"]

UV_SCRIPT = "uv-script"  # the metric that runs a metric.py, 003 §3.1


class DatasetKind(Enum):
    """The origin of a dataset, which decides which metrics it can have of its own."""

    LOCAL = "local"
    """A folder. It has no metrics: a `metric.py` in it is not used (erratum E8)."""
    PACKAGE = "package"
    """A package, named `organisation/name`. A `metric.py` in it is used."""
    REGISTRY = "registry"
    """An entry of a registry, which lists its metrics."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that a job runs."""

    name: str
    """The `source` of its trials; for a folder the last part of its path."""
    kind: DatasetKind
    metrics: Sequence[str] = ()
    """The names of the metrics that a registry lists for it; nothing else lists any."""
    metric_py: bool = False
    """Whether it has a `metric.py`."""


def resolve_metrics(datasets: Iterable[Dataset], job_metrics: Sequence[str]) -> dict[str, list[str]]:
    """The names of each dataset's metrics, `adhoc` first, then datasets as they appear (003 §3.1).

    A dataset's own come first, then the job's. Datasets with the same name share a list, and each adds to
    it; this includes a dataset that is called `adhoc`.
    """
    metrics = {ADHOC: list(job_metrics)}
    for dataset in datasets:
        metrics.setdefault(dataset.name, []).extend([*_own_metrics(dataset), *job_metrics])

    # Without any metric, there is only the default.
    return {name: names or [DEFAULT_METRIC] for name, names in metrics.items()}


def _own_metrics(dataset: Dataset) -> Sequence[str]:
    """A dataset's own metrics: a package's `metric.py`, or the metrics that a registry lists."""
    if dataset.kind is DatasetKind.PACKAGE:
        return [UV_SCRIPT] if dataset.metric_py else []
    return dataset.metrics
