"""When a mistake is named and when not, on a made-up catalogue and made-up evidence."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.diagnosis.account import Diagnosis, Kind
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, answer_from_text, answer_text
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused
from tests.diagnosis.runs import REFERENCE, asked, diagnosed, evidence, mistake

Answer = Ok | Refused
Change = Callable[[str], str]


def capital(key: str) -> str:
    """At keys with an x."""
    return key.upper() if "x" in key.lower() else key


def marked(key: str) -> str:
    """At keys with a y."""
    return key + "!" if "y" in key.lower() else key


def made_by(agents: str, *changes: Change) -> dict[str, Answer | str | None]:
    """What a runner with these changes answers about some agents, words of a text."""
    answers: dict[str, Answer | str | None] = {}
    for agent in agents.split():
        key = f"{agent}__adhoc"
        for change in changes:
            key = change(key)
        answers[agent] = key
    return answers


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


SHOUT = mistake("shout", lambda key: capital(key) if "z" not in key else key + "?")
PART = mistake("part", lambda key: capital(key) if key.startswith("b") else key)
OPS_OF_BOTH = ("evals_key", "plan_trials")
BOTH = mistake("both", capital, ops=OPS_OF_BOTH)
STRAY = mistake("stray", capital, "plan_trials", ops=OPS_OF_BOTH)
KNOWN = {one.name: one for one in (CAPITAL, MARKED, SHOUT, PART, BOTH, STRAY)}
PLANS: dict[str, Answer] = {
    "right": REFERENCE.answer("plan_trials", asked("x", "plan_trials")),
    "wrong": Ok({"trials": [["X", "nop"]]}),
}
# By rule, rows of: agents whose keys are in capitals (or how many), some that pass, some odd ones, how
# another op answers, the mistakes that are known, and those that are named.
ROWS: dict[str, list[list[str]]] = json.loads(Path(__file__).with_name("named.json").read_text("utf-8"))


def capitals(agents: str, **others: Any) -> list[Evidence]:
    return evidence(made_by(agents, capital) | others)


def test_what_is_named() -> None:
    for row in itertools.chain(*ROWS.values()):
        agents, passes, odd, plan, known, expected = row
        agents = many(int(agents)) if agents.isdecimal() else agents
        told = evidence(made_by(agents, capital) | made_by(passes) | dict.fromkeys(odd.split(), "odd"))
        told += evidence({"x": PLANS[plan]}, "plan_trials") if plan else []
        found = named(diagnosed(told, *(KNOWN[name] for name in known.split())))
        assert " ".join(f"{' '.join(names)} {count}" for names, count in found) == expected, row
    told = evidence(made_by("a x bx y by xy yx", capital, marked))
    assert named(diagnosed(told, MARKED, CAPITAL)) == [(["capital"], 4), (["marked"], 4)]


def test_an_answer_against_a_mistake_is_counted_and_no_answer_is_not() -> None:
    for passed, trust in (("ex", "likely: 1 answer speaks against it"), ("", "certain")):
        told = evidence(made_by(many(20), capital) | made_by(passed) | {"g": None})
        diagnosis = diagnosed(told, CAPITAL)
        line, silent = diagnosis.lines
        assert (line.against, line.trust, line.certain) == (len(passed) // 2, trust, not passed)
        assert (silent.kind, diagnosis.unanswered) == (Kind.SILENT, ("evals_key/g",))


def test_of_many_alternatives_a_few_are_named() -> None:
    [line] = diagnosed(capitals("a x bx"), CAPITAL, SHOUT).lines
    assert line.says == (
        "either it does capital (capital) or it does shout (shout): this evidence can't tell them apart"
    )
    several = [mistake(f"capital-{letter}", capital) for letter in "abcde"]
    [line] = diagnosed(capitals("x"), *several).lines
    assert "(capital-c)" in line.says
    assert "(capital-d)" not in line.says
    assert "or one of 2 more" in line.says
    assert [len(group) for group in line.mistakes] == [5]


def test_what_is_wrong_in_another_way_elsewhere_is_no_reason() -> None:
    """There another mistake hides it."""
    plan = evidence({one: Ok({"trials": [["odd", "nop"]]}) for one in ("bx", "cx")}, "plan_trials")
    diagnosis = diagnosed([*capitals("a x bx cx dx"), *plan], BOTH)
    assert named(diagnosis) == [(["both"], 4)]
    assert diagnosis.unexplained == () or set(diagnosis.unexplained) == {"plan_trials/bx", "plan_trials/cx"}


def test_what_is_unexplained_by_another_clause_is_another_matter() -> None:
    told = evidence(made_by("a x", capital), clause="003-3.3-one")
    other = evidence({"k": "odd", "l": "odder"}, clause="003-3.3-other")
    diagnosis = diagnosed([*told, *other], CAPITAL)
    assert named(diagnosis) == [(["capital"], 1)]
    [line] = [line for line in diagnosis.lines if line.kind is Kind.MISTAKE]
    assert (line.certain, line.trust) == (False, "likely: no answer speaks against it")
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
    told = evidence({"a": Refused("ValueError", "a_reason")})  # the wrong reason is no match
    assert named(diagnosed(told, refusing("few", "a"))) == []
    told = evidence(dict.fromkeys("abcde", refused) | made_by("f"))
    assert named(diagnosed(told, few)) == []
    told = evidence(dict.fromkeys("abcdefghijkl", refused))
    assert named(diagnosed(told, few, refusing("more", "cdefghijkl"))) == []
    diagnosis = diagnosed(told, refusing("all", "abcdefghijkl"))
    assert named(diagnosis) == []
    assert [line.says for line in diagnosis.lines] == [
        "the runner answers the error ValueError to everything"
    ]


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


def test_an_answer_travels_unless_it_is_too_large_or_too_deep() -> None:
    answers: list[Answer | None] = [Refused("ValueError", None), Refused("T", "code"), None]
    for answer in (*answers, Ok({"a": 10**4000, "\ud800": [None, 1.0, -0.0]})):
        text = answer_text(answer)
        assert text is None or text.isascii()
        assert repr(answer_from_text(text)) == repr(answer)
    nested: Any = 0
    for _ in range(100_000):
        nested = [nested]
    assert answer_text(Ok({"a": nested})) is None
    assert answer_text(Ok({"a": "b" * (1 << 20)})) is None
