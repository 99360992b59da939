"""What is said of an input and of the answer due."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.features import ERROR_DUE, features, files, name_of, parsed
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused

VALUE = Ok({"rewards": {"reward": 1.0}})


def said(op: str, given: Any, expected: Ok | Refused = VALUE) -> frozenset[str]:
    return features(Evidence("k", OPS[op], given, expected, None, frozenset(), True))


SAID = json.loads(Path(__file__).with_name("features.json").read_text("utf-8"))
ROWS = [(name, *row) for name, rows in SAID.items() for row in rows]


@pytest.mark.parametrize(("name", "words", "texts", "others"), ROWS)
def test_of_a_file(name: str, words: str, texts: list[str], others: list[str]) -> None:
    for text in (*texts, *others):
        given = {"files": {name: {"text": "[" * 100_000 if text == "DEEP" else text}}}
        assert (f"{name} {words}" in said("parse_reward", given)) == (text in texts), text


def test_of_bytes() -> None:
    given = {"files": {"reward.txt": {"base64": base64.b64encode(b"\xff").decode()}}}
    assert {"reward.txt is there", "reward.txt is not UTF-8"} <= said("parse_reward", given)


def test_of_an_input_by_the_names_of_its_schema() -> None:
    found = said("aggregate", {"metric": "min", "rewards": [{"anything": 2}, None]})
    words = 'metric is "min"; rewards is given; rewards has several items; an item of rewards is null; '
    words += "a value of an item of rewards is an int; a value of an item of rewards is a number above 1"
    assert set(words.split("; ")) <= found
    assert not any("anything" in one for one in found)
    for more, feature in (
        ({"rewards": []}, "rewards is empty"),
        ({"rewards": [None]}, "rewards has one item"),
        ({}, "rewards is not given"),
    ):
        assert feature in said("aggregate", {"metric": "min", **more})


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
