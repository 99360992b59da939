"""The name that a metric is found by (002, Create your own)."""

from collections.abc import Callable
from typing import TypeVar

from .metrics import BUILT_INS, Metric

__all__ = ["Registry"]

_Class = TypeVar("_Class", bound=type[Metric])


class Registry:
    """Metric classes by name; a new one holds the built-ins.

    The name is the decorator's argument, whatever the class calls itself. Upper and lower case
    are different names, and a class may have several.
    """

    def __init__(self) -> None:
        self._classes: dict[str, type[Metric]] = dict(BUILT_INS)

    def register_metric(self, name: str) -> Callable[[_Class], _Class]:
        """The decorator that gives a class its name and is otherwise without effect (002, Create your own).

        The class that has the name already may take it again, as a module that is imported twice
        does. Applied to another, the decorator refuses, and the first one stays.

        Raises:
            ValueError: as the decorator is applied, if the name belongs to another class.
        """

        def register(metric: _Class) -> _Class:
            if self._classes.get(name, metric) is not metric:
                raise ValueError(f"metric {name!r} is already registered")
            self._classes[name] = metric
            return metric

        return register

    def get(self, name: str) -> type[Metric]:
        """The class of that name (002, The contract).

        Raises:
            KeyError: there is none; the message lists those there are.
        """
        if name not in self._classes:
            raise KeyError(f"no metric {name!r}, available: {', '.join(self.available())}")
        return self._classes[name]

    def available(self) -> list[str]:
        """All names, in order of their code points."""
        return sorted(self._classes)
