"""The real harness-evals: every vector's answer, and random inputs against the reference."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conformance.drawing.source import Seeded
from conformance.judging.comparison import differences
from conformance.oracle.of_specs import oracle_command
from conformance.oracle.regen import regenerate, sources
from conformance.registry.ops import OPS, ops_of
from conformance.runner.conversation import Conversation, Settings
from conformance.specs.harness_evals import HARNESS_EVALS
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from conformance.wire.messages import Answer, Ok, Refused, Request

SPEC = "harness-evals"
REFERENCE = (sys.executable, "-m", "reference_impl")
CHUNK = 500
TIMEOUT = 300.0


def same(op: str, expected: Answer, actual: Answer) -> bool:
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        return not differences(OPS[op], expected.value, actual.value)
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return expected.type == actual.type
    return False


def differential(commands: list[tuple[str, ...]], count: int, seed: int) -> list[Any]:
    """What the first and the second answer differently, of ``count`` random inputs of each op."""
    source, ops = Seeded(seed), [op.name for op in ops_of(SPEC)]
    inputs = [(op, OPS[op].draw(source)) for op in ops for _ in range(count)]
    talks = [Conversation(Settings(command, SPEC, timeout=TIMEOUT)) for command in commands]
    found = []
    answered: Counter[tuple[str, bool]] = Counter()
    try:
        for talk in talks:
            talk.start()
        for begin in range(0, len(inputs), CHUNK):
            batch = inputs[begin : begin + CHUNK]
            for op, value in batch:
                for talk in talks:
                    talk.submit(Request("", messages.encode_tail(op, value), messages.LARGE_LINE))
            for op, value in batch:
                expected, actual = (talk.next_reply().answer for talk in talks)
                answered[op, isinstance(expected, Ok)] += 1
                if not same(op, expected, actual):
                    found.append((op, value, str(expected), str(actual)))
    finally:
        for talk in talks:
            talk.kill()
    assert all(answered[op, ok] > count / 100 for op in ops for ok in (True, False)), answered
    return found


@pytest.mark.oracle
def test_regen_finds_no_difference() -> None:
    result = regenerate(SPEC, sources(SPEC, print), check=True)
    assert result.asked == len(load_spec(SPEC))
    assert (result.changed, result.rewritten, result.lock_problems, result.left) == ([], [], [], {})


@pytest.mark.oracle
def test_reference_and_package_agree_on_random_inputs() -> None:
    assert differential([oracle_command(SPEC), REFERENCE], 500, 7) == []


@pytest.mark.oracle
def test_a_wrong_reference_is_noticed(tmp_path: Path) -> None:
    naive = tmp_path / "naive.py"
    naive.write_text(
        "import reference_impl.harness_evals.score as score\n"
        "score.TOLERANCE = 0.0\n"
        "from reference_impl.runner.serving import main\n"
        "main()\n",
        encoding="utf-8",
    )
    found = differential([oracle_command(SPEC), (sys.executable, str(naive))], 100, 7)
    assert {op for op, *_ in found} >= {"harness.score", "harness.evaluate"}


def ask(command: tuple[str, ...], *lines: bytes) -> list[Any]:
    done = subprocess.run(
        command,
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        timeout=TIMEOUT,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.oracle
def test_whatever_it_is_asked_the_adapter_replies() -> None:
    interrupt = {"raises": {"type": "KeyboardInterrupt", "message": ""}}
    metric = {"name": "m", "dimension": "safety", "threshold": 1, "measure": interrupt, "a_measure": None}
    stopping = {"id": 5, "op": "harness.evaluate", "input": {"entry": "evaluate", "metrics": [metric]}}
    hello, *replies = ask(
        oracle_command(SPEC),
        b'{"id":0,"op":"hello"}',
        b"\xff",
        b"[]",
        b'{"id":3,"op":"aggregate","input":{}}',
        b'{"id":4,"op":"harness.score","input":{}}',
        json.dumps(stopping).encode(),
        b'{"id":6,"op":"hello"}',
    )
    assert hello["ok"]["version"] == HARNESS_EVALS.version
    assert hello["ok"]["ops"] == [name for name, op in OPS.items() if op.spec == SPEC]
    assert [reply["id"] for reply in replies] == [None, None, 3, 4, 5, 6]
    assert [reply.get("error", {}).get("type") for reply in replies] == [
        *("BadRequest", "BadRequest", None, "BadRequest", "KeyboardInterrupt", None)
    ]
    assert "unsupported" in replies[2]


def test_without_the_package_the_adapter_says_so() -> None:
    command = [sys.executable, "-I", "-S", str(HARNESS_EVALS.adapter)]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"harness-evals is not installed" in done.stderr
