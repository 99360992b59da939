"""When a change is named and when not: right answers, other ops, conditions, and inputs that nobody asked."""

import re
from collections.abc import Callable
from typing import Any

from conformance.diagnosis.account import Diagnosis, Kind
from conformance.diagnosis.candidates import of_mistake
from conformance.diagnosis.diagnose import diagnose, find_causes
from conformance.diagnosis.evidence import Evidence
from conformance.judging.comparison import Level
from conformance.mistakes import all_mistakes
from conformance.mistakes.catalogue import made
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs
from tests.diagnosis.runs import REFERENCE, diagnosed, evidence, mistake

Answer = Ok | Refused


def capital(key: str) -> str:
    """At keys with an x."""
    return key.upper() if "x" in key.lower() else key


def made_by(agents: str, *changes: Callable[[str], str]) -> dict[str, Answer | str | None]:
    """What a runner with these changes answers about some agents, words of a text."""
    answers: dict[str, Answer | str | None] = {}
    for agent in agents.split():
        key = f"{agent}__adhoc"
        for change in changes:
            key = change(key)
        answers[agent] = key
    return answers


CAPITAL = mistake("capital", capital)
BOTH = mistake("both", capital, ops=("evals_key", "plan_trials"))


def named(diagnosis: Diagnosis) -> list[tuple[list[str], int]]:
    return [([one.name for one in each.mistakes], len(each.keys)) for each in diagnosis.explanations]


def with_input(change: Callable[[Any], Any], op: str, every: int = 1) -> list[Evidence]:
    """The evidence of a runner that changes its input."""
    asked = runs.of_ops(op)[::every]
    return runs.evidence_of(lambda name, given: REFERENCE.answer(name, change(given)), asked)


def reward_else_only(given: Any) -> Any:
    def read(rewards: Any) -> Any:
        if not rewards or "reward" in rewards:
            return rewards and {"reward": rewards["reward"]}
        return {"reward": next(iter(rewards.values()))} if len(rewards) == 1 else {}

    return {**given, "rewards": [read(one) for one in given["rewards"]]}


def test_a_mistake_that_predicts_everything_is_named() -> None:
    diagnosis = diagnosed(evidence(made_by("a x bx y", capital)), CAPITAL)
    assert named(diagnosis) == [(["capital"], 2)]
    assert (diagnosis.unexplained, diagnosis.unanswered, diagnosis.total) == ((), (), 2)
    [line] = diagnosis.lines
    assert (line.kind, line.certain, line.alone, line.against) == (Kind.MISTAKE, False, 2, 0)
    assert diagnosis.likely("evals_key/x") == "it does capital (mistake capital)"
    assert diagnosis.likely("evals_key/a") is None


def test_a_right_answer_that_it_would_break_speaks_against_a_mistake() -> None:
    heard = evidence(made_by("x bx cx dx", capital) | made_by("ex fx"))
    assert named(diagnosed(heard, CAPITAL)) == []


def test_a_generated_change_is_named_by_what_it_does() -> None:
    heard = with_input(reward_else_only, "aggregate")
    [line] = diagnose(heard, Level.BYTES).lines
    assert (line.kind, line.says) == (
        Kind.DEVIATION,
        "only the key reward is read, or else the only key in the input's `rewards/*`",
    )
    assert line.trust == "likely, not tested"


def test_a_second_habit_hides_no_first() -> None:
    """Every answer shows both: doubles everywhere, and only one key."""

    def doubles(given: Any) -> Any:
        rewards = [
            one and {key: float(value) if isinstance(value, int) else value for key, value in one.items()}
            for one in reward_else_only(given)["rewards"]
        ]
        return {**given, "rewards": rewards}

    asked = runs.of_ops("aggregate")
    small = [one for one in asked if not re.search(r"\d{16}", str(one.input))]
    heard = runs.evidence_of(lambda op, given: REFERENCE.answer(op, doubles(given)), small)
    diagnosis = diagnose(heard, Level.BYTES)
    said = " ".join(line.says for line in diagnosis.lines)
    assert "only the key reward is read, or else the only key" in said
    assert "ints are converted to doubles" in said
    assert len(diagnosis.unexplained) < 0.05 * diagnosis.total


def test_a_cause_of_most_failures_stays_where_another_spoils_some() -> None:
    """Steps are added up as doubles, and the last step stays an int: no known mistake says that."""
    adding = made(all_mistakes()["steps-added-up"])

    def added_up(op: str, given: Any) -> Answer:
        answer = adding.answer(op, given)
        if given["strategy"] == "final" or not isinstance(answer, Ok) or not answer.value["verifier_result"]:
            return answer
        rewards = answer.value["verifier_result"]["rewards"]
        doubles = {key: value * 1.0 if value in range(10) else value for key, value in rewards.items()}
        return Ok({**answer.value, "verifier_result": {"rewards": doubles}})

    heard = runs.evidence_of(added_up, runs.of_ops("multi_step_reward"))
    assert "steps-added-up" in runs.named(diagnose(heard, Level.BYTES))


def test_a_mistake_made_under_a_condition_is_named_with_what_contradicts_it() -> None:
    """Codes are passed on as they are, but only where the process ended well."""
    passing = made(all_mistakes()["reason-as-it-is"])

    def answering(op: str, given: Any) -> Answer:
        return (REFERENCE if given["returncode"] else passing).answer(op, given)

    heard = runs.evidence_of(answering, runs.of_ops("read_outcome"))
    ask = lambda op, inputs: [answering(op, given) for given in inputs]  # noqa: E731
    first = diagnose(heard, Level.BYTES, ask=ask).lines[0]
    assert first.says.endswith("(reason-as-it-is)")
    assert first.trust.endswith("answers contradict it")


def test_two_right_answers_do_not_hide_what_gives_all_others_exactly() -> None:
    """Another habit gives most of the failures."""
    known = all_mistakes()
    gating, alone = known["number-gates-the-mean"], made(known["doubles-added-plainly"])
    both = made(known["doubles-added-plainly"], gating)
    asked = runs.of_ops("multi_step_reward")
    right = [item.input for item in runs.evidence_of(alone.answer, asked) if item.passed]
    shown = [item.input for item in runs.evidence_of(made(gating).answer, asked) if not item.passed]
    assert len(shown) > 12
    spared = [given for given in shown if given in right][-2:]

    def answering(op: str, given: Any) -> Answer:
        return (alone if given in spared else both).answer(op, given)

    line = diagnose(runs.evidence_of(answering, asked), Level.BYTES).lines[-1]
    assert line.says.endswith("(number-gates-the-mean)")
    assert line.trust == "resembles this: 2 answers contradict it"


def test_a_condition_that_only_comes_along_is_seen_not_certain() -> None:
    def refusing(op: str, given: Any) -> Answer:
        refused = any(one is None for one in given["rewards"])
        return Refused("NoTrial", None) if refused else REFERENCE.answer(op, given)

    asked = runs.of_ops("aggregate")
    diagnosis = diagnose(runs.evidence_of(refusing, asked), Level.BYTES)
    [line] = diagnosis.lines
    assert line.says.startswith("it fails with NoTrial where a value in the input's ")
    assert line.trust == "fits these answers, not tested"

    def ask(op: str, inputs: Any) -> list[Any]:
        return [refusing(op, given) for given in inputs]

    [line] = diagnose(runs.evidence_of(refusing, asked), Level.BYTES, ask=ask).lines
    assert line.certain
    assert line.trust.startswith("certain (tested on ")


def test_a_runner_that_answers_otherwise_when_it_is_asked_makes_nothing_certain() -> None:
    heard = with_input(reward_else_only, "aggregate")

    def ask(op: str, inputs: Any) -> list[Any]:
        return [REFERENCE.answer(op, given) for given in inputs]

    diagnosis = diagnose(heard, Level.BYTES, ask=ask)
    assert not any(line.certain or "is read" in line.says for line in diagnosis.lines)


def test_a_runner_that_does_not_answer_when_it_is_asked_was_not_tried() -> None:
    heard = with_input(reward_else_only, "aggregate", 2)
    lines = diagnose(heard, Level.BYTES, ask=lambda op, inputs: [None] * len(inputs)).lines
    assert [line.experiments for line in lines] == [()] * len(lines)


def test_one_change_in_two_ops_is_one_line() -> None:
    asked = runs.of_ops("aggregate", "multi_step_reward")
    diagnosis = diagnose(runs.evidence_of_mistakes("naive-sum", asked=asked), Level.BYTES)
    [line] = diagnosis.lines
    assert set(line.ops) == {"aggregate", "multi_step_reward"}


def test_of_many_alternatives_a_few_are_named() -> None:
    several = [mistake(f"capital-{letter}", capital) for letter in "abcde"]
    [line] = diagnosed(evidence(made_by("x bx a", capital)), *several).lines
    assert line.says.startswith(
        "either capital-a or capital-b or capital-c or one of 2 more, which give the same"
    )


def test_the_level_counts() -> None:
    heard = runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate"))
    assert named(diagnose(heard, Level.VALUE))[0][0] == ["naive-sum"]


def live(answering: Callable[[str, Any], Answer], *ops: str) -> Diagnosis:
    """The diagnosis of a runner that can be asked."""

    def ask(op: str, inputs: Any) -> list[Any]:
        return [answering(op, given) for given in inputs]

    return diagnose(runs.evidence_of(answering, runs.of_ops(*ops)), Level.BYTES, ask=ask)


def test_a_mistake_is_not_refuted_by_answers_that_another_one_spoils() -> None:
    """Only one vector is asked, where the other mistake, of all that has several keys, does not show."""
    naive = made(all_mistakes("harbor-0.13.1")["naive-sum"])

    def answering(op: str, given: Any) -> Answer:
        answer = naive.answer(op, given)
        several = isinstance(answer, Ok) and len(answer.value) > 1
        return Ok({"score": 7}) if several else answer

    asked = [one for one in runs.of_ops("aggregate") if one.id.endswith("/sum-ten-tenths")]
    diagnosis = diagnose(
        runs.evidence_of(answering, asked),
        Level.BYTES,
        ask=lambda op, inputs: [answering(op, given) for given in inputs],
    )
    [line] = diagnosis.lines
    assert "naive-sum" in {one.name for group in line.mistakes for one in group}


def test_an_error_of_its_own_is_explained_by_what_it_hangs_on_not_by_another_change() -> None:
    """Without a metric the reference ends in KeyError too, which has nothing to do with this runner."""

    def answering(op: str, given: Any) -> Answer:
        lacking = any(one is not None and "reward" not in one for one in given["rewards"])
        return Refused("KeyError", None) if lacking else REFERENCE.answer(op, given)

    [line] = live(answering, "aggregate").lines
    assert line.says == "it fails with KeyError where a value in the input's `rewards/*` lacks the key reward"
    assert line.certain


def test_exceptions_that_escape_are_one_line() -> None:
    errors = ("TypeError", "IndexError", "AttributeError", "NameError")

    def answering(op: str, given: Any) -> Answer:
        text = repr(given["rewards"])
        due = REFERENCE.answer(op, given)
        return Refused(errors[len(text) % 4], None) if len(text) % 3 == 0 and isinstance(due, Ok) else due

    heard = runs.evidence_of(answering, runs.of_ops("aggregate"))
    escaping = [line for line in diagnose(heard, Level.BYTES).lines if "escape" in line.says]
    assert len(escaping) == 1
    assert re.fullmatch(r"exceptions escape that no rule mentions: (\w+Error, ){3}\w+Error", escaping[0].says)


def test_members_that_most_answers_lack_or_have_are_one_line() -> None:
    def answering(op: str, given: Any) -> Answer:
        due = REFERENCE.answer(op, given)
        length = len(repr(given))
        return Ok({**due.value, "length": length % 97}) if isinstance(due, Ok) and length % 5 else due

    heard = runs.evidence_of(answering, runs.of_ops("aggregate"))
    [line] = diagnose(heard, Level.BYTES).lines
    assert line.says == "the answers of aggregate have unexpected members: `length`"


def test_a_list_of_k_of_its_own_is_not_taken_for_a_known_one() -> None:
    """New inputs refute 10 and 100 only; what is merely near is not named for more than that."""

    def answering(op: str, given: Any) -> Answer:
        due = REFERENCE.answer(op, given)
        if not isinstance(due, Ok):
            return due
        largest = max(map(int, due.value), default=0)
        return Ok({str(k): due.value.get(str(k), 0.25) for k in (3, 8, 10) if k <= largest})

    diagnosis = live(answering, "pass_at_k")
    named = [line.says for line in diagnosis.lines if not line.resembles]
    assert named == ["the answers of pass_at_k lack `2`, `4`, and have unexpected members: `3`"]
    assert not any(line.certain for line in diagnosis.lines)


def test_a_condition_that_always_holds_is_not_printed() -> None:
    def answering(op: str, given: Any) -> Answer:
        due = REFERENCE.answer(op, given)
        return Ok({"rewards": None}) if isinstance(due, Ok) else due

    asked = runs.of_ops("parse_reward")
    for line in diagnose(runs.evidence_of(answering, asked), Level.BYTES).lines:
        assert "in the input's `files` is not null" not in line.says


def test_what_new_inputs_refute_is_dropped() -> None:
    """It makes the mistake in the vectors alone, so that the line would be no help."""
    heard = runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate"))

    def ask(op: str, inputs: Any) -> list[Any]:
        return [REFERENCE.answer(op, given) for given in inputs]

    assert diagnose(heard, Level.BYTES, ask=ask).explanations == ()
    assert [one.name for one in diagnose(heard, Level.BYTES).explanations[0].mistakes] == ["naive-sum"]


def test_mistakes_that_are_nearly_alike_are_one_name_in_all_ops() -> None:
    """On some evidence Go's numbers give the answers of .NET's to all of one op but not of the other."""
    asked = runs.vectors()[1::3]
    diagnosis = diagnose(
        runs.evidence_of_mistakes("dotnet-numbers", "unknown-usage-as-zero", asked=asked), Level.BYTES
    )
    assert runs.named(diagnosis) == {"dotnet-numbers", "unknown-usage-as-zero"}


def test_new_inputs_are_made_of_the_failures_where_few_inputs_show_a_change() -> None:
    """Ints beyond the double range are hardly ever drawn."""
    asked = runs.of_ops("aggregate")
    infinite = runs.evidence_of_mistakes("mean-overflow-is-infinity", asked=asked)
    [line] = diagnose(infinite, Level.BYTES, ask=runs.asking("mean-overflow-is-infinity")).lines
    assert line.certain
    assert sum(one.as_predicted and one.expected != one.actual for one in line.experiments) >= 3


def test_what_accounts_for_no_failure_is_not_named() -> None:
    findings = find_causes(
        runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate")), Level.BYTES
    )
    [search] = findings.searches
    search.chosen = (*search.chosen, of_mistake(all_mistakes()["nan-poisons-extremes"]))
    findings.judge()
    assert [one.candidate.name for one in findings.all] == ["naive-sum"]
