"""Mistakes in finding out which metrics a job computes for its datasets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl import metric_resolution

in_resolve_metrics = family("resolve_metrics", of=metric_resolution.resolve_metrics, clause="003-3.1-adhoc")
Resolved = dict[str, list[str]]


@way("resolve_metrics", clause="003-3.1-job-metrics")
def listing(reference: Variant, names: Callable[[list[str], Sequence[str]], list[str]]) -> None:
    """Has ``names`` make a listing's metrics of the dataset's own and the job's."""

    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(job_metrics)}
        for dataset in datasets:
            own = reference.get(metric_resolution._own_metrics)(dataset)
            metrics.setdefault(dataset.name, []).extend(names(own, job_metrics))
        return {name: listed or ["mean"] for name, listed in metrics.items()}

    reference.replace(metric_resolution.resolve_metrics, resolve)


@way("resolve_metrics")
def afterwards(reference: Variant, change: Callable[[Resolved], Resolved]) -> None:
    """Changes what is resolved."""
    reference.wrap(
        metric_resolution.resolve_metrics,
        lambda resolve: lambda datasets, job: change(resolve(datasets, job)),
    )


@way("resolve_metrics", clause="003-3.1-repeated-dataset")
def changed_datasets(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the datasets before metrics are resolved."""
    reference.wrap(
        metric_resolution.resolve_metrics,
        lambda resolve: lambda datasets, job: resolve(change(list(datasets)), job),
    )


@listing.made(invited_by="`job.metrics or dataset.metrics`, layered configuration")
def job_metrics_replace_own(own: list[str], job: Sequence[str]) -> list[str]:
    """A job's metrics replace those that its datasets bring along.
    What is nearer to the user overrides a default."""
    return list(job) or own


@listing.made(invited_by="`dataset.metrics or job.metrics`, dict.get with a default")
def own_metrics_replace_the_jobs(own: list[str], job: Sequence[str]) -> list[str]:
    """The metrics that a dataset brings along replace the job's.
    What is more specific overrides what is general."""
    return own or list(job)


@listing.made(clause="003-3.1-registry-metrics", invited_by="job.metrics + dataset.metrics")
def job_metrics_first(own: list[str], job: Sequence[str]) -> list[str]:
    """A job's metrics come before those that its datasets bring along.
    The job is read before its datasets."""
    return [*job, *own]


@listing.made(invited_by="a map that begins with adhoc and is filled from the datasets")
def job_metrics_only_adhoc(own: list[str], job: Sequence[str]) -> list[str]:
    """A job's metrics go to tasks without a dataset alone. Datasets are taken to decide for themselves."""
    return own


@afterwards.made(clause="003-3.1-default-mean", invited_by="a default value that lists are appended to")
def mean_always_added(resolved: Resolved) -> Resolved:
    """A mean stands in front of all configured metrics. Everybody wants it."""
    return {n: m if m == ["mean"] else ["mean", *m] for n, m in resolved.items()}


@in_resolve_metrics.replaced(clause="003-3.1-default-mean", invited_by="`if metrics is None`, empty defaults")
def no_default_mean(reference: Variant, datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
    """A dataset without configured metrics has none. An empty list is what was configured."""
    metrics = {"adhoc": list(job_metrics)}
    for dataset in datasets:
        metrics.setdefault(dataset.name, []).extend(
            [*reference.get(metric_resolution._own_metrics)(dataset), *job_metrics]
        )
    return metrics


@listing.made(clause="003-3.1-default-mean", invited_by="a default in the dataset's constructor")
def default_mean_per_listing(own: list[str], job: Sequence[str]) -> list[str]:
    """Each listing of a dataset without metrics adds a mean of its own.
    The default is put in where the listing is read."""
    return [*own, *job] or ["mean"]


@listing.made(invited_by="a default in the dataset's constructor")
def default_mean_per_dataset(own: list[str], job: Sequence[str]) -> list[str]:
    """A dataset that brings no metrics along gets a mean before the job's.
    The default is put in before the job's metrics are added."""
    return [*(own or ["mean"]), *job]


@changed_datasets.made(clause="003-3.1-package-order", invited_by="one rule for all kinds of datasets")
def package_metric_py_ignored(datasets: list[Any]) -> list[Any]:
    """A package's metric.py is not used. Local datasets do without theirs."""
    return [replace(dataset, metric_py=False) for dataset in datasets]


@listing.made(clause="003-3.1-package-order", invited_by="partitioning metrics by type")
def metric_py_last(own: list[str], job: Sequence[str]) -> list[str]:
    """A package's metric.py comes after the job's metrics. Scripts are gathered apart and appended."""
    return [*own, *job] if own[:1] != ["uv-script"] else [*own[1:], *job, "uv-script"]


@afterwards.made(clause="003-3.1-repeated-dataset", invited_by="sets, dict.fromkeys, uniq")
def repeated_metrics_dropped(resolved: Resolved) -> Resolved:
    """A metric that comes twice for a dataset is kept once. Metrics are kept by name."""
    return {n: list(dict.fromkeys(m)) for n, m in resolved.items()}


@changed_datasets.made(invited_by="dict comprehensions, Object.fromEntries, maps in any language")
def repeated_dataset_overwrites(datasets: list[Any]) -> list[Any]:
    """A dataset that is listed twice has the metrics of its last listing.
    An entry of a map is assigned again."""
    return list({dataset.name: dataset for dataset in datasets}.values())


@changed_datasets.made(invited_by="setdefault, computeIfAbsent, `if name in metrics: continue`")
def repeated_dataset_ignored(datasets: list[Any]) -> list[Any]:
    """A dataset that is listed twice has the metrics of its first listing.
    What is known is not read again."""
    return list({dataset.name: dataset for dataset in reversed(datasets)}.values())[::-1]


@in_resolve_metrics.wrapped(clause="003-3.1-repeated-dataset", invited_by="metrics[name] = […]")
def adhoc_overwritten(
    resolve: Callable[..., Resolved], datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """A dataset that is called adhoc replaces the metrics of tasks without a dataset.
    The entry is assigned, not extended."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    if any(dataset.name == "adhoc" for dataset in listed):
        own = resolve([d for d in listed if d.name == "adhoc"], job_metrics)["adhoc"]
        resolved["adhoc"] = own[len(job_metrics) :] or ["mean"]
    return resolved


@in_resolve_metrics.wrapped(invited_by="{dataset.name: … for dataset in datasets}")
def no_adhoc_metrics(
    resolve: Callable[..., Resolved], datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """There are no metrics for tasks without a dataset where there are datasets.
    The list is made of the datasets."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    named = {dataset.name for dataset in listed}
    return {name: m for name, m in resolved.items() if name in named or not listed}


@in_resolve_metrics.replaced(invited_by="Python's and JavaScript's references, Go's slices")
def adhoc_shares_its_list(
    reference: Variant, datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """What a dataset brings along goes to tasks without a dataset too.
    One list is used for all, and extended."""
    shared = list(job_metrics)
    metrics = {"adhoc": shared}
    for dataset in datasets:
        metrics.setdefault(dataset.name, shared).extend(
            reference.get(metric_resolution._own_metrics)(dataset)
        )
    return {name: list(listed) or ["mean"] for name, listed in metrics.items()}


@changed_datasets.made(clause="003-3.1-keyed-by-dataset", invited_by="split('/')[-1], npm and Docker habits")
def package_named_by_last_part(listed: list[Any]) -> list[Any]:
    """A package is listed under what follows the slash in its name.
    The organisation seems to be an address, not a name."""
    return [replace(d, name=d.name.rpartition("/")[2]) for d in listed]


@family("resolve_metrics", clause="003-3.1-local-metric-py").each(
    Case(
        "local-metric-py-used",
        "a local dataset's metric.py is used",
        "The documentation says so.",
        "harbor's page on datasets",
        "local",
    ),
    Case(
        "registry-metric-py-used",
        "a registry dataset's metric.py is used",
        "A file that is there seems to be meant.",
        "one rule for all kinds of datasets",
        "registry",
        clause="003-3.1-registry-metrics",
    ),
)
def script_for(reference: Variant, kind: str) -> None:
    """Has datasets of a kind use the script beside them."""

    def around(own: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
        return lambda dataset: (
            ["uv-script", *own(dataset)] if dataset.kind.value == kind and dataset.metric_py else own(dataset)
        )

    reference.wrap(metric_resolution._own_metrics, around)


@in_resolve_metrics.wrapped(
    clause="003-3.1-default-mean", invited_by="`if not any(metrics.values())`, one default for the whole job"
)
def default_mean_only_where_none_is_configured(
    reference: Variant, resolve: Callable[..., Resolved], datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """Datasets without metrics get a mean only in a job where no dataset has any; adhoc always does.
    A job whose configuration names metrics is taken to have chosen them."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    own = {one.name for one in listed if reference.get(metric_resolution._own_metrics)(one)}
    if job_metrics or not own:
        return resolved
    return {name: names if name in own or name == "adhoc" else [] for name, names in resolved.items()}


@in_resolve_metrics.wrapped(
    clause="003-3.1-default-mean", invited_by="a default that is kept from the first dataset, forward filling"
)
def first_datasets_metrics_for_those_without(
    reference: Variant, resolve: Callable[..., Resolved], datasets: Iterable[Any], job_metrics: Sequence[str]
) -> Resolved:
    """A dataset without metrics, in a job without, gets those of the first dataset that has some.
    One benchmark seems to be scored in one way."""
    listed = list(datasets)
    resolved = resolve(listed, job_metrics)
    own = [one.name for one in listed if reference.get(metric_resolution._own_metrics)(one)]
    if job_metrics or not own:
        return resolved
    return {n: m if n in own or n == "adhoc" else list(resolved[own[0]]) for n, m in resolved.items()}


@way("resolve_metrics")
def changed_job_metrics(reference: Variant, given: Callable[[str, Sequence[str]], Sequence[str]]) -> None:
    """Has ``given`` say which of the job's metrics a name gets."""

    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(given("adhoc", job_metrics))}
        for dataset in datasets:
            own = reference.get(metric_resolution._own_metrics)(dataset)
            # a dataset that is called adhoc is a dataset
            metrics.setdefault(dataset.name, []).extend([*own, *given(dataset.kind.value, job_metrics)])
        return {name: listed or ["mean"] for name, listed in metrics.items()}

    reference.replace(metric_resolution.resolve_metrics, resolve)


@changed_job_metrics.made(
    clause="003-3.1-adhoc", invited_by="metrics that are added in the loop over datasets"
)
def adhoc_without_job_metrics(name: str, job: Sequence[str]) -> Sequence[str]:
    """Tasks without a dataset get a mean alone, whatever metrics the job has.
    The job's metrics are added to each dataset, and adhoc is none."""
    return [] if name == "adhoc" else job


@changed_job_metrics.made(
    clause="003-3.1-job-metrics", invited_by="one branch for each kind of dataset, one of them shorter"
)
def packages_without_job_metrics(name: str, job: Sequence[str]) -> Sequence[str]:
    """A job's metrics are not applied to package datasets. Packages bring a script of their own."""
    return [] if name == "package" else job


@changed_job_metrics.made(
    clause="003-3.1-job-metrics", invited_by="one branch for each kind of dataset, one of them shorter"
)
def registries_without_job_metrics(name: str, job: Sequence[str]) -> Sequence[str]:
    """A job's metrics are not applied to the datasets of a registry. A registry lists metrics of its own."""
    return [] if name == "registry" else job
