"""Checks of messages: hello, errors, what is not offered, every bad line, how the talk begins and ends."""

import json
from itertools import permutations

from tests.templates.echoing.asking import OPS, OPS_OF_SOME, Asked, is_protocol_error
from tests.templates.echoing.lines import REFUSED_LINES, REFUSED_REQUESTS, REFUSED_VALUES
from tests.templates.echoing.reading import Int, due, read

HELLO = b'{"id":0,"op":"hello","protocol":1,"spec":"harbor-0.13.1"}'
REASONS = {
    "RewardFileNotFoundError": "harbor_reward_missing",
    "RewardFileEmptyError": "harbor_reward_empty",
    "VerifierOutputParseError": "harbor_reward_parse_error",
    "ValidationError": None,
    "RecursionError": None,
    "OverflowError": None,
    "ZeroDivisionError": None,
    "ValueError": None,
    "SomethingElse": None,
    "rewardfileemptyerror": None,
    'a.b.c É " \\': None,
}


def hello_says_who_answers(asked: Asked) -> None:
    """The name, the version, the operations without stubs; how numbers are to come."""
    reply = asked.line(HELLO)
    assert reply["id"] == Int("0")
    ok = reply["ok"]
    assert (ok["runner"], ok["version"], ok["protocol"]) == ("echo", "1", Int("1"))
    assert sorted({*ok["ops"]} - OPS_OF_SOME) == sorted(OPS)
    assert len(ok["ops"]) == len({*ok["ops"]})
    numbers = dict(ok.members).get("numbers")
    assert numbers == ("string" if asked.runner.strings else None)
    assert set(ok.names()) - {"numbers"} == {"runner", "version", "protocol", "ops"}
    for line in (
        b'{"spec":"evsys","protocol":1,"op":"hello","id":7}',
        b' {"id" : 7 , "op" : "hello" , "protocol" : 1 , "spec" : "evsys" , "more" : [ ] } \r',
    ):
        again = asked.line(line)
        assert (again["id"], again["ok"]) == (Int("7"), ok)


def another_protocol_is_refused(asked: Asked) -> None:
    """As an error, of any other version and of none; the runner stays."""
    for protocol in (
        b',"protocol":2',
        b',"protocol":0',
        b',"protocol":"1"',
        b',"protocol":null',
        b"",
        b',"protocol":11',
    ):
        reply = asked.line(b'{"id":3,"op":"hello"%s,"spec":"harbor-0.13.1"}' % protocol)
        is_protocol_error(reply, 3)


def the_spec_that_hello_named_is_known(asked: Asked) -> None:
    """Each time anew; a process that answers one request never heard of one."""
    if asked.runner.oneshot:
        assert asked.ask("spec") in (("ok", due({"spec": None})), ("ok", due({"spec": ""})))
        return
    for spec in ("harbor-0.13.1", "harbor-0.25.0"):
        reply = asked.line(b'{"id":0,"op":"hello","protocol":1,"spec":"%s"}' % spec.encode())
        assert "ok" in reply.names()
        assert asked.ok("spec") == due({"spec": spec})


def errors_have_their_reason_codes(asked: Asked) -> None:
    """The eight types by the protocol's table; any other has none."""
    for message in (None, "", "Reward file is empty", 'é\n"\\ \0 $(id) %s', "x" * 1_000):
        given = [
            {"type": name} if message is None else {"type": name, "message": message} for name in REASONS
        ]
        found = asked.ask_all([("fail", one) for one in given])
        for (name, reason), (kind, error) in zip(REASONS.items(), found, strict=True):
            assert kind == "error"
            assert (error["type"], error["reason_code"]) == (name, reason)
            if message is not None:
                assert error["message"] == message


def what_is_not_offered_is_unsupported(asked: Asked) -> None:
    """A stub, an operation that nobody knows, and what the author says no to."""
    for why in ("no", "", 'é\n"\\ 😀', "%s $(id)"):
        assert asked.ask("unsupported", {"why": why}) == ("unsupported", why)
    for op in (
        "stub",
        "no_such",
        "",
        "aggregate ",
        "constructor",
        "__proto__",
        "toString",
        "serve",
        "harbor.later",
        "é",
        "a b;c",
    ):
        for given in (b"{}", b"null", b'{"value":[1]}'):
            kind, why = asked.ask(op, given)
            assert kind == "unsupported", f"{op}: {kind} {why}"
            assert why
    reply = asked.line(b'{"id":5,"op":"stub"}')
    assert reply["id"] == Int("5")
    assert reply["unsupported"]


def what_is_unexpected_is_an_error(asked: Asked) -> None:
    """Of the author's code: an error by its own name, a line on standard error, and the runner goes on."""
    for _ in range(3):
        kind, error = asked.ask("unexpected")
        assert kind == "error"
        assert error["reason_code"] is None
    assert asked.runner.hear().strip()
    asked.answers_still()


def what_the_author_prints_breaks_nothing(asked: Asked) -> None:
    """Standard error is free."""
    assert asked.ok("print").names() == []
    assert asked.runner.hear().strip()


def members_come_in_any_order(asked: Asked) -> None:
    """With white space between, and others beside them."""
    members = [b'"id":%d', b'"op":"echo"', b'"input":{"value":[1]}']
    for number, order in enumerate(permutations(members), start=50):
        for comma, more in ((b",", b""), (b" ,\t", b""), (b",", b',"more":[{"id":1,"op":"x","input":2}]')):
            line = b"{" + comma.join(order).replace(b"%d", str(number).encode()) + more + b"}"
            reply = asked.line(line)
            assert reply["id"] == Int(str(number)), line
            assert reply["ok"] == due({"value": [1]})
    for line in (b'\t {"id":4,"op":"print","input":{}}\r', b'{"id":4,\r"op":"print",\r"input":{}}'):
        assert asked.line(line)["id"] == Int("4")


def ids_come_back(asked: Asked) -> None:
    """Any int that counts."""
    for number in (0, 1, 2**31, 2**53 + 1, 2**63 - 1):
        assert asked.line(b'{"id":%d,"op":"print","input":{}}' % number)["id"] == Int(str(number))


def bad_lines_are_told_of(asked: Asked) -> None:
    """What is no JSON, no object, or has no id: an answer without one, and the next line is answered."""
    for line in REFUSED_LINES:
        try:
            is_protocol_error(asked.line(line), None)
        except AssertionError as error:
            raise AssertionError(f"{line!r}: {error}") from None


def bad_values_are_told_of(asked: Asked, category: str) -> None:
    """Each text that is no JSON, within a message that would be one."""
    wrong = []
    lines = [b'{"id":1,"op":"echo","input":{"value":%s}}' % text for text in REFUSED_VALUES[category]]
    for text, raw in zip(REFUSED_VALUES[category], asked.runner.ask_all(lines), strict=True):
        try:
            is_protocol_error(read(raw), None)
        except AssertionError:
            wrong.append((text, raw[:100]))
    assert not wrong, f"{len(wrong)} of {len(lines)}: {wrong[:10]}"
    asked.answers_still()


def bad_requests_are_told_of(asked: Asked) -> None:
    """With the request's id."""
    for members in REFUSED_REQUESTS:
        try:
            is_protocol_error(asked.line(b'{"id":31,%s}' % members), 31)
        except AssertionError as error:
            raise AssertionError(f"{members!r}: {error}") from None


def bad_inputs_are_errors(asked: Asked) -> None:
    """What the author's code is given and does not fit: an error with the id, and never silence."""
    given = {
        "text": [{}, {"value": None}, {"value": 1}],
        "content": [
            {},
            {"file": None},
            {"file": {}},
            {"file": "x"},
            {"file": {"text": 1}},
            {"file": {"base64": "!"}},
        ],
        "put": [{}, {"pairs": None}, {"pairs": [1]}, {"pairs": [["a"]]}, {"pairs": [[1, 2]]}],
        "number": [{}],
        "fail": [{}, {"type": 1}],
        "unsupported": [{}, {"why": None}],
        "echo": [{}],
    }
    for op, inputs in given.items():
        for one in inputs:
            asked.error(op, one)
    asked.answers_still()


def replies_come_before_the_next_request(asked: Asked) -> None:
    """Each is flushed: nothing more is written until it has come."""
    for number in range(50):
        line = asked.request("echo", {"value": number})
        assert read(asked.runner.ask(line))["ok"] == due({"value": number})
    assert read(asked.runner.ask(b"no message"))["id"] is None


def replies_are_not_held_back(asked: Asked) -> None:
    """Nor while requests are waiting: of a process that ends, what it answered before is known."""
    lines = [asked.request("echo", {"value": 1}), asked.request("fail", {"type": "ValueError"})]
    answered = asked.last
    lines += [asked.request("leave"), asked.request("echo", {"value": 2}), asked.request("print")]
    talk = asked.runner.start()
    try:
        talk.send(b"".join(line + b"\n" for line in lines))
        code, found = talk.end()
    finally:
        talk.kill()
    assert [read(line)["id"] for line in found] == [due(answered - 1), due(answered)], found
    assert code == 3, talk.said


def replies_come_in_order(asked: Asked) -> None:
    """Of requests that are pipelined, answers, errors and bad lines mixed."""
    lines, wanted = [], []
    for number in range(40 if asked.runner.oneshot else 1_000):
        kind = number % 4
        lines.append(
            [
                b'{"id":%d,"op":"echo","input":{"value":"%s"}}' % (number, b"x" * (number * 7 % 900)),
                b'{"id":%d,"op":"fail","input":{"type":"ValueError"}}' % number,
                b"[%d" % number,
                b'{"id":%d,"op":"no_such","input":{}}' % number,
            ][kind]
        )
        wanted.append((None if kind == 2 else due(number), ["ok", "error", "error", "unsupported"][kind]))
    found = [read(raw) for raw in asked.runner.ask_all(lines)]
    assert [(one["id"], next(name for name in one.names() if name != "id")) for one in found] == wanted


def the_end_of_input_ends_it(asked: Asked) -> None:
    """With exit code 0: at once, behind a line without a line feed, behind a bad one."""
    last = b'{"id":9,"op":"echo","input":{"value":1}}'
    talks = [
        (b"", []),
        (last, [b"9"]),
        (last + b"\n", [b"9"]),
        (b"nonsense", [None]),
        (b'{"id":1,"op":', [None]),
    ]
    if not asked.runner.oneshot:
        talks += [
            (HELLO + b"\n" + last, [b"0", b"9"]),
            (b"\n\n", [None, None]),
            (b"\r\n" + HELLO, [None, b"0"]),
        ]
    for content, ids in talks:
        talk = asked.runner.start()
        try:
            talk.send(content)
            code, lines = talk.end()
        finally:
            talk.kill()
        assert code == 0, f"{content!r}: {talk.said}"
        found = [read(line)["id"] for line in lines]
        assert found == [None if one is None else Int(one.decode()) for one in ids], content


def a_line_may_come_in_pieces(asked: Asked) -> None:
    """As a pipe hands them on: in the middle of a character, too."""
    line = json.dumps({"id": 6, "op": "echo", "input": {"value": "é😀"}}, ensure_ascii=False).encode() + b"\n"
    talk = asked.runner.start()
    try:
        for at in range(len(line)):
            talk.send(line[at : at + 1])
        code, (reply,) = talk.end()
        assert (code, read(reply)["ok"]) == (0, due({"value": "é😀"}))
    finally:
        talk.kill()
