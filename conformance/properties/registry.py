"""The checks behind the list: what is drawn for a property, and what must hold of it."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.drawing.source import Draw
from conformance.properties.asking import Asker
from conformance.registry.ops import load_parts
from conformance.suite.properties import Property

__all__ = ["EXAMPLES", "Check", "Function", "check_of", "checks", "enter", "holds"]

EXAMPLES = 48
"""How many inputs of each property are tried, without ``--conformance-fuzz`` and if it needs no more."""

Function = Callable[[Asker, Any], None]
"""Asks about one input."""


@dataclass(frozen=True, slots=True)
class Check:
    """How one property is tried."""

    draw: Draw[Any]
    """Draws what it is tried with."""
    function: Function
    """Raises BrokenError where the property does not hold."""
    examples: int = EXAMPLES


_checks: dict[str, Check] = {}


def enter(slug: str, check: Check) -> None:
    """Adds a check.

    Raises:
        ValueError: there is one of that slug.
    """
    if slug in _checks:
        raise ValueError(f"there are two checks called {slug!r}")
    _checks[slug] = check


def holds(slug: str, draw: Draw[Any], examples: int = EXAMPLES) -> Callable[[Function], Function]:
    """Makes the decorated function the check of a property, tried with what ``draw`` makes of a source."""

    def entered(function: Function) -> Function:
        enter(slug, Check(draw, function, examples))
        return function

    return entered


@functools.cache
def checks() -> dict[str, Check]:
    """Every check, by the slug of its property."""
    importlib.import_module("conformance.properties.differential")
    load_parts("properties")
    return dict(_checks)


def check_of(wanted: Property) -> Check:
    """How a property is tried for its spec: a spec compares with its own reference."""
    from conformance.properties.differential import equality, equality_slug

    return equality(wanted.op) if wanted.slug == equality_slug(wanted.op) else checks()[wanted.slug]
