"""Two fake releases that differ in known ways: what is found, how it is grouped, what is lost of it."""

import dataclasses
import itertools
import json

import pytest

from conformance.extensions.releases.changes import Sort, what_changed
from conformance.extensions.releases.engine import Comparison, NothingToAskError
from conformance.extensions.releases.questions import Question, questions
from conformance.extensions.releases.report import DiffReport
from conformance.extensions.releases.sides import Side
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.runner.conversation import RunnerStartError, Settings
from conformance.wire.messages import Failed, Ok, Refused

pytestmark = pytest.mark.slow


def of_op(found, op):
    return [change for change in found.changes.ranked() if change.op == op]


def report(found):
    return DiffReport(found, [DEFAULT_SPEC], "2026-03-01T09:00:00+00:00")


def test_a_release_does_not_differ_from_itself(compared) -> None:
    found = compared("old", "old")
    assert found.changes.found == []
    assert found.asked["random"] == 300
    assert found.asked["vectors"] > 300
    assert report(found).exit_code == 0


def test_each_change_is_one_however_many_inputs_show_it(compared) -> None:
    found = compared("old", "new", 1500)
    [refused] = of_op(found, "parse_reward")
    assert (refused.sort, refused.what) == (
        Sort.REFUSED,
        "the error VerifierOutputParseError, before an answer",
    )
    assert refused.count > 1
    assert min(refused.examples[0].input["files"]) == "reward.json"
    [digits] = of_op(found, "aggregate")
    assert (digits.sort, digits.what) == (Sort.NUMBER, "at /*: other last digits")
    [key] = of_op(found, "evals_key")
    assert key.sort is Sort.TEXT
    assert report(found).exit_code == 1


def test_what_shows_a_change_is_made_small(compared) -> None:
    found = compared("old", "new", 1500)
    [digits] = of_op(found, "aggregate")
    made = [example for example in digits.examples if example.small]
    assert made, "random inputs are"
    smallest = min((example.input for example in made), key=lambda given: len(json.dumps(given)))
    assert len(smallest["rewards"]) == 1
    vectors = [example for example in digits.examples if not example.small]
    assert all(example.question.vector is not None for example in vectors), "short vectors stay as they are"


def test_what_one_side_can_not_be_asked_is_told_with_its_reason(compared) -> None:
    found = compared("old", "mute")
    assert found.counts["plan_trials"].same == found.counts["plan_trials"].differ == 0
    assert found.unsupported[0] == {}
    assert found.unsupported[1]["plan_trials"].total() == found.counts["plan_trials"].incomparable > 0
    assert "scores" in found.lacking(found.new)
    assert "scores" not in found.counts


def test_a_crash_is_a_finding_and_costs_nothing_of_the_rest(compared) -> None:
    """It dies of every job without trials: only that op is given up, and only of that side."""
    found = compared("old", "crash", 600)
    died = [change for change in of_op(found, "aggregate") if change.sort is Sort.FAILED]
    assert [change.what[:20] for change in died] == ["crash of the new one"]
    assert not [change for change in found.changes.found if change.sort is not Sort.FAILED]
    asked = found.asked["vectors"] + found.asked["random"] + found.asked["played"]
    assert found.compared + sum(count.incomparable for count in found.counts.values()) == asked
    assert found.counts["parse_reward"].same > 50
    assert any("failed to answer aggregate" in sentence for sentence in found.failed())
    assert report(found).exit_code == 1


def test_the_stream_is_the_same_for_the_same_seed(some_vectors) -> None:
    def drawn(seed):
        asked = questions(some_vectors, seed, 400)
        return [(one.name, one.input) for one in asked if one.kind == "random"]

    assert repr(drawn(3)) == repr(drawn(3))
    assert repr(drawn(3)) != repr(drawn(4))


def test_half_of_the_random_inputs_are_changed_vectors(some_vectors) -> None:
    drawn = [one for one in questions(some_vectors, 1, 1000) if one.kind == "random"]
    assert len(drawn) == 1000
    assert 0.4 < sum(one.base is not None for one in drawn) / 1000 < 0.6


def test_vectors_that_ask_the_same_are_one_question(some_vectors) -> None:
    twice = [*some_vectors, *(dataclasses.replace(one, id=f"{one.id}-again") for one in some_vectors)]
    assert len(list(questions(twice, 1, 0))) == len(list(questions(some_vectors, 1, 0)))


def test_a_side_that_can_not_be_started_is_named(some_vectors) -> None:
    broken = Side("0.99.0", Settings(("false",), DEFAULT_SPEC))
    made = Comparison(broken, broken, DEFAULT_SPEC, some_vectors, tuple(OPS.values()), 1, 10)
    with pytest.raises(RunnerStartError, match=r"^0\.99\.0: "):
        made.run()
    assert report(made).exit_code == 2


def test_two_without_an_op_in_common(some_vectors, tmp_path) -> None:
    hello = '{"id":0,"ok":{"runner":"r","version":"1","protocol":1,"ops":["%s"]}}'
    sides = [Side(op, Settings(("echo", hello % op), DEFAULT_SPEC)) for op in ("scores", "evals_key")]
    made = Comparison(*sides, DEFAULT_SPEC, some_vectors, tuple(OPS.values()), 1, 10)
    with pytest.raises(NothingToAskError):
        made.run()


OK = Ok({"sum": 1.0})


@pytest.mark.parametrize(
    ("old", "new", "sort"),
    [
        (OK, Ok({"sum": 1.0}), None),
        (OK, Ok({"sum": 1}), Sort.NUMBER),
        (OK, Ok({"sum": 2.0}), Sort.NUMBER),
        (OK, Ok({"sum": None}), Sort.VALUE),
        (OK, Ok({}), Sort.MEMBERS),
        (Ok({"a": 1, "b": 1}), Ok({"b": 1, "a": 1}), Sort.ORDER),
        (OK, Refused("ValueError", None), Sort.REFUSED),
        (Refused("ValueError", None), OK, Sort.ACCEPTED),
        (Refused("ValueError", None), Refused("TypeError", None), Sort.ERROR),
        (Refused("ValueError", None), Refused("ValueError", "code"), Sort.ERROR),
        (Refused("ValueError", None, "one"), Refused("ValueError", None, "two"), None),
        (OK, Failed("crash", "it exited with code 3"), Sort.FAILED),
        (Failed("crash", "it exited with code 3"), OK, Sort.FAILED),
        (Failed("crash", "one"), Failed("crash", "two"), None),
    ],
)
def test_the_sort_of_a_change(old, new, sort) -> None:
    given = {"metric": "sum", "rewards": []}
    found = what_changed(Question(1, "aggregate", OPS["aggregate"], given), given, old, new)
    assert (found and found[0]) == sort


def test_numbers_make_no_other_cause() -> None:
    given = {"metric": "sum", "rewards": []}
    question = Question(1, "aggregate", OPS["aggregate"], given)
    told = {
        what_changed(question, given, OK, Failed("crash", f"the runner exited with code {code}"))
        for code in itertools.chain(range(3), (139,))
    }
    assert len(told) == 1
