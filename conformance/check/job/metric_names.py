"""Which metrics a job had to compute, as far as its own directory tells.

`config.json` names the job's metrics and its datasets. What a registry lists for a dataset, and
whether a package brings a `metric.py`, stands elsewhere and is not fetched: such a dataset's own
metrics come first, and what they are is read off the entries themselves. An entry of one member
names its metric; one of several has to be what one of the four built-in metrics gives. What a
script computed is not checked.

Two things changed between releases. The registry of a dataset stands in its entry up to 0.2.0, as
the number of trials at once stands under `orchestrator` up to 0.1.45. And a dataset that no entry
names has no metrics up to 0.21.0, but the job's own from 0.22.0 on.
"""

from collections.abc import Collection
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
        self.one_at_a_time = isinstance(config, dict) and _at_once(config) == 1
        """Whether the job ran no two trials at once."""
        self._unmatched: frozenset[str] = frozenset()
        self._certain = False
        if not isinstance(config, dict) or config.get("source_jobs"):
            return  # trials that are graded again keep the datasets of other jobs
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

    def unmatched(self, sources: Collection[str], certain: bool) -> None:
        """Takes down the datasets of the trials of a job by 0.22.0 or later, or not `certain`ly so late.

        Those that no entry names have the job's metrics, or the default.
        """
        self._unmatched, self._certain = frozenset(sources), certain

    def of(self, evals_key: str, dataset: str) -> GroupMetrics:
        """The metrics of a group: those of the dataset that the last part of its key names.

        `dataset` is the one that its trials belong to.
        """
        name = evals_key.split(SEPARATOR)[-1]
        if self._known is None:
            return GroupMetrics((), opening=True, or_none=name != dataset)
        if name in self._open:
            return GroupMetrics(self._job, opening=True, script_first=self._open[name])
        if name in self._unmatched and name not in self._known:
            # 0.21.0 leaves the same records as 0.22.0 and none of these entries: either will do.
            return GroupMetrics(self._job or (DEFAULT_METRIC,), or_none=not self._certain)
        return GroupMetrics(tuple(self._known.get(name, ())))


def _at_once(config: dict[str, Any]) -> Any:
    """How many trials ran at once at most."""
    orchestrator = config.get("orchestrator")
    by = orchestrator if isinstance(orchestrator, dict) else config
    return by.get("n_concurrent_trials")


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
    if not isinstance(entry, dict) or entry.get("repo") is not None:
        return None  # what a repository calls its dataset stands in the repository
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        last = PurePosixPath(path).name
        return Dataset(last, DatasetKind.LOCAL) if last not in ("", ".", "..") else None
    if isinstance(name, str) and name != ADHOC:
        return Dataset(name, _kind(entry, name))
    return None


def _kind(entry: dict[str, Any], name: str) -> DatasetKind:
    """Up to 0.2.0 there are no packages, and a dataset's entry names its registry."""
    return DatasetKind.PACKAGE if "/" in name and "registry" not in entry else DatasetKind.REGISTRY
