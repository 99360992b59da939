"""`python -m reference_impl`, as a process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reference_impl
from reference_impl.runner.serving import OPERATIONS, reply

COMMAND = [sys.executable, "-m", "reference_impl"]
ROOT = Path(reference_impl.__file__).parent.parent
TIMEOUT = 300.0


def ask(op: str, given: object = None) -> Any:
    answer = json.loads(reply(json.dumps({"id": 7, "op": op, "input": given}).encode()))
    assert answer.pop("id") == 7
    return answer


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as started:
        yield started
        started.kill()


def test_answers_one_request_before_the_next_is_sent(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(b'{"id":%d,"op":"hello","protocol":1}\n' % number)
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["id"] == number
        assert answer["ok"]["ops"] == list(OPERATIONS)


def test_answers_in_order_and_ends_with_its_input() -> None:
    requests = b"".join(
        b'{"id":%d,"op":"evals_key","input":{"agent":"a","model":null,"source":null}}\n' % number
        for number in range(5000)
    )
    done = subprocess.run(COMMAND, input=requests, capture_output=True, cwd=ROOT, timeout=TIMEOUT, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == list(range(5000))
    assert done.stderr == b""


def test_no_request_ends_it() -> None:
    requests = [b"", b"x", b"\xff", b"[1]", b'{"op":"hello"}', b'{"id":NaN,"op":"hello"}', b"[" * 100_000]
    requests += [
        b'{"id":1}',
        b'{"id":1,"op":[]}',
        b'{"id":1,"op":"aggregate"}',
        b'{"id":1,"op":"outcome","input":[]}',
    ]
    requests += [b'{"id":2,"op":"hello"}']
    done = subprocess.run(
        COMMAND, input=b"\n".join(requests), capture_output=True, cwd=ROOT, timeout=TIMEOUT, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests)
    assert all("error" in answer for answer in answers[:-1])
    assert "ok" in answers[-1]


@pytest.mark.parametrize(
    ("op", "given", "ok"),
    [
        ("parse_reward", {"files": {"reward.txt": {"text": "nan"}}}, {"rewards": {"reward": "NaN"}}),
        ("parse_reward", {"files": {"reward.json": {"base64": "bnVsbA=="}}}, {"rewards": None}),
        ("terminal_bench_reward", {"exit_code": 1}, {"reward.txt": {"text": "0\n"}}),
        ("aggregate", {"metric": "mean", "rewards": [{"reward": "1.0"}, None]}, {"mean": 0.5}),
        ("evals_key", {"agent": "a", "model": "m", "source": "d"}, {"evals_key": "a__m__d"}),
        ("pass_at_k", {"trials": [{"task": "t", "rewards": {"r": 1}}] * 2}, {"2": 1.0}),
        (
            "multi_step_reward",
            {
                "strategy": None,
                "steps": [
                    {"verifier_result": {"rewards": {"r": 1}}, "exception": None, "min_reward": {"r": "0.5"}},
                    {"verifier_result": None, "exception": None, "min_reward": 1},
                    {"verifier_result": None, "exception": None, "min_reward": None},
                ],
            },
            {"verifier_result": {"rewards": {"r": 1.0}}, "steps_run": 2},
        ),
        ("plan_trials", {"n_attempts": 1, "tasks": ["t"], "agents": ["a"]}, {"trials": [["t", "a"]]}),
        (
            "scores",
            {
                "trials": [
                    {
                        "group": "g",
                        "task": "t",
                        "attempt": 1,
                        "rewards": {"r": "1.0"},
                        "exception": {"type": "E", "message": ""},
                    },
                    {"group": "g", "task": "t", "attempt": 1, "rewards": None, "exception": None},
                ]
            },
            {
                "groups": {
                    "g": {
                        "n": 2,
                        "n_scored": 1,
                        "n_errors": 1,
                        "mean": {"mean": 0.5},
                        "pass_at_k": {"2": 1.0},
                    }
                }
            },
        ),
        ("outcome", {"result.json": None}, {"line": reference_impl.summarise(None).line()}),
        ("reason_code", {"text": None}, {"reason_code": None}),
        (
            "read_outcome",
            {"stdout": "", "returncode": 0, "timed_out": True},
            {"status": "timed_out", "score": 0.0, "reason_code": "timed_out"},
        ),
    ],
)
def test_operations(op: str, given: object, ok: object) -> None:
    assert ask(op, given) == {"ok": ok}


def test_errors_say_type_and_reason_code() -> None:
    error = ask("parse_reward", {"files": {}})["error"]
    assert (error["type"], error["reason_code"]) == ("RewardFileNotFoundError", "harbor_reward_missing")
    error = ask("aggregate", {"metric": "mean", "rewards": []})["error"]
    assert (error["type"], error["reason_code"]) == ("ZeroDivisionError", None)


def test_unknown_operations_are_unsupported() -> None:
    assert "of_a_later_release" in ask("of_a_later_release")["unsupported"]


def test_an_int_of_any_size_comes_back() -> None:
    reward = {"reward.json": {"text": '{"r": 1%s}' % ("0" * 4299)}}
    done = subprocess.run(
        COMMAND,
        input=json.dumps({"id": 0, "op": "parse_reward", "input": {"files": reward}}).encode(),
        capture_output=True,
        cwd=ROOT,
        timeout=TIMEOUT,
        check=True,
    )
    assert done.stdout == b'{"id":0,"ok":{"rewards":{"r":1' + b"0" * 4299 + b"}}}\n"
