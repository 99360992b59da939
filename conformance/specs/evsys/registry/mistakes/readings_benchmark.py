"""What readers of document 002 alone understood of a benchmark: names in, values and names left out."""

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.other_numbers import as_double
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.registry.mistakes.names import names_remembered
from reference_impl.evsys import benchmark
from reference_impl.evsys.metrics import BUILT_INS

benchmarks = family("evsys.registry", clause="002-benchmark")
failures = family("evsys.registry", clause="002-left-out")
_Names = Sequence[str]
_Result = tuple[dict[str, Any], list[str]]


def _built_ins_first(_: Any, names: _Names) -> _Names:
    return sorted(names, key=lambda name: name not in BUILT_INS)


def _own_first(_: Any, names: _Names) -> _Names:
    return sorted(names, key=lambda name: name in BUILT_INS)


def _as_registered(registry: Any, names: _Names) -> _Names:
    known = [name for name in registry._classes if name in names]
    return [*known, *(name for name in names if name not in known)]


def _known_class_once(registry: Any, names: _Names) -> _Names:
    seen: list[Any] = []
    kept = []
    for name in names:
        metric = registry._classes.get(name)
        if metric is None or all(metric is not it for it in seen):
            kept.append(name)
            seen.append(metric)
    return kept


@benchmarks.each(
    Case(
        "evsys-benchmark-built-ins-first",
        "a benchmark computes its built-in metrics before the others",
        "Both are kept in tables of their own.",
        "two loops",
        _built_ins_first,
    ),
    Case(
        "evsys-benchmark-own-first",
        "a benchmark computes registered metrics before the built-in ones",
        "Both are kept in tables of their own.",
        "two loops",
        _own_first,
    ),
    Case(
        "evsys-benchmark-as-registered",
        "a benchmark computes its metrics in the order of their registration",
        "The loop is one over the registry.",
        "for name in registry if name in metrics",
        _as_registered,
    ),
    Case(
        "evsys-benchmark-reversed",
        "a benchmark computes its metrics from the last",
        "Names are taken from a stack.",
        "list.pop()",
        lambda _, names: list(reversed(names)),
    ),
    Case(
        "evsys-benchmark-without-metrics-all",
        "a benchmark without metrics computes all there are",
        "No choice is taken for all.",
        "metrics or registry.available()",
        lambda registry, names: names or registry.available(),
    ),
    Case(
        "evsys-benchmark-without-metrics-mean",
        "a benchmark without metrics computes mean_reward",
        "The mean is harbor's default.",
        "metrics or ['mean_reward']",
        lambda _, names: names or ["mean_reward"],
    ),
    Case(
        "evsys-benchmark-mean-always",
        "a benchmark computes mean_reward, listed or not",
        "A benchmark has a score.",
        "headline scores",
        lambda _, names: names if "mean_reward" in names else [*names, "mean_reward"],
    ),
    Case(
        "evsys-benchmark-alias-once",
        "a benchmark leaves avg away where it lists mean_reward",
        "Both are the same.",
        "aliases resolved before the loop",
        lambda _, names: [name for name in names if name != "avg" or "mean_reward" not in names],
        clause="002-avg",
    ),
    Case(
        "evsys-benchmark-class-once",
        "a benchmark computes a class once that it lists under several names",
        "The value is known already.",
        "caches by class",
        _known_class_once,
    ),
    Case(
        "evsys-benchmark-names-once",
        "a benchmark leaves a name out once that it lists twice",
        "What is collected in a set or a map loses its repetitions.",
        "dict.fromkeys(metrics)",
        lambda _, names: list(dict.fromkeys(names)),
        clause="002-left-out",
    ),
    Case(
        "evsys-benchmark-later-place",
        "a metric that a benchmark lists twice stands in its last place",
        "A member that is set again is put behind the others.",
        "pop before an assignment",
        lambda _, names: list(reversed(list(dict.fromkeys(reversed(names))))),
    ),
    Case(
        "evsys-benchmark-names-stripped",
        "a benchmark's names lose the white space around them",
        "Lists in configuration files are split at commas.",
        "name.strip()",
        lambda _, names: [name.strip() for name in names],
    ),
    Case(
        "evsys-benchmark-names-lower-cased",
        "a benchmark's names are taken in lower case",
        "Names in configuration files are written either way.",
        "name.lower()",
        lambda _, names: [name.lower() for name in names],
    ),
    Case(
        "evsys-benchmark-built-ins-only",
        "a benchmark computes built-in metrics alone; others are silently not there",
        "Names are checked against the list in the document.",
        "enum of metric names",
        lambda _, names: [name for name in names if name in BUILT_INS],
    ),
    Case(
        "evsys-benchmark-own-only",
        "a benchmark that lists registered metrics does not compute built-in ones",
        "One's own metrics are taken to replace those there are.",
        "overrides of defaults",
        lambda _, names: [name for name in names if name not in BUILT_INS] or names,
    ),
    Case(
        "evsys-benchmark-empty-name-ignored",
        "a benchmark ignores an empty name",
        "An empty line in a list is none.",
        "filter(None, metrics)",
        lambda _, names: [name for name in names if name],
        clause="002-left-out",
    ),
)
def other_names(reference: Variant, change: Callable[[Any, _Names], _Names]) -> None:
    """Computes other names, or in another order; where names are given and none is left, nothing."""

    def around(evaluate: Callable[..., _Result]) -> Callable[..., _Result]:
        def changed(registry: Any, names: _Names, tasks: Any) -> _Result:
            kept = change(registry, names)
            return evaluate(registry, kept, tasks) if kept or not names else ({}, [])

        return changed

    reference.wrap(benchmark.evaluate, around)


def _raw(registry: Any, name: str, tasks: Any) -> Any:
    return registry.get(name)().compute([task for task in tasks if task])


def _one(registry: Any, name: str, tasks: Any) -> Any:
    return float(_raw(registry, name, tasks))


def _float_or_error(registry: Any, name: str, tasks: Any) -> Any:
    value = _raw(registry, name, tasks)
    if isinstance(value, int):
        raise TypeError(value)
    return float(value)


def _saturating(registry: Any, name: str, tasks: Any) -> Any:
    value = _raw(registry, name, tasks)
    if value is None:
        raise TypeError(value)
    return as_double(value)


def _stopping(registry: Any, names: _Names, tasks: Any) -> _Result:
    values: dict[str, Any] = {}
    for i, name in enumerate(names):
        try:
            values[name] = _one(registry, name, tasks)
        except Exception:
            return values, list(names[i:])
    return values, []


def _stopping_silently(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _stopping(registry, names, tasks)
    return values, left_out[:1]


def _unknown_first(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return values, sorted(left_out, key=lambda name: name in registry._classes)


def _raising_first(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return values, sorted(left_out, key=lambda name: name not in registry._classes)


def _usual(registry: Any, names: _Names, tasks: Any, one: Callable[[Any, str, Any], Any] = _one) -> _Result:
    values: dict[str, Any] = {}
    left_out: list[str] = []
    for name in names:
        try:
            values[name] = one(registry, name, tasks)
        except Exception:
            left_out.append(name)
    return values, left_out


def _by_class_name(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return {_called(registry, name): value for name, value in values.items()}, left_out


def _left_out_by_class_name(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return values, [_called(registry, name) if name in registry._classes else name for name in left_out]


def _called(registry: Any, name: str) -> str:
    metric = registry._classes[name]
    return vars(metric).get("written", metric.name) or name


def _left_out_where(wrong: Callable[[Any], bool]) -> Callable[..., _Result]:
    def evaluate(registry: Any, names: _Names, tasks: Any) -> _Result:
        values, left_out = _usual(registry, names, tasks)
        wrongs = {name for name, value in values.items() if wrong(value)}
        kept = {name: value for name, value in values.items() if name not in wrongs}
        out = [name for name in names if name in wrongs or name in left_out]
        return kept, out

    return evaluate


def _valued(change: Callable[[Any], Any]) -> Callable[..., _Result]:
    def evaluate(registry: Any, names: _Names, tasks: Any) -> _Result:
        values, left_out = _usual(registry, names, tasks)
        return {name: change(value) for name, value in values.items()}, left_out

    return evaluate


def _without_samples(
    result: Callable[[_Names], _Result], empty: Callable[[Any], bool]
) -> Callable[..., _Result]:
    def evaluate(registry: Any, names: _Names, tasks: Any) -> _Result:
        return result(names) if empty(tasks) else _usual(registry, names, tasks)

    return evaluate


def _built_ins_unguarded(registry: Any, names: _Names, tasks: Any) -> _Result:
    for name in names:
        if name in BUILT_INS:
            _one(registry, name, tasks)
    return _usual(registry, names, tasks)


def _arithmetic_only(registry: Any, names: _Names, tasks: Any) -> _Result:
    for name in names:
        with contextlib.suppress(KeyError, ArithmeticError):
            _one(registry, name, tasks)
    return _usual(registry, names, tasks)


def _unknown_unlisted(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return values, [name for name in left_out if name in registry._classes]


def _raising_unlisted(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return values, [name for name in left_out if name not in registry._classes]


def _failed_nan(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return {name: values.get(name, math.nan) for name in names}, left_out


def _unknown_zero(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    known = [name for name in left_out if name in registry._classes]
    return {name: values.get(name, 0.0) for name in names if name not in known}, known


def _all_or_nothing(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    return ({}, list(names)) if left_out else (values, left_out)


def _tasks_of(change: Callable[[Any], Any]) -> Callable[..., _Result]:
    return lambda registry, names, tasks: _usual(registry, names, change(tasks))


def _shortest(tasks: Any) -> int:
    return min((len(task) for task in tasks if task), default=0)


def _longest(tasks: Any) -> int:
    return max(map(len, tasks), default=0)


def _previous_value(registry: Any, names: _Names, tasks: Any) -> _Result:
    values: dict[str, Any] = {}
    left_out: list[str] = []
    value: Any = None
    for name in names:
        try:
            value = _one(registry, name, tasks)
        except Exception:
            left_out.append(name)
        if value is not None:
            values[name] = value
    return values, left_out


@failures.each(
    Case(
        "evsys-benchmark-stops-at-failure",
        "a benchmark leaves out every metric from the first that fails on",
        "The try stands around the loop.",
        "one try for all metrics",
        _stopping,
    ),
    Case(
        "evsys-benchmark-ends-at-failure",
        "a benchmark forgets the metrics after the first that fails",
        "The loop ends there.",
        "break for continue",
        _stopping_silently,
    ),
    Case(
        "evsys-benchmark-all-or-nothing",
        "a benchmark leaves all metrics out where one fails",
        "A part of the values is thought to mislead.",
        "transactions",
        _all_or_nothing,
    ),
    Case(
        "evsys-left-out-unknown-first",
        "unknown metrics are left out before those that raise",
        "Names are looked up before anything is computed.",
        "two loops",
        _unknown_first,
    ),
    Case(
        "evsys-left-out-raising-first",
        "metrics that raise are left out before unknown ones",
        "Unknown names are put behind.",
        "two lists joined",
        _raising_first,
    ),
    Case(
        "evsys-left-out-sorted",
        "the metrics left out are sorted by name",
        "They are collected in a set.",
        "sorted(set(left_out))",
        lambda registry, names, tasks: _sorted_out(_usual(registry, names, tasks)),
    ),
    Case(
        "evsys-left-out-by-class-name",
        "a metric that raises is left out by what its class calls itself",
        "The class is at hand where it raises.",
        "metric.name in a message",
        _left_out_by_class_name,
    ),
    Case(
        "evsys-unknown-not-left-out",
        "an unknown metric is not among those left out",
        "There is no metric that could be left out.",
        "a warning alone",
        _unknown_unlisted,
    ),
    Case(
        "evsys-raising-not-left-out",
        "a metric that raises is not among those left out",
        "It is known, after all.",
        "a warning alone",
        _raising_unlisted,
    ),
    Case(
        "evsys-failed-is-nan",
        "a metric that is left out has the value NaN, too",
        "NaN stands for a missing value in data frames.",
        "float('nan') placeholders",
        _failed_nan,
    ),
    Case(
        "evsys-unknown-is-zero-in-benchmark",
        "an unknown metric of a benchmark is 0.0",
        "Nothing found, nothing scored.",
        "dict.get with a default",
        _unknown_zero,
    ),
    Case(
        "evsys-failed-has-value-before",
        "a metric that fails has the value of the one before it, too",
        "A loop's variable keeps its value where nothing is assigned.",
        "stale variables",
        _previous_value,
    ),
    Case(
        "evsys-non-finite-left-out",
        "a metric whose value is NaN or infinite is left out",
        "JSON has no such numbers.",
        "isfinite",
        _left_out_where(lambda value: not math.isfinite(as_double(value))),
    ),
    Case(
        "evsys-infinite-left-out",
        "a metric whose value is infinite is left out, one that is NaN is not",
        "An infinity is an overflow.",
        "isinf",
        _left_out_where(lambda value: isinstance(value, float) and math.isinf(value)),
    ),
    Case(
        "evsys-nan-left-out",
        "a metric whose value is NaN is left out, one that is infinite is not",
        "NaN stands for a missing value.",
        "isnan",
        _left_out_where(lambda value: value != value),
    ),
    Case(
        "evsys-zero-left-out",
        "a metric whose value is 0 is left out",
        "0 counts as false.",
        "if value",
        _left_out_where(lambda value: not value),
    ),
    Case(
        "evsys-ints-left-out",
        "a metric whose value is an int is left out",
        "compute is declared to return a float.",
        "isinstance(value, float)",
        lambda registry, names, tasks: _usual(registry, names, tasks, _float_or_error),
        clause="002-benchmark",
    ),
    Case(
        "evsys-out-of-range-left-out",
        "a metric whose value is below 0 or above 1 is left out",
        "A score is a share.",
        "0 <= value <= 1",
        _left_out_where(lambda value: value < 0 or value > 1),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-values-saturate",
        "a benchmark's values are floats, and an int too large for one is infinite",
        "A conversion that saturates raises nothing.",
        "JavaScript, Go",
        lambda registry, names, tasks: _usual(registry, names, tasks, _saturating),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-values-clamped",
        "a benchmark's values are cut to 0 up to 1",
        "A score is a share.",
        "np.clip",
        _valued(lambda value: value if value != value else type(value)(min(max(value, 0), 1))),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-values-rounded",
        "a benchmark's values are rounded to four decimals",
        "Tables show no more.",
        "round(value, 4)",
        _valued(lambda value: round(value, 4) if isinstance(value, float) else value),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-negative-zero-lost",
        "-0.0 is 0.0 among a benchmark's values",
        "Adding zero tidies the sign away.",
        "value + 0.0, JSON.stringify",
        _valued(lambda value: value + 0.0 if isinstance(value, float) else value),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-whole-floats-as-ints",
        "whole floats are ints among a benchmark's values",
        "Where there is one kind of number, 1.0 is 1.",
        "JavaScript",
        _valued(lambda value: int(value) if isinstance(value, float) and value.is_integer() else value),
        clause="002-benchmark",
    ),
    Case(
        "evsys-benchmark-by-class-name",
        "a benchmark's values stand under what the classes call themselves",
        "The document says that the key is the name.",
        "{metric.name: value}",
        _by_class_name,
        clause="002-benchmark",
    ),
    Case(
        "evsys-built-ins-not-guarded",
        "a built-in metric that raises fails the whole benchmark",
        "Only other people's metrics are thought to fail.",
        "try around plugins alone",
        _built_ins_unguarded,
    ),
    Case(
        "evsys-arithmetic-errors-left-out-only",
        "a metric is left out for an arithmetic error or an unknown name; else it fails the benchmark",
        "Computing is arithmetic.",
        "except ArithmeticError",
        _arithmetic_only,
    ),
    Case(
        "evsys-benchmark-no-samples-zero",
        "without samples every metric of a benchmark is 0.0, unknown and registered ones too",
        "The document says 0.0 where there are none.",
        "early returns",
        _without_samples(lambda names: (dict.fromkeys(names, 0.0), []), lambda tasks: not any(tasks)),
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-benchmark-no-tasks-nothing",
        "without tasks a benchmark computes nothing and leaves nothing out",
        "There seems to be nothing to compute.",
        "early returns on empty lists",
        _without_samples(lambda names: ({}, []), lambda tasks: not tasks),
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-benchmark-no-tasks-left-out",
        "without tasks a benchmark leaves all metrics out",
        "There seems to be nothing to compute.",
        "early returns on empty lists",
        _without_samples(lambda names: ({}, list(names)), lambda tasks: not tasks),
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-benchmark-no-samples-left-out",
        "a benchmark leaves all metrics out where tasks are there, and no sample",
        "There seems to be nothing to compute.",
        "early returns on empty lists",
        _without_samples(lambda names: ({}, list(names)), lambda tasks: bool(tasks) and not any(tasks)),
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-benchmark-first-task-empty-left-out",
        "a benchmark whose first task has no samples leaves all metrics out",
        "The first task shows whether there are samples.",
        "if not task_rewards[0]",
        _without_samples(lambda names: ({}, list(names)), lambda tasks: bool(tasks) and not tasks[0]),
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-benchmark-empty-tasks-zero",
        "a benchmark gives its metrics 0.0 for a task without samples",
        "A task that gave nothing has failed.",
        "rewards or [0.0]",
        _tasks_of(lambda tasks: [task or [0.0] for task in tasks]),
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-benchmark-samples-cut",
        "a benchmark gives its metrics as many samples of each task as the shortest has",
        "Every task is thought to have num_samples.",
        "zip, rectangular arrays",
        _tasks_of(lambda tasks: [task[: _shortest(tasks)] for task in tasks]),
        clause="002-sequences",
    ),
    Case(
        "evsys-benchmark-samples-filled",
        "a benchmark fills tasks with 0.0 up to the greatest number of samples",
        "Every task is thought to have num_samples.",
        "rectangular arrays",
        _tasks_of(lambda tasks: [[*task, *[0.0] * (_longest(tasks) - len(task))] for task in tasks]),
        clause="002-sequences",
    ),
    Case(
        "evsys-benchmark-nan-dropped",
        "a benchmark gives its metrics no reward that is NaN",
        "NaN stands for a missing value in data frames.",
        "dropna",
        _tasks_of(lambda tasks: [[it for it in task if it == it] for task in tasks]),
        clause="002-sequences",
    ),
    Case(
        "evsys-benchmark-rewards-clamped",
        "a benchmark gives its metrics rewards cut to 0 up to 1",
        "Rewards are mostly shares.",
        "np.clip",
        _tasks_of(lambda tasks: [[it if it != it else min(max(it, 0), 1) for it in task] for task in tasks]),
        clause="002-sequences",
    ),
    Case(
        "evsys-benchmark-three-samples",
        "a benchmark gives its metrics the first three samples of each task",
        "The document's benchmark has num_samples: 3.",
        "the document's example",
        _tasks_of(lambda tasks: [task[:3] for task in tasks]),
        clause="002-sequences",
    ),
)
def other_evaluation(reference: Variant, evaluate: Callable[..., _Result]) -> None:
    """Evaluates a benchmark in another way."""
    if evaluate in (_by_class_name, _left_out_by_class_name):
        names_remembered(reference)
    _instead(reference, evaluate)


def _instead(reference: Variant, evaluate: Callable[..., _Result]) -> None:
    reference.replace(
        benchmark.evaluate,
        lambda registry, names, tasks: evaluate(registry, names or benchmark.DEFAULT_METRICS, tasks),
    )


def _sorted_out(result: _Result) -> _Result:
    values, left_out = result
    return values, sorted(left_out)


def _state(registry: Any, name: str, make: Callable[[], Any]) -> Any:
    """What a registry remembers from one benchmark to the next."""
    return registry.__dict__.setdefault(name, make())


def _left_out_carried(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    kept: list[str] = _state(registry, "kept", list)
    kept.extend(left_out)
    return values, list(kept)


def _values_carried(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    kept: dict[str, Any] = _state(registry, "kept", dict)
    kept.update(values)
    return dict(kept), left_out


def _cached(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    kept: dict[str, Any] = _state(registry, "kept", dict)
    return {name: kept.setdefault(name, value) for name, value in values.items()}, left_out


def _unregistered(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    for name in left_out:
        registry._classes.pop(name, None)
    return values, left_out


def _snapshot(registry: Any, names: _Names, tasks: Any) -> _Result:
    seen: dict[str, Any] = _state(registry, "seen", dict)
    if not seen:
        seen.update(registry._classes)
    late = [name for name in names if name not in seen]
    values, left_out = _usual(registry, [name for name in names if name in seen], tasks)
    return values, [name for name in names if name in late or name in left_out]


def _warned_once(registry: Any, names: _Names, tasks: Any) -> _Result:
    values, left_out = _usual(registry, names, tasks)
    warned: list[str] = _state(registry, "warned", list)
    new = [name for name in left_out if name not in warned]
    warned.extend(new)
    return values, new


def _unknown_remembered(registry: Any, names: _Names, tasks: Any) -> _Result:
    unknown: list[str] = _state(registry, "unknown", list)
    values, left_out = _usual(registry, names, tasks)
    out = [name for name in names if name in left_out or name in unknown]
    unknown.extend(name for name in left_out if name not in registry._classes)
    return {name: value for name, value in values.items() if name not in out}, out


@benchmarks.each(
    Case(
        "evsys-left-out-carried-over",
        "metrics that a benchmark leaves out are left out of the next one, too",
        "A list is filled and never emptied.",
        "lists as attributes, default arguments",
        _left_out_carried,
        clause="002-left-out",
    ),
    Case(
        "evsys-values-carried-over",
        "values of a benchmark stand among those of the next one",
        "A map is filled and never emptied.",
        "maps as attributes, default arguments",
        _values_carried,
    ),
    Case(
        "evsys-values-cached",
        "a metric that was computed keeps its value in the next benchmark",
        "The value is remembered by name.",
        "functools.cache",
        _cached,
    ),
    Case(
        "evsys-failing-unregistered",
        "a metric that raised in a benchmark is unregistered",
        "What is broken is put aside.",
        "quarantines",
        _unregistered,
        clause="002-left-out",
    ),
    Case(
        "evsys-late-metrics-unknown",
        "metrics that are registered after the first benchmark are unknown to the next",
        "Names are collected once.",
        "snapshots at start",
        _snapshot,
    ),
    Case(
        "evsys-left-out-once-a-registry",
        "a metric that was left out of a benchmark is not named again in the next",
        "One warning is enough.",
        "warnings.warn, log-once",
        _warned_once,
        clause="002-left-out",
    ),
    Case(
        "evsys-unknown-remembered",
        "a metric that was unknown to a benchmark stays so when it is registered later",
        "Look-ups that failed are remembered.",
        "negative caches",
        _unknown_remembered,
        clause="002-left-out",
    ),
)
def remembering(reference: Variant, evaluate: Callable[..., _Result]) -> None:
    """Evaluates a benchmark with what an earlier one left behind."""
    _instead(reference, evaluate)
