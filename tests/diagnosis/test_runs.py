"""Whole runs over the real catalogue and the real vectors: no wrong name, whatever the runner does."""

import json
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.scratch import Scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes, made
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs

Answer = Ok | Refused
MISTAKES = list(all_mistakes(DEFAULT_SPEC).values())
REFERENCE = Variant()
FEW = random.Random(4).sample(MISTAKES, 10)
DRAWS = 12
"""The benchmark of the self-assessment makes many more."""


def of_ops(evidence: list[Any], *ops: str) -> list[Any]:
    return [item for item in evidence if item.op.name in ops]


@pytest.mark.slow
def test_a_mistake_alone_is_named_alone() -> None:
    for one in FEW:
        diagnosis = diagnose(runs.evidence_of_mistakes(one.name), Level.BYTES)
        assert runs.named(diagnosis) == {one.name}
        # How deep a value the mistake can write depends on the release of Python.
        assert [key for key in diagnosis.unexplained if "nesting" not in key] == []
        [explanation] = diagnosis.explanations
        assert len(explanation.keys) == diagnosis.total - len(diagnosis.unexplained), one.name


def failing(evidence: list[Any]) -> bool:
    return not all(item.passed for item in evidence)


@pytest.mark.slow
def test_no_wrong_name_is_given_to_mistakes_made_together() -> None:
    """Every third vector: less evidence makes a wrong name no less likely, and takes half the time."""
    found = 0
    for number, members in enumerate(runs.draws(DRAWS, 11, [one.name for one in MISTAKES])):
        answering = made(*(all_mistakes()[name] for name in members)).answer
        some = runs.vectors()[number % 3 :: 3]
        diagnosis = diagnose(runs.evidence_of(answering, some), Level.BYTES)
        for explanation in diagnosis.explanations:
            names = {one.name for one in explanation.mistakes}
            assert explanation.resembles or names & set(members), (members, explanation.names)
        shown = {one for one in members if failing(runs.evidence_of_mistakes(one, asked=some))}
        found += shown <= runs.named(diagnosis)  # beside those that this evidence can't tell from them
    assert found >= 0.8 * DRAWS


def rounded(op: str, given: Any, answer: Answer) -> Answer:
    """Every float to nine significant digits."""
    if not isinstance(answer, Ok) or op not in ("aggregate", "multi_step_reward"):
        return answer
    digits = "{:.9g}".format
    return Ok(json.loads(json.dumps(answer.value), parse_float=lambda text: float(digits(float(text)))))


def last_words(op: str, given: Any, answer: Answer) -> Answer:
    """Reasons are found in the last hundred characters only."""
    return REFERENCE.answer(op, {"text": (given["text"] or "")[-100:]}) if op == "reason_code" else answer


def tasks_by_length(op: str, given: Any, answer: Answer) -> Answer:
    if op != "plan_trials" or not isinstance(answer, Ok):
        return answer
    return Ok({"trials": sorted(answer.value["trials"], key=lambda trial: len(trial[0]))})


def one_k_too_many(op: str, given: Any, answer: Answer) -> Answer:
    """pass@3, where anybody asks for more than two attempts."""
    if op != "pass_at_k" or not isinstance(answer, Ok) or "2" not in answer.value:
        return answer
    return Ok({"2": answer.value["2"], "3": answer.value["2"], **answer.value})


def long_inputs_refused(op: str, given: Any, answer: Answer) -> Answer:
    long = op in ("parse_reward", "aggregate", "outcome") and len(json.dumps(given)) > 200
    return Refused("ValidationError", None) if long else answer


@pytest.mark.slow
@pytest.mark.parametrize(
    "deviation",
    [rounded, last_words, tasks_by_length, one_k_too_many, long_inputs_refused],
    ids=lambda one: one.__name__,
)
def test_a_deviation_that_is_in_no_entry_has_no_name(deviation: Callable[[str, Any, Answer], Answer]) -> None:
    """A generated one gives its answers, or it is left unexplained; all of it is in the list."""

    def answering(op: str, given: Any) -> Answer:
        return deviation(op, given, REFERENCE.answer(op, given))

    diagnosis = diagnose(runs.evidence_of(answering, runs.vectors()), Level.BYTES)
    assert runs.named(diagnosis) == set()
    assert len(runs.covered(diagnosis)) == diagnosis.total > 3


@pytest.mark.slow
def test_a_deviation_of_its_own_hides_no_known_mistake_of_another_op() -> None:
    naive = made(all_mistakes()["naive-sum"])
    evidence = runs.evidence_of(lambda op, given: tasks_by_length(op, given, naive.answer(op, given)))
    diagnosis = diagnose(of_ops(evidence, "aggregate", "plan_trials", "multi_step_reward"), Level.BYTES)
    assert runs.named(diagnosis) == {"naive-sum"}
    assert diagnosis.unexplained
    assert {key.split("/")[1] for key in diagnosis.unexplained} == {"plan"}


def changed(value: Any, chance: random.Random) -> Any:
    """Another value of the same shape."""
    match value:
        case bool() | None:
            return value
        case int():
            return value + chance.choice([-1, 1])
        case float():
            return value + chance.choice([-1, 0.5, 1]) if math.isfinite(value) else 0.0
        case str():
            return value[:-1] + chance.choice("abc019")
        case list():
            return [changed(item, chance) for item in value]
    return {key: changed(item, chance) for key, item in value.items()}


def noise(share: float) -> Callable[[str, Any], Answer]:
    chance = random.Random(5)

    def answer(op: str, given: Any) -> Answer:
        right = REFERENCE.answer(op, given)
        if chance.random() >= share:
            return right
        if isinstance(right, Ok):
            return Ok(changed(right.value, chance))
        return Ok({"rewards": {"reward": chance.choice([0.0, 1.0])}})

    return answer


ERRORS = [
    Refused("VerifierOutputParseError", "harbor_reward_parse_error"),
    Refused("ValidationError", None),
    Refused("RewardFileEmptyError", "harbor_reward_empty"),
    Refused("ValueError", None),
    Ok({"rewards": {"reward": 0.0}}),
    Ok({"rewards": None}),
]


def random_answers() -> Callable[[str, Any], Answer]:
    chance = random.Random(6)
    return lambda op, given: chance.choice(ERRORS)


def previous_answers() -> Callable[[str, Any], Answer]:
    last: list[Answer] = [Ok({})]

    def answer(op: str, given: Any) -> Answer:
        last.append(REFERENCE.answer(op, given))
        return last[-2]

    return answer


def for_errors(answer: Answer) -> Callable[[str, Any], Answer]:
    def answering(op: str, given: Any) -> Answer:
        right = REFERENCE.answer(op, given)
        return right if isinstance(right, Ok) else answer

    return answering


HOSTILE: dict[str, Callable[[str, Any], Answer | None]] = {
    "empty-object": lambda op, given: Ok({}),
    "null": lambda op, given: Ok({"rewards": None}),
    "zero": lambda op, given: Ok({"rewards": {"reward": 0.0}}),
    "mean-of-zero": lambda op, given: Ok({"mean": 0.0}),
    "validation-error": lambda op, given: ERRORS[1],
    "parse-error": lambda op, given: ERRORS[0],
    "value-error": lambda op, given: ERRORS[3],
    "a-little-noise": noise(0.05),
    "much-noise": noise(0.5),
    "random-answers": random_answers(),
    "previous-answers": previous_answers(),
    "one-error-for-all": for_errors(Refused("Exception", None)),
    "zero-for-errors": for_errors(Ok({"rewards": {"reward": 0.0}})),
    "nothing": lambda op, given: None,
}
BY_CHANCE = ("a-little-noise", "much-noise", "random-answers", "previous-answers")
CHEAP = ("parse_reward", "aggregate", "pass_at_k", "multi_step_reward", "read_outcome", "evals_key")


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_named_where_answers_follow_no_rule(name: str) -> None:
    cheap = [vector for vector in runs.vectors() if vector.op.name in CHEAP]
    asked = random.Random(2).sample(cheap, len(cheap) // 4)  # neighbours in a file are alike
    evidence = runs.evidence_of(HOSTILE[name], asked)
    diagnosis = diagnose(evidence, Level.BYTES)
    if name in BY_CHANCE:
        # One answer among hundreds may be a mistake's, where no other of its clause is wrong.
        assert all(len(each.keys) <= max(1, 0.02 * diagnosis.total) for each in diagnosis.explanations)
        assert len(diagnosis.explanations) < 7
        assert not any(each.certain for each in diagnosis.explanations)
    else:
        assert runs.named(diagnosis) == set()
    assert runs.covered(diagnosis) == {item.key for item in evidence if not item.passed}
    assert len(diagnosis.lines) <= 10
    assert diagnosis.total > 10
    assert len(diagnosis.unanswered) == (diagnosis.total if name == "nothing" else 0)


@pytest.mark.slow
def test_the_copy_forgets_what_it_made_and_answers_as_a_copy_of_its_own_does() -> None:
    copy = Scratch()
    for one in MISTAKES:
        copy.make(one)
    copy.make()
    assert not [item.key for item in runs.evidence_of(copy.answer) if not item.passed]
    for one in FEW[:6]:
        alone = made(one)
        copy.make(one)
        for vector in runs.vectors()[::3]:
            answers = [each.answer(vector.op.name, vector.input) for each in (copy, alone)]
            assert repr(answers[0]) == repr(answers[1]), (one.name, vector.id)


@pytest.mark.slow
def test_what_a_mistake_does_not_replace_it_does_not_change() -> None:
    copy, spared = Scratch(), 0
    vectors = random.Random(8).sample(runs.vectors(), 100)
    called = {vector.id: copy.called(vector.op.name, vector.input) for vector in vectors}
    right = {vector.id: repr(REFERENCE.answer(vector.op.name, vector.input)) for vector in vectors}
    for one in random.Random(9).sample(MISTAKES, 60):
        footprint = copy.footprint(one)
        copy.make(one)
        for vector in vectors:
            if footprint is not None and footprint.isdisjoint(called[vector.id]):
                spared += 1
                assert repr(copy.answer(vector.op.name, vector.input)) == right[vector.id], one.name
    assert spared > 2000
