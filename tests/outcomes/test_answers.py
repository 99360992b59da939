"""Answers in a report: what a runner wrote, always valid JSON, never long."""

import io
import json

import pytest

from conformance.console.output import unfailing
from conformance.outcomes.answers import DEEPEST, LONGEST, actual_json, asked_json, expected_json
from conformance.wire.messages import Ok, Refused, parse_reply
from conformance.wire.text import harmless
from conformance.wire.writing import dumps


def strict(value):
    """The value, which any writer of JSON takes: no NaN, no half of a surrogate pair."""
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return value


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


def test_an_answer_is_given_as_it_came(vectors) -> None:
    assert actual_json(None) is None
    for answer, given in (
        (Ok({"mean": 1.0, "a": "\N{SNOWMAN}"}), {"ok": {"mean": 1.0, "a": "☃"}}),
        (Refused("KeyError", None), {"error": {"type": "KeyError", "reason_code": None}}),
        (Refused("E", "code", "'a'"), {"error": {"type": "E", "reason_code": "code", "message": "'a'"}}),
    ):
        assert strict(actual_json(answer)) == given
    asked = {"metric": "mean", "rewards": []}
    [vector] = vectors.load(vectors.entry("empty", "aggregate", asked, error="ZeroDivisionError"))
    assert expected_json(vector) == {"error": {"type": "ZeroDivisionError", "reason_code": None}}
    assert asked_json(vector) == {"op": "aggregate", "input": asked}


@pytest.mark.parametrize(
    "line",
    [
        '{"id":1,"ok":{"a":"\\ud800"}}',
        '{"id":1,"ok":{"\\udfff\\ud800":"\\ud83d\\ude00"}}',
        '{"id":1,"error":{"type":"\\ud800","message":"\\u0000\\u001b"}}',
        '{"id":1,"ok":{"a":%s,"b":-0.0,"c":5e-324,"d":1.7976931348623157e308}}' % ("9" * 4300),
        '{"id":1,"ok":{"a":"%s"}}' % ("x" * 2_000_000),
        '{"id":1,"error":{"type":"%s"}}' % ("\\ud800" * 20_000),
        '{"id":1,"ok":{"a":%s}}' % ("[" * 90 + "]" * 90),
        '{"id":1,"ok":{"a":%s}}' % ("[" * 150 + "]" * 150),
        '{"id":1,"ok":{"a":%s}}' % ('{"a":' * 800 + "0" + "}" * 800),
    ],
    ids=lambda line: line[:40],
)
def test_a_hostile_answer_stays_json(line) -> None:
    answer = parse_reply(line.encode("ascii"), 1)
    assert isinstance(answer, Ok | Refused)
    value = strict(actual_json(answer))
    assert len(json.dumps(value, ensure_ascii=False)) <= LONGEST + 10_000
    dumps({"results": [{"actual": value}]}).encode("utf-8")


@pytest.mark.parametrize("value", [nested(100_000), float("nan"), 10**5000], ids=["deep", "nan", "digits"])
def test_what_no_reply_may_hold_does_no_harm_either(value) -> None:
    assert actual_json(Ok({"a": value})) == {"beginning": None, "characters": None}


def test_a_long_answer_is_no_smaller_and_a_deep_one_no_flatter_answer() -> None:
    def said(length):
        return actual_json(Ok({"a": "x" * length}))

    around = len('{"ok":{"a":""}}')
    assert said(LONGEST - around) == {"ok": {"a": "x" * (LONGEST - around)}}
    cut = said(LONGEST - around + 1)
    assert cut == {"beginning": '{"ok":{"a":"' + "x" * (2000 - 12), "characters": LONGEST + 1}
    assert actual_json(Ok({"a": nested(DEEPEST - 3)})) == {"ok": {"a": nested(DEEPEST - 3)}}
    assert actual_json(Ok({"a": nested(DEEPEST + 1)}))["beginning"].startswith('{"ok":{"a":[[[')


def test_what_the_encoding_lacks_and_what_acts_is_escaped_and_another_stream_stays(tmp_path) -> None:
    with (tmp_path / "a").open("w", encoding="ascii") as stream:
        made = unfailing(stream, harmless)
        assert made is not None
        made.write("é\n::error::x\n")
    assert (tmp_path / "a").read_text() == "\\xe9\n\\u003a:error::x\n"
    assert unfailing(io.StringIO()) is None
