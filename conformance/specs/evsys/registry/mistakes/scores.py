"""Mistakes in what EvSys takes a decorator without a key to mean, and in the whole answer of a benchmark."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.registry.mistakes.names import key_of
from reference_impl.evsys import benchmark, operations
from reference_impl.evsys import registry as registry_rules

keys = family("evsys.registry", clause="002-no-key")
in_evaluate = family("evsys.registry", of=benchmark.evaluate, clause="002-tasks-with-samples")
examples = family("evsys.registry", of=operations._worst_task, clause="002-worst-task")
_Classes = dict[str, Any]
_Scored = tuple[dict[str, Any], list[str]]


def _add(classes: _Classes, key: str, metric: Any) -> None:
    if classes.get(key, metric) is not metric:
        raise ValueError(key)
    classes[key] = metric


def _named(classes: _Classes, key: str, metric: Any) -> None:
    _add(classes, key, metric)
    metric.name = key


def _empty_key_kept(classes: _Classes, name: str | None, metric: Any) -> None:
    _named(classes, key_of(None, metric) if name is None else name, metric)


def _empty_key_refused(classes: _Classes, name: str | None, metric: Any) -> None:
    if name == "":
        raise ValueError(name)
    _named(classes, key_of(name, metric), metric)


def _no_key_refused(classes: _Classes, name: str | None, metric: Any) -> None:
    if name is None:
        raise ValueError(name)
    _named(classes, key_of(name, metric), metric)


def _nameless_kept(classes: _Classes, name: str | None, metric: Any) -> None:
    _named(classes, name or metric.name or "", metric)


def _nameless_passed_over(classes: _Classes, name: str | None, metric: Any) -> None:
    if name or metric.name:
        _named(classes, key_of(name, metric), metric)


def _name_kept(classes: _Classes, name: str | None, metric: Any) -> None:
    _add(classes, key_of(name, metric), metric)


def _missing_name_set(classes: _Classes, name: str | None, metric: Any) -> None:
    key = key_of(name, metric)
    _add(classes, key, metric)
    metric.name = metric.name or key


def _refused_named(classes: _Classes, name: str | None, metric: Any) -> None:
    metric.name = key_of(name, metric)
    _add(classes, metric.name, metric)


@keys.each(
    Case(
        "evsys-empty-key-kept",
        "the empty key is a key",
        "Only an argument that is missing is taken for one.",
        "if name is None",
        _empty_key_kept,
    ),
    Case(
        "evsys-empty-key-refused",
        "the empty key is refused, though the class has a name",
        "An empty name is taken for a fault.",
        "if not name: raise",
        _empty_key_refused,
    ),
    Case(
        "evsys-missing-key-refused",
        "a decorator without an argument is refused",
        "The document's example has one.",
        "required parameters",
        _no_key_refused,
    ),
    Case(
        "evsys-nameless-under-empty-key",
        "a class without a name that is registered without one stands under the empty name",
        "Whatever the fallback gives is taken.",
        "name or cls.name or ''",
        _nameless_kept,
    ),
    Case(
        "evsys-nameless-passed-over",
        "a class without a name that is registered without one is passed over without an error",
        "There is nothing to register it under.",
        "if key: registry[key] = cls",
        _nameless_passed_over,
    ),
    Case(
        "evsys-name-not-set",
        "the decorator leaves the class's name as it is",
        "A decorator that registers is thought to change nothing.",
        "return cls",
        _name_kept,
        clause="002-name-set",
    ),
    Case(
        "evsys-missing-name-set-only",
        "the decorator gives its key as a name only to a class that has none",
        "A name that is there looks like the author's will.",
        "if not hasattr(cls, 'name')",
        _missing_name_set,
        clause="002-name-set",
    ),
    Case(
        "evsys-refused-class-named",
        "a class that is refused has the key for a name all the same",
        "The name is set before the check.",
        "cls.name = key first",
        _refused_named,
        clause="002-name-set",
    ),
)
def decorated(reference: Variant, register: Callable[[_Classes, str | None, Any], None]) -> None:
    """Registers by the decorator's argument as it is given, and names the class itself."""

    def register_metric(registry: Any, name: str | None = None) -> Callable[[Any], Any]:
        def decorate(metric: Any) -> Any:
            register(registry._classes, name, metric)
            return metric

        return decorate

    reference.replace(registry_rules.Registry.register_metric, register_metric)


@in_evaluate.replaced(invited_by="metric.compute(task_rewards)")
def evsys_empty_tasks_given(registry: Any, names: Any, tasks: Any) -> _Scored:
    """A benchmark gives its metrics tasks without samples, too. What is there is handed on."""
    values: dict[str, Any] = {}
    left_out: list[str] = []
    for name in names or benchmark.DEFAULT_METRICS:
        try:
            values[name] = float(registry.get(name)().compute(tasks))
        except Exception:
            left_out.append(name)
    return values, left_out


@way("evsys.registry", clause="002-n-tasks")
def counting(reference: Variant, change: Callable[..., dict[str, Any]]) -> None:
    """Changes what stands in a benchmark's answer, given its values alone and its tasks."""
    evaluate = reference.get(benchmark.evaluate)

    def score(registry: Any, names: Any, tasks: Any) -> _Scored:
        values, left_out = evaluate(registry, names, tasks)
        return change(values, tasks), left_out

    reference.replace(benchmark.score, score)


@counting.made(invited_by="len(task_rewards)")
def evsys_n_tasks_of_all(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """n_tasks counts tasks without samples, too. It seems to be the number of tasks."""
    return {"n_tasks": float(len(tasks)), **values}


@counting.made(invited_by="sum(map(len, task_rewards))")
def evsys_n_tasks_of_samples(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """n_tasks is the number of samples. Each rollout looks like a task."""
    return {"n_tasks": float(sum(map(len, tasks))), **values}


@counting.made(invited_by="len()")
def evsys_n_tasks_is_an_int(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """n_tasks is an int. A count is one."""
    return {"n_tasks": sum(map(bool, tasks)), **values}


@counting.made(invited_by="a contract that shows none")
def evsys_n_tasks_missing(values: dict[str, Any], _: Any) -> dict[str, Any]:
    """A benchmark's answer has no n_tasks. The document does not mention it."""
    return values


@counting.made(invited_by="out['n_tasks'] = … behind the loop")
def evsys_n_tasks_last(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """n_tasks stands behind the values, and a metric of that name is lost.
    It is set when all is computed."""
    rest = {name: value for name, value in values.items() if name != "n_tasks"}
    return {**rest, "n_tasks": float(sum(map(bool, tasks)))}


@counting.made(invited_by="{**values, 'n_tasks': …}")
def evsys_n_tasks_reserved(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """A metric that is called n_tasks does not take the number's place. Names of the system look reserved."""
    return {"n_tasks": 0.0} | values | {"n_tasks": float(sum(map(bool, tasks)))}


@counting.made(invited_by="OrderedDict.move_to_end, pop before an assignment")
def evsys_n_tasks_moves(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """A metric that is called n_tasks stands where it is named.
    What is set again is put behind the others."""
    return values if "n_tasks" in values else {"n_tasks": float(sum(map(bool, tasks))), **values}


@examples.replaced(invited_by="min(map(min, task_rewards))")
def evsys_worst_task_by_sample(tasks: Any) -> Any:
    """The document's worst_task is the least reward of all samples.
    A task seems to be as bad as its worst sample."""
    return min((min(rewards) for rewards in tasks if rewards), default=0.0)


@examples.wrapped(invited_by="min(means) without a default")
def evsys_worst_task_needs_tasks(compute: Callable[..., Any], tasks: Any) -> Any:
    """The document's worst_task is left out where there are no samples.
    The least of nothing is an error."""
    if not any(tasks):
        raise ValueError(tasks)
    return compute(tasks)
