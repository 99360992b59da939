"""Properties of every registry of metrics (002, Create your own; Ship it in a package)."""

from typing import Any

from conformance.drawing.numbers import fraction
from conformance.drawing.source import Source
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.evsys.drawn import BUILT_INS, LABELS, benchmark, grade, key
from conformance.specs.evsys.registry.draw import classes, registry
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "evsys.registry"


def _new_key(source: Source) -> str:
    drawn = key(source)
    return "worst_task" if not drawn or drawn in BUILT_INS else drawn


def _label(source: Source) -> str:
    return source.pick(LABELS)


def _rewards(source: Source) -> list[list[Any]]:
    return benchmark(source, fraction if source.below(2) else grade)


def _metrics(source: Source) -> list[str]:
    return [source.pick(BUILT_INS), *source.times(3, lambda source: source.pick(BUILT_INS))]


def _results(asker: Asker, described: Any, actions: list[Any]) -> list[Any]:
    results: list[Any] = asker.ok(_OP, {"classes": described, "actions": actions})["results"]
    asker.equal(len(actions), len(results), "the number of results")
    return results


def _register(key: str, label: str) -> dict[str, Any]:
    return {"do": "register", "key": key, "class": label}


@holds("evsys-registry-one-result-per-action", registry)
def _one_result_per_action(asker: Asker, described: Any) -> None:
    _results(asker, described["classes"], described["actions"])


@holds("evsys-registry-registering-again", lambda source: (registry(source), source.below(8)))
def _registering_again(asker: Asker, drawn: Any) -> None:
    described, number = drawn
    actions = described["actions"]
    registering = [i for i, action in enumerate(actions) if action["do"] == "register"]
    if not registering:
        return
    index = registering[number % len(registering)]
    once = _results(asker, described["classes"], actions)
    repeated = [*actions[: index + 1], *actions[index:]]
    twice = _results(asker, described["classes"], repeated)
    asker.equal([*once[: index + 1], *once[index:]], twice, "the list of results with one registered again")


@holds(
    "evsys-registry-key-has-one-class",
    lambda source: (classes(source), _new_key(source), source.shuffled(LABELS)),
)
def _key_has_one_class(asker: Asker, drawn: Any) -> None:
    described, name, (first, second, _) = drawn
    actions = [_register(name, first), _register(name, second), {"do": "get", "key": name}]
    expected = [{}, {"error": "ValueError"}, {"class": first}]
    asker.equal(expected, _results(asker, described, actions), f"what two classes under {name!a} give")


@holds(
    "evsys-registry-built-ins-stay", lambda source: (classes(source), source.pick(BUILT_INS), _label(source))
)
def _built_ins_stay(asker: Asker, drawn: Any) -> None:
    described, name, label = drawn
    actions = [_register(name, label), {"do": "get", "key": name}]
    expected = [{"error": "ValueError"}, {"built_in": name}]
    asker.equal(expected, _results(asker, described, actions), f"what a class under {name} gives")


def _with_keys(source: Source) -> Any:
    """A registry in which every decorator has an argument."""
    whole = registry(source)
    for action in whole["actions"]:
        if action["do"] == "register":
            action["key"] = action["key"] or "worst_task"
        for point in action.get("entry_points", ()):
            point["registers"] = [[name or "worst_task", label] for name, label in point["registers"]]
    return whole


@holds("evsys-registry-key-not-name", lambda source: (_with_keys(source), [key(source) for _ in LABELS]))
def _key_not_name(asker: Asker, drawn: Any) -> None:
    whole, names = drawn
    renamed = {
        label: {**described, "name": name}
        for (label, described), name in zip(whole["classes"].items(), names, strict=True)
    }
    asker.same(_OP, whole, {**whole, "classes": renamed}, "a class's own name matters")


def _new_keys(source: Source) -> list[str]:
    return list(dict.fromkeys(source.times(4, _new_key)))


@holds("evsys-registry-unknown-lists-all", lambda source: (classes(source), _new_keys(source)))
def _unknown_lists_all(asker: Asker, drawn: Any) -> None:
    described, registered = drawn
    actions = [_register(name, LABELS[index % 3]) for index, name in enumerate(registered)]
    result = _results(asker, described, [*actions, {"do": "get", "key": "no such"}])[-1]
    asker.equal("KeyError", result.get("error"), "the error of an unknown name")
    asker.equal(sorted((*BUILT_INS, *registered)), sorted(result["available"]), "the list of available names")


def _evaluate(metrics: list[str], task_rewards: Any) -> dict[str, Any]:
    return {"do": "evaluate", "metrics": metrics, "task_rewards": task_rewards}


@holds(
    "evsys-registry-unknown-disturbs-nobody",
    lambda source: (
        classes(source),
        _metrics(source),
        source.several(2, lambda source: source.below(5)),
        _rewards(source),
    ),
)
def _unknown_disturbs_nobody(asker: Asker, drawn: Any) -> None:
    described, metrics, indices, task_rewards = drawn
    longer = list(metrics)
    for index in indices:
        longer.insert(index, "no such")
    actions = [_evaluate(metrics, task_rewards), _evaluate(longer, task_rewards)]
    plain, disturbed = _results(asker, described, actions)
    asker.equal(plain["values"], disturbed["values"], "the set of values next to an unknown name")
    asker.equal(["no such"] * len(indices), disturbed["left_out"], "what is left out")


@holds(
    "evsys-registry-raising-disturbs-nobody",
    lambda source: (_new_key(source), _metrics(source), source.below(5), _rewards(source)),
)
def _raising_disturbs_nobody(asker: Asker, drawn: Any) -> None:
    name, metrics, index, task_rewards = drawn
    longer = [*metrics[:index], name, *metrics[index:]]
    actions = [_register(name, "A"), _evaluate(metrics, task_rewards), _evaluate(longer, task_rewards)]
    _, plain, disturbed = _results(asker, {"A": {"name": name, "raises": "ValueError"}}, actions)
    asker.equal(plain["values"], disturbed["values"], "the set of values next to a metric that raises")
    asker.equal([name], disturbed["left_out"], "what is left out")


@holds(
    "evsys-registry-no-key-is-the-name",
    lambda source: (classes(source), _new_key(source), _label(source), source.pick((None, ""))),
)
def _no_key_is_the_name(asker: Asker, drawn: Any) -> None:
    described, name, label, no_key = drawn
    described = {**described, label: {**described[label], "name": name}}
    actions = [{"do": "register", "key": no_key, "class": label}, {"do": "get", "key": name}]
    expected = [{}, {"class": label}]
    asker.equal(
        expected, _results(asker, described, actions), f"what a class called {name!a} without a key gives"
    )


@holds(
    "evsys-registry-name-follows-the-key", lambda source: (classes(source), _new_key(source), _label(source))
)
def _name_follows_the_key(asker: Asker, drawn: Any) -> None:
    described, name, label = drawn
    look = {"do": "get", "key": "no such"}
    again = {"do": "register", "key": None, "class": label}
    *registered, known = _results(asker, described, [_register(name, label), again, look])
    asker.equal([{}, {}], registered, "what registering under a key and then without one gives")
    without = _results(asker, described, [_register(name, label), look])[1]
    asker.equal(without, known, "what is registered after a class was registered again without a key")


@holds("evsys-registry-no-names-are-two", lambda source: (classes(source), _rewards(source)))
def _default_metrics(asker: Asker, drawn: Any) -> None:
    described, task_rewards = drawn
    named = [_evaluate(["mean_reward", "pass_rate"], task_rewards), _evaluate([], task_rewards)]
    explicit, default = _results(asker, described, named)
    asker.equal(explicit, default, "what a benchmark without metrics gives")


@holds("evsys-registry-score-counts-tasks", lambda source: (_metrics(source), _rewards(source)))
def _score_counts_tasks(asker: Asker, drawn: Any) -> None:
    metrics, task_rewards = drawn
    actions = [{**_evaluate(metrics, task_rewards), "do": do} for do in ("evaluate", "score")]
    plain, scored = _results(asker, {}, actions)
    whole = {"n_tasks": float(sum(map(bool, task_rewards))), **plain["values"]}
    asker.equal({"score": whole, "left_out": plain["left_out"]}, scored, "the whole answer of a benchmark")


@holds("evsys-registry-evaluates-as-compute", lambda source: (_metrics(source), _rewards(source)))
def _evaluates_as_compute(asker: Asker, drawn: Any) -> None:
    metrics, task_rewards = drawn
    (result,) = _results(asker, {}, [_evaluate(metrics, task_rewards)])
    for metric in metrics:
        value = asker.ok("evsys.compute", {"metric": metric, "task_rewards": task_rewards})["value"]
        asker.equal(value, result["values"][metric], f"{metric} of a benchmark")


@holds(
    "evsys-registry-values-in-order",
    lambda source: (source.shuffled(BUILT_INS), source.between(1, 6), _rewards(source)),
)
def _values_in_order(asker: Asker, drawn: Any) -> None:
    metrics, count, task_rewards = drawn
    (result,) = _results(asker, {}, [_evaluate(metrics[:count], task_rewards)])
    names = list(result["values"])
    if asker.level < Level.BYTES:
        names.sort(key=metrics.index)
    asker.equal(metrics[:count], names, "the order of the values")


@holds(
    "evsys-registry-own-metric-returned",
    lambda source: (_new_key(source), fraction(source), _rewards(source)),
)
def _own_metric_returned(asker: Asker, drawn: Any) -> None:
    name, value, task_rewards = drawn
    actions = [_register(name, "A"), _evaluate([name], task_rewards)]
    result = _results(asker, {"A": {"name": "x", "returns": value}}, actions)[1]
    asker.equal({name: float(value)}, result["values"], "the value of a custom metric")


def _point(source: Source) -> tuple[str, str]:
    return _new_key(source), _label(source)


@holds(
    "evsys-registry-failing-plugin-disturbs-nobody",
    lambda source: (classes(source), source.times(3, _point), source.below(4)),
)
def _failing_plugin_disturbs_nobody(asker: Asker, drawn: Any) -> None:
    described, registered, position = drawn
    points = [
        {"name": f"p{index}", "registers": [list(pair)], "fails": None}
        for index, pair in enumerate(registered)
    ]
    failing = {"name": "broken", "registers": [], "fails": "No module named x"}
    longer = [*points[:position], failing, *points[position:]]
    looks = [{"do": "get", "key": name} for name, _ in registered]
    good, both = (
        _results(asker, described, [{"do": "load", "entry_points": listed}, *looks])
        for listed in (points, longer)
    )
    asker.equal(good[0]["loaded"], both[0]["loaded"], "the list of plugins loaded next to one that fails")
    asker.holds("broken" in both[0]["skipped"], "a plugin that fails is not reported as skipped")
    asker.equal(good[1:], both[1:], "what is registered next to a plugin that fails")


@holds(
    "evsys-registry-plugin-as-decorator",
    lambda source: (classes(source), _new_key(source), _label(source), key(source)),
)
def _plugin_as_decorator(asker: Asker, drawn: Any) -> None:
    """The entry point's name has no effect: the decorator names the metric."""
    described, registered, label, name = drawn
    point = {"name": name, "registers": [[registered, label]], "fails": None}
    look = [{"do": "get", "key": registered}, {"do": "get", "key": "no such"}]
    decorated = _results(asker, described, [_register(registered, label), *look])[1:]
    loaded = _results(asker, described, [{"do": "load", "entry_points": [point]}, *look])[1:]
    asker.alike(_OP, Ok({"results": decorated}), Ok({"results": loaded}), "a plugin registers differently")
