"""Where an answer departs, and which departures are alike."""

from typing import Any

import pytest

from conformance.diagnosis.deviation import deviations, mark_of, marks, related
from conformance.judging.comparison import ABSENT, Level, Nature
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused

REWARD = OPS["parse_reward"]
OUTCOME = OPS["read_outcome"]


def at(due: Any, came: Any, level: Level = Level.BYTES) -> dict[str, Nature | None]:
    found = deviations(REWARD, Ok({"rewards": due}), Ok({"rewards": came}), level)
    return {one.path.removeprefix("/rewards"): one.nature for one in found}


@pytest.mark.parametrize(
    ("due", "came", "level", "expected"),
    [
        ({"a": 1}, {"a": 1}, Level.BYTES, {}),
        ({"a": 1, "b": 2}, {"a": 3, "b": 2}, Level.VALUE, {"/a": Nature.VALUE}),
        ({"a": 1, "b": 2}, {"a": 3, "b": 4}, Level.VALUE, {"/a": Nature.VALUE, "/b": Nature.VALUE}),
        ({"a": 1}, {}, Level.VALUE, {"/a": Nature.MISSING}),
        ({}, {"a": 1}, Level.VALUE, {"/a": Nature.EXTRA}),
        ({"a": 1}, None, Level.VALUE, {"": Nature.VALUE}),
        ({"a": 1}, {"a": 1.0}, Level.VALUE, {}),
        ({"a": 1}, {"a": 1.0}, Level.EXACT, {"/a": Nature.VALUE}),
        ({"a": 0.0}, {"a": -0.0}, Level.EXACT, {"/a": Nature.VALUE}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, Level.EXACT, {}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, Level.BYTES, {"": Nature.ORDER}),
    ],
)
def test_departures(due: Any, came: Any, level: Level, expected: dict[str, Nature]) -> None:
    assert at(due, came, level) == expected


def test_an_error_for_a_value_is_one_departure_of_the_whole() -> None:
    value, error = Ok({"rewards": {"a": 1}}), Refused("ValueError", "a_code")
    for due, came in ((value, error), (error, value), (error, Refused("ValueError", None))):
        [one] = deviations(REWARD, due, came, Level.VALUE)
        assert (one.path, one.nature, one.breaks) == ("", None, Level.VALUE)
    assert deviations(REWARD, error, Refused("ValueError", "a_code"), Level.BYTES) == ()


def test_the_error_that_comes_is_its_mark() -> None:
    value = Ok({"rewards": {"a": 1}})
    errors = [Refused("A", None), Refused("A", "code"), Refused("B", None), Refused("A", None)]
    first, code, other, same = (marks(deviations(REWARD, value, error, Level.BYTES))[""] for error in errors)
    assert first == same
    assert len({first, code, other}) == 3
    # Whatever was due.
    assert marks(deviations(REWARD, Refused("C", None), errors[0], Level.BYTES)) == {"": first}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1, 1.0, {Level.VALUE}),
        (0.0, -0.0, {Level.VALUE}),
        (1, 2, set()),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {Level.VALUE, Level.EXACT}),
        ([1], [1.0], {Level.VALUE}),
        ("1", 1, set()),
        (True, 1, set()),
        (None, "null", set()),
        (ABSENT, None, set()),
        (10**400, 10**400, {Level.VALUE, Level.EXACT, Level.BYTES}),
    ],
)
def test_marks_are_alike_where_values_are(one: Any, other: Any, alike: set[Level]) -> None:
    levels = (Level.VALUE, Level.EXACT, Level.BYTES)
    assert {level for level in levels if mark_of("", one, level) == mark_of("", other, level)} == alike


def test_marks_tell_places_and_values() -> None:
    def said(came: Any) -> dict[str, str]:
        return marks(
            deviations(REWARD, Ok({"rewards": {"a": 1, "b": 1}}), Ok({"rewards": came}), Level.BYTES)
        )

    assert said({"a": 2, "b": 1}) == said({"a": 2, "b": 1}) != said({"a": 3, "b": 1})
    assert said({"a": 2, "b": 3})["/rewards/a"] == said({"a": 2, "b": 1})["/rewards/a"]
    assert said({"a": 2, "b": 1}).keys() == {"/rewards/a"}


def test_of_a_file_the_parts_are_compared() -> None:
    op = OPS["job_result"]
    due, came = (Ok({"result.json": {"text": f'{{"id": "x", "n": {n}}}'}}) for n in (1, 2))
    assert [one.path for one in deviations(op, due, came, Level.VALUE)] == ["/result.json/n"]


@pytest.mark.parametrize(
    ("path", "others", "expected"),
    [
        ("/a", ["/a"], True),
        ("/a/b", ["/a"], True),
        ("/a", ["/a/b"], True),
        ("/a", [""], True),
        ("", ["/a"], True),
        ("/a", ["/ab"], False),
        ("/ab", ["/a", "/b"], False),
        ("", [], False),
    ],
)
def test_related(path: str, others: list[str], expected: bool) -> None:
    assert related(path, dict.fromkeys(others, "mark")) is expected


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("came", [nested(100_000), 10**9000], ids=["deep", "huge"])
def test_what_no_reply_may_hold_is_wrong_as_a_whole(came: Any) -> None:
    found = deviations(REWARD, Ok({"rewards": {"a": 1}}), Ok({"rewards": {"a": came}}), Level.BYTES)
    assert len(found) == 1


def test_an_answer_with_thousands_of_departures_is_another_as_a_whole() -> None:
    few, lots = ({f"k{number}": number for number in range(count)} for count in (1000, 10_000))
    assert len(at({}, few)) == 1000
    [one] = deviations(REWARD, Ok({"rewards": {}}), Ok({"rewards": lots}), Level.BYTES)
    assert (one.path, one.nature) == ("", None)
