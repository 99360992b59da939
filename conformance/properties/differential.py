"""The one property that every op has: the runner answers what the reference answers."""

import functools
from typing import Any

from conformance.drawing.strategies.inputs import DRAWABLE, inputs
from conformance.mistakes.variant import Variant
from conformance.properties.asking import Asker
from conformance.properties.registry import Check, enter
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok

__all__ = ["reference"]


@functools.cache
def reference() -> Variant:
    """The reference, in this process."""
    return Variant()


def _equals_reference(op: str, asker: Asker, given: Any) -> None:
    expected = reference().answer(op, given)
    free = OPS[op].free_key_order(given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
    asker.alike(op, expected, asker.answer(op, given), "not what the reference answers", free)


for _op in DRAWABLE:
    enter(
        f"{_op.replace('_', '-').replace('.', '-')}-equals-reference",
        Check(inputs(_op), functools.partial(_equals_reference, _op), OPS[_op].examples),
    )
