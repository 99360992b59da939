"""Mistakes in how EvSys finds metrics, and in what one that fails does to the others."""

import contextlib
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.evsys import benchmark, metrics, operations
from reference_impl.evsys import registry as registry_rules

in_available = family("evsys.registry", of=registry_rules.Registry.available, clause="002-unknown")
in_evaluate = family("evsys.registry", of=benchmark.evaluate)
in_get = family("evsys.registry", of=registry_rules.Registry.get, clause="002-unknown")
_Loop = Callable[[Any, str, Any], Any]


@way("evsys.registry", clause="002-duplicate")
def registering(reference: Variant, register: Callable[[dict[str, Any], str, Any], None]) -> None:
    """Changes what the decorator does with the classes there are, its name and its class."""

    def register_metric(registry: Any, name: str | None = None) -> Callable[[Any], Any]:
        def decorate(metric: Any) -> Any:
            key = key_of(name, metric)
            as_written(metric)
            register(registry._classes, key, metric)
            metric.name = key
            return metric

        return decorate

    reference.replace(registry_rules.Registry.register_metric, register_metric)


def key_of(name: str | None, metric: Any) -> str:
    """The key that a class is registered under."""
    key: str | None = name or metric.name
    if not key:
        raise ValueError(name)
    return key


def as_written(metric: Any) -> str | None:
    """What a class called itself before it was registered: the decorator changes its name."""
    if "written" not in vars(metric):
        metric.written = metric.name
    name: str | None = metric.written
    return name


def _add(classes: dict[str, Any], name: str, metric: Any) -> None:
    if classes.get(name, metric) is not metric:
        raise ValueError(name)
    classes[name] = metric


@way("evsys.registry", clause="002-left-out")
def evaluating(reference: Variant, value: _Loop, *, lenient: type[Exception] = Exception) -> None:
    """Changes how one metric's value comes about, and which failures leave it out."""

    def evaluate(registry: Any, names: list[str], tasks: Any) -> tuple[dict[str, Any], list[str]]:
        values: dict[str, Any] = {}
        left_out: list[str] = []
        for name in names or benchmark.DEFAULT_METRICS:
            try:
                values[name] = value(registry, name, [task for task in tasks if task])
            except lenient:
                left_out.append(name)
        return values, left_out

    reference.replace(benchmark.evaluate, evaluate)


def _compute(registry: Any, name: str, tasks: Any) -> Any:
    return float(registry.get(name)().compute(tasks))


@registering.made(invited_by="registry[name] = cls")
def evsys_last_registration_wins(classes: dict[str, Any], name: str, metric: Any) -> None:
    """A name that is registered again belongs to the last class. Assigning to a map replaces."""
    return classes.update({name: metric})


@registering.made(invited_by="setdefault, putIfAbsent")
def evsys_first_registration_wins(classes: dict[str, Any], name: str, metric: Any) -> None:
    """A name that is registered again silently stays with the first class.
    Inserting where nothing is needs no error."""
    classes.setdefault(name, metric)


@registering.made(invited_by="if name in registry: raise")
def evsys_same_class_twice_refused(classes: dict[str, Any], name: str, metric: Any) -> None:
    """A class that takes its own name again is refused. A name that is taken is taken."""
    if name in classes:
        raise ValueError(name)
    classes[name] = metric


@registering.made(invited_by="cls.__qualname__ comparisons")
def evsys_classes_compared_by_name(classes: dict[str, Any], name: str, metric: Any) -> None:
    """Two classes that call themselves alike count as the same class.
    A module that is imported twice makes two classes of one name."""
    if name in classes and as_written(classes[name]) != as_written(metric):
        raise ValueError(name)
    classes[name] = metric


@registering.made(invited_by="fallbacks to built-ins")
def evsys_built_ins_replaceable(reference: Variant, classes: dict[str, Any], name: str, metric: Any) -> None:
    """A plugin may take the name of a built-in metric.
    Built-ins are looked up last, or not registered at all."""
    if classes.get(name) is not reference.its((metrics, "BUILT_INS")).get(name):
        _add(classes, name, metric)
    classes[name] = metric


@registering.made(clause="002-key", invited_by="cls.name, registries by attribute")
def evsys_key_from_class_name(classes: dict[str, Any], key: str, metric: Any) -> None:
    """A metric is registered under what its class calls itself.
    The class has an attribute called name, after all."""
    return _add(classes, as_written(metric) or key, metric)


@registering.made(clause="002-key", invited_by="registries from class to name")
def evsys_one_key_a_class(classes: dict[str, Any], name: str, metric: Any) -> None:
    """A class that is registered under a second name loses the first. A decorator seems to name its class."""
    _add(classes, name, metric)
    for other in [other for other, it in classes.items() if it is metric and other != name]:
        del classes[other]


@in_get.wrapped(invited_by="name.lower()")
def evsys_names_lower_cased(get: Callable[..., Any], registry: Any, name: Any) -> Any:
    """Names of metrics are looked up in lower case.
    Names in configuration files are often written either way."""
    return get(registry, name.lower())


@in_get.wrapped(invited_by="name.strip()")
def evsys_names_stripped(get: Callable[..., Any], registry: Any, name: Any) -> Any:
    """Names of metrics are looked up without the white space around them.
    Lists in configuration files are split at commas."""
    return get(registry, name.strip())


@in_available.replaced(invited_by="constant messages")
def evsys_available_built_ins_only(reference: Variant, _: Any) -> Any:
    """An unknown name's error lists the built-in metrics alone.
    The list is written where the built-ins are."""
    return sorted(reference.its((metrics, "BUILT_INS")))


@in_available.replaced(invited_by="list(registry)")
def evsys_available_as_registered(registry: Any) -> Any:
    """An unknown name's error lists the metrics in the order of their registration.
    A map's keys come in that order."""
    return list(registry._classes)


@in_evaluate.wrapped(clause="002-left-out", invited_by="looking all names up before the first is computed")
def evsys_unknown_fails_benchmark(
    evaluate: Callable[..., Any], registry: Any, names: list[str], tasks: Any
) -> Any:
    """An unknown metric fails the whole benchmark. A misspelt name should be noticed."""
    for name in names:
        registry.get(name)
    return evaluate(registry, names, tasks)


@evaluating.made(lenient=KeyError, invited_by="except KeyError")
def evsys_raising_fails_benchmark(registry: Any, name: str, tasks: Any) -> Any:
    """A metric that raises fails the whole benchmark. Only the lookup is guarded."""
    return _compute(registry, name, tasks)


@evaluating.made(lenient=KeyError, invited_by="except (KeyError, ValueError)")
def evsys_value_errors_left_out_only(registry: Any, name: str, tasks: Any) -> Any:
    """A metric is left out for a ValueError or an unknown name; else it fails the benchmark.
    Metrics are thought to raise ValueErrors."""
    try:
        return _compute(registry, name, tasks)
    except ValueError as error:
        raise KeyError(name) from error


@evaluating.made(invited_by="harnesses that give 0.0 for an exception")
def evsys_raising_counts_zero(registry: Any, name: str, tasks: Any) -> Any:
    """A metric that raises counts as 0. A failure is a bad score."""
    metric = registry.get(name)
    try:
        return float(metric().compute(tasks))
    except Exception:
        return 0.0


@evaluating.made(clause="002-to-float", invited_by="values[name] = metric.compute(...)")
def evsys_values_as_returned(registry: Any, name: str, tasks: Any) -> Any:
    """A benchmark's values are handed on as compute returns them. compute is declared to return a float."""
    value = registry.get(name)().compute(tasks)
    if value is None:
        raise TypeError(name)
    return value


@evaluating.made(clause="002-to-float", invited_by="value or 0.0")
def evsys_none_counts_zero(registry: Any, name: str, tasks: Any) -> Any:
    """A metric that returns None counts as 0. Nothing is taken for no score."""
    return float(registry.get(name)().compute(tasks) or 0.0)


@evaluating.made(clause="002-to-float", invited_by="numpy.asarray(values, dtype=float)")
def evsys_none_is_nan(registry: Any, name: str, tasks: Any) -> Any:
    """A metric that returns None has the value NaN. NaN stands for a missing value in data frames."""
    value = registry.get(name)().compute(tasks)
    return float("nan") if value is None else float(value)


@in_evaluate.wrapped(clause="002-to-float", invited_by="if value is None: continue")
def evsys_none_skipped_silently(
    evaluate: Callable[..., Any], registry: Any, names: list[str], tasks: Any
) -> Any:
    """A metric that returns None is neither computed nor left out. None is taken for "does not apply"."""

    def is_none(name: str) -> bool:
        try:
            return registry.get(name)().compute(tasks) is None
        except Exception:
            return False

    values, left_out = evaluate(registry, names, tasks)
    return values, [name for name in left_out if not is_none(name)]


@way("evsys.registry", clause="002-to-float")
def answering(reference: Variant, change: Callable[..., Any]) -> None:
    """Changes the answers of both actions that compute a benchmark."""
    for action, member in ((operations._evaluate, "values"), (operations._score, "score")):
        act = reference.get(action)

        def changed(registry: Any, classes: Any, asked: Any, act: Any = act, member: str = member) -> Any:
            return change(registry, act(registry, classes, asked), member)

        reference.replace(action, changed)


@answering.made(invited_by="values[name] = metric.compute(...), json.dumps")
def evsys_none_is_null(registry: Any, answer: dict[str, Any], member: str) -> Any:
    """A metric that returns None has the value null. What it returns is written as it is."""
    given = {name: registry.get(name)().compute([[]]) for name in _returning(registry, answer["left_out"])}
    nulls = {name: value for name, value in given.items() if value is None}
    kept = [name for name in answer["left_out"] if name not in nulls]
    return {member: {**answer[member], **nulls}, "left_out": kept}


def _returning(registry: Any, names: list[str]) -> list[str]:
    """The names whose metric returns something."""
    found = []
    for name in names:
        with contextlib.suppress(Exception):
            registry.get(name)().compute([[]])
            found.append(name)
    return found


@in_evaluate.wrapped(clause="002-benchmark", invited_by="sorted maps, sorted(names)")
def evsys_benchmark_sorted(evaluate: Callable[..., Any], registry: Any, names: Any, tasks: Any) -> Any:
    """A benchmark's metrics are computed in the order of their names. Sorted results are easy to compare."""
    return evaluate(registry, sorted(names), tasks)


@in_evaluate.wrapped(clause="002-default-metrics", invited_by="for name in metrics")
def evsys_benchmark_without_metrics_nothing(
    evaluate: Callable[..., Any], registry: Any, names: list[str], tasks: Any
) -> Any:
    """A benchmark that names no metrics computes none. An empty list is taken as it is."""
    return evaluate(registry, names, tasks) if names else ({}, [])


@in_evaluate.wrapped(clause="002-default-metrics", invited_by="[*defaults, *metrics]")
def evsys_default_metrics_always(
    evaluate: Callable[..., Any], registry: Any, names: list[str], tasks: Any
) -> Any:
    """A benchmark computes mean_reward and pass_rate before the metrics that it names.
    Defaults are taken for a base that is added to."""
    return evaluate(registry, [*benchmark.DEFAULT_METRICS, *names], tasks)
