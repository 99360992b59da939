"""The outcomes of a run, ignoring its list of known failures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.errors import UserError
from conformance.judging.comparison import Level
from conformance.judging.known_failures import LISTABLE, KnownFailures, Offered, VectorSet
from conformance.judging.verdict import UNEXPECTED, Outcome, fingerprint_of
from conformance.outcomes import claims
from conformance.outcomes.claims import REPHRASED_SUFFIX
from conformance.outcomes.words import counted
from conformance.registry.ops import ops_of
from conformance.registry.spec import release_of
from conformance.suite.clauses import statements
from conformance.suite.vectors import Vector, is_of_kit
from conformance.wire.text import printable, shortened

__all__ = ["BaselineError", "Today", "reasons_to_fail", "today_of", "warnings_about"]

_FAILING = frozenset(str(outcome) for outcome in UNEXPECTED) & LISTABLE
_PASSED, _FLAKY, _NOT_RUN = str(Outcome.PASSED), str(Outcome.FLAKY), str(Outcome.NOT_RUN)


class BaselineError(UserError):
    """The list can't be created; the message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The outcomes of the vectors, the rephrased vectors and the properties."""

    ids: tuple[str, ...]
    """All ids that an entry may name, judged or not."""
    outcomes: Mapping[str, str]
    """The outcome of each judged id, as if there were no list."""
    failing: frozenset[str]
    """The ids that fail the run unless they are listed."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of wrong answers to vectors, if the report has the answers."""
    again_seed: int | None = None
    """The seed that chose the rephrased vectors; None if there were none."""
    details: Mapping[str, str] = field(default_factory=dict)
    """A sentence on why each id failed, which may quote the runner."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """The likely mistake, if there is one."""
    headings: Mapping[str, str] = field(default_factory=dict)
    """The comment with the rule of each id, for above its entries."""
    offers: Mapping[str, Offered | None] = field(default_factory=dict)
    """The offer of each operation that has vectors in the run; None if it is not offered."""
    ops: frozenset[str] = frozenset()
    """The operations of the spec; empty if unknown."""
    level: Level = Level.BYTES
    """The level of the run."""
    vectors: VectorSet | None = None
    """The version of the vectors, if all of them were asked."""

    @property
    def judged(self) -> dict[str, tuple[str, str]]:
        """The outcome and the fingerprint of each judged id."""
        return {key: (outcome, self.fingerprints.get(key, "")) for key, outcome in self.outcomes.items()}


def today_of(document: Mapping[str, Any], all_vectors: Sequence[Vector], ids: Iterable[str]) -> Today:
    """Return a run's outcomes for all ``ids`` that a list may name; ``all_vectors`` has their vectors.

    An expected failure counts as a failure, and an unexpected pass as a pass.
    """
    whole = dict.fromkeys(ids)
    clause_of = {vector.id: vector.clause for vector in all_vectors}
    clause_of |= {entry["id"]: entry["clause"] for entry in document["properties"]}
    statement_of = statements(document["spec"])
    judged = {key: result for key, result in _judged(document) if key in whole}
    outcomes = {key: _PASSED if result is None else _real_outcome(result) for key, result in judged.items()}
    results = {key: result for key, result in judged.items() if result is not None}
    answers = {vector.id: results[vector.id]["actual"] for vector in all_vectors if vector.id in results}
    return Today(
        ids=tuple(whole),
        outcomes=outcomes,
        failing=frozenset(key for key, result in results.items() if _fails(key, result, outcomes[key])),
        fingerprints={
            key: fingerprint_of(answer)
            for key, answer in answers.items()
            if isinstance(answer, dict) and answer.keys() & {"ok", "error"}
        },
        again_seed=document["asked_again"]["seed"]
        if any(key.endswith(REPHRASED_SUFFIX) for key in outcomes)
        else None,
        details={key: result["detail"] for key, result in results.items() if result["detail"]},
        causes=_causes(document["diagnosis"]),
        headings={
            key: f"# {clause}: {printable(statement_of[clause])}"
            for key in outcomes
            if (clause := clause_of.get(key.removesuffix(REPHRASED_SUFFIX))) in statement_of
        },
        offers={
            offer.op: Offered(offer.op, offer.passed, offer.vectors, offer.unsupported)
            if offer.offered
            else None
            for offer in claims.offer(document)
        },
        ops=frozenset(op.name for op in ops_of(document["spec"], package=True)),
        level=Level[document["level"].upper()],
        vectors=_vector_set(document["spec"], all_vectors, outcomes),
    )


def _judged(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """The judged ids with their results; a pass has no result."""
    for rows in document["passed"].values():
        yield from ((row[0], None) for row in rows)
    again = document["asked_again"] or {"passed": {}, "results": []}
    for keys in again["passed"].values():
        yield from ((key + REPHRASED_SUFFIX, None) for key in keys)
    for result in (*document["results"], *document["properties"]):
        yield result["id"], result
    for result in again["results"]:
        yield result["id"] + REPHRASED_SUFFIX, result


def _fails(key: str, result: Mapping[str, Any], outcome: str) -> bool:
    """Return whether a result fails the run unless it is listed."""
    not_asked_again = key.endswith(REPHRASED_SUFFIX) and outcome == _NOT_RUN
    listed = result["outcome"] == Outcome.EXPECTED_FAILURE.value
    return (outcome in _FAILING and not not_asked_again) or listed or result["demanded"]


def _real_outcome(result: Mapping[str, Any]) -> str:
    """The outcome, ignoring any list."""
    if result["outcome"] == Outcome.UNEXPECTED_PASS.value:
        return _PASSED
    if result["outcome"] in (Outcome.EXPECTED_FAILURE.value, Outcome.NOT_COUNTED.value):
        return str(result["real_outcome"])
    return str(result["outcome"])


def _causes(diagnosis: Mapping[str, Any] | None) -> dict[str, str]:
    """The first line of the to-do list that explains each failure, if it names a cause."""
    causes: dict[str, str] = {}
    for line in (diagnosis or {}).get("todo", ()):
        if line["kind"] in ("mistake", "deviation"):
            for failure in line["failures"]:
                causes.setdefault(failure, line["says"])
    return causes


def _vector_set(spec: str, all_vectors: Iterable[Vector], outcomes: Mapping[str, str]) -> VectorSet | None:
    """Return the newest version of the kit's vectors that was asked completely; None if there is none."""
    own = [vector for vector in all_vectors if is_of_kit(vector)]
    newest = max((vector.since for vector in own if vector.id in outcomes), key=release_of, default=None)
    if newest is None or any(
        release_of(vector.since) <= release_of(newest) for vector in own if vector.id not in outcomes
    ):
        return None
    return VectorSet(newest, spec)


def warnings_about(document: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each problem of a run that no list can cover."""
    warnings = []
    totals, again = claims.totals(document), claims.rephrased_results(document)
    if not_run := totals[Outcome.NOT_RUN.value]:
        warnings.append(
            f"{not_run:,} vectors were never asked, since the runner had stopped: they are listed as "
            "not-run, which does not show how it would answer"
        )
    if flaky := totals[Outcome.FLAKY.value]:
        warnings.append(
            f"{flaky:,} vectors are flaky: their answers differ when repeated: a list can't "
            "expect that, and a gate fails until the runner is fixed"
        )
    if wrong := sum(map(claims.fails, again)):
        count = len(again) + sum(map(len, document["asked_again"]["passed"].values()))
        warnings.append(
            f"{wrong} of {counted(count, 'rephrased vector')} failed: another seed rephrases other vectors, "
            f"so the list records this seed, {document['asked_again']['seed']}, and runs with the list use it"
        )
    if not document["known_failures"]:  # with a list, the problems may be the list's own
        warnings += [f"no list helps against this: {problem}" for problem in document["problems"]]
    return [shortened(sentence, 500) for sentence in warnings]


def reasons_to_fail(known: KnownFailures, today: Today) -> list[str]:
    """Return a sentence for each reason why ``today``'s run would fail with this list.

    Flaky answers are not included, since no list can cover them.
    """
    reasons: list[str] = []
    for key, outcome in today.outcomes.items():
        if outcome == _FLAKY:
            continue
        if known.expecting(key, outcome, today.fingerprints.get(key, "")) is not None:
            continue
        named = known.naming(key)
        if named is not None:
            expected = f"{named.outcome}" + (f" #{named.fingerprint}" if named.fingerprint else "")
            reasons.append(f"{key} is {outcome}, but line {named.line} expects {expected}")
        elif key in today.failing:
            reasons.append(f"{key} is {outcome}, and nothing expects that")
    return reasons + known.problems(today.ids, today.judged)
