"""Answers that no honest runner gives neither break the diagnosis nor hold it up."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.diagnosis import diagnose
from conformance.diagnosis.evidence import expected_answer
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


ANSWERS: dict[str, Ok | Refused] = {
    "deep-arrays": Ok({"rewards": {"reward": nested(400, lambda value: [value])}}),
    "deep-objects": Ok({"rewards": nested(900, lambda value: {"a": value})}),
    "too-deep": Ok({"rewards": nested(100_000, lambda value: [value])}),
    "huge-int": Ok({"rewards": {"reward": 10**4299}}),
    "lone-surrogates": Ok({"rewards": {"\ud800": "\udc00" * 20}}),
    "an-error-of-surrogates": Refused("\ud800\x1b[2J", "\udfff\n"),
    "ten-thousand-keys": Ok({"rewards": {f"k{number}": number for number in range(10_000)}}),
    "another-shape": Ok({"": {"": []}}),
    "long-text": Ok({"rewards": {"reward": "x" * 100_000}}),
}


@pytest.mark.parametrize("always", [True, False], ids=["always", "at-times"])
@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer(name: str, always: bool) -> None:
    asked = runs.of_ops("parse_reward", "aggregate", "read_outcome")[::20]
    right = [runs.piece(vector, expected_answer(vector)) for vector in asked]
    evidence = [
        replace(item, actual=ANSWERS[name], passed=False) if always or number % 3 == 0 else item
        for number, item in enumerate(right)
    ]
    failures = {item.key for item in evidence if not item.passed}
    began = time.process_time()
    diagnosis = diagnose(evidence, Level.BYTES)
    text = "\n".join(diagnosis.sentences())
    json.dumps(diagnosis.as_json()).encode("ascii")
    assert time.process_time() - began < _SECONDS
    assert runs.covered(diagnosis) == failures
    assert runs.named(diagnosis) == set()
    assert len(diagnosis.lines) <= 10
    assert text.replace("\n", "").isprintable()
    text.encode("utf-8")
    assert max(map(len, diagnosis.sentences())) < 2000


def test_keys_in_answers_that_are_long_or_strange_are_not_quoted_as_they_are() -> None:
    asked = runs.of_ops("read_outcome")[:40]
    answer = Ok({"\x1b[2J" + "k" * 5000: 1})
    told = [
        replace(runs.piece(vector, expected_answer(vector)), actual=answer, passed=False) for vector in asked
    ]
    odd = [
        replace(item, actual=Ok({**item.expected.value, "\x1b[2J" + "k" * 5000: 1}))
        for item in told
        if isinstance(item.expected, Ok)
    ]
    for evidence in (told, odd):
        for sentence in diagnose(evidence, Level.BYTES).sentences():
            assert sentence.isprintable()
            assert len(sentence) < 2000
