"""Mistakes in what belongs together in a job: trials of a task, of an agent and model, of a dataset."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import rewritten
from reference_impl.evals_key import evals_key
from reference_impl.job_result import JobStatistics, _Group
from reference_impl.job_result import job_result as reference_job_result

__all__: list[str] = []

in_result = family("job_result", of=JobStatistics.result, clause="003-3.3-lookup-finds-nothing")
Graded = list[Any]


@way("job_result", clause="003-3.3-metrics-list")
def metrics_over(reference: Variant, chosen: Callable[[Graded], Graded], only: str | None = None) -> None:
    """Has a group's metrics, or ``only`` one, computed over what ``chosen`` makes of its trials."""

    def around(tree: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, metrics: Sequence[str]) -> Any:
            whole = tree(self, metrics)
            kept = dict(whole.members)["metrics"]
            given, self.graded = self.graded, chosen(self.graded)
            try:
                other = dict(tree(self, metrics).members)["metrics"]
            finally:
                self.graded = given
            found = [
                new if only in (None, name) else old
                for name, old, new in zip(metrics, kept, other, strict=True)
            ]
            return type(whole)([(n, found if n == "metrics" else v) for n, v in whole.members])

        return changed

    reference.wrap(_Group.tree, around)


@way("job_result", clause="003-4.3-task-by-name")
def tasks_known_by(reference: Variant, name: Callable[[Any], str]) -> None:
    """Has pass@k tell tasks apart by ``name`` of a trial."""

    def around(add: Callable[..., None]) -> Callable[..., None]:
        def adding(self: Any, trial: Any) -> None:
            add(self, trial)
            self.graded[-1] = replace(self.graded[-1], task=name(trial))

        return adding

    reference.wrap(_Group.add, around)


def _by_task(graded: Graded) -> dict[str, Graded]:
    found: dict[str, Graded] = {}
    for trial in graded:
        found.setdefault(trial.task, []).append(trial)
    return found


def _values(trials: Graded) -> list[float]:
    return [next(iter((trial.rewards or {"": 0}).values()), 0) for trial in trials]


def _single(graded: Graded) -> bool:
    return len({key for trial in graded for key in trial.rewards or {}}) == 1


@metrics_over.made(only="mean", invited_by="groupby('task').mean().mean(), weights of 1/n for n attempts")
def tasks_weigh_the_same_in_a_mean(graded: Graded) -> Graded:
    """Each task weighs the same in a mean, however many attempts there are at it.
    A task is the unit of a benchmark."""
    tasks = list(_by_task(graded).values())
    if len({len(trials) for trials in tasks}) < 2 or not _single(graded):
        return graded
    (key,) = {key for trial in graded for key in trial.rewards or {}}
    return [replace(trials[0], rewards={key: sum(_values(trials)) / len(trials)}) for trials in tasks]


@metrics_over.made(invited_by="max over attempts, pass@n read into the score, leaderboards of best runs")
def best_attempt_of_each_task(graded: Graded) -> Graded:
    """Metrics are over the best attempt of each task. A task is solved if any attempt solves it."""
    if not _single(graded):
        return graded
    return [max(trials, key=lambda trial: _values([trial])[0]) for trials in _by_task(graded).values()]


@metrics_over.made(invited_by="a map from task to result, dict comprehensions, drop_duplicates")
def last_attempt_of_each_task(graded: Graded) -> Graded:
    """Metrics are over the last attempt of each task. Results are kept by task name."""
    return [trials[-1] for trials in _by_task(graded).values()]


@way("job_result", clause="003-6-results-in-plan-order")
def trials_ordered(reference: Variant, order: Callable[[list[Any]], list[Any]]) -> None:
    """Has the trials of a job go through ``order`` before they are counted."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda job, trials: original(job, order(list(trials)))

    reference.wrap(reference_job_result, around)


@trials_ordered.made(invited_by="sorted(path.iterdir()), glob in shell, os.listdir on some systems")
def trials_in_name_order(trials: list[Any]) -> list[Any]:
    """Trials are taken in the order of their names. They are read from a listing of directories."""
    return sorted(trials, key=lambda trial: trial.trial_name)


@trials_ordered.made(invited_by="ORDER BY task, groupby, nested maps of attempts by task")
def trials_task_by_task(trials: list[Any]) -> list[Any]:
    """Trials are taken task by task, in the order of the tasks' first trials. Attempts are kept by task."""
    places: dict[str, int] = {}
    for trial in trials:
        places.setdefault(trial.task_name, len(places))
    return sorted(trials, key=lambda trial: places[trial.task_name])


class _Task(str):
    """The name of a trial's task, which knows the name of the trial."""

    trial_name: str


@family("job_result", clause="003-6-results-in-plan-order").changed(
    invited_by="a table of rewards that is sorted by name, pandas' sort_index"
)
def rewards_added_in_name_order(reference: Variant) -> None:
    """Metrics take the rewards in the order of the trials' names. A table of rewards is indexed by name."""

    def named(trial: Any) -> str:
        task = _Task(trial.task_name)
        task.trial_name = trial.trial_name
        return task

    tasks_known_by(reference, named)
    metrics_over(reference, lambda graded: sorted(graded, key=lambda trial: trial.task.trial_name))


@tasks_known_by.made(invited_by="path.basename, name.split('/')[-1], Path(task).name")
def tasks_known_by_base_name(trial: Any) -> str:
    """Tasks are known by what follows the last slash of their names: org/a and other/a are one.
    The task's directory is called so."""
    return str(trial.task_name).rsplit("/", 1)[-1]


@in_result.wrapped(invited_by="a job that has one list of metrics, next(iter(metrics.values()))")
def only_metrics_for_all(result: Callable[..., Any], self: Any, job: Any) -> Any:
    """Where one dataset alone has metrics, they are every group's. The job's metrics seem to be meant."""
    if len(job.metrics) != 1:
        return result(self, job)
    (names,) = job.metrics.values()
    return result(self, replace(job, metrics=_Always(names)))


@in_result.wrapped(invited_by="a variable that outlives its loop, forward filling")
def metrics_of_the_group_before(result: Callable[..., Any], self: Any, job: Any) -> Any:
    """A group whose look-up finds nothing gets the metrics of the group before it.
    A variable keeps its value from one turn of the loop to the next."""
    return result(self, replace(job, metrics=_Forward(job.metrics)))


@way("job_result", clause="003-3.3-evals-key-with-model")
def models_changed(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Has the trials of a job go through ``change``, which gives them other models or agents."""
    trials_ordered(reference, change)


@models_changed.made(invited_by="groupby('agent'), tables with a row for each agent")
def groups_without_models(trials: list[Any]) -> list[Any]:
    """Trials of an agent are one group, whatever their models. Most jobs have one model."""
    return [replace(trial, model=None) for trial in trials]


@models_changed.made(invited_by="a configuration of agents by name, dict[agent] = model")
def last_model_of_an_agent(trials: list[Any]) -> list[Any]:
    """All trials of an agent count for the model that it had last. Models are kept by agent."""
    last = {trial.agent: trial.model for trial in trials}
    return [replace(trial, model=last[trial.agent]) for trial in trials]


@models_changed.made(
    clause="003-3.3-evals-key-without-model", invited_by="forward filling, `model or agent.model`"
)
def model_filled_in(trials: list[Any]) -> list[Any]:
    """A trial without a model counts for the first model of its agent.
    What is missing seems to have been left out."""
    first = {trial.agent: trial.model for trial in reversed(trials) if trial.model}
    return [replace(trial, model=trial.model or first.get(trial.agent)) for trial in trials]


@models_changed.made(invited_by="leaderboards of datasets, groupby('source')")
def groups_by_dataset_alone(trials: list[Any]) -> list[Any]:
    """All trials of a dataset are one group, that of its first agent and model. A score is a dataset's."""
    first = {trial.source or "adhoc": trial for trial in reversed(trials)}
    return [
        replace(trial, agent=one.agent, model=one.model)
        for trial in trials
        for one in [first[trial.source or "adhoc"]]
    ]


@models_changed.made(invited_by="leaderboards of models, groupby('model')")
def groups_by_model_alone(trials: list[Any]) -> list[Any]:
    """Trials of a model are one group, that of its first agent. The model is what is measured."""
    first = {trial.model: trial.agent for trial in reversed(trials) if trial.model}
    return [replace(trial, agent=first.get(trial.model, trial.agent)) for trial in trials]


@trials_ordered.made(
    clause="003-3.3-first-seen-order", invited_by="nested maps, ORDER BY agent, model, dataset"
)
def trials_nested_by_agent(trials: list[Any]) -> list[Any]:
    """Trials are taken agent by agent, model by model, dataset by dataset. They are kept in nested maps."""
    places: dict[Any, int] = {}
    for trial in trials:
        for name in _nested(trial):
            places.setdefault(name, len(places))
    return sorted(trials, key=lambda trial: [places[name] for name in _nested(trial)])


def _nested(trial: Any) -> list[tuple[Any, ...]]:
    names = (trial.agent, trial.model or "", trial.source or "adhoc")
    return [names[: depth + 1] for depth in range(3)]


def _key(reference: Variant, trial: Any) -> str:
    return str(reference.get(evals_key)(trial.agent, trial.model, trial.source))


@family("job_result", clause="003-3.3-group-merges").changed(
    invited_by="itertools.groupby, uniq without sort, a run that ends where the key changes"
)
def only_neighbouring_trials_grouped(reference: Variant) -> None:
    """Trials of a group that do not follow each other are lost: the last run of them is the group.
    Grouping neighbours is enough where trials are sorted."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def adding(job: Any, trials: Any) -> Any:
            given = list(trials)
            keys = [_key(reference, trial) for trial in given]
            kept = [
                trial
                for place, trial in enumerate(given)
                if all(keys[later] == keys[place] for later in range(place, _last(keys, keys[place]) + 1))
            ]
            return original(job, kept)

        return adding

    reference.wrap(reference_job_result, around)


def _last(keys: list[str], key: str) -> int:
    return len(keys) - 1 - keys[::-1].index(key)


@way("job_result", clause="003-4-per-evals-group")
def taken_together(reference: Variant, of: Callable[[Any], Any], member: str) -> None:
    """Has a member of every group worked out over the trials of all groups that ``of`` makes the same."""

    def around_add(add: Callable[..., None]) -> Callable[..., None]:
        def adding(self: Any, trial: Any) -> None:
            self.__dict__.setdefault("seen", []).append(trial)
            add(self, trial)

        return adding

    def around(result: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, job: Any) -> Any:
            seen, groups = self.__dict__.get("seen", []), dict(self._groups)
            whole = result(self, job)
            wide: dict[str, Any] = {}
            for trial in reversed(seen):
                group = type(groups[_key(reference, trial)])()
                for other in seen:
                    if of(other) == of(trial):
                        group.add(other)
                wide[_key(reference, trial)] = group
            self._groups = {key: wide[key] for key in groups}
            other_tree = dict(dict(result(self, job).tree.members)["stats"].members)["evals"]
            self._groups = groups
            others = {key: dict(group.members)[member] for key, group in other_tree.members}

            def put(evals: Any) -> Any:
                return type(evals)(
                    [
                        (k, type(g)([(n, others[k] if n == member else v) for n, v in g.members]))
                        for k, g in evals.members
                    ]
                )

            return type(whole)(rewritten(whole.tree, ("stats", "evals"), put))

        return changed

    reference.wrap(JobStatistics.add, around_add)
    reference.wrap(JobStatistics.result, around)


@taken_together.made("pass_at_k", invited_by="attempts by agent and task, a cache of tasks")
def pass_at_k_over_models(trial: Any) -> Any:
    """Attempts for pass@k are counted by agent and task, over all models. A model is part of its agent."""
    return trial.agent, trial.source or "adhoc"


@taken_together.made("pass_at_k", invited_by="one table of tasks for the job")
def pass_at_k_over_agents(trial: Any) -> Any:
    """Attempts for pass@k are counted by task, over all agents and models on a dataset.
    A task is one task."""
    return trial.source or "adhoc"


@taken_together.made(
    "metrics", clause="003-3.3-metrics-list", invited_by="rewards gathered by dataset, not by group"
)
def metrics_over_agents(trial: Any) -> Any:
    """A group's metrics are over all trials of its dataset, whoever ran them. Metrics belong to a dataset."""
    return trial.source or "adhoc"


@taken_together.made(
    "exception_stats", clause="003-3.3-exception-stats", invited_by="errors gathered by agent"
)
def exceptions_over_models(trial: Any) -> Any:
    """A group's exception_stats lists the errors of its agent, with any model. It is the agent that fails."""
    return trial.agent, trial.source or "adhoc"


@trials_ordered.made(clause="003-3.3-token-totals", invited_by="evals[0], a job that has one model")
def usage_of_first_model(trials: list[Any]) -> list[Any]:
    """Tokens and cost are those of the first agent and model alone. A price is a model's."""
    return [
        trial
        if (trial.agent, trial.model) == (trials[0].agent, trials[0].model)
        else replace(trial, agent_result=None, step_results=None)
        for trial in trials
    ]


class _Always(dict[str, Any]):
    """Metrics that are found under every name."""

    def __init__(self, names: Any) -> None:
        super().__init__()
        self._names = names

    def get(self, key: str, default: Any = None) -> Any:
        """The names, whatever is asked for."""
        return self._names


class _Forward(dict[str, Any]):
    """Metrics that stay until others are found."""

    _last: Any = ()

    def get(self, key: str, default: Any = None) -> Any:
        """What is found, or what was found last."""
        self._last = super().get(key, self._last)
        return self._last
