"""The real harness-evals: random inputs against the reference. `regen --check` asks it every vector."""

import json
import subprocess
import sys
from collections import Counter

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.registry.ops import OPS, ops_of
from conformance.specs.harness_evals import HARNESS_EVALS
from conformance.wire.messages import Ok
from tests.specs.comparing import TIMEOUT, answers, ask, compared

SPEC = "harness-evals"


OPS_ASKED = [op.name for op in ops_of(SPEC)]


@pytest.mark.oracle
def test_reference_and_package_agree_on_random_inputs() -> None:
    inputs = 500 * len(OPS_ASKED)
    assert compared(SPEC, oracle_command(SPEC), inputs, 7).agreed.total() == inputs


def test_of_each_op_answers_and_errors_are_drawn() -> None:
    drawn = answers(SPEC, dict.fromkeys(OPS_ASKED, 200), 7)
    answered = Counter((op, isinstance(answer, Ok)) for op, answer in drawn)
    assert all(answered[op, ok] > 2 for op in OPS_ASKED for ok in (True, False)), answered


@pytest.mark.slow
@pytest.mark.parametrize("name", ["harness-threshold-exclusive", "evsys-micro-mean"])
def test_a_wrong_reference_is_noticed(name) -> None:
    spec = "evsys" if name.startswith("evsys") else SPEC
    wrong = (sys.executable, "-m", "conformance.mistakes", name, spec)
    assert compared(spec, wrong, 800, 7, max_failures=1).disagreed


@pytest.mark.oracle
def test_whatever_it_is_asked_the_adapter_replies() -> None:
    interrupt = {"raises": {"type": "KeyboardInterrupt", "message": ""}}
    metric = {"name": "m", "dimension": "safety", "threshold": 1, "measure": interrupt, "a_measure": None}
    stopping = {"id": 5, "op": "harness.evaluate", "input": {"entry": "evaluate", "metrics": [metric]}}
    first, last = (b'{"id":%d,"op":"hello","protocol":1}' % number for number in (0, 6))
    lines = [first, b"\xff", b"[]", b'{"id":3,"op":"aggregate","input":{}}']
    lines += [b'{"id":4,"op":"harness.score","input":{}}', json.dumps(stopping).encode(), last]
    hello, *replies = ask(oracle_command(SPEC), *lines)
    assert hello["ok"]["version"] == HARNESS_EVALS.version
    assert hello["ok"]["ops"] == [name for name, op in OPS.items() if op.spec == SPEC]
    assert [reply["id"] for reply in replies] == [None, None, 3, 4, 5, 6]
    types = [reply.get("error", {}).get("type") for reply in replies]
    assert types == ["ProtocolError", "ProtocolError", None, "KeyError", "KeyboardInterrupt", None]
    assert "unsupported" in replies[2]


@pytest.mark.oracle
def test_a_field_that_is_null_in_json_is_missing_too() -> None:
    case = dict.fromkeys(("latency_ms", "token_count", "retry_count", "messages"))
    input_ = {"metric": "cost_efficiency", "maximum": None, "threshold": None}
    input_["case"] = case | {"cost_usd": {"json": "null"}}
    request = json.dumps({"id": 1, "op": "harness.operational", "input": input_}).encode()
    for command in (oracle_command(SPEC), (sys.executable, "-m", "reference_impl", SPEC)):
        _, reply = ask(command, b'{"id":0,"op":"hello","protocol":1,"spec":"harness-evals"}', request)
        assert reply["ok"]["missing"] == "cost_usd"


@pytest.mark.slow
def test_without_the_package_the_adapter_says_so() -> None:
    command = [sys.executable, "-I", "-S", str(HARNESS_EVALS.adapter)]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"harness-evals is not installed" in done.stderr
