"""What readers of the document alone understood of the metrics of datasets: defaults, order, names."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.metric_resolution.mistakes.datasets import afterwards, changed_datasets, listing
from reference_impl import metric_resolution

__all__: list[str] = []

Resolved = dict[str, list[str]]
Resolve = Callable[..., Resolved]
in_resolve_metrics = family(
    "resolve_metrics", of=metric_resolution.resolve_metrics, clause="003-3.1-repeated-dataset"
)


@in_resolve_metrics.wrapped(clause="003-3.1-default-mean", invited_by="a default of the job's configuration")
def default_mean_for_all_or_none(
    reference: Variant, resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """A mean is the default only where neither the job nor any of its datasets configures a metric.
    A default is for a job that says nothing."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    own = reference.get(metric_resolution._own_metrics)
    configured = {name: list(job_metrics) for name in resolved}
    for dataset in listed:
        configured[dataset.name].extend(own(dataset))
    return (
        {n: m if configured[n] else [] for n, m in resolved.items()} if any(configured.values()) else resolved
    )


@in_resolve_metrics.wrapped(clause="003-3.1-adhoc", invited_by="`if not datasets`")
def adhoc_only_without_datasets(
    resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """Only a job without datasets has metrics under adhoc, whatever its datasets are called.
    An ad-hoc run is a run without datasets."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    return {name: m for name, m in resolved.items() if name != "adhoc" or not listed}


@listing.made(clause="003-3.1-package-order", invited_by="a default that counts configured metrics alone")
def default_mean_beside_script(own: list[str], job: Sequence[str]) -> list[str]:
    """A package whose only metric is its metric.py gets a mean beside it. A script is not configured."""
    return [*own, "mean"] if list(own) == ["uv-script"] and not job else [*own, *job]


@in_resolve_metrics.wrapped(invited_by="appending the job's metrics when all datasets are read")
def job_metrics_once_per_name(
    reference: Variant, resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """The job's metrics stand once under each name, behind all that datasets of the name bring along.
    They are added when all datasets are read."""
    own = reference.get(metric_resolution._own_metrics)
    metrics: Resolved = {"adhoc": []}
    for dataset in datasets:
        metrics.setdefault(dataset.name, []).extend(own(dataset))
    return {name: [*listed, *job_metrics] or ["mean"] for name, listed in metrics.items()}


@in_resolve_metrics.wrapped(invited_by="grouping datasets by name before they are read")
def own_metrics_gathered_before_the_jobs(
    reference: Variant, resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """Of a dataset that is listed twice all own metrics come first, then the job's as often.
    Datasets of one name are read together."""
    own = reference.get(metric_resolution._own_metrics)
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    for name in resolved:
        same = [dataset for dataset in listed if dataset.name == name]
        if len(same) > 1 and name != "adhoc":
            resolved[name] = [m for d in same for m in own(d)] + len(same) * list(job_metrics)
            resolved[name] = resolved[name] or ["mean"]
    return resolved


@in_resolve_metrics.wrapped(invited_by="setdefault, `if name not in metrics`")
def dataset_called_adhoc_adds_its_own_only(
    resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """A dataset called adhoc adds its own metrics to those of the job, and the job's not again.
    They stand there already."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    named = [dataset for dataset in listed if dataset.name == "adhoc"]
    if named:
        bring = any(d.metrics or (d.metric_py and d.kind.value == "package") for d in named)
        own = resolve(named, [])["adhoc"] if bring else []
        resolved["adhoc"] = [*job_metrics, *own] or ["mean"]
    return resolved


@in_resolve_metrics.wrapped(invited_by="dataset metrics before job metrics, for every name")
def dataset_called_adhoc_comes_first(
    resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """What a dataset called adhoc brings along stands in front of all of the job's metrics.
    A dataset's own metrics come before the job's."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    if job_metrics and any(dataset.name == "adhoc" for dataset in listed):
        resolved["adhoc"] = [*resolved["adhoc"][len(job_metrics) :], *job_metrics]
    return resolved


@afterwards.made(clause="003-3.1-repeated-dataset", invited_by="one script of one name, a set of scripts")
def repeated_script_once(resolved: Resolved) -> Resolved:
    """A package that is listed twice has its metric.py once, at the first place. There is one such file."""

    def once(names: list[str]) -> list[str]:
        first = names.index("uv-script") if "uv-script" in names else 0
        return [name for place, name in enumerate(names) if name != "uv-script" or place == first]

    return {name: once(metrics) for name, metrics in resolved.items()}


@listing.made(clause="003-3.1-package-order", invited_by="`metric_py or job_metrics`")
def script_replaces_job_metrics(own: list[str], job: Sequence[str]) -> list[str]:
    """A package with a metric.py does not get the job's metrics.
    A script of its own is what the dataset wants to be measured by."""
    return list(own) if list(own) == ["uv-script"] else [*own, *job]


@changed_datasets.made(clause="003-3.1-keyed-by-dataset", invited_by="file systems that ignore case")
def dataset_names_without_case(datasets: list[Any]) -> list[Any]:
    """Datasets whose names differ in case alone share the list of the first.
    On some file systems they are one directory."""
    first: dict[str, str] = {}
    return [replace(d, name=first.setdefault(d.name.casefold(), d.name)) for d in datasets]


@changed_datasets.made(clause="003-3.1-keyed-by-dataset", invited_by="name@version in registries")
def dataset_version_cut_off(datasets: list[Any]) -> list[Any]:
    """A dataset is listed under its name in front of an @. What follows looks like a version."""
    return [replace(d, name=d.name.partition("@")[0] or d.name) for d in datasets]


@in_resolve_metrics.wrapped(clause="003-3.1-adhoc", invited_by="a flat list of all metrics")
def adhoc_has_registry_metrics(
    resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """The metrics that registries list for datasets go to tasks without a dataset too, behind the job's.
    Whatever is configured anywhere is configured for the job."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    more = [m for d in listed if d.kind.value == "registry" and d.name != "adhoc" for m in d.metrics]
    bare = resolved["adhoc"] if job_metrics or any(d.name == "adhoc" for d in listed) else []
    return {**resolved, "adhoc": [*bare, *more] or ["mean"]}


@in_resolve_metrics.wrapped(clause="003-3.1-default-mean", invited_by="a default on the job's own list")
def default_mean_is_a_job_metric(
    resolve: Resolve, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """A job without metrics has a mean, which goes to every dataset behind what it brings along.
    The default is put in where the job's configuration is read."""
    return resolve(datasets, list(job_metrics) or ["mean"])


@afterwards.made(
    clause="003-3.1-keyed-by-dataset", invited_by="enums in a sorted set, flags in a fixed order"
)
def metrics_in_order_of_the_table(resolved: Resolved) -> Resolved:
    """The metrics of a dataset stand in the order mean, max, min, sum, a script behind them.
    That is the order of the document's table."""
    order = ["mean", "max", "min", "sum", "uv-script"]
    return {name: sorted(metrics, key=order.index) for name, metrics in resolved.items()}


@listing.made(clause="003-3.1-job-metrics", invited_by="a script as a dataset's own file")
def job_script_left_out(own: list[str], job: Sequence[str]) -> list[str]:
    """A script among the job's metrics goes to tasks without a dataset alone. A dataset has its own."""
    return [*own, *(name for name in job if name != "uv-script")]


@changed_datasets.made(clause="003-3.1-registry-metrics", invited_by="a script as a package's own file")
def registry_script_left_out(datasets: list[Any]) -> list[Any]:
    """A script among the metrics of a registry's entry is left out. Only a package has a script."""
    return [replace(d, metrics=[name for name in d.metrics if name != "uv-script"]) for d in datasets]


@changed_datasets.made(invited_by="a map for each kind of dataset, merged")
def last_kind_of_a_name_counts(datasets: list[Any]) -> list[Any]:
    """Of datasets of one name but of different kinds only those of the last kind count.
    Each kind has a list of its own, and the lists are merged by name."""
    kind = {dataset.name: dataset.kind for dataset in datasets}
    return [dataset for dataset in datasets if dataset.kind is kind[dataset.name]]
