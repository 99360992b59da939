"""The names of metrics (002, Create your own)."""

from collections.abc import Callable
from typing import TypeVar

from .metrics import BUILT_INS, Metric

__all__ = ["Registry"]

_Class = TypeVar("_Class", bound=type[Metric])


class Registry:
    """Metric classes by name; a new registry contains the built-ins.

    The name is the decorator's argument, or the class's own name if the argument is missing or empty. Names
    are case-sensitive, and a class may have several.
    """

    def __init__(self) -> None:
        self._classes: dict[str, type[Metric]] = dict(BUILT_INS)

    def register_metric(self, name: str | None = None) -> Callable[[_Class], _Class]:
        """The decorator that gives a class its name, here and as its `name` (002, Create your own).

        A class may be registered again under its own name, as happens when a module is imported twice.
        Another class is refused, and the first class keeps the name.

        Raises:
            ValueError: by the decorator, if the name belongs to another class, or if neither the
                decorator nor the class has one.
        """

        def register(metric: _Class) -> _Class:
            key = name or getattr(metric, "name", None)
            if not key:
                raise ValueError("a metric without a name is registered without one")
            if self._classes.get(key, metric) is not metric:
                raise ValueError(f"metric {key!r} is already registered")
            metric.name = key
            self._classes[key] = metric
            return metric

        return register

    def get(self, name: str) -> type[Metric]:
        """The class of that name (002, The contract).

        Raises:
            KeyError: there is none; the message lists the available names.
        """
        if name not in self._classes:
            raise KeyError(f"no metric {name!r}, available: {', '.join(self.available())}")
        return self._classes[name]

    def available(self) -> list[str]:
        """All names, sorted by code point."""
        return sorted(self._classes)
