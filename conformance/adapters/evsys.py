"""EvSys metrics as a runner, implemented a second time from document 002 and its package's source.

The package of that document cannot be installed. This file follows the document's sentences as directly as
Python can: each built-in metric has the table's wording, the registry is a decorator over a dictionary, and a
plugin is a module whose import runs that decorator. Where the document says nothing, it follows the package's
source. The reference was written independently; a vector's answer is accepted only if the two agree, and if
the source, executed function by function (tests/specs/evsys/sdk_source.py), agrees too.

It needs the standard library and the kit's helper for runners, ``shim.py``. It answers only on CPython
3.12: a metric adds with the built-in ``sum``, which differs between versions.
"""

from __future__ import annotations

import functools
import platform
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

RUNNER = "evsys-document"
VERSION = "0.2.0"
PYTHON = (3, 12)
PASS_THRESHOLD = 1.0
DEFAULTS = ("mean_reward", "pass_rate")
"""The metrics of a benchmark that names none."""

Rewards = Sequence[Sequence[float]]


# --- the built-in metrics ----------------------------------------------------------------------


def passes(reward: float) -> bool:
    """A sample passes if its reward reaches the threshold."""
    return reward >= PASS_THRESHOLD


def non_empty(task_rewards: Rewards) -> list[Sequence[float]]:
    """The tasks that have samples; the others are skipped."""
    return [samples for samples in task_rewards if samples]


def mean_reward(task_rewards: Rewards) -> float:
    """The mean over tasks of the mean over each task's samples."""
    means = [sum(samples) / len(samples) for samples in non_empty(task_rewards)]
    return sum(means) / len(means) if means else 0.0


def pass_rate(task_rewards: Rewards) -> float:
    """The passing samples divided by all samples, pooled across tasks."""
    pooled = [reward for samples in task_rewards for reward in samples]
    return sum(1 for reward in pooled if passes(reward)) / len(pooled) if pooled else 0.0


def share_of_tasks(holds: Callable[[Sequence[float]], bool]) -> Callable[[Rewards], float]:
    """The share of tasks with samples for which the condition holds."""

    def compute(task_rewards: Rewards) -> float:
        tasks = non_empty(task_rewards)
        return sum(1 for samples in tasks if holds(samples)) / len(tasks) if tasks else 0.0

    return compute


def worst_task(task_rewards: Rewards) -> float:
    """The document's example: the lowest task mean."""
    means = [sum(samples) / len(samples) for samples in non_empty(task_rewards)]
    return min(means) if means else 0.0


EXAMPLES: dict[str, Callable[[Rewards], float]] = {"worst_task": worst_task, "task_count": len}
"""The computations that a described class may name."""

BUILT_IN: dict[str, Callable[[Rewards], float]] = {
    "mean_reward": mean_reward,
    "avg": mean_reward,
    "pass_rate": pass_rate,
    "pass@1": share_of_tasks(lambda samples: any(passes(reward) for reward in samples[:1])),
    "pass@3": share_of_tasks(lambda samples: any(passes(reward) for reward in samples[:3])),
    "pass^3": share_of_tasks(lambda samples: all(passes(reward) for reward in samples[:3])),
}


# --- the registry ------------------------------------------------------------------------------


class Registry:
    """Keys to metric classes, filled by a decorator."""

    def __init__(self, described: dict[str, dict[str, Any]]) -> None:
        self._classes: dict[str, type] = {}
        self._described = {label: self._make(label, metric) for label, metric in described.items()}
        for key, compute in BUILT_IN.items():
            body = {"label": {"built_in": key}, "compute": staticmethod(compute)}
            self.register_metric(key)(type(key, (), body))

    @staticmethod
    def _make(label: str, metric: dict[str, Any]) -> type:
        """A metric class as a plugin's author would write it."""

        def compute(self: Any, task_rewards: Rewards) -> float:
            if "raises" in metric:
                raise {"ValueError": ValueError, "ZeroDivisionError": ZeroDivisionError}[metric["raises"]]
            if "computes" in metric:
                return EXAMPLES[metric["computes"]](task_rewards)
            returned: float = shim().number(metric["returns"])
            return returned

        name = {} if metric["name"] is None else {"name": metric["name"]}
        return type(label, (), {"label": {"class": label}, **name, "compute": compute})

    def register_metric(self, name: str | None = None) -> Callable[[type], type]:
        """The decorator: its argument, or else the class's name, becomes the key and the class's name."""

        def decorate(metric: type) -> type:
            key = name or getattr(metric, "name", None)
            if not key:
                raise ValueError(f"{metric.__name__} has no name, and is given none")
            if self._classes.get(key, metric) is not metric:
                raise ValueError(f"metric {key!r} is already registered")
            metric.name = key  # type: ignore[attr-defined]
            self._classes[key] = metric
            return metric

        return decorate

    def get(self, key: str) -> type:
        """The class registered under a key."""
        if key not in self._classes:
            raise KeyError(f"unknown metric {key!r}, available: {sorted(self._classes)}")
        return self._classes[key]

    def _register(self, action: dict[str, Any]) -> dict[str, Any]:
        try:
            self.register_metric(action["key"])(self._described[action["class"]])
        except ValueError:
            return {"error": "ValueError"}
        return {}

    def _get(self, action: dict[str, Any]) -> dict[str, Any]:
        try:
            return dict(vars(self.get(action["key"]))["label"])
        except KeyError:
            return {"error": "KeyError", "available": sorted(self._classes)}

    def _load(self, action: dict[str, Any]) -> dict[str, Any]:
        """Imports the entry points in order; each import runs its decorators."""
        loaded, skipped = [], []
        for entry in action["entry_points"]:
            try:
                if entry["fails"] is not None:
                    raise ImportError(entry["fails"])
                for key, label in entry["registers"]:
                    self.register_metric(key)(self._described[label])
                for name in entry.get("gets", ()):
                    self.get(name)
            except Exception:  # any exception is logged and skipped
                skipped.append(entry["name"])
            else:
                loaded.append(entry["name"])
        return {"loaded": loaded, "skipped": skipped}

    def _values(self, action: dict[str, Any]) -> tuple[dict[str, Any], list[str], int]:
        """A benchmark's metrics, those skipped with a warning, and the number of tasks with samples."""
        task_rewards = non_empty(numbers(action["task_rewards"]))
        values, left_out = {}, []
        for key in action["metrics"] or DEFAULTS:
            try:
                values[key] = float(self.get(key)().compute(task_rewards))
            except Exception:  # unknown, raised an error, or did not return a number
                left_out.append(key)
        return values, left_out, len(task_rewards)

    def _evaluate(self, action: dict[str, Any]) -> dict[str, Any]:
        """The values of a benchmark's metrics."""
        values, left_out, _ = self._values(action)
        return {"values": values, "left_out": left_out}

    def _score(self, action: dict[str, Any]) -> dict[str, Any]:
        """A benchmark's whole answer: the number of tasks, then the metrics."""
        values, left_out, tasks = self._values(action)
        whole: dict[str, Any] = {"n_tasks": float(tasks)}
        whole.update(values)
        return {"score": whole, "left_out": left_out}

    def act(self, action: dict[str, Any]) -> dict[str, Any]:
        """One action's result."""
        result: dict[str, Any] = getattr(self, f"_{action['do']}")(action)
        return result


# --- the runner --------------------------------------------------------------------------------


@functools.cache
def shim() -> Any:
    """The kit's helper for runners: the protocol, and its numbers."""
    return SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "shim.py")))


def numbers(task_rewards: list[list[Any]]) -> list[list[Any]]:
    """A list of lists of protocol numbers."""
    return [list(map(shim().number, samples)) for samples in task_rewards]


def compute(metric: str, task_rewards: list[list[Any]]) -> dict[str, Any]:
    """``evsys.compute``."""
    return {"value": BUILT_IN[metric](numbers(task_rewards))}


def registry(classes: dict[str, Any], actions: list[dict[str, Any]]) -> dict[str, Any]:
    """``evsys.registry``."""
    state = Registry(classes)
    return {"results": [state.act(action) for action in actions]}


OPS: dict[str, Callable[..., dict[str, Any]]] = {"evsys.compute": compute, "evsys.registry": registry}


def main() -> int:
    """Answers until stdin closes; returns 2 on a Python whose sums differ."""
    if sys.version_info[:2] != PYTHON or platform.python_implementation() != "CPython":
        print(f"{RUNNER} answers on CPython 3.12 only", file=sys.stderr)
        return 2
    shim().serve(OPS, name=RUNNER, version=VERSION)
    return 0


if __name__ == "__main__":
    sys.exit(main())
