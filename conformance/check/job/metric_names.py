"""Which metrics a job had to compute, as far as its own directory tells.

`config.json` names the job's metrics and its datasets. What a registry lists for a dataset, and
whether a package brings a `metric.py`, stands elsewhere and is not fetched: such a dataset's own
metrics come first, and what they are is read off the entries themselves. An entry of one member
names its metric; one of several has to be what one of the four built-in metrics gives. What a
script computed is not checked.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from reference_impl import Dataset, DatasetKind, resolve_metrics
from reference_impl.aggregation import DEFAULT_METRIC, METRICS
from reference_impl.evals_key import ADHOC, SEPARATOR

__all__ = ["GroupMetrics", "MetricNames"]


@dataclass(frozen=True, slots=True)
class GroupMetrics:
    """The metrics of one group."""

    names: tuple[str, ...]
    """Those that are known, in order."""
    opening: bool = False
    """Whether others, which are not known, may stand before them; then there may be no default."""
    or_none: bool = False
    """Whether there may be none at all, because the dataset is looked up under another name."""
    script_first: bool = False
    """Whether the first of those others may be a script's."""


class MetricNames:
    """What a job's configuration says: the metrics of each of its datasets."""

    def __init__(self, config: Any, most: int) -> None:
        """`config` is the parsed config.json, None if none can be used; it may name `most` metrics."""
        self._known: dict[str, list[str]] | None = None
        self._open: dict[str, bool] = {}
        self.one_at_a_time = isinstance(config, dict) and config.get("n_concurrent_trials") == 1
        """Whether the job ran no two trials at once."""
        if not isinstance(config, dict):
            return
        job = _names(config.get("metrics"), most)
        entries = config.get("datasets", [])
        if job is None or not isinstance(entries, list):
            return
        datasets = [_dataset(entry) for entry in entries]
        if None in datasets:
            return
        known = [dataset for dataset in datasets if dataset is not None]
        for dataset in known:
            if dataset.kind is not DatasetKind.LOCAL:
                self._open[dataset.name] = dataset.kind is DatasetKind.PACKAGE
        self._job = tuple(job)
        self._known = resolve_metrics(known, job)

    def of(self, evals_key: str, dataset: str) -> GroupMetrics:
        """The metrics of a group: those of the dataset that the last part of its key names.

        `dataset` is the one that its trials belong to.
        """
        name = evals_key.split(SEPARATOR)[-1]
        if self._known is None:
            return GroupMetrics((), opening=True, or_none=name != dataset)
        if name in self._open:
            return GroupMetrics(self._job, opening=True, script_first=self._open[name])
        return GroupMetrics(tuple(self._known.get(name, ())))


def _names(metrics: Any, most: int) -> list[str] | None:
    """The names of configured metrics, None if they are not what harbor writes, or too many."""
    if metrics is None:
        return []
    if not isinstance(metrics, list) or len(metrics) > most:
        return None
    names = []
    for metric in metrics:
        name = metric.get("type", DEFAULT_METRIC) if isinstance(metric, dict) else None
        if name not in (*METRICS, "uv-script"):
            return None
        names.append(name)
    return names


def _dataset(entry: Any) -> Dataset | None:
    """A configured dataset, None if its name can't be known."""
    if not isinstance(entry, dict):
        return None
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        last = PurePosixPath(path).name
        return Dataset(last, DatasetKind.LOCAL) if last not in ("", ".", "..") else None
    if isinstance(name, str) and name != ADHOC:
        return Dataset(name, DatasetKind.PACKAGE if "/" in name else DatasetKind.REGISTRY)
    return None
