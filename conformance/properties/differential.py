"""The property that every op has: the runner's answers equal the reference's."""

import functools
from typing import Any

from conformance.diagnosis.environments import agreeing
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.properties.asking import Asker
from conformance.properties.registry import Check, enter
from conformance.registry.op import Op
from conformance.registry.ops import OPS, SPEC_TABLE
from conformance.wire.messages import Ok

__all__ = ["equality", "equality_slug", "reference"]


@functools.cache
def reference(spec: str = DEFAULT_SPEC) -> Variant:
    """The reference in this process; specs share one, except overlays."""
    if SPEC_TABLE[spec].base is None and spec != DEFAULT_SPEC:
        return reference()
    return Variant(spec=spec)


def equality_slug(op: Op) -> str:
    """The slug of the property that an op's answers equal the reference's."""
    return f"{op.name.replace('_', '-').replace('.', '-')}-equals-reference"


def equality(op: Op) -> Check:
    """The check of the property, by the rules of the op's spec."""
    return Check(op.draw, functools.partial(_equals_reference, op.name, op.spec), op.examples)


def _equals_reference(op: str, spec: str, asker: Asker, given: Any) -> None:
    actual = asker.answer(op, given)
    expected = reference(spec).answer(op, given)
    free = OPS[op].free_key_order(given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
    right_in = agreeing(op, given, expected, actual, asker.level, free)
    if right_in:
        asker.right_in(right_in)
        return
    asker.alike(op, expected, actual, "not the reference's answer", free)


for _op in OPS.values():
    if not _op.package_only:
        enter(equality_slug(_op), equality(_op))
