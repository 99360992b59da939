"""Provides the package ``evsys_sdk`` in a metric's process, and records registrations. For the worker.

If it is not installed, a stand-in replaces it, with the parts that a metric uses: the decorator and the
look-up functions, the protocol, the built-in metrics and the threshold.
"""

import contextlib
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Protocol

MODULES = ("", ".registry", ".protocols", ".metrics", ".metrics.basic")


class Metric(Protocol):
    """The protocol for metrics, as documented."""

    name: ClassVar[str]

    def compute(self, task_rewards: Any) -> float:
        """Return the aggregated score."""


class Package:
    """The decorator's registrations and, for the stand-in, the built-in metrics."""

    def __init__(self, built_in: dict[str, Callable[[Any], float]]) -> None:
        self.built_in = built_in
        self.keys: dict[str, type] = {}
        self.called: dict[type, Any] = {}
        """Each class's name before registration, since the decorator changes it."""
        self.refused: list[tuple[str, str]] = []
        """Findings about exceptions of the decorator."""
        self.classes: dict[str, type] = {}
        """The stand-in's built-in metrics."""

    def names_of(self, metric: type) -> tuple[list[str], Any]:
        """Return the keys of a class, and its own name, which it has even if it is not registered."""
        keys = [key for key, registered in self.keys.items() if registered is metric]
        return keys, self.called.get(metric, inspect.getattr_static(metric, "name", None))

    def recording(self, register: Callable[[str | None, type], type]) -> Callable[..., Any]:
        """Return a decorator that registers a class, and records its arguments and exceptions."""
        return lambda name=None: lambda metric: self._registered(register, name, metric)

    def _registered(self, register: Callable[[str | None, type], type], name: Any, metric: type) -> type:
        key = name or getattr(metric, "name", None)
        called = inspect.getattr_static(metric, "name", None)
        try:
            registered = register(name, metric)
        except ValueError:
            conflict = f"Another class is already registered under {key!r}, which raises a ValueError."
            none = (
                f"{metric.__name__} is registered without a key and has no name, which raises a ValueError."
            )
            self.refused.append(("key-taken", conflict) if key else ("no-key", none))
            raise
        self.called.setdefault(metric, called)
        self.keys[str(key)] = metric
        return registered

    def register(self, name: str | None, metric: type) -> type:
        """Register a class like the package's decorator."""
        key = name or getattr(metric, "name", None)
        if not key:
            raise ValueError(f"metric class {metric.__name__} has no name and is registered without one")
        if self.keys.get(key, metric) is not metric:
            raise ValueError(f"metric {key!r} is already registered")
        with contextlib.suppress(TypeError, AttributeError):
            metric.name = key  # type: ignore[attr-defined]
        return metric

    def get_metric(self, name: str) -> type:
        """Return the class with this name."""
        if name not in self.list_metrics():
            available = ", ".join(self.list_metrics())
            raise KeyError(f"No metric registered under {name!r}. Available: {available}")
        return self.keys.get(name) or self.classes[name]

    def list_metrics(self) -> list[str]:
        """Return the names of all metrics."""
        return sorted({*self.keys, *self.classes})

    def record_decorator(self) -> None:
        """Record the arguments of the installed package's decorator."""
        import evsys_sdk
        from evsys_sdk import registry

        real = registry.register_metric
        registry.register_metric = self.recording(lambda name, metric: real(*[name] if name else [])(metric))
        if hasattr(evsys_sdk, "register_metric"):
            evsys_sdk.register_metric = registry.register_metric

    def install_stand_in(self) -> None:
        """Install the stand-in as the package."""
        modules: dict[str, Any] = {name: ModuleType(f"evsys_sdk{name}") for name in MODULES}
        for name, module in modules.items():
            module.__path__ = []
            sys.modules[module.__name__] = module
            parent, _, child = name.rpartition(".")
            if child:
                setattr(modules[parent], child, module)
        for key, compute in self.built_in.items():
            body: dict[str, Any] = {"name": key, "__module__": "evsys_sdk.metrics.basic"}
            body["compute"] = lambda self, task_rewards, function=compute: function(task_rewards)
            words = key.replace("@", "_at_").replace("^", "_hat_").title()  # pass@1 is the class PassAt1
            self.classes[key] = type(words.replace("_", ""), (), body)
        look = {"get_metric": self.get_metric, "list_metrics": self.list_metrics}
        for name in ("", ".registry"):
            vars(modules[name]).update(look, register_metric=self.recording(self.register))
        modules[""].Metric = modules[".protocols"].Metric = Metric
        classes = {metric.__name__: metric for metric in self.classes.values()}
        vars(modules[".metrics.basic"]).update(classes, PASS_THRESHOLD=1.0)
