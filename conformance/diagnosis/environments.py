"""What the reference answers as each environment of a spec does, for inputs that no vector has."""

import functools
import json

from conformance.diagnosis.evidence import agree
from conformance.judging.comparison import Level
from conformance.judging.environments import variants_of
from conformance.mistakes.catalogue import mistake_of
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS
from conformance.registry.spec import MAIN
from conformance.wire.messages import Ok, Refused

__all__ = ["agreeing_environments", "environment_names", "variant_answers"]


@functools.cache
def _variant_reference(op: str, mistake: str, spec: str) -> Variant:
    variant = Variant(spec=spec)
    mistake_of(op, mistake).change(variant)
    return variant


def environment_names(spec: str) -> frozenset[str]:
    """Every environment of a spec."""
    return frozenset((MAIN, *variants_of(spec)))


def variant_answers(
    op: str, given: object, expected: Ok | Refused, spec: str = ""
) -> dict[str, Ok | Refused]:
    """What further environments answer, by name, where that is not what the main one does, ``expected``.

    They are those of ``spec``, or of the one that brought the op.
    """
    spec = spec or OPS[op].spec
    variants = variants_of(spec)
    if not variants or not isinstance(expected, Ok):
        return {}
    try:
        text = json.dumps(expected.value)
    except (ValueError, RecursionError):  # of more digits, or deeper, than any message holds
        return {}
    found: dict[str, Ok | Refused] = {}
    for name, variant in variants.items():
        if variant.shows in text:  # else it answers the same, and need not be asked
            answer = _variant_reference(variant.op, variant.mistake, spec).answer(op, given)
            if not agree(OPS[op], expected, answer, Level.BYTES):
                found[name] = answer
    return found


def agreeing_environments(
    op: str,
    given: object,
    expected: Ok | Refused,
    actual: Ok | Refused,
    level: Level,
    unordered: frozenset[str] = frozenset(),
    spec: str = "",
) -> frozenset[str] | None:
    """The environments in which an answer is right; None where all of them answer alike at ``level``.

    ``expected`` is what the reference answers as the main one.
    """
    different = {
        name: answer
        for name, answer in variant_answers(op, given, expected, spec).items()
        if not agree(OPS[op], expected, answer, level, unordered)
    }
    if not different:
        return None
    return frozenset(
        name
        for name in environment_names(OPS[op].spec)
        if agree(OPS[op], different.get(name, expected), actual, level, unordered)
    )
