"""Judging where the system itself answers in several ways, each in an environment that it permits.

A vector then has ``variants``. Its verdict depends on the environment that explains the whole run, which is
known only at the end: until then each environment has a verdict of its own. A runner that answers one vector
as one environment does and the next as another is right in neither (PROTOCOL.md, "Environments").
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import MAIN, EnvironmentVariant
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Reply

__all__ = ["AGREEING", "agreeing_in", "explaining", "judge_in_each", "of_spec", "stands_for"]

AGREEING = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})
"""The outcomes of an answer that is an environment's."""


def of_spec(spec: str) -> dict[str, EnvironmentVariant]:
    """The further environments of a spec, by name."""
    return {variant.name: variant for variant in SPEC_TABLE[spec].oracle.variants}


def stands_for(spec: str, environment: str) -> str:
    """An environment for people: what answers so."""
    if environment == MAIN:
        return f"{SPEC_TABLE[spec].oracle.provenance} in its main environment"
    return of_spec(spec)[environment].stands_for


def judge_in_each(
    vector: Vector,
    reply: Reply,
    level: Level,
    known: KnownFailures | None = None,
    demanded_classes: Collection[str] = (),
) -> Verdict:
    """The verdict on a reply, as ``judge``; where it depends on the environment, with one for ``each``.

    Until the environment is known it is the best of them.
    """
    main = judge(vector, reply, level, known, demanded_classes)
    known_ones = of_spec(vector.op.spec)
    if not vector.variants.keys() & known_ones.keys() or not isinstance(reply.answer, Ok | Refused):
        return main
    each = {MAIN: main} | {
        name: judge(vector.due_in(name), reply, level, known, demanded_classes) for name in known_ones
    }
    if all(one.outcome in AGREEING for one in each.values()):  # as below level bytes: it tells nothing
        return main
    best = next((one for one in each.values() if one.outcome in AGREEING), main)
    return replace(best, each=each)


def explaining(spec: str, told: Iterable[Collection[str]]) -> str:
    """The environment that explains most; of those that explain as much the main one, then the spec's first.

    ``told`` holds, for each answer that tells environments apart, those under which it is right.
    """
    counts = dict.fromkeys((MAIN, *of_spec(spec)), 0)
    for agreeing in told:
        for name in agreeing:
            counts[name] += 1
    return max(counts, key=lambda name: counts[name])


def agreeing_in(each: Mapping[str, str]) -> frozenset[str]:
    """The environments under which an answer is right, of its outcome in each."""
    return frozenset(name for name, outcome in each.items() if Outcome(outcome) in AGREEING)
