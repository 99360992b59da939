"""When a mistake is named and when not, on a made-up catalogue and made-up evidence."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.diagnosis import Diagnosis, Evidence, diagnose
from conformance.diagnosis.evidence import agree, answer_from_text, answer_text
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused

Answer = Ok | Refused
Change = Callable[[str], str]
REFERENCE = Variant()


def mistake(name: str, change: Change, op: str = "evals_key", ops: Iterable[str] = ()) -> Mistake:
    """A mistake that changes the key of ``evals_key``, or the tasks of ``plan_trials``."""

    def apply(reference: Variant) -> None:
        def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def answering(given: Any) -> Any:
                ok = answer(given)
                if "evals_key" in ok:
                    return {"evals_key": change(ok["evals_key"])}
                return {"trials": [[change(task), agent] for task, agent in ok["trials"]]}

            return answering

        for each in ops or (op,):
            reference.wrap_op(each, around)

    return Mistake(name, f"it does {name}", op, "003-3.3-made-up", "Why not.", "a test", apply)


def capital(key: str) -> str:
    """At keys with an x."""
    return key.upper() if "x" in key.lower() else key


def marked(key: str) -> str:
    """At keys with a y."""
    return key + "!" if "y" in key.lower() else key


def asked(agent: str, op: str = "evals_key") -> Any:
    if op == "evals_key":
        return {"agent": agent, "model": None, "source": None}
    return {"n_attempts": 1, "tasks": [agent], "agents": ["nop"]}


def evidence(answers: dict[str, Answer | str | None], op: str = "evals_key") -> list[Evidence]:
    """A piece for each agent: its answer, the key alone where it is a string."""
    found = []
    for agent, given in answers.items():
        expected = REFERENCE.answer(op, asked(agent, op))
        actual: Answer | None = Ok({"evals_key": given}) if isinstance(given, str) else given
        passed = actual is not None and agree(OPS[op], expected, actual, Level.BYTES)
        kept = None if passed else actual
        found.append(
            Evidence(f"{op}/{agent}", OPS[op], asked(agent, op), expected, kept, frozenset(), passed)
        )
    return found


def made_by(agents: str, *changes: Change) -> dict[str, Answer | str | None]:
    """What a runner with these changes answers about some agents, words of a text."""
    answers: dict[str, Answer | str | None] = {}
    for agent in agents.split():
        key = f"{agent}__adhoc"
        for change in changes:
            key = change(key)
        answers[agent] = key
    return answers


def diagnosed(told: list[Evidence], *known: Mistake, level: Level = Level.BYTES) -> Diagnosis:
    return diagnose(told, level, mistakes={one.name: one for one in known})


def named(diagnosis: Diagnosis) -> list[tuple[list[str], int]]:
    return [([one.name for one in each.mistakes], len(each.keys)) for each in diagnosis.explanations]


CAPITAL, MARKED = mistake("capital", capital), mistake("marked", marked)


def test_a_mistake_that_foretells_everything_is_named() -> None:
    diagnosis = diagnosed(evidence(made_by("a x bx y", capital)), CAPITAL, MARKED)
    assert named(diagnosis) == [(["capital"], 2)]
    assert (diagnosis.unexplained, diagnosis.unanswered, diagnosis.total) == ((), (), 2)
    assert diagnosis.likely("evals_key/x") == "it does capital (mistake capital)"
    assert diagnosis.likely("evals_key/a") is None


def test_nothing_is_said_of_a_run_without_failures() -> None:
    diagnosis = diagnosed(evidence(made_by("a x y")), CAPITAL)
    assert (named(diagnosis), diagnosis.total, diagnosis.sentences()) == ([], 0, [])


def test_a_pass_that_it_would_have_failed_contradicts_a_mistake() -> None:
    told = evidence(made_by("x bx cx dx", capital) | made_by("ex"))
    diagnosis = diagnosed(told, CAPITAL)
    assert named(diagnosis) == []
    assert len(diagnosis.unexplained) == 4


def test_a_third_answer_speaks_against_a_mistake() -> None:
    told = evidence(made_by("x bx cx dx", capital) | {"ex": "something else"})
    assert named(diagnosed(told, CAPITAL)) == []


def test_where_nothing_was_answered_nothing_is_held_against_a_mistake() -> None:
    diagnosis = diagnosed(evidence(made_by("x bx", capital) | {"ex": None, "f": None}), CAPITAL)
    assert named(diagnosis) == [(["capital"], 2)]
    assert diagnosis.unanswered == ("evals_key/ex", "evals_key/f")


def test_a_mistake_that_explains_less_is_not_named() -> None:
    part = mistake("part", lambda key: capital(key) if key.startswith("b") else key)
    assert named(diagnosed(evidence(made_by("x bx cx", capital)), part, CAPITAL)) == [(["capital"], 3)]
    # Not even where something else keeps the larger one from being named.
    told = evidence(made_by("x bx b2x cx", capital) | {"ex": "something else"})
    assert named(diagnosed(told, part, CAPITAL)) == []


def test_mistakes_that_are_not_told_apart_are_alternatives() -> None:
    same = mistake("shout", lambda key: capital(key) if "z" not in key else key + "?")
    diagnosis = diagnosed(evidence(made_by("a x bx", capital)), CAPITAL, same)
    assert named(diagnosis) == [(["capital", "shout"], 2)]
    [sentence] = diagnosis.sentences()
    assert "either it does capital (capital; " in sentence
    assert "this evidence can't tell them apart" in sentence
    assert named(diagnosed(evidence(made_by("a x bx z", capital)), CAPITAL, same)) == [(["capital"], 2)]


def test_of_many_alternatives_a_few_are_named() -> None:
    several = [mistake(f"capital-{letter}", capital) for letter in "abcde"]
    [sentence] = diagnosed(evidence(made_by("x", capital)), *several).sentences()
    assert "capital-c" in sentence
    assert "capital-d" not in sentence
    assert "or one of 2 more" in sentence


def test_another_op_decides_between_alternatives() -> None:
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    plan = evidence({"x": Ok({"trials": [["X", "nop"]]})}, "plan_trials")
    told = evidence(made_by("x bx", capital))
    assert named(diagnosed([*told, *plan], CAPITAL, both)) == [(["both"], 3)]
    # A pass elsewhere decides too.
    right = evidence({"x": REFERENCE.answer("plan_trials", asked("x", "plan_trials"))}, "plan_trials")
    assert named(diagnosed([*told, *right], CAPITAL, both)) == [(["capital"], 2)]


def test_each_op_is_judged_by_itself() -> None:
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    right = evidence({"x": REFERENCE.answer("plan_trials", asked("x", "plan_trials"))}, "plan_trials")
    assert named(diagnosed([*evidence(made_by("x bx cx", capital)), *right], both)) == [(["both"], 3)]
    # But two matches against what another op shows are too few.
    assert named(diagnosed([*evidence(made_by("x bx", capital)), *right], both)) == []


def test_a_mistake_that_is_only_similar_is_not_named() -> None:
    """In one op it fits; in another it fits in part, and elsewhere both are wrong in different ways."""
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    plan = {
        "x": Ok({"trials": [["X", "nop"]]}),
        "bx": Ok({"trials": [["B_X", "nop"]]}),
        "cx": Ok({"trials": [["C_X", "nop"]]}),
    }
    told = evidence(made_by("a x bx cx dx", capital))
    assert named(diagnosed(told, both)) == [(["both"], 4)]
    assert named(diagnosed([*told, *evidence(plan, "plan_trials")], both)) == []
    # An unknown mistake beside it, which shows alone too, is no reason.
    plan |= {name: Ok({"trials": []}) for name in ("k", "l", "m", "n", "ox")}
    plan |= {f"{letter}x": Ok({"trials": [[f"{letter}x".upper(), "nop"]]}) for letter in "bcdefg"}
    assert named(diagnosed([*told, *evidence(plan, "plan_trials")], both)) == [(["both"], 4)]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, [(["capital"], 1)]),
        ({"k": "odd"}, []),
        (made_by("bx", capital) | {"k": "odd"}, [(["capital"], 2)]),
    ],
    ids=["all", "one-of-two", "two-of-three"],
)
def test_one_match_among_the_unexplained_is_a_coincidence(
    others: dict[str, Any], expected: list[Any]
) -> None:
    diagnosis = diagnosed(evidence(made_by("a x", capital) | others), CAPITAL)
    assert named(diagnosis) == expected


def refusing(name: str, letters: str) -> Mistake:
    def change(key: str) -> str:
        if key[0] in letters:
            raise ValueError(key)
        return key

    return mistake(name, change)


def test_an_answer_that_is_given_to_everything_supports_nothing() -> None:
    refused = Refused("ValueError", None)
    few = refusing("few", "ab")
    told = evidence({"a": refused, "b": refused} | made_by("c d e f"))
    assert named(diagnosed(told, few)) == [(["few"], 2)]
    told = evidence(dict.fromkeys("abcde", refused) | made_by("f"))
    assert named(diagnosed(told, few)) == []
    told = evidence(dict.fromkeys("abcdefghijkl", refused))
    assert named(diagnosed(told, few, refusing("more", "cdefghijkl"))) == []
    assert named(diagnosed(told, refusing("all", "abcdefghijkl"))) == [(["all"], 12)]


def test_an_error_of_the_wrong_reason_is_no_match() -> None:
    told = evidence({"a": Refused("ValueError", "a_reason")})
    assert named(diagnosed(told, refusing("few", "a"))) == []


def test_mistakes_made_together_are_found_together() -> None:
    told = evidence(made_by("a x bx y by xy yx", capital, marked))
    assert named(diagnosed(told, MARKED, CAPITAL)) == [(["capital"], 4), (["marked"], 4)]


def test_one_mistake_may_hide_another_where_it_alone_would_fail() -> None:
    lower = mistake("lower", lambda key: key.lower() if "w" in key.lower() else key)
    told = evidence(
        made_by("a x bx cx xw Aw Bw", capital, lambda key: key.lower() if "w" in key.lower() else key)
    )
    assert any(item.passed and "x" in item.key for item in told)
    assert named(diagnosed(told, lower, CAPITAL)) == [(["capital"], 3), (["lower"], 2)]


def test_which_of_two_comes_first_is_found_out() -> None:
    def tail(key: str) -> str:
        return key + "x" if "t" in key else key

    tailed = mistake("a-tail", tail)
    told = evidence(made_by("a x bx t bt tx", capital, tail))
    assert {name for names, _ in named(diagnosed(told, tailed, CAPITAL)) for name in names} == {
        "a-tail",
        "capital",
    }
    told = evidence(made_by("a x bx t bt tx", tail, capital))
    assert {name for names, _ in named(diagnosed(told, tailed, CAPITAL)) for name in names} == {
        "a-tail",
        "capital",
    }


def test_what_cannot_be_made_together_is_not_named_together() -> None:
    def take(reference: Variant) -> None:
        del reference.operations["plan_trials"]

    def need(reference: Variant) -> None:
        MARKED.change(reference)
        reference.operations["plan_trials"].__name__  # noqa: B018

    taking = Mistake("taking", "it takes", "plan_trials", "003-3.3-made-up", "", "", take)
    needing = Mistake("needing", "it needs", "evals_key", "003-3.3-made-up", "", "", need)
    told = evidence(made_by("a y by xy x", marked, capital))
    diagnosis = diagnosed(told, taking, needing, CAPITAL)
    assert "taking" not in {name for names, _ in named(diagnosis) for name in names}
    assert {name for names, _ in named(diagnosis) for name in names} == {"needing", "capital"}


def test_the_level_counts() -> None:
    def ints(reference: Variant) -> None:
        def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
            return lambda given: {name: int(value) for name, value in answer(given).items()}

        reference.wrap_op("aggregate", around)

    floored = Mistake("floored", "it floors", "aggregate", "003-3.3-made-up", "", "", ints)
    told = []
    for value, actual in ((1.0, 1), (2.5, 2), (3.0, 3.0)):
        given = {"metric": "sum", "rewards": [{"reward": value}]}
        kept = Ok({"sum": actual}) if actual != value else None
        told.append(
            Evidence(str(value), OPS["aggregate"], given, Ok({"sum": value}), kept, frozenset(), kept is None)
        )
    assert named(diagnosed(told, floored, level=Level.VALUE)) == [(["floored"], 1)]
    assert named(diagnosed(told, floored, level=Level.EXACT)) == []  # 3.0 passed as it stands


def test_what_is_told_of_the_unexplained() -> None:
    told = evidence(dict.fromkeys("abcd", Refused("KeyError", None)) | {"e": "x", "f": None, "g": "g__adhoc"})
    diagnosis = diagnosed(told, CAPITAL)
    assert diagnosis.sentences() == [
        "5 of 6 failures: no known mistake explains them (4 are the error KeyError): "
        "evals_key/a, evals_key/b, evals_key/c and 2 more",
        "1 of 6 failures: no answer that could be compared: evals_key/f",
    ]
    [sentence] = diagnosed(evidence({"e": "x"}), CAPITAL).sentences()
    assert sentence == "1 of 1 failure: no known mistake explains it: evals_key/e"


def test_progress_is_told() -> None:
    heard: list[str] = []
    diagnose(evidence(made_by("x", capital)), Level.BYTES, heard.append, {"capital": CAPITAL})
    assert heard == ["looking for the known mistakes behind wrong answers to evals_key"]


@pytest.mark.parametrize(
    "answer",
    [
        Ok({"a": 10**4000, "\ud800": [None, 1.0, -0.0]}),
        Refused("ValueError", None),
        Refused("T", "code"),
        None,
    ],
)
def test_an_answer_travels(answer: Answer | None) -> None:
    text = answer_text(answer)
    assert text is None or text.isascii()
    assert repr(answer_from_text(text)) == repr(answer)


def test_an_answer_that_is_too_large_or_too_deep_stays_behind() -> None:
    nested: Any = 0
    for _ in range(100_000):
        nested = [nested]
    assert answer_text(Ok({"a": nested})) is None
    assert answer_text(Ok({"a": "b" * (1 << 20)})) is None
