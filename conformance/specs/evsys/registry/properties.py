"""What holds of every registry of metrics (002, Create your own; Ship it in a package)."""

from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.evsys import BUILT_INS, EVSYS_INPUTS, LABELS, benchmarks, classes, keys
from conformance.drawing.strategies.numbers import fractions
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "evsys.registry"
_registries = EVSYS_INPUTS[_OP]
_new_keys = keys.filter(lambda key: key not in BUILT_INS)
_rewards = st.one_of(benchmarks(), benchmarks(fractions))
_labels = st.sampled_from(LABELS)


def _results(asker: Asker, described: Any, actions: list[Any]) -> list[Any]:
    results: list[Any] = asker.ok(_OP, {"classes": described, "actions": actions})["results"]
    asker.equal(len(actions), len(results), "the number of results")
    return results


def _register(key: str, label: str) -> dict[str, Any]:
    return {"do": "register", "key": key, "class": label}


@holds("evsys-registry-one-result-per-action", _registries)
def _one_result_per_action(asker: Asker, given: Any) -> None:
    _results(asker, given["classes"], given["actions"])


@holds("evsys-registry-registering-again", st.tuples(_registries, st.integers(0, 7)))
def _registering_again(asker: Asker, given: Any) -> None:
    registry, place = given
    actions = registry["actions"]
    places = [index for index, action in enumerate(actions) if action["do"] == "register"]
    if not places:
        return
    place = places[place % len(places)]
    once = _results(asker, registry["classes"], actions)
    repeated = [*actions[: place + 1], *actions[place:]]
    twice = _results(asker, registry["classes"], repeated)
    asker.equal([*once[: place + 1], *once[place:]], twice, "the list of results with one registered again")


@holds("evsys-registry-key-has-one-class", st.tuples(classes(), _new_keys, st.permutations(LABELS)))
def _key_has_one_class(asker: Asker, given: Any) -> None:
    described, key, (mine, other, _) = given
    actions = [_register(key, mine), _register(key, other), {"do": "get", "key": key}]
    due = [{}, {"error": "ValueError"}, {"class": mine}]
    asker.equal(due, _results(asker, described, actions), f"what two classes under {key!a} give")


@holds("evsys-registry-built-ins-stay", st.tuples(classes(), st.sampled_from(BUILT_INS), _labels))
def _built_ins_stay(asker: Asker, given: Any) -> None:
    described, key, label = given
    actions = [_register(key, label), {"do": "get", "key": key}]
    due = [{"error": "ValueError"}, {"built_in": key}]
    asker.equal(due, _results(asker, described, actions), f"what a class under {key} gives")


@holds("evsys-registry-key-not-name", st.tuples(_registries, st.lists(keys, min_size=3, max_size=3)))
def _key_not_name(asker: Asker, given: Any) -> None:
    registry, names = given
    renamed = {
        label: {**described, "name": name}
        for (label, described), name in zip(registry["classes"].items(), names, strict=True)
    }
    asker.same(_OP, registry, {**registry, "classes": renamed}, "what a class calls itself matters")


@holds("evsys-registry-unknown-lists-all", st.tuples(classes(), st.lists(_new_keys, max_size=4, unique=True)))
def _unknown_lists_all(asker: Asker, given: Any) -> None:
    described, registered = given
    actions = [_register(key, LABELS[index % 3]) for index, key in enumerate(registered)]
    told = _results(asker, described, [*actions, {"do": "get", "key": "no such"}])[-1]
    asker.equal("KeyError", told.get("error"), "the error of an unknown name")
    asker.equal(sorted((*BUILT_INS, *registered)), sorted(told["available"]), "the list of available names")


_metrics = st.lists(st.sampled_from(BUILT_INS), max_size=4)


def _evaluate(metrics: list[str], task_rewards: Any) -> dict[str, Any]:
    return {"do": "evaluate", "metrics": metrics, "task_rewards": task_rewards}


@holds(
    "evsys-registry-unknown-disturbs-nobody",
    st.tuples(classes(), _metrics, st.lists(st.integers(0, 4), min_size=1, max_size=2), _rewards),
)
def _unknown_disturbs_nobody(asker: Asker, given: Any) -> None:
    described, metrics, places, task_rewards = given
    longer = list(metrics)
    for place in places:
        longer.insert(place, "no such")
    actions = [_evaluate(metrics, task_rewards), _evaluate(longer, task_rewards)]
    one, other = _results(asker, described, actions)
    asker.equal(one["values"], other["values"], "the set of values beside an unknown name")
    asker.equal(["no such"] * len(places), other["left_out"], "what is left out")


@holds("evsys-registry-raising-disturbs-nobody", st.tuples(_new_keys, _metrics, st.integers(0, 4), _rewards))
def _raising_disturbs_nobody(asker: Asker, given: Any) -> None:
    key, metrics, place, task_rewards = given
    longer = [*metrics[:place], key, *metrics[place:]]
    actions = [_register(key, "A"), _evaluate(metrics, task_rewards), _evaluate(longer, task_rewards)]
    _, one, other = _results(asker, {"A": {"name": key, "raises": "ValueError"}}, actions)
    asker.equal(one["values"], other["values"], "the set of values beside a metric that raises")
    asker.equal([key], other["left_out"], "what is left out")


@holds("evsys-registry-evaluates-as-compute", st.tuples(_metrics, _rewards))
def _evaluates_as_compute(asker: Asker, given: Any) -> None:
    metrics, task_rewards = given
    (told,) = _results(asker, {}, [_evaluate(metrics, task_rewards)])
    for metric in metrics:
        value = asker.ok("evsys.compute", {"metric": metric, "task_rewards": task_rewards})["value"]
        asker.equal(value, told["values"][metric], f"{metric} of a benchmark")


@holds("evsys-registry-values-in-order", st.tuples(st.permutations(BUILT_INS), st.integers(0, 6), _rewards))
def _values_in_order(asker: Asker, given: Any) -> None:
    metrics, count, task_rewards = given
    (told,) = _results(asker, {}, [_evaluate(metrics[:count], task_rewards)])
    found = list(told["values"])
    if asker.level < Level.BYTES:
        found.sort(key=metrics.index)
    asker.equal(metrics[:count], found, "the order of the values")


@holds("evsys-registry-own-metric-returned", st.tuples(_new_keys, fractions, _rewards))
def _own_metric_returned(asker: Asker, given: Any) -> None:
    key, value, task_rewards = given
    actions = [_register(key, "A"), _evaluate([key], task_rewards)]
    told = _results(asker, {"A": {"name": "x", "returns": value}}, actions)[1]
    asker.equal({key: value}, told["values"], "the value of a metric of one's own")


_points = st.lists(st.tuples(_new_keys, _labels), max_size=3)


@holds("evsys-registry-failing-plugin-disturbs-nobody", st.tuples(classes(), _points, st.integers(0, 3)))
def _failing_plugin_disturbs_nobody(asker: Asker, given: Any) -> None:
    described, registered, place = given
    points = [
        {"name": f"p{index}", "registers": [list(pair)], "fails": None}
        for index, pair in enumerate(registered)
    ]
    failing = {"name": "broken", "registers": [], "fails": "No module named x"}
    longer = [*points[:place], failing, *points[place:]]
    looks = [{"do": "get", "key": key} for key, _ in registered]
    one, other = (
        _results(asker, described, [{"do": "load", "entry_points": listed}, *looks])
        for listed in (points, longer)
    )
    asker.equal(one[0]["loaded"], other[0]["loaded"], "the list of plugins loaded beside one that fails")
    asker.holds("broken" in other[0]["skipped"], "a plugin that fails is not told as skipped")
    asker.equal(one[1:], other[1:], "what is registered beside a plugin that fails")


@holds("evsys-registry-plugin-as-decorator", st.tuples(classes(), _new_keys, _labels, keys))
def _plugin_as_decorator(asker: Asker, given: Any) -> None:
    """The entry point's name names nothing: the decorator does."""
    described, key, label, name = given
    point = {"name": name, "registers": [[key, label]], "fails": None}
    look = [{"do": "get", "key": key}, {"do": "get", "key": "no such"}]
    one = _results(asker, described, [_register(key, label), *look])
    other = _results(asker, described, [{"do": "load", "entry_points": [point]}, *look])
    asker.alike(_OP, Ok({"results": one[1:]}), Ok({"results": other[1:]}), "a plugin registers otherwise")
