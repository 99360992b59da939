"""When a mistake is named and when not, on a made-up catalogue and made-up evidence."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.diagnosis import Diagnosis, Evidence, Kind, diagnose
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


def evidence(
    answers: dict[str, Answer | str | None], op: str = "evals_key", clause: str = ""
) -> list[Evidence]:
    """A piece for each agent: its answer, the key alone where it is a string."""
    found = []
    for agent, given in answers.items():
        expected = REFERENCE.answer(op, asked(agent, op))
        actual: Answer | None = Ok({"evals_key": given}) if isinstance(given, str) else given
        passed = actual is not None and agree(OPS[op], expected, actual, Level.BYTES)
        kept = None if passed else actual
        found.append(
            Evidence(f"{op}/{agent}", OPS[op], asked(agent, op), expected, kept, frozenset(), passed, clause)
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


def many(count: int, first: str = "") -> str:
    """So many agents with an x."""
    return " ".join(f"{first}x{number}" for number in range(count))


CAPITAL, MARKED = mistake("capital", capital), mistake("marked", marked)


def test_a_mistake_that_foretells_everything_is_named() -> None:
    diagnosis = diagnosed(evidence(made_by("a x bx y", capital)), CAPITAL, MARKED)
    assert named(diagnosis) == [(["capital"], 2)]
    assert (diagnosis.unexplained, diagnosis.unanswered, diagnosis.total) == ((), (), 2)
    [line] = diagnosis.lines
    assert (line.kind, line.certain, line.alone, line.against) == (Kind.MISTAKE, True, 2, 0)
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


@pytest.mark.parametrize(("shown", "expected"), [(19, []), (20, [(["capital"], 20)])])
def test_one_pass_in_twenty_is_forgiven(shown: int, expected: list[Any]) -> None:
    diagnosis = diagnosed(evidence(made_by(many(shown), capital) | made_by("ex")), CAPITAL)
    assert named(diagnosis) == expected
    for line in diagnosis.lines:
        assert not line.certain
        if line.kind is Kind.MISTAKE:
            assert (line.against, line.trust) == (1, "likely: 1 answer speaks against it")


@pytest.mark.parametrize(("shown", "expected"), [(4, []), (14, []), (15, [(["capital"], 15)])])
def test_a_third_answer_speaks_against_a_mistake(shown: int, expected: list[Any]) -> None:
    told = evidence(made_by(many(shown), capital) | {"ex": "something else"})
    assert named(diagnosed(told, CAPITAL)) == expected


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
    [line] = diagnosis.lines
    assert line.says == (
        "either it does capital (capital) or it does shout (shout): this evidence can't tell them apart"
    )
    assert named(diagnosed(evidence(made_by("a x bx z", capital)), CAPITAL, same)) == [(["capital"], 2)]


def test_of_many_alternatives_a_few_are_named() -> None:
    several = [mistake(f"capital-{letter}", capital) for letter in "abcde"]
    [line] = diagnosed(evidence(made_by("x", capital)), *several).lines
    assert "(capital-c)" in line.says
    assert "(capital-d)" not in line.says
    assert "or one of 2 more" in line.says
    assert [len(group) for group in line.mistakes] == [5]


def test_another_op_decides_between_alternatives() -> None:
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    plan = evidence({"x": Ok({"trials": [["X", "nop"]]})}, "plan_trials")
    told = evidence(made_by("x bx", capital))
    assert named(diagnosed([*told, *plan], CAPITAL, both)) == [(["both"], 3)]
    # A pass elsewhere decides too.
    right = evidence({"x": REFERENCE.answer("plan_trials", asked("x", "plan_trials"))}, "plan_trials")
    assert named(diagnosed([*told, *right], CAPITAL, both)) == [(["capital"], 2)]


@pytest.mark.parametrize(("shown", "expected"), [(7, []), (8, [(["both"], 8)])])
def test_each_op_is_judged_by_itself(shown: int, expected: list[Any]) -> None:
    """But a few matches against what another op shows are too few."""
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    right = evidence({"x": REFERENCE.answer("plan_trials", asked("x", "plan_trials"))}, "plan_trials")
    told = [*evidence(made_by(many(shown), capital)), *right]
    assert named(diagnosed(told, both)) == expected


def test_a_mistake_is_at_home_in_one_op() -> None:
    """It is not said to be made only elsewhere."""
    stray = mistake("stray", capital, "plan_trials", ops=("evals_key", "plan_trials"))
    right = evidence({"x": REFERENCE.answer("plan_trials", asked("x", "plan_trials"))}, "plan_trials")
    told = evidence(made_by(many(8), capital))
    assert named(diagnosed([*told, *right], stray)) == []
    assert named(diagnosed(told, stray)) == [(["stray"], 8)]


def test_what_is_wrong_in_another_way_elsewhere_is_no_reason() -> None:
    """There another mistake hides it."""
    both = mistake("both", capital, ops=("evals_key", "plan_trials"))
    plan: dict[str, Any] = {letter: Ok({"trials": [["odd", "nop"]]}) for letter in ("bx", "cx")}
    told = evidence(made_by("a x bx cx dx", capital))
    diagnosis = diagnosed([*told, *evidence(plan, "plan_trials")], both)
    assert named(diagnosis) == [(["both"], 4)]
    assert diagnosis.unexplained == () or set(diagnosis.unexplained) == {"plan_trials/bx", "plan_trials/cx"}


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, [(["capital"], 1)]),
        ({"k": "odd"}, []),
        (made_by("bx cx", capital) | {"k": "odd"}, []),
        (made_by("bx cx dx", capital) | {"k": "odd"}, [(["capital"], 4)]),
    ],
    ids=["all", "one-of-two", "three-of-four", "four-of-five"],
)
def test_one_match_among_the_unexplained_is_a_coincidence(
    others: dict[str, Any], expected: list[Any]
) -> None:
    diagnosis = diagnosed(evidence(made_by("a x", capital) | others), CAPITAL)
    assert named(diagnosis) == expected


def test_what_is_unexplained_by_another_clause_is_another_matter() -> None:
    told = evidence(made_by("a x", capital), clause="003-3.3-one")
    other = evidence({"k": "odd", "l": "odder"}, clause="003-3.3-other")
    diagnosis = diagnosed([*told, *other], CAPITAL)
    assert named(diagnosis) == [(["capital"], 1)]
    [line] = [line for line in diagnosis.lines if line.kind is Kind.MISTAKE]
    assert not line.certain  # though no answer speaks against it
    assert line.trust == "likely: no answer speaks against it"
    assert set(diagnosis.unexplained) == {"evals_key/k", "evals_key/l"}


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
    diagnosis = diagnosed(told, refusing("all", "abcdefghijkl"))
    assert named(diagnosis) == []
    assert [line.says for line in diagnosis.lines] == [
        "the runner answers the error ValueError to everything"
    ]


def test_an_error_of_the_wrong_reason_is_no_match() -> None:
    told = evidence({"a": Refused("ValueError", "a_reason")})
    assert named(diagnosed(told, refusing("few", "a"))) == []


def test_mistakes_made_together_are_found_together() -> None:
    told = evidence(made_by("a x bx y by xy yx", capital, marked))
    assert named(diagnosed(told, MARKED, CAPITAL)) == [(["capital"], 4), (["marked"], 4)]


def test_one_mistake_may_hide_another_where_it_alone_would_fail() -> None:
    """What is hidden once counts against a mistake, and is forgiven where it shows often enough."""

    def low(key: str) -> str:
        return key.lower() if "w" in key.lower() else key

    lower = mistake("lower", low)
    told = evidence(made_by(f"a xw Aw Bw {many(20)}", capital, low))
    assert any(item.passed and item.key == "evals_key/xw" for item in told)
    assert named(diagnosed(told, lower, CAPITAL)) == [(["capital"], 20), (["lower"], 2)]


def test_which_of_two_comes_first_is_found_out() -> None:
    def tail(key: str) -> str:
        return key + "x" if "t" in key.lower() else key

    tailed = mistake("a-tail", tail)
    for changes in ((capital, tail), (tail, capital)):
        told = evidence(made_by("a x bx tx btx", *changes))
        diagnosis = diagnosed(told, tailed, CAPITAL)
        assert diagnosis.unexplained == ()
        assert {name for names, _ in named(diagnosis) for name in names} == {"a-tail", "capital"}


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


def test_progress_is_told() -> None:
    heard: list[str] = []
    diagnose(evidence(made_by("x", capital)), Level.BYTES, heard.append, {"capital": CAPITAL})
    assert heard == [
        "looking for the known mistakes behind wrong answers",
        "learning from the answers what no known mistake explains",
    ]


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
