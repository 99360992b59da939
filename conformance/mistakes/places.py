"""Names for the parts that mistakes change: objects of the reference, found again in each private copy.

A function, a class or a method means the place where it is defined. A plain constant does not know its
name, and a module may use a rule that is defined elsewhere; for these, a pair says where to look:
``(json_text, "INDENT")``, ``(outcome, mean)``. The first of a pair is a module, a class, or a function,
which means the module that defines it.
"""

import sys
from types import ModuleType
from typing import Any

__all__ = ["Place", "PlaceError", "path_of"]

Place = Any
"""A module, class, function or method of ``reference_impl``, or a pair of one of these and a name in it."""
_PACKAGE = "reference_impl."


class PlaceError(TypeError):
    """The reference has no such place; the message is one sentence."""


def path_of(place: Place) -> str:
    """The path of a place relative to ``reference_impl``, such as ``aggregation.mean``.

    Raises:
        PlaceError: it is no place of the reference.
    """
    if isinstance(place, tuple):
        return _path_of_pair(place)
    if isinstance(place, ModuleType):
        return _below_package(place.__name__, place)
    module = getattr(place, "__module__", None)
    name = getattr(place, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        raise PlaceError(
            f"{place!r} does not say where it is defined; a mistake names it so: (module, 'NAME')"
        )
    path = _below_package(module, place)
    if _found(sys.modules.get(module), name) is not place:
        raise PlaceError(f"{module}.{name} is not what the reference has there, so no mistake can change it")
    return f"{path}.{name}"


def _path_of_pair(pair: tuple[Any, ...]) -> str:
    if len(pair) != 2:
        raise PlaceError(f"{pair!r} is no pair of a module of the reference and a name in it")
    owner, named = pair
    name = named if isinstance(named, str) else getattr(named, "__name__", None)
    if not isinstance(owner, ModuleType | type):
        owner = sys.modules.get(getattr(owner, "__module__", ""))
    path = path_of(owner)
    if not isinstance(name, str) or not hasattr(owner, name):
        raise PlaceError(
            f"reference_impl.{path} has no {name if name else named!r} that a mistake could change"
        )
    if not isinstance(named, str) and getattr(owner, name) is not named:
        raise PlaceError(f"reference_impl.{path}.{name} is not the {name} that a mistake names")
    return f"{path}.{name}"


def _below_package(module: str, place: Place) -> str:
    if not module.startswith(_PACKAGE):
        raise PlaceError(f"{place!r} is not a part of reference_impl, so no mistake can change it")
    return module.removeprefix(_PACKAGE)


def _found(holder: Any, name: str) -> Any:
    for part in name.split("."):
        holder = getattr(holder, part, None)
    return holder
