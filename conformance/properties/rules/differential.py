"""The one property that every op has: the runner answers what the reference answers."""

import functools
from typing import Any

from conformance.free_order import unordered
from conformance.properties.asking import Asker
from conformance.properties.registry import Check, enter
from conformance.protocol import Ok
from conformance.strategies.inputs import DRAWABLE, inputs
from conformance.variant import Variant

__all__ = ["reference"]

_EXAMPLES = {"aggregate": 120, "job_result": 60, "pipeline": 50, "metric_script": 10}


@functools.cache
def reference() -> Variant:
    """The reference, in this process."""
    return Variant()


def _equals_reference(op: str, asker: Asker, given: Any) -> None:
    expected = reference().answer(op, given)
    free = unordered(op, given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
    asker.alike(op, expected, asker.answer(op, given), "not what the reference answers", free)


for _op in DRAWABLE:
    enter(
        f"{_op.replace('_', '-').replace('.', '-')}-equals-reference",
        Check(inputs(_op), functools.partial(_equals_reference, _op), _EXAMPLES.get(_op, 100)),
    )
