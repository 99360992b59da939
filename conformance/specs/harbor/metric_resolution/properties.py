"""Properties of the metrics of datasets, for any configuration of a job (003 §3.1)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.metric_resolution.draw import dataset, metric_names

__all__: list[str] = []


def _resolved(asker: Asker, datasets: list[Any], job: list[str]) -> dict[str, Any]:
    lists: dict[str, Any] = asker.ok("resolve_metrics", {"datasets": datasets, "job_metrics": job})["metrics"]
    return lists


def _several(source: Source) -> tuple[list[Any], list[str]]:
    return source.items(dataset, (5,)), metric_names(source)


def _distinct_datasets(source: Source) -> tuple[list[Any], list[str]]:
    """Datasets with different names, none of them adhoc."""
    named = {drawn["name"]: drawn for drawn in source.items(dataset, (4,)) if drawn["name"] != "adhoc"}
    return list(named.values()), metric_names(source)


@holds("resolve-metrics-adhoc-is-the-jobs", _distinct_datasets)
def _adhoc_is_the_jobs(asker: Asker, drawn: Any) -> None:
    datasets, job = drawn
    asker.equal(job or ["mean"], _resolved(asker, datasets, job)["adhoc"], "the list of adhoc")


@holds("resolve-metrics-never-none", _several)
def _never_none(asker: Asker, drawn: Any) -> None:
    for name, metrics in _resolved(asker, *drawn).items():
        asker.holds(bool(metrics), f"{name!a} has no metric")


@holds("resolve-metrics-datasets-apart", _distinct_datasets)
def _datasets_are_separate(asker: Asker, drawn: Any) -> None:
    datasets, job = drawn
    whole = _resolved(asker, datasets, job)
    asker.equal(
        sorted({"adhoc", *(entry["name"] for entry in datasets)}), sorted(whole), "the list of datasets"
    )
    for entry in datasets:
        single = _resolved(asker, [entry], job)[entry["name"]]
        asker.equal(single, whole[entry["name"]], f"the list of {entry['name']!a} next to others")


@holds("resolve-metrics-script-of-packages-only", _several)
def _script_of_packages_only(asker: Asker, drawn: Any) -> None:
    datasets, job = drawn
    flipped = [
        entry if entry["kind"] == "package" else {**entry, "metric_py": not entry["metric_py"]}
        for entry in datasets
    ]
    left, right = ({"datasets": sets, "job_metrics": job} for sets in (datasets, flipped))
    asker.same("resolve_metrics", left, right, "the metric.py of a dataset that is not a package matters")


@holds(
    "resolve-metrics-repeated-dataset-adds",
    lambda source: (dataset(source), metric_names(source) or ["mean"]),
)
def _repeated_dataset_adds(asker: Asker, drawn: Any) -> None:
    """Only if the job has metrics; without any, the default would be added."""
    entry, job = drawn
    extra = job if entry["name"] == "adhoc" else []
    once = _resolved(asker, [entry], job)[entry["name"]][len(extra) :]
    twice = _resolved(asker, [entry, entry], job)[entry["name"]]
    asker.equal([*extra, *once, *once], twice, "the list of a dataset that is listed twice")
