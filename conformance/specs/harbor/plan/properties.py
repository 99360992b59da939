"""What holds of every plan of trials, of the names of groups, and of the metrics that datasets get."""

from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.inputs import datasets, metric_names, names
from conformance.drawing.strategies.numbers import small_ints
from conformance.properties.asking import Asker
from conformance.properties.registry import holds

__all__: list[str] = []

_listed = st.lists(st.sampled_from(("t1", "t2", "b", "a", "")), max_size=4)
_tasks = _listed.filter(bool)


def _plan(asker: Asker, count: int, tasks: list[str], agents: list[str]) -> list[Any]:
    found: list[Any] = asker.ok("plan_trials", {"n_attempts": count, "tasks": tasks, "agents": agents})[
        "trials"
    ]
    return found


@holds("plan-trials-count", st.tuples(small_ints, _tasks, _listed))
def _count(asker: Asker, given: Any) -> None:
    count, tasks, agents = given
    due = max(count, 0) * len(tasks) * len(agents)
    asker.equal(due, len(_plan(asker, *given)), "the number of trials")


@holds("plan-trials-attempts-repeat", st.tuples(small_ints, _tasks, _listed))
def _attempts_repeat(asker: Asker, given: Any) -> None:
    count, tasks, agents = given
    once = _plan(asker, 1, tasks, agents)
    asker.equal(once * count, _plan(asker, count, tasks, agents), "the plan of several attempts")


@holds("plan-trials-task-by-task", st.tuples(_tasks, _listed))
def _task_by_task(asker: Asker, given: Any) -> None:
    tasks, agents = given
    due = [[task, agent] for task in tasks for agent in agents]
    asker.equal(due, _plan(asker, 1, tasks, agents), "the plan of one attempt")


@holds("plan-trials-need-a-task", st.tuples(small_ints, _listed))
def _need_a_task(asker: Asker, given: Any) -> None:
    asker.refused("plan_trials", {"n_attempts": given[0], "tasks": [], "agents": given[1]}, "ValueError")


def _key_input(agent: str, model: str | None, source: str | None) -> dict[str, Any]:
    return {"agent": agent, "model": model, "source": source}


_optional = st.one_of(names, st.none())


@holds("evals-key-empty-model-is-none", st.tuples(names, _optional))
def _empty_model_is_none(asker: Asker, given: Any) -> None:
    agent, source = given
    one, other = (_key_input(agent, model, source) for model in ("", None))
    asker.same("evals_key", one, other, "an empty model differs from none")


@holds("evals-key-no-source-is-adhoc", st.tuples(names, _optional, st.sampled_from((None, ""))))
def _no_source_is_adhoc(asker: Asker, given: Any) -> None:
    agent, model, nothing = given
    one, other = (_key_input(agent, model, source) for source in ("adhoc", nothing))
    asker.same("evals_key", one, other, "a missing or empty dataset is not adhoc")


@holds("evals-key-joins-names", st.tuples(names, names.filter(bool), names.filter(bool)))
def _joins_names(asker: Asker, given: Any) -> None:
    asker.equal("__".join(given), asker.ok("evals_key", _key_input(*given))["evals_key"], "the key")


def _resolved(asker: Asker, listed: list[Any], job: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = asker.ok("resolve_metrics", {"datasets": listed, "job_metrics": job})["metrics"]
    return found


_several = st.lists(datasets(), max_size=5)
_strangers = st.lists(
    datasets().filter(lambda one: one["name"] != "adhoc"), max_size=4, unique_by=lambda one: one["name"]
)


@holds("resolve-metrics-adhoc-is-the-jobs", st.tuples(_strangers, metric_names))
def _adhoc_is_the_jobs(asker: Asker, given: Any) -> None:
    listed, job = given
    asker.equal(job or ["mean"], _resolved(asker, listed, job)["adhoc"], "the list of adhoc")


@holds("resolve-metrics-never-none", st.tuples(_several, metric_names))
def _never_none(asker: Asker, given: Any) -> None:
    for name, metrics in _resolved(asker, *given).items():
        asker.holds(bool(metrics), f"{name!a} has no metric")


@holds("resolve-metrics-datasets-apart", st.tuples(_strangers, metric_names))
def _datasets_apart(asker: Asker, given: Any) -> None:
    listed, job = given
    whole = _resolved(asker, listed, job)
    asker.equal(sorted({"adhoc", *(one["name"] for one in listed)}), sorted(whole), "the list of datasets")
    for one in listed:
        alone = _resolved(asker, [one], job)[one["name"]]
        asker.equal(alone, whole[one["name"]], f"the list of {one['name']!a} beside others")


@holds("resolve-metrics-script-of-packages-only", st.tuples(_several, metric_names))
def _script_of_packages_only(asker: Asker, given: Any) -> None:
    listed, job = given
    flipped = [
        one if one["kind"] == "package" else {**one, "metric_py": not one["metric_py"]} for one in listed
    ]
    one, other = ({"datasets": each, "job_metrics": job} for each in (listed, flipped))
    asker.same("resolve_metrics", one, other, "the metric.py of a dataset that is no package matters")


@holds("resolve-metrics-repeated-dataset-adds", st.tuples(datasets(), metric_names.filter(bool)))
def _repeated_dataset_adds(asker: Asker, given: Any) -> None:
    """Where the job has metrics; without any the default would come in."""
    one, job = given
    extra = job if one["name"] == "adhoc" else []
    once = _resolved(asker, [one], job)[one["name"]][len(extra) :]
    twice = _resolved(asker, [one, one], job)[one["name"]]
    asker.equal([*extra, *once, *once], twice, "the list of a dataset that is listed twice")
