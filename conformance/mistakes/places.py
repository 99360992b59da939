"""Places that mistakes change: objects of the reference, which are located in each private copy.

A function, a class or a method means the place where it is defined. A constant does not know its name, and a
module may use a rule that is defined elsewhere; for these, a place is a pair: ``(json_text, "INDENT")``,
``(outcome, mean)``. The first of a pair is a module, a class, or a function, which means the module that
defines it.
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
        PlaceError: the reference has no such place.
    """
    try:
        path, is_there = _locate(place)
    except (AttributeError, KeyError, TypeError, ValueError):
        path, is_there = "", False
    if not is_there or not path.startswith(_PACKAGE):
        raise PlaceError(f"{place!r} is not a place in reference_impl; name a constant as (module, 'NAME')")
    return path.removeprefix(_PACKAGE)


def _locate(place: Place) -> tuple[str, bool]:
    """The path of an object or a pair, and whether the reference has this object there."""
    if isinstance(place, ModuleType):
        return place.__name__, True
    if isinstance(place, tuple):
        owner, named = place
        if not isinstance(owner, ModuleType | type):
            owner = sys.modules[owner.__module__]
        name = named if isinstance(named, str) else named.__name__
        is_there = hasattr(owner, name) and (name is named or getattr(owner, name) is named)
        return f"{_locate(owner)[0]}.{name}", is_there
    reached: Any = sys.modules[place.__module__]
    for part in place.__qualname__.split("."):
        reached = getattr(reached, part)
    return f"{place.__module__}.{place.__qualname__}", reached is place
