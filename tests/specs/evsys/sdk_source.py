"""A runner that executes the source of ``evsys_sdk``, function by function: it can't be installed.

``python sdk_source.py FOLDER`` with the folder that holds the package ``evsys_sdk``, such as a checkout's
``src``. The registry and the built-in metrics are imported as they are. Of the modules that need the rest of
the SDK one function each is taken from the text: the one that reduces rewards for a benchmark, and the one
that walks an entry-point group.
"""

import ast
import importlib
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

GROUP = "evsys_sdk.metrics"
ERRORS = {"ValueError": ValueError, "ZeroDivisionError": ZeroDivisionError}


class Warnings:
    """The SDK's logger: what it warns of is left out or skipped."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def warning(self, text: str, *parts: Any, **_: Any) -> None:
        """Notes the name, which is the last but the error."""
        self.told.append(next(part for part in parts if isinstance(part, str) and part != GROUP))

    def debug(self, *_: Any) -> None:
        """Nothing that is compared."""


class Sdk:
    def __init__(self, folder: Path) -> None:
        for name in ("evsys_sdk", "evsys_sdk.metrics", "evsys_sdk.training"):
            module = ModuleType(name)
            module.__path__ = [str(folder.joinpath(*name.split(".")))]
            sys.modules[name] = module
        self.registry = importlib.import_module("evsys_sdk.registry")
        importlib.import_module("evsys_sdk.metrics.basic")
        self.built_in = dict(self.registry._metrics._items)
        self.logger = Warnings()
        package = folder / "evsys_sdk"
        self.eval_metrics = self._function("eval_metrics", package / "training", "evsys_sdk.training")
        self.load_group = self._function("_load_group", package / "_entry_points.py", "evsys_sdk")

    def _function(self, name: str, place: Path, parent: str) -> dict[str, Any]:
        """The namespace in which one function of a file, or of a folder's files, was defined."""
        for path in sorted(place.glob("*.py")) if place.is_dir() else [place]:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    future = ast.parse("from __future__ import annotations").body
                    code = compile(ast.Module([*future, node], []), str(path), "exec")
                    space: dict[str, Any] = {"__package__": parent, "logger": self.logger}
                    exec(code, space)
                    return space
        raise SystemExit(f"no function {name} in {place}")

    def fresh(self) -> None:
        """Only the built-in metrics are registered."""
        self.registry._metrics._items = dict(self.built_in)

    def evaluate(self, names: list[str], task_rewards: Any) -> tuple[dict[str, Any], list[str]]:
        """What a benchmark answers, and what it warned of."""
        groups = [SimpleNamespace(rewards=rewards) for rewards in task_rewards]
        self.logger.told = []
        return self.eval_metrics["eval_metrics"](groups, metrics=names), list(self.logger.told)

    def load(self, points: list[tuple[str, Callable[[], None]]]) -> list[str]:
        """Walks the group; the names that it warned of."""
        self.logger.told = []
        found = [SimpleNamespace(name=name, load=load) for name, load in points]
        self.load_group["entry_points"] = lambda group: found
        self.load_group["_load_group"](GROUP)
        return list(self.logger.told)


def worst_task(task_rewards: Any) -> float:
    tasks = [rs for rs in task_rewards if rs]
    if not tasks:
        return 0.0
    means = [sum(rs) / len(rs) for rs in tasks]
    return min(means)


EXAMPLES: dict[str, Callable[[Any], Any]] = {"worst_task": worst_task, "task_count": len}


def described(what: dict[str, Any]) -> type:
    """A metric class as a plugin's author would write it."""

    def compute(self: Any, task_rewards: Any) -> Any:
        if "raises" in what:
            raise ERRORS[what["raises"]]("as described")
        if "computes" in what:
            return EXAMPLES[what["computes"]](task_rewards)
        return number(what["returns"])

    name = {} if what["name"] is None else {"name": what["name"]}
    return type("Described", (), {**name, "compute": compute})


def acting(sdk: Sdk, given: dict[str, Any]) -> list[Any]:
    classes = {label: described(what) for label, what in given["classes"].items()}
    registry = sdk.registry
    results: list[Any] = []

    def importing(point: dict[str, Any]) -> Callable[[], None]:
        def load() -> None:
            if point["fails"] is not None:
                raise ImportError(point["fails"])
            for key, label in point["registers"]:
                registry.register_metric(key)(classes[label])
            for name in point.get("gets", ()):
                registry.get_metric(name)

        return load

    def one(action: dict[str, Any]) -> Any:
        kind = action["do"]
        if kind == "register":
            try:
                registry.register_metric(action["key"])(classes[action["class"]])
            except ValueError:
                return {"error": "ValueError"}
            return {}
        if kind == "get":
            try:
                found = registry.get_metric(action["key"])
            except KeyError:
                return {"error": "KeyError", "available": registry.list_metrics()}
            own = [label for label, metric in classes.items() if metric is found]
            return {"class": own[0]} if own else {"built_in": found.name}
        if kind == "load":
            points = action["entry_points"]
            skipped = sdk.load([(str(at), importing(point)) for at, point in enumerate(points)])
            loaded = [point["name"] for at, point in enumerate(points) if str(at) not in skipped]
            return {"loaded": loaded, "skipped": [points[int(at)]["name"] for at in skipped]}
        rewards = [[number(reward) for reward in task] for task in action["task_rewards"]]
        out, left_out = sdk.evaluate(action["metrics"], rewards)
        if kind == "score":
            return {"score": {name: spelled(value) for name, value in out.items()}, "left_out": left_out}
        if action["metrics"]:
            computed = [name for name in dict.fromkeys(action["metrics"]) if name not in left_out]
        else:
            computed = [name for name in out if name != "n_tasks"]
        return {"values": {name: spelled(out[name]) for name in computed}, "left_out": left_out}

    for action in given["actions"]:
        results.append(one(action))
    return results


def number(value: Any) -> Any:
    """A protocol number: itself, or what a string spells."""
    return float(value) if isinstance(value, str) else value


def spelled(value: float) -> Any:
    if isinstance(value, int) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def answer(sdk: Sdk, op: str, given: Any) -> Any:
    sdk.fresh()
    try:
        if op == "evsys.registry":
            return {"ok": {"results": acting(sdk, given)}}
        rewards = [[number(reward) for reward in task] for task in given["task_rewards"]]
        return {"ok": {"value": spelled(sdk.registry.get_metric(given["metric"])().compute(rewards))}}
    except Exception as error:
        return {"error": {"type": type(error).__name__, "reason_code": None, "message": str(error)}}


def main() -> None:
    sys.set_int_max_str_digits(0)
    sdk = Sdk(Path(sys.argv[1]))
    hello = {"runner": "evsys-sdk-source", "version": "0.1.0", "protocol": 1}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "hello":
            reply: Any = {"ok": {**hello, "ops": ["evsys.compute", "evsys.registry"]}}
        else:
            reply = answer(sdk, request["op"], request["input"])
        print(json.dumps({"id": request["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
