"""Where an answer departs, and which departures are alike."""

from typing import Any

from conformance.diagnosis.departures import departures, mark_of, marks, related
from conformance.judging.comparison import ABSENT, Level, Nature
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused

REWARD = OPS["parse_reward"]


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def at(due: Any, came: Any, level: Level = Level.BYTES) -> dict[str, Nature | None]:
    found = departures(REWARD, Ok({"rewards": due}), Ok({"rewards": came}), level)
    return {one.path.removeprefix("/rewards"): one.nature for one in found}


BOTH, TURNED = {"a": 1, "b": 2}, {"b": 2, "a": 1}


def test_departures() -> None:
    for due, came, level, expected in (
        ({"a": 1}, {"a": 1}, Level.BYTES, {}),
        (BOTH, {"a": 3, "b": 2}, Level.VALUE, {"/a": Nature.VALUE}),
        (BOTH, {"a": 3, "b": 4}, Level.VALUE, {"/a": Nature.VALUE, "/b": Nature.VALUE}),
        ({"a": 1}, {}, Level.VALUE, {"/a": Nature.MISSING}),
        ({}, {"a": 1}, Level.VALUE, {"/a": Nature.EXTRA}),
        ({"a": 1}, None, Level.VALUE, {"": Nature.VALUE}),
        ({"a": 1}, {"a": 1.0}, Level.VALUE, {}),
        ({"a": 1}, {"a": 1.0}, Level.EXACT, {"/a": Nature.VALUE}),
        ({"a": 0.0}, {"a": -0.0}, Level.EXACT, {"/a": Nature.VALUE}),
        (BOTH, TURNED, Level.EXACT, {}),
        (BOTH, TURNED, Level.BYTES, {"": Nature.ORDER}),
    ):
        assert at(due, came, level) == expected
    few, lots = ({f"k{number}": number for number in range(count)} for count in (1000, 10_000))
    assert len(at({}, few)) == 1000
    assert at({}, lots) == {"": None}
    for came in (nested(100_000), 10**9000):  # what no reply may hold is wrong as a whole
        assert len(at({"a": 1}, {"a": came})) == 1
    op = OPS["job_result"]  # of a file the parts are compared
    due, came = (Ok({"result.json": {"text": f'{{"id": "x", "n": {n}}}'}}) for n in (1, 2))
    assert [one.path for one in departures(op, due, came, Level.VALUE)] == ["/result.json/n"]


def test_an_error_for_a_value_is_one_departure_of_the_whole() -> None:
    value, error = Ok({"rewards": {"a": 1}}), Refused("ValueError", "a_code")
    for due, came in ((value, error), (error, value), (error, Refused("ValueError", None))):
        [one] = departures(REWARD, due, came, Level.VALUE)
        assert (one.path, one.nature, one.breaks) == ("", None, Level.VALUE)
    assert departures(REWARD, error, Refused("ValueError", "a_code"), Level.BYTES) == ()


def test_the_error_that_comes_is_its_mark() -> None:
    value = Ok({"rewards": {"a": 1}})
    errors = [Refused("A", None), Refused("A", "code"), Refused("B", None), Refused("A", None)]
    first, code, other, same = (marks(departures(REWARD, value, error, Level.BYTES))[""] for error in errors)
    assert first == same
    assert len({first, code, other}) == 3
    # Whatever was due.
    assert marks(departures(REWARD, Refused("C", None), errors[0], Level.BYTES)) == {"": first}


def test_marks_are_alike_where_values_are() -> None:
    levels = (Level.VALUE, Level.EXACT, Level.BYTES)
    for one, other, alike in (
        (1, 1.0, 1),
        (0.0, -0.0, 1),
        (1, 2, 0),
        (BOTH, TURNED, 2),
        ([1], [1.0], 1),
        ("1", 1, 0),
        (True, 1, 0),
        (None, "null", 0),
        (ABSENT, None, 0),
        (10**400, 10**400, 3),
    ):
        same = [mark_of("", one, level) == mark_of("", other, level) for level in levels]
        assert same == [number < alike for number in range(3)], (one, other)

    def said(a: int, b: int) -> dict[str, str]:
        came = Ok({"rewards": {"a": a, "b": b}})
        return marks(departures(REWARD, Ok({"rewards": {"a": 1, "b": 1}}), came, Level.BYTES))

    assert said(2, 1) == said(2, 1) != said(3, 1)
    assert said(2, 3)["/rewards/a"] == said(2, 1)["/rewards/a"]
    assert said(2, 1).keys() == {"/rewards/a"}


def test_related() -> None:
    for path, others, expected in (
        ("/a", ["/a"], True),
        ("/a/b", ["/a"], True),
        ("/a", ["/a/b"], True),
        ("/a", [""], True),
        ("", ["/a"], True),
        ("/a", ["/ab"], False),
        ("/ab", ["/a", "/b"], False),
        ("", [], False),
    ):
        assert related(path, dict.fromkeys(others, "mark")) is expected
