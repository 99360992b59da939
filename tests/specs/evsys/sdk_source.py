"""A runner that executes the source of ``evsys_sdk``, function by function: it can't be installed.

``python sdk_source.py FOLDER`` with the folder that holds the package ``evsys_sdk``, such as a checkout's
``src``. The registry and the built-in metrics are imported as they are. Of the modules that need the rest of
the SDK one function each is taken from the text: the one that reduces rewards for a benchmark, and the one
that walks an entry-point group. What a described class is, and the protocol, is as in the derivation.
"""

import ast
import functools
import importlib
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

GROUP = "evsys_sdk.metrics"
ADAPTER = Path(__file__).parents[3] / "conformance" / "adapters" / "evsys.py"
derivation: Any = SimpleNamespace(**runpy.run_path(str(ADAPTER)))


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

    def fresh(self) -> Any:
        """Its registry, in which only the built-in metrics are."""
        self.registry._metrics._items = dict(self.built_in)
        return self.registry


class Executed(derivation.Registry):  # type: ignore[misc]
    """The derivation's actions, carried out by the SDK."""

    def __init__(self, sdk: Sdk, described: dict[str, Any]) -> None:
        self.sdk, self.logger, registry = sdk, sdk.logger, sdk.fresh()
        self.register_metric, self.get = registry.register_metric, registry.get_metric
        self.listed = registry.list_metrics
        self._described = {label: self._make(label, what) for label, what in described.items()}

    def _get(self, action: dict[str, Any]) -> dict[str, Any]:
        try:
            found = self.get(action["key"])
        except KeyError:
            return {"error": "KeyError", "available": self.listed()}
        return dict(vars(found).get("label") or {"built_in": found.name})

    def _import(self, point: dict[str, Any]) -> None:
        if point["fails"] is not None:
            raise ImportError(point["fails"])
        for key, label in point["registers"]:
            self.register_metric(key)(self._described[label])
        for name in point.get("gets", ()):
            self.get(name)

    def _load(self, action: dict[str, Any]) -> dict[str, Any]:
        self.logger.told = []
        points = {str(at): point for at, point in enumerate(action["entry_points"])}
        found = [
            SimpleNamespace(name=name, load=functools.partial(self._import, point))
            for name, point in points.items()
        ]
        self.sdk.load_group["entry_points"] = lambda group: found
        self.sdk.load_group["_load_group"](GROUP)
        skipped = self.logger.told
        loaded = [point["name"] for name, point in points.items() if name not in skipped]
        return {"loaded": loaded, "skipped": [points[name]["name"] for name in skipped]}

    def _score(self, action: dict[str, Any]) -> dict[str, Any]:
        self.logger.told = []
        groups = [SimpleNamespace(rewards=rewards) for rewards in derivation.numbers(action["task_rewards"])]
        score = self.sdk.eval_metrics["eval_metrics"](groups, metrics=action["metrics"])
        return {"score": score, "left_out": self.logger.told}

    def _evaluate(self, action: dict[str, Any]) -> dict[str, Any]:
        score, left_out = self._score(action).values()
        names = action["metrics"] or [name for name in score if name != "n_tasks"]
        return {"values": {name: score[name] for name in names if name not in left_out}, "left_out": left_out}


def main() -> None:
    sdk = Sdk(Path(sys.argv[1]))

    def compute(metric: str, task_rewards: Any) -> dict[str, Any]:
        return {"value": sdk.fresh().get_metric(metric)().compute(derivation.numbers(task_rewards))}

    def registry(classes: dict[str, Any], actions: list[Any]) -> dict[str, Any]:
        executed = Executed(sdk, classes)
        return {"results": [executed.act(action) for action in actions]}

    operations = {"evsys.compute": compute, "evsys.registry": registry}
    derivation.shim().serve(operations, name="evsys-sdk-source", version="0.2.0")


if __name__ == "__main__":
    main()
