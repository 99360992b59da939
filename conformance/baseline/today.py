"""What fails today: the outcomes of a run without regard to what was known of failures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.judging.known_failures import LISTABLE, KnownFailures, Offered
from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.outcomes import claims
from conformance.outcomes.claims import AGAIN

__all__ = ["BaselineError", "Today", "complaints", "today_of"]

_FAILING = frozenset(str(outcome) for outcome in UNEXPECTED) & LISTABLE
_PASSED = str(Outcome.PASSED)


class BaselineError(Exception):
    """A list that can't be made; the message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What became of the vectors, of those asked again, and of the properties."""

    ids: tuple[str, ...]
    """All that an entry of a list may name, judged or not."""
    reserved: frozenset[str] = frozenset()
    """Further ids that no new pattern may match: vectors of this kit that the run did not have."""
    outcomes: Mapping[str, str]
    """Of what was judged: as it would be without any list."""
    failing: frozenset[str]
    """The ids that fail the run unless they are listed."""
    again_seed: int | None = None
    """What decided which vectors were asked again in other words; None where none were."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Why, in a sentence that may quote the runner."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """The likely mistake, where there is one."""
    offers: Mapping[str, Offered | None] = field(default_factory=dict)
    """What was offered of each operation that has vectors in the run; None of one that was not."""


def today_of(document: Mapping[str, Any], ids: Iterable[str], reserved: Iterable[str] = ()) -> Today:
    """What a run's report tells; ``ids`` is the whole set.

    A failure that was expected is a failure, and a pass that was not expected is a pass.
    """
    outcomes = {key: outcome for key, _, outcome in claims.outcomes(document)}
    asked_again = document["asked_again"] or {"results": [], "passed": {}}
    again = asked_again["results"]
    passed = [key for several in asked_again["passed"].values() for key in several]
    outcomes |= {key + AGAIN: _PASSED for key in passed}
    failing: set[str] = set()
    details: dict[str, str] = {}
    for entry_id, one in [
        *((one["id"], one) for one in (*document["results"], *document["properties"])),
        *((one["id"] + AGAIN, one) for one in again),
    ]:
        outcome = _real_outcome(one)
        outcomes[entry_id] = outcome
        not_asked_again = entry_id.endswith(AGAIN) and outcome == Outcome.NOT_RUN.value
        listed = one["outcome"] == Outcome.EXPECTED_FAILURE.value
        if (outcome in _FAILING and not not_asked_again) or listed or one.get("demanded"):
            failing.add(entry_id)
        if one["detail"]:
            details[entry_id] = one["detail"]
    whole = tuple(dict.fromkeys(ids))
    return Today(
        ids=whole,
        reserved=frozenset(reserved) - set(whole),
        outcomes=outcomes,
        failing=frozenset(failing),
        again_seed=asked_again["seed"] if again or passed else None,
        details=details,
        causes=_causes(document.get("diagnosis")),
        offers=_offers(document),
    )


def _offers(document: Mapping[str, Any]) -> dict[str, Offered | None]:
    return {
        one.op: Offered(one.op, one.passed, one.vectors, one.unsupported) if one.offered else None
        for one in sorted(claims.offer(document), key=lambda one: one.op)
    }


def _real_outcome(one: Mapping[str, Any]) -> str:
    """What it was, whatever a list expected of it."""
    told = str(one["outcome"])
    if told == Outcome.UNEXPECTED_PASS.value:
        return _PASSED
    if told == Outcome.EXPECTED_FAILURE.value:
        if one.get("real_outcome"):
            return str(one["real_outcome"])
        return str(one["expected_by"] or "").rpartition(" ")[2] or told
    return told


def _causes(diagnosis: Mapping[str, Any] | None) -> dict[str, str]:
    """The first line of the to-do list that accounts for each failure, where it names a cause."""
    found: dict[str, str] = {}
    for line in (diagnosis or {}).get("todo", ()):
        if line["kind"] in ("mistake", "learned"):
            for failure in line["failures"]:
                found.setdefault(failure, line["says"])
    return found


def complaints(known: KnownFailures, today: Today) -> list[str]:
    """Why a run with the outcomes of ``today`` would fail if it were held to this list, a sentence each."""
    found: list[str] = []
    judged: dict[str, str] = {}
    for entry_id, outcome in today.outcomes.items():
        judged[entry_id] = outcome
        if known.expecting(entry_id, outcome) is not None:
            judged[entry_id] = Outcome.EXPECTED_FAILURE.value
            continue
        named = known.naming(entry_id)
        if named is not None:
            found.append(f"{entry_id} is {outcome}, but line {named.line} expects {named.outcome}")
            if outcome == _PASSED:
                judged[entry_id] = Outcome.UNEXPECTED_PASS.value
        elif entry_id in today.failing:
            found.append(f"{entry_id} is {outcome}, and nothing expects that")
    return found + known.problems(today.ids, judged)
