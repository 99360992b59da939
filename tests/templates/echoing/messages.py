"""Checks of messages: hello, errors, what is not offered, every bad line, how the talk begins and ends."""

import json
from itertools import permutations

from tests.templates.echoing.asking import OPS, OPS_OF_SOME, Asked, is_protocol_error
from tests.templates.echoing.lines import REFUSED_LINES, REFUSED_REQUESTS, REFUSED_VALUES, VALUES
from tests.templates.echoing.reading import Int, Object, due, read

HELLO = b'{"id":0,"op":"hello","protocol":1,"spec":"harbor-0.13.1"}'
REASONS: dict[str, str | None] = VALUES["reasons"]


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
    spaced = b' {"id" : 7 , "op" : "hello" , "protocol" : 1 , "spec" : "evsys" , "more" : [ ] } \r'
    for line in (b'{"spec":"evsys","protocol":1,"op":"hello","id":7}', spaced):
        again = asked.line(line)
        assert (again["id"], again["ok"]) == (Int("7"), ok)


def another_protocol_is_refused(asked: Asked) -> None:
    """As an error, of any other version and of none; the runner stays."""
    for given in ('protocol":2', 'protocol":0', 'protocol":"1"', 'protocol":null', 'protocol":11', 'no":1'):
        is_protocol_error(asked.line(b'{"id":3,"op":"hello","%s,"spec":"harbor-0.13.1"}' % given.encode()), 3)


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
        more = {} if message is None else {"message": message}
        found = asked.ask_all([("fail", {"type": name, **more}) for name in REASONS])
        for (name, reason), (kind, error) in zip(REASONS.items(), found, strict=True):
            assert kind == "error"
            assert (error["type"], error["reason_code"]) == (name, reason)
            if message is not None:
                assert error["message"] == message


def what_is_not_offered_is_unsupported(asked: Asked) -> None:
    """A stub, an operation that nobody knows, and what the author says no to."""
    for why in ("no", "", 'é\n"\\ 😀', "%s $(id)"):
        assert asked.ask("unsupported", {"why": why}) == ("unsupported", why)
    for op in VALUES["unknown ops"]:
        for given in (b"{}", b"null", b'{"value":[1]}'):
            kind, why = asked.ask(op, given)
            assert (kind, bool(why)) == ("unsupported", True), f"{op}: {kind} {why}"
    reply = asked.line(b'{"id":5,"op":"stub"}')
    assert (reply["id"], bool(reply["unsupported"])) == (Int("5"), True)


def what_is_unexpected_is_an_error(asked: Asked) -> None:
    """Of the author's code: an error by its own name, a line on standard error, and the runner goes on."""
    for kind, error in asked.ask_all([("unexpected", None)] * 3):
        assert (kind, error["reason_code"]) == ("error", None)
    assert asked.runner.hear().strip()
    asked.answers_still()


def what_the_author_prints_breaks_nothing(asked: Asked) -> None:
    """Standard error is free."""
    assert asked.ok("print").names() == []
    assert asked.runner.hear().strip()


def members_come_in_any_order(asked: Asked) -> None:
    """With white space between, and others beside them; the id, any int that counts, comes back."""
    members = [b'"id":%d', b'"op":"echo"', b'"input":{"value":[1]}']
    for number, order in enumerate(permutations(members), start=50):
        for comma, more in ((b",", b""), (b" ,\t", b""), (b",", b',"more":[{"id":1,"op":"x","input":2}]')):
            line = b"{" + comma.join(order).replace(b"%d", str(number).encode()) + more + b"}"
            reply = asked.line(line)
            assert (reply["id"], reply["ok"]) == (Int(str(number)), due({"value": [1]})), line
    for line in (b'\t {"id":%d,"op":"print","input":{}}\r', b'{"id":%d,\r"op":"print",\r"input":{}}'):
        for number in (0, 1, 2**31, 2**53 + 1, 2**63 - 1):
            assert asked.line(line % number)["id"] == Int(str(number))


def bad_lines_are_told_of(asked: Asked) -> None:
    """What is no JSON, no object, or has no id: an answer without one, and the next line is answered.

    What has one, but is no request: an answer with it.
    """
    lines = [(line, None) for line in REFUSED_LINES]
    for line, number in [*lines, *((b'{"id":31,%s}' % members, 31) for members in REFUSED_REQUESTS)]:
        try:
            is_protocol_error(asked.line(line), number)
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


def bad_inputs_are_errors(asked: Asked) -> None:
    """What the author's code is given and does not fit: an error with the id, and never silence."""
    for op, inputs in VALUES["bad inputs"].items():
        for one in inputs:
            asked.error(op, one)
    asked.answers_still()


def talked(asked: Asked, *pieces: bytes) -> tuple[int, list[Object]]:
    """The exit code and the replies of a process of its own, which is sent the pieces, one by one."""
    talk = asked.runner.start()
    try:
        for piece in pieces:
            talk.send(piece)
        code, lines = talk.end()
    finally:
        talk.kill()
    return code, [read(line) for line in lines]


def replies_are_not_held_back(asked: Asked) -> None:
    """Nor while requests are waiting: of a process that ends, what it answered before is known."""
    lines = [asked.request("echo", {"value": 1}), asked.request("fail", {"type": "ValueError"})]
    answered = asked.last
    lines += [asked.request("leave"), asked.request("echo", {"value": 2}), asked.request("print")]
    code, found = talked(asked, b"".join(line + b"\n" for line in lines))
    assert ([one["id"] for one in found], code) == ([due(answered - 1), due(answered)], 3)


def replies_come_in_order(asked: Asked) -> None:
    """Of requests that are pipelined, answers, errors and bad lines mixed."""
    lines, wanted = [], []
    for number in range(40 if asked.runner.oneshot else 1_000):
        kind = number % 4
        ways = (
            b'{"id":%d,"op":"echo","input":{"value":"' + b"x" * (number * 7 % 900) + b'"}}',
            b'{"id":%d,"op":"fail","input":{"type":"ValueError"}}',
            *(b"[%d", b'{"id":%d,"op":"no_such","input":{}}'),
        )
        lines.append(ways[kind] % number)
        wanted.append((None if kind == 2 else due(number), ["ok", "error", "error", "unsupported"][kind]))
    found = [read(raw) for raw in asked.runner.ask_all(lines)]
    assert [(one["id"], next(name for name in one.names() if name != "id")) for one in found] == wanted


def the_end_of_input_ends_it(asked: Asked) -> None:
    """With exit code 0: at once, behind a line without a line feed, behind a bad one."""
    last = b'{"id":9,"op":"echo","input":{"value":1}}'
    talks: dict[bytes, list[int | None]] = {b"": [], last: [9], last + b"\n": [9]}
    talks |= {b"nonsense": [None], b'{"id":1,"op":': [None]}
    if not asked.runner.oneshot:
        talks |= {HELLO + b"\n" + last: [0, 9], b"\n\n": [None, None], b"\r\n" + HELLO: [None, 0]}
    for content, ids in talks.items():
        code, found = talked(asked, content)
        assert (code, [one["id"] for one in found]) == (0, due(ids)), content


def a_line_may_come_in_pieces(asked: Asked) -> None:
    """As a pipe hands them on: in the middle of a character, too."""
    line = json.dumps({"id": 6, "op": "echo", "input": {"value": "é😀"}}, ensure_ascii=False).encode() + b"\n"
    code, (reply,) = talked(asked, *(line[at : at + 1] for at in range(len(line))))
    assert (code, reply["ok"]) == (0, due({"value": "é😀"}))
