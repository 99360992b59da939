"""Determines which metrics a job had to compute, as far as its directory shows.

`config.json` names the job's metrics and its datasets. The metrics that a registry lists for a dataset, and
a package's `metric.py`, are not in the directory: such a dataset's own metrics come first, and are
recognised from the entries of `result.json`. Metrics that a script computed are not checked. A dataset that
no entry names has no metrics up to 0.21.0, and the job's own from 0.22.0 on.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from conformance.extensions.audit.reading import Members, Number
from reference_impl import Dataset, DatasetKind, resolve_metrics
from reference_impl.aggregation import DEFAULT_METRIC, METRICS
from reference_impl.evals_key import ADHOC, SEPARATOR
from reference_impl.json_text import json_text
from reference_impl.verifier_result import Rewards

Compute = Callable[[str], Rewards | None]
"""Returns a built-in metric's value for a group's rewards; None if it raises."""


class MetricNames:
    """The metrics of each dataset, by the job's configuration."""

    def __init__(self, config: Any, most: int) -> None:
        """`config` is the parsed config.json, None if unusable; it may name at most `most` metrics."""
        self._known: dict[str, list[str]] | None = None
        self._open: dict[str, bool] = {}
        """Datasets with unknown further metrics, and whether each is a package's."""
        self._job: tuple[str, ...] = ()
        self._unmatched: frozenset[str] = frozenset()
        self._certain = False
        if not isinstance(config, dict) or config.get("source_jobs"):
            return  # regraded trials keep the datasets of other jobs
        job = _names(config.get("metrics"), most)
        entries = config.get("datasets", [])
        datasets = [_dataset(entry) for entry in entries] if isinstance(entries, list) else [None]
        if job is None or None in datasets:
            return
        known = [dataset for dataset in datasets if dataset is not None]
        for dataset in known:
            if dataset.kind is not DatasetKind.LOCAL:
                self._open[dataset.name] = dataset.kind is DatasetKind.PACKAGE
        self._job = tuple(job)
        self._known = resolve_metrics(known, job)

    def unmatched(self, sources: Collection[str], *, certain: bool) -> None:
        """Records the sources of the trials of a job by 0.22.0 or later; not `certain` if it may be older.

        Sources that no entry names get the job's metrics, or the default.
        """
        self._unmatched, self._certain = frozenset(sources), certain

    def choose(self, key: str, source: str, entries: Sequence[Any], compute: Compute) -> list[str | None]:
        """The metric of each entry that a group must have; None for one that is not checked.

        `source` is the dataset of its trials, `entries` are the file's.
        """
        name = key.split(SEPARATOR)[-1]
        names, or_none, opening = self._job, False, True
        if self._known is None:
            or_none = name != source  # harbor looks it up under another name, in vain
        elif name not in self._open:
            names, opening = tuple(self._known.get(name, ())), False
            if name in self._unmatched and name not in self._known:
                # 0.21.0 leaves the same records as 0.22.0 but no such entries: both are accepted
                names, or_none = self._job or (DEFAULT_METRIC,), not self._certain
        tail = [one if one in METRICS else None for one in names]
        if or_none and not entries and not (opening and tail):
            return []
        if not opening:
            late = len(entries)
            return [DEFAULT_METRIC if one is None and at >= late else one for at, one in enumerate(tail)]
        front = len(entries) - len(tail)
        if front < 0 and None in tail:
            return [None] * len(entries)
        if front <= 0:
            return tail or [DEFAULT_METRIC]
        package = self._open.get(name, False)  # which may have a script, whose metric comes first
        return [
            _recognise(entry, compute, script=package and at == 0) for at, entry in enumerate(entries[:front])
        ] + tail


def follows(entry: Any, compute: Compute) -> list[str]:
    """The built-in metrics that give exactly that entry."""
    if not isinstance(entry, Members):
        return []
    found = [(key, value.text if isinstance(value, Number) else "null") for key, value in entry]
    return [
        name
        for name in METRICS
        if (made := compute(name)) is not None
        and [(key, json_text(value)) for key, value in made.items()] == found
    ]


def _recognise(entry: Any, compute: Compute, *, script: bool) -> str | None:
    """The built-in metric that produced an entry; None if it looks like a script's."""
    if not isinstance(entry, Members):
        return None
    keys, by_value = [key for key, _ in entry], follows(entry, compute)
    by_name = keys[0] if len(keys) == 1 and keys[0] in METRICS else None
    if by_value:
        return by_name if by_name in by_value else by_value[0]
    if script or by_name:
        return None if script else by_name
    mean = compute(DEFAULT_METRIC)
    return DEFAULT_METRIC if mean is not None and {*mean} == {*keys} else None


def _names(metrics: Any, most: int) -> list[str] | None:
    """The names of configured metrics; None if they are not as harbor writes them, or too many."""
    if metrics is None:
        return []
    if not isinstance(metrics, list) or len(metrics) > most:
        return None
    names = [str(one.get("type", DEFAULT_METRIC)) if isinstance(one, dict) else "" for one in metrics]
    return names if all(name in (*METRICS, "uv-script") for name in names) else None


def _dataset(entry: Any) -> Dataset | None:
    """A configured dataset; None if its name is unknown."""
    if not isinstance(entry, dict) or entry.get("repo") is not None:
        return None  # only the repository knows what it calls its dataset
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        last = PurePosixPath(path).name
        return Dataset(last, DatasetKind.LOCAL) if last not in ("", ".", "..") else None
    if isinstance(name, str) and name != ADHOC:  # up to 0.2.0 entries have a registry
        package = "/" in name and "registry" not in entry
        return Dataset(name, DatasetKind.PACKAGE if package else DatasetKind.REGISTRY)
    return None
