"""The operations of the runner protocol for EvSys: `input` in, `ok` out (PROTOCOL.md)."""

from collections.abc import Callable
from typing import Any, ClassVar

from ..cpython312.summation import compensated_sum
from ..runner.wire import decode_number, encode_number
from .benchmark import evaluate, score
from .metrics import Metric, TaskRewards
from .plugins import EntryPoint, load_plugins
from .registry import Registry

__all__ = ["OPERATIONS"]

_RAISED: dict[str, type[Exception]] = {"ValueError": ValueError, "ZeroDivisionError": ZeroDivisionError}


def _decode_task_rewards(given: Any) -> TaskRewards:
    return [[decode_number(reward) for reward in rewards] for rewards in given]


def _worst_task(task_rewards: TaskRewards) -> float:
    """The lowest task mean, over tasks with samples (002, Create your own)."""
    return min((compensated_sum(rewards) / len(rewards) for rewards in task_rewards), default=0.0)


_COMPUTED: dict[str, Callable[[TaskRewards], float]] = {"worst_task": _worst_task, "task_count": len}


def _decode_class(given: Any) -> type[Metric]:
    """A new, distinct class that behaves as `given` describes."""

    class Described:
        name: ClassVar[str] = given["name"]

        def compute(self, task_rewards: TaskRewards) -> Any:
            if "raises" in given:
                raise _RAISED[given["raises"]]("as described")
            if "computes" in given:
                return _COMPUTED[given["computes"]](task_rewards)
            returned = given["returns"]
            return None if returned is None else decode_number(returned)

    return Described


def _compute(given: Any) -> Any:
    metric = Registry().get(given["metric"])()
    return {"value": encode_number(metric.compute(_decode_task_rewards(given["task_rewards"])))}


def _registry(given: Any) -> Any:
    classes = {label: _decode_class(described) for label, described in given["classes"].items()}
    registry = Registry()
    return {"results": [_ACTIONS[action["do"]](registry, classes, action) for action in given["actions"]]}


_Classes = dict[str, type[Metric]]


def _register(registry: Registry, classes: _Classes, action: Any) -> Any:
    metric = classes[action["class"]]
    try:
        registry.register_metric(action["key"])(metric)
    except ValueError:
        return {"error": "ValueError"}
    return {}


def _get(registry: Registry, classes: _Classes, action: Any) -> Any:
    try:
        found = registry.get(action["key"])
    except KeyError:
        return {"error": "KeyError", "available": registry.available()}
    for label, metric in classes.items():
        if metric is found:
            return {"class": label}
    return {"built_in": found.name}


def _load(registry: Registry, classes: _Classes, action: Any) -> Any:
    def entry_point(described: Any) -> EntryPoint:
        decorated = [(key, classes[label]) for key, label in described["registers"]]

        def run_import() -> None:
            if described["fails"] is not None:
                raise ImportError(described["fails"])
            for key, metric in decorated:
                registry.register_metric(key)(metric)
            for name in described.get("gets", ()):
                registry.get(name)

        return EntryPoint(described["name"], run_import)

    loaded, skipped = load_plugins([entry_point(item) for item in action["entry_points"]])
    return {"loaded": loaded, "skipped": skipped}


def _evaluate(registry: Registry, classes: _Classes, action: Any) -> Any:
    task_rewards = _decode_task_rewards(action["task_rewards"])
    values, left_out = evaluate(registry, action["metrics"], task_rewards)
    return {
        "values": {name: encode_number(value) for name, value in values.items()},
        "left_out": left_out,
    }


def _score(registry: Registry, classes: _Classes, action: Any) -> Any:
    task_rewards = _decode_task_rewards(action["task_rewards"])
    values, left_out = score(registry, action["metrics"], task_rewards)
    return {
        "score": {name: encode_number(value) for name, value in values.items()},
        "left_out": left_out,
    }


_ACTIONS: dict[str, Callable[[Registry, _Classes, Any], Any]] = {
    "register": _register,
    "get": _get,
    "load": _load,
    "evaluate": _evaluate,
    "score": _score,
}

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "evsys.compute": _compute,
    "evsys.registry": _registry,
}
