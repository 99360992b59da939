"""What a runner offers of a spec, and what it therefore can show: facts for the report, sentences for people.

A harbor, be it a release or a fork, can't offer what is no part of harbor: which ops those are, the registry
says, as it knows where each op's expected answers come from.
"""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.judging.verdict import Outcome
from conformance.registry.op import ORACLE, Op
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.report.records import Record
from conformance.suite.vectors import Vector
from conformance.wire.messages import Hello
from conformance.wire.text import printable

__all__ = ["Offer", "OpOffer", "offer_of"]

_MOST_PARTLY = 4
"""The most ops of which is told that they are unsupported in part."""
_REASON = 200


@dataclass(frozen=True, slots=True)
class OpOffer:
    """One op: whether it is offered, and what became of the vectors that were selected."""

    op: Op
    offered: bool
    vectors: int
    passed: int
    unsupported: int
    reason: str | None
    """What the runner says most often where it is unsupported."""

    @property
    def part_of_the_package(self) -> bool:
        """Whether the package of the spec's oracle answers it, at least in part."""
        return self.op.source == ORACLE

    def as_json(self) -> dict[str, Any]:
        """As the schema ``run-report`` has it."""
        return {
            "op": self.op.name,
            "class": self.op.conformance_class,
            "offered": self.offered,
            "source": SPEC_TABLE[self.op.spec].oracle.provenance
            if self.part_of_the_package
            else self.op.source,
            "vectors": self.vectors,
            "passed": self.passed,
            "unsupported": self.unsupported,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Offer:
    """What a runner offers of all that was selected."""

    spec: str
    package: str | None
    """The package of the spec's oracle, where the runner is one of its releases or forks."""
    ops: tuple[OpOffer, ...]
    """The ops of the spec of which vectors were selected."""
    reached: dict[str, list[str]]
    """Classes by the level reached; ``none`` where they reached nothing."""

    @property
    def vectors(self) -> int:
        """How many of the selected vectors are of ops that it offers."""
        return sum(one.vectors for one in self.ops if one.offered)

    @property
    def passed(self) -> int:
        """How many of them passed."""
        return sum(one.passed for one in self.ops if one.offered)

    @property
    def whole(self) -> bool:
        """Whether it answered whatever was selected."""
        return all(one.offered and not one.unsupported for one in self.ops)

    def as_json(self) -> dict[str, Any]:
        """As the schema ``run-report`` has it."""
        return {
            "package": self.package,
            "vectors": self.vectors,
            "passed": self.passed,
            "ops": [one.as_json() for one in self.ops],
        }

    def count(self) -> str:
        """How many vectors passed of how many that could, for the last line."""
        total = sum(one.vectors for one in self.ops)
        if self.vectors == total or not self.vectors:
            return f"{sum(one.passed for one in self.ops)} of {total} passed"
        return f"{self.passed} of the {self.vectors} that it offers passed"

    def lines(self, width: int) -> list[str]:
        """What it can show, a sentence a paragraph; nothing where it answered all."""
        if self.whole:
            return []
        return [
            line
            for sentence in self._sentences()
            for line in textwrap.wrap(
                sentence, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        ]

    def _sentences(self) -> Iterable[str]:
        missing = [one for one in self.ops if not one.offered]
        if self.package is None:
            if missing:
                yield (
                    f"passed {self.passed} of the {self.vectors} vectors that it offers; offers no "
                    f"{_names(missing)} ({_vectors(missing)} unsupported)"
                )
            yield from self._partly()
            return
        foreign = [one for one in missing if not one.part_of_the_package]
        lacking = [one for one in missing if one.part_of_the_package]
        own = [one for one in self.ops if one.part_of_the_package]
        has = len(own) - len(lacking)
        if foreign:
            sources = " and ".join(dict.fromkeys(one.op.source for one in foreign))
            yield (
                f"expected: {_names(foreign)} ({_vectors(foreign)}) are no part of {self.package}, their "
                f"answers come from {sources}; no release and no fork of {self.package} offers them"
            )
        if lacking:
            yield (
                f"it lacks {_names(lacking)} ({_vectors(lacking)}), which "
                f"{SPEC_TABLE[self.spec].oracle.provenance} has"
            )
        yield (
            f"it offers {has} of {self.package}'s {len(own)} ops, and passed {self.passed} of their "
            f"{self.vectors} vectors"
        )
        yield from self._partly()
        yield from self._reach(own)

    def _partly(self) -> Iterable[str]:
        partly = [one for one in self.ops if one.offered and one.unsupported]
        for one in partly[:_MOST_PARTLY]:
            yield (
                f"{one.op.name} is offered, but unsupported in {one.unsupported} of {one.vectors} vectors: "
                f"{one.reason}"
            )
        if len(partly) > _MOST_PARTLY:
            yield f"{_names(partly[_MOST_PARTLY:])} are offered, but unsupported in part"

    def _reach(self, own: list[OpOffer]) -> Iterable[str]:
        """What its classes reach, those apart that it can't have."""
        can = {one.op.conformance_class for one in own}
        said = []
        for level, names in self.reached.items():
            reachable = [name for name in names if name in can]
            if reachable:
                words = "not reached" if level == "none" else f"reached at {level}"
                said.append(f"{words}: {', '.join(reachable)}")
        cannot = [name for names in self.reached.values() for name in names if name not in can]
        if cannot:
            said.append(f"not {self.package}'s: {', '.join(cannot)}")
        yield f"classes {'; '.join(said)}"


def offer_of(
    spec: str,
    hello: Hello,
    every: Iterable[Vector],
    records: Sequence[Record],
    reached: Mapping[str, str | None],
) -> Offer:
    """What a runner offers of what was selected.

    Args:
        spec: what it was asked about.
        hello: what it says of itself.
        every: all vectors.
        records: what became of those that were selected.
        reached: the level that each class reached, if any.
    """
    by_op: dict[str, Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    op_of_vector = {vector.id: vector.op.name for vector in every}
    for record in records:
        op = op_of_vector[record.id]
        by_op.setdefault(op, Counter())[record.outcome] += 1
        if record.outcome == Outcome.UNSUPPORTED.value and record.detail:
            reasons.setdefault(op, Counter())[record.detail] += 1
    ops = tuple(
        OpOffer(
            op,
            op.name in hello.ops,
            by_op[op.name].total(),
            by_op[op.name][Outcome.PASSED.value],
            by_op[op.name][Outcome.UNSUPPORTED.value],
            _reason(reasons.get(op.name)),
        )
        for op in ops_of(spec, package=True)
        if op.name in by_op
    )
    recipe = SPEC_TABLE[spec].oracle.recipe
    package = recipe.package if recipe is not None and hello.runner == recipe.package else None
    classes: dict[str, list[str]] = {}
    for name, level in reached.items():
        classes.setdefault(level or "none", []).append(name)
    return Offer(spec, package, ops, classes)


def _reason(told: Counter[str] | None) -> str | None:
    if not told:
        return None
    text = printable(told.most_common(1)[0][0]).removeprefix("the runner says unsupported: ")
    return text if len(text) <= _REASON else f"{text[:_REASON]}..."


def _names(ops: Iterable[OpOffer]) -> str:
    return ", ".join(one.op.name for one in ops)


def _vectors(ops: Iterable[OpOffer]) -> str:
    count = sum(one.vectors for one in ops)
    return f"{count} vector" if count == 1 else f"{count} vectors"
