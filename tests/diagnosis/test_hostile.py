"""Answers that no honest runner gives neither break the diagnosis nor hold it up."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.console.todo import todo_lines
from conformance.diagnosis.case import Case
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, expected_answer
from conformance.diagnosis.experiments import _evidence_of_inputs
from conformance.judging.comparison import Level
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs

pytestmark = pytest.mark.slow

_SECONDS = 12.0
"""Far more than any of these takes, and far less than what each took that once held up a diagnosis."""


def nested(depth: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = wrap(value)
    return value


STRANGE = "\x1b[2J" + "k" * 5000
ANSWERS: dict[str, Ok | Refused] = {
    "deep-arrays": Ok({"rewards": {"reward": nested(400, lambda value: [value])}}),
    "deep-objects": Ok({"rewards": nested(900, lambda value: {"a": value})}),
    "too-deep": Ok({"rewards": nested(100_000, lambda value: [value])}),
    "huge-int": Ok({"rewards": {"reward": 10**4299}}),
    "lone-surrogates": Ok({"rewards": {"\ud800": "\udc00" * 20}}),
    "an-error-of-surrogates": Refused("\ud800\x1b[2J", "\udfff\n"),
    "ten-thousand-keys": Ok({"rewards": {f"k{number}": number for number in range(10_000)}}),
    "another-shape": Ok({"": {"": []}}),
    "a-strange-key": Ok({STRANGE: 1}),
    "long-text": Ok({"rewards": {"reward": "x" * 100_000}}),
}


@pytest.mark.parametrize("name", [*ANSWERS, "a-strange-key-besides"])
def test_a_hostile_answer(name: str) -> None:
    """Always, and at times."""
    asked = runs.of_ops("parse_reward", "aggregate", "read_outcome")[::20]
    right = [runs.piece(vector, expected_answer(vector)) for vector in asked]
    for every in (1, 3):
        evidence = [
            replace(item, actual=hostile(name, item), passed=False) if number % every == 0 else item
            for number, item in enumerate(right)
        ]
        began = time.process_time()
        diagnosis = diagnose(evidence, Level.BYTES)
        sentences = todo_lines(diagnosis, None, 80)
        json.dumps(diagnosis.as_json()).encode("ascii")
        assert time.process_time() - began < _SECONDS
        assert runs.covered(diagnosis) == {item.key for item in evidence if not item.passed}
        assert runs.named(diagnosis) == set()
        assert len(diagnosis.lines) <= 10
        for sentence in sentences:
            assert sentence.isprintable()
            sentence.encode("utf-8")
            assert len(sentence) < 2000


def hostile(name: str, item: Evidence) -> Ok | Refused:
    if name in ANSWERS:
        return ANSWERS[name]
    value = item.expected.value if isinstance(item.expected, Ok) else {}
    return Ok({**value, STRANGE: 1})


def test_an_input_of_more_digits_than_python_prints_is_not_asked() -> None:
    """100 times an int of 4,299 digits: a runner may have been asked for that."""
    tenths = [one for one in runs.of_ops("aggregate") if one.id.endswith("/sum-ten-tenths")]
    [one] = runs.evidence_where(tenths, lambda *_: Ok({"sum": 5}))
    given = {"metric": "sum", "rewards": [{"reward": 10**4301}]}
    [new] = _evidence_of_inputs(Case([one], Level.BYTES), iter([given, one.input]), set())
    assert new.input == one.input
