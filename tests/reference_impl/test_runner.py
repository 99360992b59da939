"""`python -m reference_impl`: its messages, in this process, and itself as a process."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import reference_impl
from reference_impl.harbor_0_25_0.operations import OPERATIONS as OF_0_25_0
from reference_impl.runner.serving import OPERATIONS, reply, table_of
from reference_impl.runner.wire import decode_content, decode_number, encode_number

COMMAND = [sys.executable, "-m", "reference_impl"]
ROOT = Path(reference_impl.__file__).parent.parent


def ask(op, given=None, **more):
    answer = json.loads(reply(json.dumps({"id": 7, "op": op, "input": given, **more}).encode()))
    assert answer.pop("id") == 7
    return answer


def test_hello_says_what_can_be_asked_and_errors_their_type_and_reason_code() -> None:
    ok = ask("hello", protocol=1, spec="harbor-0.13.1")["ok"]
    assert (ok["runner"], ok["protocol"], ok["ops"]) == ("reference_impl", 1, list(OPERATIONS))
    assert list(OF_0_25_0) == list(OPERATIONS)
    assert table_of("harbor-0.25.0") is OF_0_25_0
    for none_of_its_own in ("harbor-0.13.1", "harbor-0.99.0", "harbor-0.25.0x", None, 3, ["a"]):
        assert table_of(none_of_its_own) is OPERATIONS
    assert "of_a_later_release" in ask("of_a_later_release")["unsupported"]
    for op, given, error in (
        ("parse_reward", {"files": {}}, ("RewardFileNotFoundError", "harbor_reward_missing")),
        ("aggregate", {"metric": "mean", "rewards": []}, ("ZeroDivisionError", None)),
    ):
        found = ask(op, given)["error"]
        assert (found["type"], found["reason_code"]) == error
        assert isinstance(found["message"], str)


NO_REQUESTS = [b"", b"x", b"\xff", b"[1]", b'{"op":"hello"}', b'{"id":NaN,"op":"hello"}', b"[" * 100_000]
NO_REQUESTS += [b'{"id":1}', b'{"id":1,"op":[]}', b'{"id":1,"op":"aggregate"}']
NO_REQUESTS += [b'{"id":1,"op":"outcome","input":[]}']


@pytest.mark.parametrize("line", NO_REQUESTS, ids=lambda line: repr(line[:40]))
def test_what_is_no_request_is_answered_by_an_error(line) -> None:
    answer = json.loads(reply(line))
    assert answer.keys() == {"id", "error"}
    assert answer["id"] == (1 if line.startswith(b'{"id":1') else None)
    assert reply(line).endswith(b"\n")


def test_numbers_and_contents() -> None:
    read = {"1": 1, "1.0": 1.0, "-0.0": -0.0, "1e2": 100.0, "1E2": 100.0, "18446744073709551617": 2**64 + 1}
    read |= {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    assert repr({text: decode_number(text) for text in read}) == repr(read)
    assert repr([decode_number(number) for number in (1, 1.0, -0.0)]) == "[1, 1.0, -0.0]"
    for value, error in ((None, TypeError), (True, TypeError), ("x", ValueError), ("nan", ValueError)):
        with pytest.raises(error):
            decode_number(value)
    written = [encode_number(x) for x in (math.nan, math.inf, -math.inf, 10**400)]
    assert written == ["NaN", "Infinity", "-Infinity", 10**400]
    for content in ({}, {"base64": "*"}, {"base64": "A"}, {"text": "\ud800"}):
        with pytest.raises((KeyError, ValueError)):
            decode_content(content)


@pytest.mark.slow
def test_it_answers_one_request_before_the_next_is_sent() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(b'{"id":%d,"op":"hello","protocol":1}\n' % number)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_it_answers_in_order_whatever_comes_and_ends_with_its_input(seed, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", seed)
    long = {"reward.json": {"text": '{"r": 1%s}' % ("0" * 4299)}}
    ends = json.dumps({"id": 1, "op": "parse_reward", "input": {"files": long}}).encode()
    one = b'{"id":%d,"op":"evals_key","input":{"agent":"a","model":null,"source":null}}'
    given = b"\n".join([*NO_REQUESTS, *(one % number for number in range(3000)), ends])
    done = subprocess.run(COMMAND, input=given, capture_output=True, cwd=ROOT, timeout=300)
    *replies, last = done.stdout.splitlines()
    answers = [json.loads(line) for line in replies]
    assert (done.returncode, done.stderr) == (0, b"")
    assert all("error" in answer for answer in answers[: len(NO_REQUESTS)])
    assert [answer["id"] for answer in answers[len(NO_REQUESTS) :]] == list(range(3000))
    assert last == b'{"id":1,"ok":{"rewards":{"r":1' + b"0" * 4299 + b"}}}", "a last line without its end"
