"""The reference's answers in each environment of a spec, for inputs that no vector has."""

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
    op: str, input_: object, expected: Ok | Refused, spec: str = ""
) -> dict[str, Ok | Refused]:
    """The answers of other environments that differ from the main one's, ``expected``, by name.

    The environments are those of ``spec``, or of the spec that introduced the op.
    """
    spec = spec or OPS[op].spec
    variants = variants_of(spec)
    if not variants or not isinstance(expected, Ok):
        return {}
    try:
        text = json.dumps(expected.value)
    except (ValueError, RecursionError):  # more digits or levels than a message may have
        return {}
    answers: dict[str, Ok | Refused] = {}
    for name, variant in variants.items():
        if variant.shows in text:  # otherwise its answer is the same
            answer = _variant_reference(variant.op, variant.mistake, spec).answer(op, input_)
            if not agree(OPS[op], expected, answer, Level.BYTES):
                answers[name] = answer
    return answers


def agreeing_environments(
    op: str,
    input_: object,
    expected: Ok | Refused,
    actual: Ok | Refused,
    level: Level,
    unordered: frozenset[str] = frozenset(),
    spec: str = "",
) -> frozenset[str] | None:
    """The environments in which an answer is right; None if all give the same answer at ``level``.

    ``expected`` is the reference's answer in the main environment.
    """
    different = {
        name: answer
        for name, answer in variant_answers(op, input_, expected, spec).items()
        if not agree(OPS[op], expected, answer, level, unordered)
    }
    if not different:
        return None
    return frozenset(
        name
        for name in environment_names(OPS[op].spec)
        if agree(OPS[op], different.get(name, expected), actual, level, unordered)
    )
