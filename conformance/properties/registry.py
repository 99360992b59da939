"""The registry of checks: what to draw for a property, and what must hold."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.drawing.source import Draw
from conformance.properties.asking import Asker
from conformance.registry.ops import load_parts
from conformance.suite.properties import Property

EXAMPLES = 48
"""The default number of inputs per property, without ``--conformance-fuzz``."""

Function = Callable[[Asker, Any], None]
"""Checks one input."""


@dataclass(frozen=True, slots=True)
class Check:
    """How to try one property."""

    draw: Draw[Any]
    """Draws its input."""
    function: Function
    """Raises BrokenError if the property does not hold."""
    examples: int = EXAMPLES


_checks: dict[str, Check] = {}


def enter(slug: str, check: Check) -> None:
    """Registers a check.

    Raises:
        ValueError: there already is a check with this slug.
    """
    if slug in _checks:
        raise ValueError(f"there are two checks called {slug!r}")
    _checks[slug] = check


def holds(slug: str, draw: Draw[Any], examples: int = EXAMPLES) -> Callable[[Function], Function]:
    """Registers the decorated function as the check of a property whose inputs ``draw`` generates."""

    def entered(function: Function) -> Function:
        enter(slug, Check(draw, function, examples))
        return function

    return entered


@functools.cache
def checks() -> dict[str, Check]:
    """All checks by slug."""
    importlib.import_module("conformance.properties.differential")
    load_parts("properties")
    return dict(_checks)


def check_of(wanted: Property) -> Check:
    """The check of a property for its spec, which compares with the spec's own reference."""
    from conformance.properties.differential import equality, equality_slug

    return equality(wanted.op) if wanted.slug == equality_slug(wanted.op) else checks()[wanted.slug]
