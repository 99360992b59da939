"""Judges vectors that the system itself answers differently in different permitted environments.

Such a vector has ``variants``. Its verdict depends on the environment that explains the whole run, which is
known only at the end: until then it has a verdict for each environment. A runner that answers one vector as
in one environment and the next as in another is right in neither (PROTOCOL.md, "Environments").
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import MAIN, EnvironmentVariant
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Reply

__all__ = ["AGREEING", "best_explaining", "description_of", "judge_in_each", "variants_of"]

AGREEING = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})
"""The outcomes of an answer that is right in an environment."""


def variants_of(spec: str) -> dict[str, EnvironmentVariant]:
    """The additional environments of a spec, by name."""
    return {variant.name: variant for variant in SPEC_TABLE[spec].oracle.variants}


def description_of(spec: str, environment: str) -> str:
    """A phrase for an environment: the system that answers so."""
    if environment == MAIN:
        return f"{SPEC_TABLE[spec].oracle.provenance} in its main environment"
    return variants_of(spec)[environment].described_as


def judge_in_each(
    vector: Vector,
    reply: Reply,
    level: Level,
    known: KnownFailures | None = None,
    demanded_classes: Collection[str] = (),
) -> Verdict:
    """The verdict on a reply, as ``judge``; if it depends on the environment, with a verdict for ``each``.

    Until the environment is known, it is the best of them.
    """
    main = judge(vector, reply, level, known, demanded_classes)
    known_ones = variants_of(vector.op.spec)
    if not vector.variants.keys() & known_ones.keys() or not isinstance(reply.answer, Ok | Refused):
        return main
    each = {MAIN: main} | {
        name: judge(vector.for_environment(name), reply, level, known, demanded_classes)
        for name in known_ones
    }
    if all(one.outcome in AGREEING for one in each.values()):  # as at lower levels: it distinguishes nothing
        return main
    best = next((one for one in each.values() if one.outcome in AGREEING), main)
    return replace(best, each=each)


def best_explaining(spec: str, agreements: Iterable[Collection[str]]) -> str:
    """The environment that explains most; in a tie the main one, then the first in the spec.

    ``agreements``: for each answer that distinguishes environments, those in which it is right.
    """
    counts = dict.fromkeys((MAIN, *variants_of(spec)), 0)
    for agreeing in agreements:
        for name in agreeing:
            counts[name] += 1
    return max(counts, key=lambda name: counts[name])
