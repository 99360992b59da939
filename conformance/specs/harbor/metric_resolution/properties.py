"""Properties of the metrics of datasets, for any configuration of a job (003 §3.1)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.metric_resolution.draw import dataset, metric_names

__all__: list[str] = []


def _resolved(asker: Asker, datasets: list[Any], job: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = asker.ok("resolve_metrics", {"datasets": datasets, "job_metrics": job})["metrics"]
    return found


def _several(source: Source) -> tuple[list[Any], list[str]]:
    return source.items(dataset, (5,)), metric_names(source)


def _distinct_datasets(source: Source) -> tuple[list[Any], list[str]]:
    """Datasets with different names, none of them adhoc."""
    named = {one["name"]: one for one in source.items(dataset, (4,)) if one["name"] != "adhoc"}
    return list(named.values()), metric_names(source)


@holds("resolve-metrics-adhoc-is-the-jobs", _distinct_datasets)
def _adhoc_is_the_jobs(asker: Asker, given: Any) -> None:
    datasets, job = given
    asker.equal(job or ["mean"], _resolved(asker, datasets, job)["adhoc"], "the list of adhoc")


@holds("resolve-metrics-never-none", _several)
def _never_none(asker: Asker, given: Any) -> None:
    for found, metrics in _resolved(asker, *given).items():
        asker.holds(bool(metrics), f"{found!a} has no metric")


@holds("resolve-metrics-datasets-apart", _distinct_datasets)
def _datasets_are_separate(asker: Asker, given: Any) -> None:
    datasets, job = given
    whole = _resolved(asker, datasets, job)
    asker.equal(sorted({"adhoc", *(one["name"] for one in datasets)}), sorted(whole), "the list of datasets")
    for one in datasets:
        alone = _resolved(asker, [one], job)[one["name"]]
        asker.equal(alone, whole[one["name"]], f"the list of {one['name']!a} next to others")


@holds("resolve-metrics-script-of-packages-only", _several)
def _script_of_packages_only(asker: Asker, given: Any) -> None:
    datasets, job = given
    flipped = [
        one if one["kind"] == "package" else {**one, "metric_py": not one["metric_py"]} for one in datasets
    ]
    one, other = ({"datasets": each, "job_metrics": job} for each in (datasets, flipped))
    asker.same("resolve_metrics", one, other, "the metric.py of a dataset that is not a package matters")


@holds(
    "resolve-metrics-repeated-dataset-adds",
    lambda source: (dataset(source), metric_names(source) or ["mean"]),
)
def _repeated_dataset_adds(asker: Asker, given: Any) -> None:
    """Only if the job has metrics; without any, the default would be added."""
    one, job = given
    extra = job if one["name"] == "adhoc" else []
    once = _resolved(asker, [one], job)[one["name"]][len(extra) :]
    twice = _resolved(asker, [one, one], job)[one["name"]]
    asker.equal([*extra, *once, *once], twice, "the list of a dataset that is listed twice")
