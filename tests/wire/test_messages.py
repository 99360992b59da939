"""The protocol's messages: closed shapes, and the schemas that say the same."""

import json

import pytest

from conformance.wire import messages
from conformance.wire.messages import BadReplyError, Hello, Ok, Refused, Unsupported, parse_hello, parse_reply

HELLO = {"runner": "r", "version": "1", "protocol": 1, "ops": ["aggregate"]}

GOOD = [
    ('{"id":1,"ok":{}}', Ok({})),
    (' {"ok" : {"a":[1,1.0,"NaN"]},"id":1}\r', Ok({"a": [1, 1.0, "NaN"]})),
    ('{"id":1,"ok":{"a":' + "9" * 4300 + "}}", Ok({"a": int("9" * 4300)})),
    ('{"id":1,"unsupported":""}', Unsupported("")),
    ('{"id":1,"unsupported":"\N{SNOWMAN}"}', Unsupported("\N{SNOWMAN}")),
    ('{"id":1,"error":{"type":"ValueError"}}', Refused("ValueError", None, "")),
    ('{"id":1,"error":{"type":"E","reason_code":"c","message":"m"}}', Refused("E", "c", "m")),
    ('{"id":1,"error":{"type":"E","reason_code":null}}', Refused("E", None, "")),
]

BAD = {
    "it is not JSON": ["", "{", "\ufeff{}", '{"id":1,"ok":{}} {}'],
    "it is not a JSON object": ["null", "[]", '"ok"'],
    "it must have id and exactly one of ok, error, unsupported": [
        *("{}", '{"id":1}', '{"ok":{}}', '{"id":1,"OK":{}}', '{"id":1,"ok":{},"note":"x"}'),
        '{"id":1,"ok":{},"error":{"type":"E"}}',
    ],
    "its id is the number 2 where the number 1 was expected: answer in order": ['{"id":2,"ok":{}}'],
    'its id is the string "1" where the number 1 was expected: send back the id': ['{"id":"1","ok":{}}'],
    "its id is the number 1.0 where the number 1 was expected: send back the id": ['{"id":1.0,"ok":{}}'],
    "its id is true where the number 1 was expected": ['{"id":true,"ok":{}}'],
    "its id is null where the number 1 was expected": ['{"id":null,"ok":{}}'],
    "the bare token NaN": ['{"id":1,"ok":{"a":NaN}}'],
    "the bare token -Infinity": ['{"id":1,"ok":{"a":-Infinity}}'],
    "1e309, which is beyond the double range": ['{"id":1,"ok":{"a":1e309}}'],
    "it is an int of more than 4300 digits": ['{"id":1,"ok":{"a":' + "9" * 4301 + "}}"],
    "a duplicate key": ['{"id":1,"ok":{"a":1,"a":1}}', '{"id":1,"id":1,"ok":{}}'],
    "its ok is not an object": ['{"id":1,"ok":null}', '{"id":1,"ok":[1]}'],
    "its unsupported must be a string, the reason": ['{"id":1,"unsupported":null}'],
    "its error must be an object with a string type": [
        *('{"id":1,"error":"ValueError"}', '{"id":1,"error":{}}', '{"id":1,"error":{"type":null}}')
    ],
    "may hold type, reason_code and message only": ['{"id":1,"error":{"type":"E","code":1}}'],
    "reason_code must be a string or null": ['{"id":1,"error":{"type":"E","reason_code":1}}'],
    "message must be a string": ['{"id":1,"error":{"type":"E","message":null}}'],
    "it is nested too deeply": ['{"id":1,"ok":' + "[" * 100_000],
}

BAD_HELLO = {
    'its protocol is the number 2, the kit speaks the number 1: send "protocol":1': [{"protocol": 2}],
    'its protocol is the string "1", the kit speaks the number 1': [{"protocol": "1"}],
    "its protocol is true, the kit speaks the number 1": [{"protocol": True}],
    "its protocol is null, the kit speaks the number 1": [{"protocol": None}],
    "runner and version must be strings that are not empty": [
        *({"runner": None}, {"runner": ""}, {"version": 1}, {"version": ""})
    ],
    "ops must be": [
        {"ops": ops}
        for ops in (None, "aggregate", ["aggregate", 1], [["aggregate"]], ["aggregate", "aggregate"], [])
    ],
    'numbers must be "json" or "string", not text': [{"numbers": "text"}],
    'numbers must be "json" or "string", not None': [{"numbers": None}],
    'numbers must be "json" or "string"': [{"numbers": ["string"]}],
    "its member name is unknown: the members are runner, version": [{"name": "r"}],
    "ops and unsupported both name": [{"unsupported": {"aggregate": "no"}}],
}
NOT_OF_THE_SCHEMA = ({"protocol": True}, {"unsupported": {"aggregate": "no"}})
"""What no schema can refuse, as true is 1 to it, and two members are not compared."""


@pytest.mark.parametrize(("line", "answer"), GOOD)
def test_a_good_reply(line, answer, faults) -> None:
    assert parse_reply(line.encode(), 1) == answer
    assert faults("reply", json.loads(line)) == []


@pytest.mark.parametrize("why", BAD)
def test_a_bad_reply(why, faults) -> None:
    for line in BAD[why]:
        with pytest.raises(BadReplyError) as bad:
            parse_reply(line.encode(), 1)
        assert why in str(bad.value)
        assert len(str(bad.value)) < 200
        if "must" in why:  # of a bad shape, of which the schema says the same
            assert faults("reply", json.loads(line)), line


def test_a_reply_is_utf_8() -> None:
    with pytest.raises(BadReplyError, match="it is not well-formed UTF-8"):
        parse_reply('{"id":1,"unsupported":"\N{LATIN SMALL LETTER E WITH ACUTE}"}'.encode("latin-1"), 1)


@pytest.mark.parametrize("numbers", [{}, {"numbers": "json"}, {"numbers": "string"}])
def test_a_good_hello(numbers, faults) -> None:
    message = {"id": 0, "ok": {**HELLO, **numbers}}
    expected = Hello("r", "1", frozenset({"aggregate"}), numbers.get("numbers") == "string")
    assert parse_hello(json.dumps(message).encode()) == expected
    assert faults("hello-reply", message) == []


@pytest.mark.parametrize("why", BAD_HELLO)
def test_a_bad_hello(why, faults) -> None:
    for changed in BAD_HELLO[why]:
        message = {"id": 0, "ok": {**HELLO, **changed}}
        with pytest.raises(BadReplyError) as bad:
            parse_hello(json.dumps(message).encode())
        assert why in str(bad.value)
        assert changed in NOT_OF_THE_SCHEMA or faults("hello-reply", message)


def test_a_hello_has_every_member(faults) -> None:
    for member in HELLO:
        message = {"id": 0, "ok": {key: value for key, value in HELLO.items() if key != member}}
        with pytest.raises(BadReplyError):
            parse_hello(json.dumps(message).encode())
        assert faults("hello-reply", message), member


def test_what_the_kit_writes_is_what_the_schemas_say(faults) -> None:
    hello = messages.hello_line("harbor-0.13.1")
    assert hello == b'{"id":0,"op":"hello","protocol":1,"spec":"harbor-0.13.1"}\n'
    assert faults("hello-request", json.loads(hello)) == []
    line = messages.request_line(7, messages.encode_tail("evals_key", {"agent": "\N{SNOWMAN}\n"}))
    assert line == b'{"id":7,"op":"evals_key","input":{"agent":"\\u2603\\n"}}\n'
