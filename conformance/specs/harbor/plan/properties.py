"""What holds of every plan of trials, of the names of groups, and of the metrics that datasets get."""

from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.drawn import name
from conformance.specs.harbor.metric_resolution.draw import dataset, metric_names
from conformance.specs.harbor.plan.draw import listed

__all__: list[str] = []


def _plans(source: Source) -> tuple[int, list[str], list[str]]:
    return small_int(source), listed(source, 1), listed(source)


def _plan(asker: Asker, count: int, tasks: list[str], agents: list[str]) -> list[Any]:
    found: list[Any] = asker.ok("plan_trials", {"n_attempts": count, "tasks": tasks, "agents": agents})[
        "trials"
    ]
    return found


@holds("plan-trials-count", _plans)
def _count(asker: Asker, given: Any) -> None:
    count, tasks, agents = given
    due = max(count, 0) * len(tasks) * len(agents)
    asker.equal(due, len(_plan(asker, *given)), "the number of trials")


@holds("plan-trials-attempts-repeat", _plans)
def _attempts_repeat(asker: Asker, given: Any) -> None:
    count, tasks, agents = given
    once = _plan(asker, 1, tasks, agents)
    asker.equal(once * count, _plan(asker, count, tasks, agents), "the plan of several attempts")


@holds("plan-trials-task-by-task", lambda source: (listed(source, 1), listed(source)))
def _task_by_task(asker: Asker, given: Any) -> None:
    tasks, agents = given
    due = [[task, agent] for task in tasks for agent in agents]
    asker.equal(due, _plan(asker, 1, tasks, agents), "the plan of one attempt")


@holds("plan-trials-need-a-task", lambda source: (small_int(source), listed(source)))
def _need_a_task(asker: Asker, given: Any) -> None:
    asker.refused("plan_trials", {"n_attempts": given[0], "tasks": [], "agents": given[1]}, "ValueError")


def _key_input(agent: str, model: str | None, source: str | None) -> dict[str, Any]:
    return {"agent": agent, "model": model, "source": source}


def _optional(source: Source) -> str | None:
    return name(source) if source.below(2) else None


def _something(source: Source) -> str:
    return name(source) or "d"


@holds("evals-key-empty-model-is-none", lambda source: (name(source), _optional(source)))
def _empty_model_is_none(asker: Asker, given: Any) -> None:
    agent, source = given
    one, other = (_key_input(agent, model, source) for model in ("", None))
    asker.same("evals_key", one, other, "an empty model differs from none")


@holds(
    "evals-key-no-source-is-adhoc",
    lambda source: (name(source), _optional(source), source.pick((None, ""))),
)
def _no_source_is_adhoc(asker: Asker, given: Any) -> None:
    agent, model, nothing = given
    one, other = (_key_input(agent, model, source) for source in ("adhoc", nothing))
    asker.same("evals_key", one, other, "a missing or empty dataset is not adhoc")


@holds("evals-key-joins-names", lambda source: (name(source), _something(source), _something(source)))
def _joins_names(asker: Asker, given: Any) -> None:
    asker.equal("__".join(given), asker.ok("evals_key", _key_input(*given))["evals_key"], "the key")


def _resolved(asker: Asker, datasets: list[Any], job: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = asker.ok("resolve_metrics", {"datasets": datasets, "job_metrics": job})["metrics"]
    return found


def _several(source: Source) -> tuple[list[Any], list[str]]:
    return source.items(dataset, (5,)), metric_names(source)


def _strangers(source: Source) -> tuple[list[Any], list[str]]:
    """Datasets of different names, none of them adhoc."""
    named = {one["name"]: one for one in source.items(dataset, (4,)) if one["name"] != "adhoc"}
    return list(named.values()), metric_names(source)


@holds("resolve-metrics-adhoc-is-the-jobs", _strangers)
def _adhoc_is_the_jobs(asker: Asker, given: Any) -> None:
    datasets, job = given
    asker.equal(job or ["mean"], _resolved(asker, datasets, job)["adhoc"], "the list of adhoc")


@holds("resolve-metrics-never-none", _several)
def _never_none(asker: Asker, given: Any) -> None:
    for found, metrics in _resolved(asker, *given).items():
        asker.holds(bool(metrics), f"{found!a} has no metric")


@holds("resolve-metrics-datasets-apart", _strangers)
def _datasets_apart(asker: Asker, given: Any) -> None:
    datasets, job = given
    whole = _resolved(asker, datasets, job)
    asker.equal(sorted({"adhoc", *(one["name"] for one in datasets)}), sorted(whole), "the list of datasets")
    for one in datasets:
        alone = _resolved(asker, [one], job)[one["name"]]
        asker.equal(alone, whole[one["name"]], f"the list of {one['name']!a} beside others")


@holds("resolve-metrics-script-of-packages-only", _several)
def _script_of_packages_only(asker: Asker, given: Any) -> None:
    datasets, job = given
    flipped = [
        one if one["kind"] == "package" else {**one, "metric_py": not one["metric_py"]} for one in datasets
    ]
    one, other = ({"datasets": each, "job_metrics": job} for each in (datasets, flipped))
    asker.same("resolve_metrics", one, other, "the metric.py of a dataset that is no package matters")


@holds(
    "resolve-metrics-repeated-dataset-adds",
    lambda source: (dataset(source), metric_names(source) or ["mean"]),
)
def _repeated_dataset_adds(asker: Asker, given: Any) -> None:
    """Where the job has metrics; without any the default would come in."""
    one, job = given
    extra = job if one["name"] == "adhoc" else []
    once = _resolved(asker, [one], job)[one["name"]][len(extra) :]
    twice = _resolved(asker, [one, one], job)[one["name"]]
    asker.equal([*extra, *once, *once], twice, "the list of a dataset that is listed twice")
