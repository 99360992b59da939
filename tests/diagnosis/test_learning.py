"""Each deviation that can be learned, of runners made up for it, and what keeps it from being learned."""

import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conformance.diagnosis.features import files
from conformance.diagnosis.learning import Learned, learn
from conformance.diagnosis.predictions import Predictions
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import strings_kept_at
from tests.diagnosis import runs

Answer = Ok | Refused
Change = Callable[[Answer, Any], Answer]


def throughout(change: Callable[[Any], Any]) -> Change:
    """In every value that is no object and no array."""

    def within(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: within(item) for key, item in value.items()}
        return [within(item) for item in value] if isinstance(value, list) else change(value)

    return lambda due, given: Ok(within(due.value)) if isinstance(due, Ok) else due


def rewards(change: Callable[[dict[str, Any]], Any]) -> Change:
    def changed(due: Answer, given: Any) -> Answer:
        if not isinstance(due, Ok) or due.value["rewards"] is None:
            return due
        return Ok({"rewards": change(due.value["rewards"])})

    return changed


def members(change: Callable[[dict[str, Any]], Any]) -> Change:
    return lambda due, given: Ok(change(due.value)) if isinstance(due, Ok) else due


def is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def as_float(value: Any) -> Any:
    if not is_int(value):
        return value
    try:
        return float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def as_int(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_javascript(value: Any) -> Any:
    if not (is_int(value) or (isinstance(value, float) and value.is_integer())):
        return value
    try:
        number = float(value)
    except OverflowError:
        return value
    return int(Decimal(repr(number))) if abs(number) < 1e21 else number


def next_up(value: Any) -> Any:
    return math.nextafter(value, math.inf) if isinstance(value, float) and not value.is_integer() else value


def as_parsed(due: Answer, given: Any) -> Answer:
    for name, content in files(given):
        if name == "reward.json":
            try:
                value = json.loads(content.decode(), parse_constant=str)
            except (ValueError, RecursionError):
                return due
            return Ok(strings_kept_at({"rewards": value}, OPS["parse_reward"].ok_numbers))
    return due


def errors_as(answer: Answer) -> Change:
    return lambda due, given: answer if isinstance(due, Refused) else due


def minima_refused(due: Answer, given: Any) -> Answer:
    return Refused("Odd", None) if given["metric"] == "min" else due


def anything_accepted(due: Answer, given: Any) -> Answer:
    return Ok({"rewards": {"length": len(json.dumps(given))}}) if isinstance(due, Refused) else due


CHANGES: dict[str, Change] = {
    "errors-as-zero": errors_as(Ok({"rewards": {"reward": 0.0}})),
    "one-error": errors_as(Refused("Error", None)),
    "no-error": anything_accepted,
    "values-refused": minima_refused,
    "ints-as-floats": throughout(as_float),
    "floats-as-ints": throughout(as_int),
    "javascript": throughout(as_javascript),
    "one-key": rewards(lambda due: {"reward": due["reward"]} if "reward" in due else due),
    "members": members(lambda due: {"status": due["status"], "score": due["score"], "state": 1}),
    "sorted": rewards(lambda due: dict(sorted(due.items()))),
    "constant": members(lambda due: {**due, "score": 0.25}),
    "instead": members(
        lambda due: {**due, "status": {"completed": "done"}.get(due["status"], due["status"])}
    ),
    "as-parsed": as_parsed,
    "last-bits": throughout(next_up),
    "keys": members(lambda due: {f"{key}.0": value for key, value in due.items()}),
    "renamed": rewards(lambda due: {"score" if key == "reward" else key: due[key] for key in due}),
}
# By change: of which operations, what is said of it and where, and whether it foretells answers.
CASES: dict[str, list[Any]] = json.loads(Path(__file__).with_name("learned.json").read_text("utf-8"))


def learned(evidence: list[Any]) -> list[Learned]:
    return learn(Predictions(evidence, Level.BYTES, {}))


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_learned(name: str) -> None:
    """The deviation is found, takes in all failures, and nothing speaks against it."""
    ops, says, where, foretells = CASES[name]
    evidence = runs.evidence_where(runs.of_ops(*ops.split()), CHANGES[name])
    failures = {index for index, item in enumerate(evidence) if not item.passed}
    [one] = [one for one in learned(evidence) if (one.says, one.where) == (says, where)]
    assert one.covers.keys() <= failures
    missed = failures - one.covers.keys()
    assert all("[" * 400 in json.dumps(evidence[index].input) for index in missed)  # too deep to compare
    assert len(failures) > 2 > len(missed)
    assert one.against == frozenset()
    assert one.foretells is foretells
    assert one.ops == tuple(ops.split())
    assert one.mend


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"last-bits"}))  # that one foretells no answer
def test_what_passes_contradict_is_not_learned(name: str) -> None:
    """The same runner, right at every second of its failures, which have nothing in common."""
    ops, says, where, _ = CASES[name]
    asked = runs.of_ops(*ops.split())
    wrong = [item.key for item in runs.evidence_where(asked, CHANGES[name]) if not item.passed]
    right = set(wrong[::2])
    evidence = [
        runs.piece(vector, runs.expected_answer(vector))
        if vector.id in right
        else runs.evidence_where([vector], CHANGES[name])[0]
        for vector in asked
    ]
    for one in learned(evidence):
        assert (one.says, one.where) != (says, where)
        if one.says == says:
            assert len(one.covers) < len(wrong) / 2


def test_one_key_too_many_is_no_other_name() -> None:
    """pass@1 beside others, without multiples of five: often it has the value that another key is due."""

    def change(due: Answer, given: Any) -> Answer:
        if not isinstance(due, Ok) or not due.value:
            return due
        kept = {key: value for key, value in due.value.items() if int(key) % 5}
        return Ok({"1": due.value.get("2", 0.5), **kept})

    evidence = runs.evidence_where(runs.of_ops("pass_at_k"), change)
    found = learned(evidence)
    assert not any("under the name" in one.says for one in found)
    [told] = [one for one in found if one.says.endswith("has 1 besides")]
    assert told.says.startswith("leaves out 5, 10, 15, ")
    assert told.covers.keys() == {index for index, item in enumerate(evidence) if not item.passed}


def test_where_it_shows_is_said_and_a_constant_answer_is_one_deviation() -> None:
    def change(due: Answer, given: Any) -> Answer:
        return throughout(as_int)(due, given) if given["metric"] == "max" else due

    evidence = runs.evidence_where(runs.of_ops("aggregate"), change)
    first = learned(evidence)[0]
    assert (first.says, first.where) == ("gives whole floats as ints", 'metric is "max"')
    assert first.covers.keys() == {index for index, item in enumerate(evidence) if not item.passed}
    evidence = runs.evidence_where(runs.of_ops("evals_key"), lambda due, given: Refused("E", None))
    [one] = learned(evidence)
    assert (one.says, len(one.covers)) == ("answers the error E to everything", len(evidence))


def test_of_one_failure_nothing_is_learned() -> None:
    asked = runs.of_ops("aggregate")
    for number in (3, 50):
        evidence = [runs.piece(vector, runs.expected_answer(vector)) for vector in asked]
        evidence[number] = runs.piece(asked[number], Refused("Odd", None))
        assert learned(evidence) == []
    assert learned([item for item in evidence if item.passed]) == []


def test_of_answers_without_a_rule_little_is_learned() -> None:
    """Each has something of its own."""
    numbers = iter(range(10**6))

    def change(due: Answer, given: Any) -> Answer:
        number = next(numbers)
        return Refused(f"E{number}", None) if number % 3 else due

    assert learned(runs.evidence_where(runs.of_ops("pass_at_k"), change)) == []
