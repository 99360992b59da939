"""What is said of an input and of the answer due."""

import base64
from typing import Any

import pytest

from conformance.diagnosis import Evidence
from conformance.diagnosis.features import ERROR_DUE, features, files, name_of, parsed
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused

VALUE = Ok({"rewards": {"reward": 1.0}})


def said(op: str, given: Any, expected: Ok | Refused = VALUE) -> frozenset[str]:
    return features(Evidence("k", OPS[op], given, expected, None, frozenset(), True))


def of_json(text: str) -> frozenset[str]:
    return said("parse_reward", {"files": {"reward.json": {"text": text}}})


def of_text(text: str) -> frozenset[str]:
    return said("parse_reward", {"files": {"reward.txt": {"text": text}}})


@pytest.mark.parametrize(
    ("words", "texts", "others"),
    [
        ("is empty", [""], [" ", "1"]),
        ("is white space", [" ", "\n\t"], ["", " 1"]),
        ("begins with a byte order mark", ["\ufeff1"], ["1"]),
        ("is not ASCII", ["１"], ["1"]),
        ("has white space around it", [" 1", "1 ", "\t1\n"], ["1", "1\n"]),
        ("is nan or inf", ["nan", "-Infinity", "INF"], ["1", "nano", "infinit"]),
        ("is no number to Python", ["x", "0x10", "1__0"], ["1", "1_0", "nan"]),
        ("is a number to Python", ["1", "1_0", "nan"], ["x", "0x10"]),
        ("is not finite", ["nan", "1e999"], ["1"]),
        ("is a number with an underscore", ["1_0"], ["10", "a_b"]),
        ("is a number with a plus sign", ["+1"], ["1", "+x"]),
        ("is a number in other digits than 0 to 9", ["１"], ["1"]),
        ("is a number with a bare point", [".5", "5.", "5.e1"], ["0.5", "5", "x."]),
        ("is a negative number", ["-1"], ["1", "0"]),
        ("is a number above 1", ["2"], ["1", "-2"]),
    ],
)
def test_of_a_text(words: str, texts: list[str], others: list[str]) -> None:
    for text in texts:
        assert f"reward.txt {words}" in of_text(text), text
    for text in others:
        assert f"reward.txt {words}" not in of_text(text), text


@pytest.mark.parametrize(
    ("words", "texts", "others"),
    [
        ("is JSON", ["{}", "1", "NaN"], ["", "{", "{'a': 1}"]),
        ("is not JSON", ["", "{", "{'a': 1}"], ["{}", "1"]),
        ("is an object", ["{}", '{"a": 1}'], ["[]", "1"]),
        ("is not an object", ["[]", "1", "null"], ["{}"]),
        ("is an empty object", ["{}"], ['{"a": 1}']),
        ("is an array", ["[]", "[1]"], ["{}"]),
        ("has several keys", ['{"a": 1, "b": 1}'], ['{"a": 1}', "{}"]),
        ("holds an int", ['{"a": 1}', '{"a": [1]}'], ['{"a": 1.0}', '{"a": true}']),
        ("holds an int beyond 2**53", ['{"a": 9007199254740993}'], ['{"a": 1}']),
        ("holds an int beyond 64 bits", ['{"a": 9223372036854775808}'], ['{"a": 9223372036854775807}']),
        ("holds a whole float", ['{"a": 1.0}'], ['{"a": 1}', '{"a": 1.5}']),
        ("holds minus zero", ['{"a": -0.0}'], ['{"a": 0.0}', '{"a": -0}']),
        ("holds a boolean", ['{"a": true}'], ['{"a": 1}']),
        ("holds null", ['{"a": null}'], ['{"a": 0}']),
        ("holds NaN", ['{"a": NaN}'], ['{"a": Infinity}']),
        ("holds an infinity", ['{"a": -Infinity}'], ['{"a": NaN}']),
        ("holds a string that is a number", ['{"a": "1"}'], ['{"a": "x"}', '{"a": 1}']),
        ("holds a string that is no number", ['{"a": "x"}'], ['{"a": "1"}']),
        ("holds an empty or blank string", ['{"a": " "}'], ['{"a": "x"}']),
        ("holds an array or an object", ['{"a": [1]}', '{"a": {}}'], ['{"a": 1}']),
        ("is nested deeply", ["[" * 100_000], ["[[1]]"]),
    ],
)
def test_of_a_json_file(words: str, texts: list[str], others: list[str]) -> None:
    for text in texts:
        assert f"reward.json {words}" in of_json(text), text[:50]
    for text in others:
        assert f"reward.json {words}" not in of_json(text), text


def test_of_bytes() -> None:
    given = {"files": {"reward.txt": {"base64": base64.b64encode(b"\xff").decode()}}}
    assert {"reward.txt is there", "reward.txt is not UTF-8"} <= said("parse_reward", given)


def test_of_an_input_by_the_names_of_its_schema() -> None:
    given = {"metric": "min", "rewards": [{"anything": 2}, None]}
    found = said("aggregate", given)
    assert {
        'metric is "min"',
        "rewards is given",
        "rewards has several items",
        "an item of rewards is null",
        "a value of an item of rewards is an int",
        "a value of an item of rewards is a number above 1",
    } <= found
    assert not any("anything" in one for one in found)
    assert "rewards is empty" in said("aggregate", {"metric": "min", "rewards": []})
    assert "rewards has one item" in said("aggregate", {"metric": "min", "rewards": [None]})
    assert "rewards is not given" in said("aggregate", {"metric": "min"})


def test_of_what_is_due() -> None:
    given = {"files": {}}
    error = said("parse_reward", given, Refused("E", "code"))
    assert {ERROR_DUE, "E (code) is due", "E is due"} <= error
    assert "a value is due" not in error
    value = said("parse_reward", given, Ok({"rewards": {"a": 1.0, "b": "NaN"}}))
    assert {"a value is due", "the answer holds a whole float", "the answer holds NaN"} <= value
    assert ERROR_DUE not in value


def test_what_is_said_fits_into_a_line() -> None:
    assert name_of(Refused("\x1b[2J\n" + "x" * 500, "\ud800")).isprintable()
    for one in said("evals_key", {"agent": "\x1b[2J\n", "model": "m" * 500, "source": None}):
        assert one.isprintable()
        assert len(one) < 200


def test_files_are_found_at_any_depth() -> None:
    given = {"a": {"b": {"x.json": {"text": "1"}}}, "y": {"base64": "MQ=="}, "z": {"base64": "?"}, "n": [1]}
    assert dict(files(given)) == {"x.json": b"1", "y": b"1"}
    assert parsed(b'{"a": NaN}').keys() == {"a"}
    with pytest.raises(ValueError, match="utf-8"):
        parsed(b"\xff")
