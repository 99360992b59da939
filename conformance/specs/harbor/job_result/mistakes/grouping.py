"""Mistakes in what belongs together in a job: trials of a task, of an agent and model, of a dataset."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
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
def mean_of_task_means(graded: Graded) -> Graded:
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


@metrics_over.made(invited_by="zip over the attempts, itertools.batched, tables of tasks by attempts")
def attempts_cut_to_the_fewest(graded: Graded) -> Graded:
    """Metrics are over as many attempts of each task as every task has. A table has no ragged rows."""
    tasks = _by_task(graded)
    fewest = min(map(len, tasks.values()), default=0)
    kept = {id(trial) for trials in tasks.values() for trial in trials[:fewest]}
    return [trial for trial in graded if id(trial) in kept]


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
