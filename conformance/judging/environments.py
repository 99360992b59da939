"""Judges vectors that the system itself answers differently in different permitted environments.

Such a vector has ``variants``. Its verdict depends on the environment that explains the whole run, which is
known only at the end: until then it has a verdict for each environment. A runner that answers one vector as
in one environment and the next as in another is right in neither (PROTOCOL.md, "Environments").
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import MAIN, EnvironmentVariant
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused, Reply

__all__ = ["AGREEING", "Environments", "best_explaining", "description_of", "judge_in_each", "variants_of"]

AGREEING = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})
"""The outcomes of an answer that is right in an environment."""


def variants_of(spec: str) -> dict[str, EnvironmentVariant]:
    """The additional environments of a spec, by name."""
    return {variant.name: variant for variant in SPEC_TABLE[spec].oracle.variants}


def description_of(spec: str, environment: str) -> str:
    """A phrase for an environment: the system that gives its answers."""
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
    if not vector.variants or not isinstance(reply.answer, Ok | Refused):
        return main
    known_ones = variants_of(vector.op.spec)
    if not vector.variants.keys() & known_ones.keys():
        return main
    verdicts = {MAIN: main} | {
        name: judge(vector.for_environment(name), reply, level, known, demanded_classes)
        for name in known_ones
    }
    if all(verdict.outcome in AGREEING for verdict in verdicts.values()):
        return main  # it distinguishes nothing, as at lower levels
    best = next((verdict for verdict in verdicts.values() if verdict.outcome in AGREEING), main)
    return replace(best, each=verdicts)


def best_explaining(spec: str, agreements: Iterable[Collection[str]]) -> str:
    """The environment that explains most; in a tie the main one, then the first in the spec.

    ``agreements``: for each answer that distinguishes environments, those in which it is right.
    """
    counts = dict.fromkeys((MAIN, *variants_of(spec)), 0)
    for agreeing in agreements:
        for name in agreeing:
            counts[name] += 1
    return max(counts, key=lambda name: counts[name])


@dataclass(slots=True)
class Environments:
    """The environments of one run, and the answers that are not right in all of them."""

    spec: str
    chosen: str = MAIN
    """The environment that explains most, once settled."""
    against: dict[str, str] = field(default_factory=dict)
    """The answers that are right only in another environment, by id, with that environment."""
    _right_in: dict[str, frozenset[str]] = field(default_factory=dict)
    """The environments in which an answer is right, by the id of the vector or property."""

    def add(self, key: str, right_in: Collection[str]) -> None:
        """Adds the environments in which an answer is right."""
        self._right_in[key] = frozenset(right_in)

    def settle(self) -> None:
        """Chooses the environment."""
        self.chosen = best_explaining(self.spec, self._right_in.values())
        self.against = {
            key: min(right_in)
            for key, right_in in self._right_in.items()
            if right_in and self.chosen not in right_in
        }

    def explains(self, key: str) -> bool:
        """Return whether an answer is right in the chosen environment."""
        return self.chosen in self._right_in[key]

    @property
    def distinguishing(self) -> list[str]:
        """The answers that are right in the chosen environment, but not in all others."""
        return [key for key in sorted(self._right_in) if self.explains(key)]

    def mixing(self, key: str) -> str:
        """The sentence about an answer that contradicts the chosen environment."""
        description = description_of(self.spec, self.against[key])
        keys = self.distinguishing
        count = len(keys)
        times = f"{count} time{'' if count == 1 else 's'}, as in {keys[0]}" if count else "elsewhere"
        return (
            f"here it answers as {description}, and as {description_of(self.spec, self.chosen)} {times}: "
            "it mixes environments, and no single one explains the run"
        )

    def as_json(self) -> dict[str, Any] | None:
        """In the form of the schema ``run-report``; None if nothing distinguished environments."""
        if not self._right_in:
            return None
        main = SPEC_TABLE[self.spec].oracle.provenance
        return {
            "name": self.chosen or main,
            "stands_for": description_of(self.spec, self.chosen),
            "told_by": self.distinguishing,
            "against": {key: environment or main for key, environment in sorted(self.against.items())},
        }
