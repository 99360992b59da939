"""Whether ``catches`` is told of a wrong answer: only where it speaks of that."""

import pytest

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, judge
from conformance.outcomes import catches
from conformance.outcomes.catches import speaks_of
from conformance.outcomes.failure_text import failure_text, with_likely
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed, Ok, Refused, Reply

VECTORS = {vector.id.partition("/")[2]: vector for vector in load_spec("harbor-0.13.1")}
JSON_RUINED = Refused("VerifierOutputParseError", "harbor_reward_parse_error")


@pytest.fixture(autouse=True)
def no_looks_yet(monkeypatch) -> None:
    monkeypatch.setattr(catches, "_looks", 0)


def told(vector, answer):
    verdict = judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES)
    assert verdict.outcome is not Outcome.PASSED
    text = failure_text(verdict, command="r", repeat="r", clauses={})
    assert ("\ncatches:  " in text) == speaks_of(verdict)
    return speaks_of(verdict)


@pytest.mark.parametrize(
    ("vector", "answer"),
    [
        ("reward/txt-one", Ok({"rewards": {"reward": 1}})),
        ("reward/json-string-leading-point", Ok({"rewards": {"reward": ".5"}})),
    ],
)
def test_a_known_mistake_against_the_clause_gives_the_answer(vector, answer) -> None:
    assert told(VECTORS[vector], answer)


@pytest.mark.parametrize(
    ("vector", "answer"),
    [
        ("reward/json-duplicate-key-by-escape", Ok({"rewards": {"reward": 1.0}})),
        ("reward/json-top-int", Ok({"rewards": 1})),
        ("reward/json-true", JSON_RUINED),
        ("pass_at_k/spot-check-5-1", Ok({"1": 0.2, "2": 0.3999999999999999, "4": 0.8, "5": 1.0})),
        ("pass_at_k/names-astral", Ok({"1": 0.5, "2": 0.5})),
        ("reward/txt-only-bom", Ok({"rewards": {"reward": 0.0}})),
        ("aggregation/mean-thousand-mixed", Refused("ValueError", None)),
        ("aggregation/mean-thousand-mixed", Failed("crash", "it ended")),
        ("job_result/metrics-empty-list", Ok({"result.json": {"text": '{"passed": true}'}})),
        ("job_result/metrics-empty-list", Ok({"result.json": {"text": "no JSON"}})),
    ],
)
def test_another_answer_is_not_what_it_speaks_of(vector, answer) -> None:
    assert not told(VECTORS[vector], answer)


@pytest.fixture
def unknown(vectors):
    """Vectors of a clause against which no mistake is known."""
    return vectors.load(
        vectors.entry("mean", "aggregate", {"metric": "mean", "rewards": [{"r": 1.0}]}, {"mean": 1.0}),
        vectors.entry("none", "aggregate", {"metric": "mean", "rewards": []}, error="ZeroDivisionError"),
    )


@pytest.mark.parametrize(
    ("answer", "due"),
    [
        (Ok({"mean": 0.5}), True),
        (Ok({"mean": 1}), False),  # another kind of number is another story
        (Ok({"mean": None}), False),
        (Ok({"mean": True}), False),
        (Ok({"r": 0.5}), False),
        (Ok({"mean": [0.5]}), False),
        (Refused("ValueError", None), False),
    ],
)
def test_of_what_nothing_is_known_the_shape_decides(unknown, answer, due) -> None:
    assert told(unknown[0], answer) is due


def test_an_error_in_place_of_another_is_of_one_kind(unknown) -> None:
    assert told(unknown[1], Refused("ValueError", None))
    assert not told(unknown[1], Ok({"mean": 0.0}))


@pytest.mark.parametrize(("limit", "value"), [("_MOST", 0), ("_LONGEST", 10), ("_COSTLY", 1000)])
def test_a_look_that_takes_long_is_not_taken(monkeypatch, limit, value) -> None:
    vector, answer = VECTORS["reward/json-string-leading-point"], Ok({"rewards": {"reward": ".5"}})
    assert told(vector, answer)
    monkeypatch.setattr(catches, limit, value)
    assert not told(vector, answer)


def test_what_explains_it_is_told_without_the_line_too() -> None:
    vector = VECTORS["reward/json-true"]
    verdict = judge(vector, Reply(vector.id, JSON_RUINED, 0.0), Level.BYTES)
    given = {"command": "r", "repeat": "again", "clauses": {}, "stderr": "words"}
    text, cause = failure_text(verdict, **given), "booleans are refused"
    assert "catches:" not in text
    explained = with_likely(text, cause)
    last = [f"likely:   {cause}", "stderr:   words", "runner:   r", "repeat:   again"]
    assert explained.splitlines()[-4:] == last
    assert failure_text(verdict, **given, likely=cause) == explained
