"""The one property that every op has: the runner answers what the reference answers."""

import functools
from typing import Any

from conformance.diagnosis.environments import agreeing
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
    actual = asker.answer(op, given)
    expected = reference().answer(op, given)
    free = OPS[op].free_key_order(given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
    right_in = agreeing(op, given, expected, actual, asker.level, free)
    if right_in:
        asker.right_in(right_in)
        return
    asker.alike(op, expected, actual, "not what the reference answers", free)


for _op in OPS.values():
    enter(
        f"{_op.name.replace('_', '-').replace('.', '-')}-equals-reference",
        Check(_op.draw, functools.partial(_equals_reference, _op.name), _op.examples),
    )
