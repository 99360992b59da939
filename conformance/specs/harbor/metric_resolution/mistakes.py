"""Mistakes in determining the metrics that a job computes for its datasets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import metric_resolution

in_resolve_metrics = family("resolve_metrics", of=metric_resolution.resolve_metrics, clause="003-3.1-adhoc")
Resolved = dict[str, list[str]]
Resolve = Callable[..., Resolved]


@way("resolve_metrics", clause="003-3.1-job-metrics")
def listing(reference: Variant, names: Callable[[list[str], Sequence[str]], list[str]]) -> None:
    """Combines a dataset's own metrics and the job's with ``names``."""

    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(job_metrics)}
        for dataset in datasets:
            own = reference.get(metric_resolution._own_metrics)(dataset)
            metrics.setdefault(dataset.name, []).extend(names(own, job_metrics))
        return {name: listed or ["mean"] for name, listed in metrics.items()}

    reference.replace(metric_resolution.resolve_metrics, resolve)


@in_resolve_metrics.replaced(clause="003-3.1-default-mean", invited_by="`if metrics is None`, empty defaults")
def no_default_mean(reference: Variant, datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
    """A dataset without configured metrics has none. The configured list is empty."""
    metrics = {"adhoc": list(job_metrics)}
    for dataset in datasets:
        metrics.setdefault(dataset.name, []).extend(
            [*reference.get(metric_resolution._own_metrics)(dataset), *job_metrics]
        )
    return metrics


@in_resolve_metrics.wrapped(clause="003-3.1-package-order", invited_by="one rule for all kinds of datasets")
def package_metric_py_ignored(resolve: Resolve, datasets: Iterable[Any], job: Any) -> Resolved:
    """A package's metric.py is not used. That of a local dataset is not used either."""
    return resolve([replace(dataset, metric_py=False) for dataset in datasets], job)


@in_resolve_metrics.wrapped(invited_by="{dataset.name: … for dataset in datasets}")
def no_adhoc_metrics(
    resolve: Callable[..., Resolved], datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """Tasks without a dataset get no metrics if there are datasets. The list is built from the datasets."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    named = {dataset.name for dataset in listed}
    return {name: m for name, m in resolved.items() if name in named or not listed}


@in_resolve_metrics.replaced(invited_by="Python's and JavaScript's references, Go's slices")
def adhoc_shares_its_list(
    reference: Variant, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """Tasks without a dataset also get the metrics that a dataset adds.
    All share one list, which is extended."""
    shared = list(job_metrics)
    metrics = {"adhoc": shared}
    for dataset in datasets:
        metrics.setdefault(dataset.name, shared).extend(
            reference.get(metric_resolution._own_metrics)(dataset)
        )
    return {name: list(listed) or ["mean"] for name, listed in metrics.items()}


@family("resolve_metrics", of=metric_resolution._own_metrics, clause="003-3.1-local-metric-py").wrapped(
    invited_by="harbor's page on datasets"
)
def local_metric_py_used(own: Callable[[Any], list[str]], dataset: Any) -> list[str]:
    """A local dataset's metric.py is used. The documentation says that it is."""
    used = dataset.kind.value == "local" and dataset.metric_py
    return ["uv-script", *own(dataset)] if used else own(dataset)


@way("resolve_metrics")
def changed_job_metrics(reference: Variant, given: Callable[[str, Sequence[str]], Sequence[str]]) -> None:
    """Selects the job's metrics for a name with ``given``."""

    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(given("adhoc", job_metrics))}
        for dataset in datasets:
            own = reference.get(metric_resolution._own_metrics)(dataset)
            # a dataset named adhoc is a dataset
            metrics.setdefault(dataset.name, []).extend([*own, *given(dataset.kind.value, job_metrics)])
        return {name: listed or ["mean"] for name, listed in metrics.items()}

    reference.replace(metric_resolution.resolve_metrics, resolve)


@changed_job_metrics.made(
    clause="003-3.1-adhoc", invited_by="metrics that are added in the loop over datasets"
)
def adhoc_without_job_metrics(name: str, job: Sequence[str]) -> Sequence[str]:
    """Tasks without a dataset only get a mean, whatever metrics the job has.
    The job's metrics are added to each dataset, and adhoc is not a dataset."""
    return [] if name == "adhoc" else job


@changed_job_metrics.made(
    clause="003-3.1-job-metrics", invited_by="one branch for each kind of dataset, one of them shorter"
)
def packages_without_job_metrics(name: str, job: Sequence[str]) -> Sequence[str]:
    """A job's metrics are not applied to package datasets. Packages have a script of their own."""
    return [] if name == "package" else job


@listing.made(invited_by="`dataset.metrics or job.metrics`, dict.get with a default")
def own_metrics_replace_the_jobs(own: list[str], job: Sequence[str]) -> list[str]:
    """A dataset's own metrics replace the job's. The more specific setting overrides the general one."""
    return own or list(job)


@listing.made(clause="003-3.1-registry-metrics", invited_by="job.metrics + dataset.metrics")
def job_metrics_first(own: list[str], job: Sequence[str]) -> list[str]:
    """A job's metrics come before its datasets' own. The job is read before its datasets."""
    return [*job, *own]


@in_resolve_metrics.wrapped(invited_by="dict comprehensions, Object.fromEntries, maps in any language")
def repeated_dataset_overwrites(resolve: Resolve, datasets: Iterable[Any], job: Any) -> Resolved:
    """A dataset that is listed twice has the metrics of its last listing.
    An entry of a map is assigned again."""
    return resolve({dataset.name: dataset for dataset in datasets}.values(), job)


@in_resolve_metrics.wrapped(
    clause="003-3.1-repeated-dataset", invited_by="dict.fromkeys, sets, DISTINCT, `if metric not in metrics`"
)
def repeated_metrics_dropped(resolve: Resolve, *given: Any) -> Resolved:
    """A metric that a dataset would have twice is listed once. Computing it twice seems useless."""
    return {name: list(dict.fromkeys(listed)) for name, listed in resolve(*given).items()}


@family("resolve_metrics", of=metric_resolution._own_metrics, clause="003-3.1-registry-metrics").wrapped(
    invited_by="`if dataset.metric_py`, one rule for all kinds of datasets"
)
def registry_metric_py_used(own: Callable[[Any], list[str]], dataset: Any) -> list[str]:
    """A registry dataset's metric.py is used. The script is there."""
    used = dataset.kind.value == "registry" and dataset.metric_py
    return ["uv-script", *own(dataset)] if used else own(dataset)
