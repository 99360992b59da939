"""Mistakes in registering metrics, and in how a benchmark uses them."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl.evsys import benchmark, plugins
from reference_impl.evsys import registry as registry_rules

in_evaluate = family("evsys.registry", of=benchmark.evaluate)
_Loop = Callable[[Any, str, Any], Any]


@way("evsys.registry", clause="002-duplicate")
def registering(reference: Variant, register: Callable[[dict[str, Any], str, Any], None]) -> None:
    """Changes what the decorator does, given the existing classes, its name and its class."""

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
    """The name in a class's source: the decorator changes the class's name."""
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
    """Changes how one metric's value is computed, and which failures exclude it."""

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
    """A name that is registered again belongs to the last class.
    Assignment to a map replaces the old value."""
    return classes.update({name: metric})


@registering.made(clause="002-key", invited_by="cls.name, registries by attribute")
def evsys_key_from_class_name(classes: dict[str, Any], key: str, metric: Any) -> None:
    """A metric is registered under its class's own name. The class has an attribute called name."""
    return _add(classes, as_written(metric) or key, metric)


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
    """A metric that raises fails the whole benchmark. The code only expects the lookup to fail."""
    return _compute(registry, name, tasks)


@in_evaluate.wrapped(clause="002-benchmark", invited_by="sorted maps, sorted(names)")
def evsys_benchmark_sorted(evaluate: Callable[..., Any], registry: Any, names: Any, tasks: Any) -> Any:
    """A benchmark's metrics are computed in the order of their names.
    Sorted results are easy to compare."""
    return evaluate(registry, sorted(names), tasks)


@in_evaluate.wrapped(clause="002-default-metrics", invited_by="for name in metrics")
def evsys_benchmark_without_metrics_nothing(
    evaluate: Callable[..., Any], registry: Any, names: list[str], tasks: Any
) -> Any:
    """A benchmark that names no metrics computes none. An empty list is taken as it is."""
    return evaluate(registry, names, tasks) if names else ({}, [])


in_load_plugins = family("evsys.registry", of=plugins.load_plugins, clause="002-plugin-failure")


@in_load_plugins.wrapped(invited_by="one try for all plugins")
def evsys_plugin_failure_ends_the_walk(
    load: Callable[..., Any], entry_points: Sequence[Any]
) -> tuple[list[str], list[str]]:
    """A plugin that fails to import ends the walk over the plugins.
    The try statement encloses the whole loop."""
    loaded: list[str] = []
    for entry_point in entry_points:
        [*done], [*skipped] = load([entry_point])
        loaded += done
        if skipped:
            return loaded, skipped
    return loaded, []


@in_load_plugins.replaced(invited_by="except ImportError")
def evsys_import_errors_skipped_only(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
    """A plugin is skipped for an ImportError only; a duplicate name in it propagates.
    Imports are expected to raise ImportErrors."""
    loaded: list[str] = []
    skipped: list[str] = []
    for entry_point in entry_points:
        try:
            entry_point.run_import()
            loaded.append(entry_point.name)
        except ImportError:
            skipped.append(entry_point.name)
    return loaded, skipped


keys = family("evsys.registry", clause="002-no-key")
_Classes = dict[str, Any]
_Scored = tuple[dict[str, Any], list[str]]


def _named(classes: _Classes, key: str, metric: Any) -> None:
    _add(classes, key, metric)
    metric.name = key


def _no_key_refused(classes: _Classes, name: str | None, metric: Any) -> None:
    if name is None:
        raise ValueError(name)
    _named(classes, key_of(name, metric), metric)


def _name_kept(classes: _Classes, name: str | None, metric: Any) -> None:
    _add(classes, key_of(name, metric), metric)


@keys.each(
    Case(
        "evsys-missing-key-refused",
        "a decorator without an argument is refused",
        "The document's example has one.",
        "required parameters",
        _no_key_refused,
    ),
    Case(
        "evsys-name-not-set",
        "the decorator leaves the class's name as it is",
        "A decorator that registers a class is not expected to change it.",
        "return cls",
        _name_kept,
        clause="002-name-set",
    ),
)
def decorated(reference: Variant, register: Callable[[_Classes, str | None, Any], None]) -> None:
    """Registers under the decorator's argument unchanged, and sets the class's name."""

    def register_metric(registry: Any, name: str | None = None) -> Callable[[Any], Any]:
        def decorate(metric: Any) -> Any:
            register(registry._classes, name, metric)
            return metric

        return decorate

    reference.replace(registry_rules.Registry.register_metric, register_metric)


@way("evsys.registry", clause="002-n-tasks")
def counting(reference: Variant, change: Callable[..., dict[str, Any]]) -> None:
    """Changes a benchmark's answer, given its values and its tasks."""
    evaluate = reference.get(benchmark.evaluate)

    def score(registry: Any, names: Any, tasks: Any) -> _Scored:
        values, left_out = evaluate(registry, names, tasks)
        return change(values, tasks), left_out

    reference.replace(benchmark.score, score)


@counting.made(invited_by="len(task_rewards)")
def evsys_n_tasks_of_all(values: dict[str, Any], tasks: Any) -> dict[str, Any]:
    """n_tasks counts tasks without samples, too. The name suggests the number of all tasks."""
    return {"n_tasks": float(len(tasks)), **values}
