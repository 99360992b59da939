"""The real harbor's metric scripts: every vector's answer, and random inputs against the reference."""

import sys
from collections import Counter
from typing import Any

import pytest

from conformance.drawing.source import Seeded
from conformance.judging.comparison import differences
from conformance.oracle.of_specs import oracle_command
from conformance.oracle.regen import regenerate, sources
from conformance.oracle.sources import Source, ask
from conformance.registry.ops import OPS
from conformance.runner.conversation import Conversation, Settings
from conformance.suite.vectors import load_spec
from conformance.wire import messages
from conformance.wire.messages import Answer, Ok, Refused, Request

SPEC = "harbor-metric"
REFERENCE = (sys.executable, "-m", "reference_impl")
COUNTS = {"rewards_jsonl": 500, "metric_script": 30}
TIMEOUT = 300.0
EACH = 9
"""Every ninth vector is asked here; all are by `regen --check`, which takes minutes for all specs."""


def same(op: str, expected: Answer, actual: Answer) -> bool:
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        return not differences(OPS[op], expected.value, actual.value)
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        return expected.type == actual.type
    return False


@pytest.mark.oracle
def test_harbor_answers_as_expected() -> None:
    (source,) = sources(SPEC, print)
    vectors = load_spec(SPEC)[::EACH]
    assert {vector.op.name for vector in vectors} == set(COUNTS)
    assert ask(source, vectors, SPEC, lambda: None) == {vector.id: vector.expected for vector in vectors}


def test_every_file_is_as_regen_writes_it() -> None:
    nobody = Source("harbor-0.13.1", frozenset(), None)
    result = regenerate(SPEC, [nobody], check=True)
    assert result.left == {"harbor-0.13.1": len(load_spec(SPEC))}
    assert (result.asked, result.changed, result.rewritten, result.lock_problems) == (0, [], [], [])


@pytest.mark.oracle
def test_reference_and_harbor_agree_on_random_inputs() -> None:
    source = Seeded(7)
    inputs = [(op, OPS[op].draw(source)) for op, count in COUNTS.items() for _ in range(count)]
    talks = [
        Conversation(Settings(each, SPEC, timeout=TIMEOUT)) for each in (oracle_command(SPEC), REFERENCE)
    ]
    found: list[Any] = []
    kinds: Counter[str] = Counter()
    try:
        for talk in talks:
            talk.start()
        for op, value in inputs:
            for talk in talks:
                talk.submit(Request("", messages.encode_tail(op, value), messages.LARGE_LINE))
        for op, value in inputs:
            expected, actual = (talk.next_reply().answer for talk in talks)
            kinds[expected.type if isinstance(expected, Refused) else type(expected).__name__] += 1
            if not same(op, expected, actual):
                found.append((op, value, str(expected), str(actual)))
    finally:
        for talk in talks:
            talk.kill()
    assert found == []
    assert {"Ok", "RuntimeError", "FileNotFoundError", "JSONDecodeError"} <= set(kinds), kinds
