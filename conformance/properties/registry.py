"""The registry of checks: what to draw for a property, and what must hold.

Every op has one property by itself: the runner's answers equal the reference's.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.diagnosis.environments import agreeing_environments
from conformance.drawing.source import Draw
from conformance.mistakes.plain import reference_answer
from conformance.properties.asking import Asker
from conformance.registry.op import Op
from conformance.registry.ops import OPS, load_parts
from conformance.suite.properties import Property

__all__ = ["EXAMPLES", "Check", "Function", "check_of", "checks", "holds"]

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


def holds(slug: str, draw: Draw[Any], examples: int = EXAMPLES) -> Callable[[Function], Function]:
    """Registers the decorated function as the check of a property whose inputs ``draw`` generates.

    Raises:
        ValueError: there already is a check with this slug.
    """

    def registered(function: Function) -> Function:
        if slug in _checks:
            raise ValueError(f"there are two checks called {slug!r}")
        _checks[slug] = Check(draw, function, examples)
        return function

    return registered


def _equality(op: Op) -> tuple[str, Check]:
    """The slug and the check of an op's property that its answers equal the reference's."""
    slug = f"{op.name.replace('_', '-').replace('.', '-')}-equals-reference"
    return slug, Check(op.draw, functools.partial(_equals_reference, op.name, op.spec), op.examples)


def _equals_reference(op: str, spec: str, asker: Asker, input_: Any) -> None:
    actual = asker.answer(op, input_)
    expected = reference_answer(spec, op, input_)
    free = OPS[op].free_order(input_, expected)
    right_in = agreeing_environments(op, input_, expected, actual, asker.level, free)
    if right_in:
        asker.right_in(right_in)
        return
    asker.alike(op, expected, actual, "not the reference's answer", free)


@functools.cache
def checks() -> dict[str, Check]:
    """All checks by slug."""
    for op in OPS.values():
        if not op.package_only:
            slug, check = _equality(op)
            holds(slug, check.draw, check.examples)(check.function)
    load_parts("properties")
    return dict(_checks)


def check_of(wanted: Property) -> Check:
    """The check of a property for its spec, which compares with the spec's own reference."""
    slug, check = _equality(wanted.op)
    return check if wanted.slug == slug else checks()[wanted.slug]
