"""Mistakes in how EvSys finds metrics, and in what one that fails does to the others."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_REGISTER = "evsys.registry.Registry.register_metric"
_EVALUATE = "evsys.benchmark.evaluate"
_Loop = Callable[[Any, str, Any], Any]


def _registering(reference: Variant, register: Callable[[dict[str, Any], str, Any], None]) -> None:
    """Changes what the decorator does with the classes there are, its name and its class."""

    def register_metric(registry: Any, name: str) -> Callable[[Any], Any]:
        def decorate(metric: Any) -> Any:
            register(registry._classes, name, metric)
            return metric

        return decorate

    reference.replace(_REGISTER, register_metric)


def _add(classes: dict[str, Any], name: str, metric: Any) -> None:
    if classes.get(name, metric) is not metric:
        raise ValueError(name)
    classes[name] = metric


def _evaluating(reference: Variant, value: _Loop, *, lenient: type[Exception] = Exception) -> None:
    """Changes how one metric's value comes about, and which failures leave it out."""

    def evaluate(registry: Any, names: list[str], tasks: Any) -> tuple[dict[str, Any], list[str]]:
        values: dict[str, Any] = {}
        left_out: list[str] = []
        for name in names:
            try:
                values[name] = value(registry, name, tasks)
            except lenient:
                left_out.append(name)
        return values, left_out

    reference.replace(_EVALUATE, evaluate)


def _compute(registry: Any, name: str, tasks: Any) -> Any:
    return registry.get(name)().compute(tasks)


@mistake(
    "evsys-last-registration-wins",
    says="a name that is registered again belongs to the last class",
    op="evsys.registry",
    clause="002-duplicate",
    why="Assigning to a map replaces.",
    invited_by="registry[name] = cls",
)
def _(reference: Variant) -> None:
    _registering(reference, lambda classes, name, metric: classes.update({name: metric}))


@mistake(
    "evsys-first-registration-wins",
    says="a name that is registered again silently stays with the first class",
    op="evsys.registry",
    clause="002-duplicate",
    why="Inserting where nothing is needs no error.",
    invited_by="setdefault, putIfAbsent",
)
def _(reference: Variant) -> None:
    _registering(reference, lambda classes, name, metric: classes.setdefault(name, metric))


@mistake(
    "evsys-same-class-twice-refused",
    says="a class that takes its own name again is refused",
    op="evsys.registry",
    clause="002-duplicate",
    why="A name that is taken is taken.",
    invited_by="if name in registry: raise",
)
def _(reference: Variant) -> None:
    def strict(classes: dict[str, Any], name: str, metric: Any) -> None:
        if name in classes:
            raise ValueError(name)
        classes[name] = metric

    _registering(reference, strict)


@mistake(
    "evsys-classes-compared-by-name",
    says="two classes that call themselves alike count as the same class",
    op="evsys.registry",
    clause="002-duplicate",
    why="A module that is imported twice makes two classes of one name.",
    invited_by="cls.__qualname__ comparisons",
)
def _(reference: Variant) -> None:
    def by_name(classes: dict[str, Any], name: str, metric: Any) -> None:
        if name in classes and classes[name].name != metric.name:
            raise ValueError(name)
        classes[name] = metric

    _registering(reference, by_name)


@mistake(
    "evsys-built-ins-replaceable",
    says="a plugin may take the name of a built-in metric",
    op="evsys.registry",
    clause="002-duplicate",
    why="Built-ins are looked up last, or not registered at all.",
    invited_by="fallbacks to built-ins",
)
def _(reference: Variant) -> None:
    built_ins = reference.get("evsys.metrics.BUILT_INS")

    def replaceable(classes: dict[str, Any], name: str, metric: Any) -> None:
        if classes.get(name) is not built_ins.get(name):
            _add(classes, name, metric)
        classes[name] = metric

    _registering(reference, replaceable)


@mistake(
    "evsys-key-from-class-name",
    says="a metric is registered under what its class calls itself",
    op="evsys.registry",
    clause="002-key",
    why="The class has an attribute called name, after all.",
    invited_by="cls.name, registries by attribute",
)
def _(reference: Variant) -> None:
    _registering(reference, lambda classes, _, metric: _add(classes, metric.name, metric))


@mistake(
    "evsys-one-key-a-class",
    says="a class that is registered under a second name loses the first",
    op="evsys.registry",
    clause="002-key",
    why="A decorator seems to name its class.",
    invited_by="registries from class to name",
)
def _(reference: Variant) -> None:
    def moved(classes: dict[str, Any], name: str, metric: Any) -> None:
        _add(classes, name, metric)
        for other in [other for other, it in classes.items() if it is metric and other != name]:
            del classes[other]

    _registering(reference, moved)


@mistake(
    "evsys-names-lower-cased",
    says="names of metrics are looked up in lower case",
    op="evsys.registry",
    clause="002-unknown",
    why="Names in configuration files are often written either way.",
    invited_by="name.lower()",
)
def _(reference: Variant) -> None:
    get = reference.get("evsys.registry.Registry.get")
    reference.replace("evsys.registry.Registry.get", lambda registry, name: get(registry, name.lower()))


@mistake(
    "evsys-names-stripped",
    says="names of metrics are looked up without the white space around them",
    op="evsys.registry",
    clause="002-unknown",
    why="Lists in configuration files are split at commas.",
    invited_by="name.strip()",
)
def _(reference: Variant) -> None:
    get = reference.get("evsys.registry.Registry.get")
    reference.replace("evsys.registry.Registry.get", lambda registry, name: get(registry, name.strip()))


@mistake(
    "evsys-available-built-ins-only",
    says="an unknown name's error lists the built-in metrics alone",
    op="evsys.registry",
    clause="002-unknown",
    why="The list is written where the built-ins are.",
    invited_by="constant messages",
)
def _(reference: Variant) -> None:
    built_ins = sorted(reference.get("evsys.metrics.BUILT_INS"))
    reference.replace("evsys.registry.Registry.available", lambda _: list(built_ins))


@mistake(
    "evsys-available-as-registered",
    says="an unknown name's error lists the metrics in the order of their registration",
    op="evsys.registry",
    clause="002-unknown",
    why="A map's keys come in that order.",
    invited_by="list(registry)",
)
def _(reference: Variant) -> None:
    reference.replace("evsys.registry.Registry.available", lambda registry: list(registry._classes))


@mistake(
    "evsys-unknown-fails-benchmark",
    says="an unknown metric fails the whole benchmark",
    op="evsys.registry",
    clause="002-left-out",
    why="A misspelt name should be noticed.",
    invited_by="looking all names up before the first is computed",
)
def _(reference: Variant) -> None:
    def looked_up_first(evaluate: Callable[..., Any]) -> Callable[..., Any]:
        def checked(registry: Any, names: list[str], tasks: Any) -> Any:
            for name in names:
                registry.get(name)
            return evaluate(registry, names, tasks)

        return checked

    reference.wrap(_EVALUATE, looked_up_first)


@mistake(
    "evsys-raising-fails-benchmark",
    says="a metric that raises fails the whole benchmark",
    op="evsys.registry",
    clause="002-left-out",
    why="Only the lookup is guarded.",
    invited_by="except KeyError",
)
def _(reference: Variant) -> None:
    _evaluating(reference, _compute, lenient=KeyError)


@mistake(
    "evsys-value-errors-left-out-only",
    says="a metric is left out for a ValueError or an unknown name; else it fails the benchmark",
    op="evsys.registry",
    clause="002-left-out",
    why="Metrics are thought to raise ValueErrors.",
    invited_by="except (KeyError, ValueError)",
)
def _(reference: Variant) -> None:
    def guarded(registry: Any, name: str, tasks: Any) -> Any:
        try:
            return _compute(registry, name, tasks)
        except ValueError as error:
            raise KeyError(name) from error

    _evaluating(reference, guarded, lenient=KeyError)


@mistake(
    "evsys-raising-counts-zero",
    says="a metric that raises counts as 0",
    op="evsys.registry",
    clause="002-left-out",
    why="A failure is a bad score.",
    invited_by="harnesses that give 0.0 for an exception",
)
def _(reference: Variant) -> None:
    def or_zero(registry: Any, name: str, tasks: Any) -> Any:
        metric = registry.get(name)
        try:
            return metric().compute(tasks)
        except Exception:
            return 0.0

    _evaluating(reference, or_zero)


@mistake(
    "evsys-values-as-floats",
    says="a benchmark's values are converted to floats",
    op="evsys.registry",
    clause="002-benchmark",
    why="compute is declared to return a float.",
    invited_by="float(metric.compute(...)), typed fields",
)
def _(reference: Variant) -> None:
    _evaluating(reference, lambda *asked: float(_compute(*asked)))


@mistake(
    "evsys-benchmark-sorted",
    says="a benchmark's metrics are computed in the order of their names",
    op="evsys.registry",
    clause="002-benchmark",
    why="Sorted results are easy to compare.",
    invited_by="sorted maps, sorted(names)",
)
def _(reference: Variant) -> None:
    reference.wrap(
        _EVALUATE, lambda evaluate: lambda registry, names, tasks: evaluate(registry, sorted(names), tasks)
    )
