"""The property that every op has: the runner's answers equal the reference's."""

import functools
from typing import Any

from conformance.diagnosis.environments import agreeing
from conformance.mistakes.plain import reference_answer
from conformance.properties.asking import Asker
from conformance.properties.registry import Check, enter
from conformance.registry.op import Op
from conformance.registry.ops import OPS


def equality_slug(op: Op) -> str:
    """The slug of the property that an op's answers equal the reference's."""
    return f"{op.name.replace('_', '-').replace('.', '-')}-equals-reference"


def equality(op: Op) -> Check:
    """The check of the property, by the rules of the op's spec."""
    return Check(op.draw, functools.partial(_equals_reference, op.name, op.spec), op.examples)


def _equals_reference(op: str, spec: str, asker: Asker, given: Any) -> None:
    actual = asker.answer(op, given)
    expected = reference_answer(spec, op, given)
    free = OPS[op].free_order(given, expected)
    right_in = agreeing(op, given, expected, actual, asker.level, free)
    if right_in:
        asker.right_in(right_in)
        return
    asker.alike(op, expected, actual, "not the reference's answer", free)


for _op in OPS.values():
    if not _op.package_only:
        enter(equality_slug(_op), equality(_op))
