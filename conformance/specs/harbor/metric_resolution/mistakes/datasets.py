"""Mistakes in finding out which metrics a job computes for its datasets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

RESOLVE = "metric_resolution.resolve_metrics"
OWN = "metric_resolution._own_metrics"
Resolved = dict[str, list[str]]


def _listing(reference: Variant, names: Callable[[list[str], Sequence[str]], list[str]]) -> None:
    """Has ``names`` make a listing's metrics of the dataset's own and the job's."""

    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(job_metrics)}
        for dataset in datasets:
            own = reference.get(OWN)(dataset)
            metrics.setdefault(dataset.name, []).extend(names(own, job_metrics))
        return {name: listed or ["mean"] for name, listed in metrics.items()}

    reference.replace(RESOLVE, resolve)


def _afterwards(reference: Variant, change: Callable[[Resolved], Resolved]) -> None:
    reference.wrap(RESOLVE, lambda resolve: lambda datasets, job: change(resolve(datasets, job)))


def _datasets(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    reference.wrap(RESOLVE, lambda resolve: lambda datasets, job: resolve(change(list(datasets)), job))


@mistake(
    "job-metrics-replace-own",
    says="a job's metrics replace those that its datasets bring along",
    op="resolve_metrics",
    clause="003-3.1-job-metrics",
    why="What is nearer to the user overrides a default.",
    invited_by="`job.metrics or dataset.metrics`, layered configuration",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: list(job) or own)


@mistake(
    "own-metrics-replace-the-jobs",
    says="the metrics that a dataset brings along replace the job's",
    op="resolve_metrics",
    clause="003-3.1-job-metrics",
    why="What is more specific overrides what is general.",
    invited_by="`dataset.metrics or job.metrics`, dict.get with a default",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: own or list(job))


@mistake(
    "job-metrics-first",
    says="a job's metrics come before those that its datasets bring along",
    op="resolve_metrics",
    clause="003-3.1-registry-metrics",
    why="The job is read before its datasets.",
    invited_by="job.metrics + dataset.metrics",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: [*job, *own])


@mistake(
    "job-metrics-only-adhoc",
    says="a job's metrics go to tasks without a dataset alone",
    op="resolve_metrics",
    clause="003-3.1-job-metrics",
    why="Datasets are taken to decide for themselves.",
    invited_by="a map that begins with adhoc and is filled from the datasets",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: own)


@mistake(
    "mean-always-added",
    says="a mean stands in front of all configured metrics",
    op="resolve_metrics",
    clause="003-3.1-default-mean",
    why="Everybody wants it.",
    invited_by="a default value that lists are appended to",
)
def _(reference: Variant) -> None:
    _afterwards(
        reference,
        lambda resolved: {n: m if m == ["mean"] else ["mean", *m] for n, m in resolved.items()},
    )


@mistake(
    "no-default-mean",
    says="a dataset without configured metrics has none",
    op="resolve_metrics",
    clause="003-3.1-default-mean",
    why="An empty list is what was configured.",
    invited_by="`if metrics is None`, empty defaults",
)
def _(reference: Variant) -> None:
    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        metrics = {"adhoc": list(job_metrics)}
        for dataset in datasets:
            metrics.setdefault(dataset.name, []).extend([*reference.get(OWN)(dataset), *job_metrics])
        return metrics

    reference.replace(RESOLVE, resolve)


@mistake(
    "default-mean-per-listing",
    says="each listing of a dataset without metrics adds a mean of its own",
    op="resolve_metrics",
    clause="003-3.1-default-mean",
    why="The default is put in where the listing is read.",
    invited_by="a default in the dataset's constructor",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: [*own, *job] or ["mean"])


@mistake(
    "default-mean-per-dataset",
    says="a dataset that brings no metrics along gets a mean before the job's",
    op="resolve_metrics",
    clause="003-3.1-job-metrics",
    why="The default is put in before the job's metrics are added.",
    invited_by="a default in the dataset's constructor",
)
def _(reference: Variant) -> None:
    _listing(reference, lambda own, job: [*(own or ["mean"]), *job])


@mistake(
    "local-metric-py-used",
    says="a local dataset's metric.py is used",
    op="resolve_metrics",
    clause="003-3.1-local-metric-py",
    why="The documentation says so.",
    invited_by="harbor's page on datasets",
)
def _(reference: Variant) -> None:
    _script_for(reference, "local")


@mistake(
    "registry-metric-py-used",
    says="a registry dataset's metric.py is used",
    op="resolve_metrics",
    clause="003-3.1-registry-metrics",
    why="A file that is there seems to be meant.",
    invited_by="one rule for all kinds of datasets",
)
def _(reference: Variant) -> None:
    _script_for(reference, "registry")


@mistake(
    "package-metric-py-ignored",
    says="a package's metric.py is not used",
    op="resolve_metrics",
    clause="003-3.1-package-order",
    why="Local datasets do without theirs.",
    invited_by="one rule for all kinds of datasets",
)
def _(reference: Variant) -> None:
    _datasets(reference, lambda datasets: [replace(dataset, metric_py=False) for dataset in datasets])


@mistake(
    "metric-py-last",
    says="a package's metric.py comes after the job's metrics",
    op="resolve_metrics",
    clause="003-3.1-package-order",
    why="Scripts are gathered apart and appended.",
    invited_by="partitioning metrics by type",
)
def _(reference: Variant) -> None:
    _listing(
        reference,
        lambda own, job: [*own, *job] if own[:1] != ["uv-script"] else [*own[1:], *job, "uv-script"],
    )


@mistake(
    "repeated-metrics-dropped",
    says="a metric that comes twice for a dataset is kept once",
    op="resolve_metrics",
    clause="003-3.1-repeated-dataset",
    why="Metrics are kept by name.",
    invited_by="sets, dict.fromkeys, uniq",
)
def _(reference: Variant) -> None:
    _afterwards(reference, lambda resolved: {n: list(dict.fromkeys(m)) for n, m in resolved.items()})


@mistake(
    "repeated-dataset-overwrites",
    says="a dataset that is listed twice has the metrics of its last listing",
    op="resolve_metrics",
    clause="003-3.1-repeated-dataset",
    why="An entry of a map is assigned again.",
    invited_by="dict comprehensions, Object.fromEntries, maps in any language",
)
def _(reference: Variant) -> None:
    def last(datasets: list[Any]) -> list[Any]:
        return list({dataset.name: dataset for dataset in datasets}.values())

    _datasets(reference, last)


@mistake(
    "repeated-dataset-ignored",
    says="a dataset that is listed twice has the metrics of its first listing",
    op="resolve_metrics",
    clause="003-3.1-repeated-dataset",
    why="What is known is not read again.",
    invited_by="setdefault, computeIfAbsent, `if name in metrics: continue`",
)
def _(reference: Variant) -> None:
    def first(datasets: list[Any]) -> list[Any]:
        return list({dataset.name: dataset for dataset in reversed(datasets)}.values())[::-1]

    _datasets(reference, first)


@mistake(
    "adhoc-overwritten",
    says="a dataset that is called adhoc replaces the metrics of tasks without a dataset",
    op="resolve_metrics",
    clause="003-3.1-repeated-dataset",
    why="The entry is assigned, not extended.",
    invited_by="metrics[name] = […]",
)
def _(reference: Variant) -> None:
    def around(resolve: Callable[..., Resolved]) -> Callable[..., Resolved]:
        def overwriting(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
            listed = list(datasets)
            resolved = resolve(listed, job_metrics)
            if any(dataset.name == "adhoc" for dataset in listed):
                own = resolve([d for d in listed if d.name == "adhoc"], job_metrics)["adhoc"]
                resolved["adhoc"] = own[len(job_metrics) :] or ["mean"]
            return resolved

        return overwriting

    reference.wrap(RESOLVE, around)


@mistake(
    "no-adhoc-metrics",
    says="there are no metrics for tasks without a dataset where there are datasets",
    op="resolve_metrics",
    clause="003-3.1-adhoc",
    why="The list is made of the datasets.",
    invited_by="{dataset.name: … for dataset in datasets}",
)
def _(reference: Variant) -> None:
    def around(resolve: Callable[..., Resolved]) -> Callable[..., Resolved]:
        def without(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
            listed = list(datasets)
            resolved = resolve(listed, job_metrics)
            named = {dataset.name for dataset in listed}
            return {name: m for name, m in resolved.items() if name in named or not listed}

        return without

    reference.wrap(RESOLVE, around)


@mistake(
    "adhoc-shares-its-list",
    says="what a dataset brings along goes to tasks without a dataset too",
    op="resolve_metrics",
    clause="003-3.1-adhoc",
    why="One list is used for all, and extended.",
    invited_by="Python's and JavaScript's references, Go's slices",
)
def _(reference: Variant) -> None:
    def resolve(datasets: Iterable[Any], job_metrics: Sequence[str]) -> Resolved:
        shared = list(job_metrics)
        metrics = {"adhoc": shared}
        for dataset in datasets:
            metrics.setdefault(dataset.name, shared).extend(reference.get(OWN)(dataset))
        return {name: list(listed) or ["mean"] for name, listed in metrics.items()}

    reference.replace(RESOLVE, resolve)


@mistake(
    "datasets-sorted",
    says="datasets are listed in the order of their names",
    op="resolve_metrics",
    clause="003-3.1-keyed-by-dataset",
    why="They are kept in a sorted map.",
    invited_by="BTreeMap, TreeMap, Go's encoding/json, sort_keys=True",
)
def _(reference: Variant) -> None:
    _afterwards(reference, lambda resolved: dict(sorted(resolved.items())))


@mistake(
    "package-named-by-last-part",
    says="a package is listed under what follows the slash in its name",
    op="resolve_metrics",
    clause="003-3.1-keyed-by-dataset",
    why="The organisation seems to be an address, not a name.",
    invited_by="split('/')[-1], npm and Docker habits",
)
def _(reference: Variant) -> None:
    _datasets(reference, lambda listed: [replace(d, name=d.name.rpartition("/")[2]) for d in listed])


def _script_for(reference: Variant, kind: str) -> None:
    def around(own: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
        return lambda dataset: (
            ["uv-script", *own(dataset)] if dataset.kind.value == kind and dataset.metric_py else own(dataset)
        )

    reference.wrap(OWN, around)
