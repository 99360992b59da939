"""The to-do list: how lines are chosen, ordered, joined and worded."""

import json
from dataclasses import replace
from typing import Any

from conformance.diagnosis.account import Diagnosis, Kind
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.learning import Learned
from conformance.diagnosis.predictions import Predictions
from conformance.diagnosis.search import Named
from conformance.diagnosis.todo import to_do
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs
from tests.diagnosis.runs import diagnosed

Answer = Ok | Refused
CLAUSE = "003-3.3-made-up"
ID = "harbor-0.13.1/evals_key"


def mistake(letter: str) -> Mistake:
    """At keys that begin with a letter."""
    made = runs.mistake(letter, lambda key: key.upper() if key[0] == letter else key)
    return replace(made, name=f"m-{letter}")


def evidence(answers: dict[str, Answer | str | None], clause: str = CLAUSE) -> list[Evidence]:
    found = runs.evidence(answers, clause=clause)
    return [replace(item, key=item.key.rpartition("/")[2]) for item in found]


def capital(*agents: str) -> dict[str, Answer | str | None]:
    return {agent: f"{agent}__adhoc".upper() for agent in agents}


def odd(*agents: str) -> dict[str, Answer | str | None]:
    """Wrong, each in a way of its own."""
    return {agent: f"odd-{agent}" for agent in agents}


def listed(told: list[Evidence], *learned: Learned) -> Diagnosis:
    """The list of what is said to have been learned."""
    return to_do(Predictions(told, Level.BYTES, {}), Named(), learned)


def deviation(says: str, *covers: int, against: int = 0, where: str = "", foretells: bool = True) -> Learned:
    whole = {index: frozenset({"/evals_key"}) for index in covers}
    return Learned(says, f"mend {says}", ("evals_key",), whole, frozenset(range(against)), foretells, where)


def keys(diagnosis: Diagnosis) -> list[tuple[str, ...]]:
    return [line.keys for line in diagnosis.lines]


def sure_of_all(told: list[Evidence], diagnosis: Diagnosis) -> None:
    """Every failure is in a line, and there are no more than ten."""
    failures = {item.key for item in told if not item.passed}
    assert {key for line in diagnosis.lines for key in line.keys} == failures
    assert len(diagnosis.lines) <= 10
    assert diagnosis.total == len(failures)


def test_of_many_mistakes_the_small_ones_share_a_line() -> None:
    letters = "abcdefghijklm"
    told = evidence(capital(*letters, *(f"{letter}2" for letter in "abc"), "a3"))
    diagnosis = diagnosed(told, *map(mistake, letters))
    sure_of_all(told, diagnosis)
    assert len(diagnosis.lines) == 10
    assert sorted(map(len, keys(diagnosis))) == [1] * 6 + [2, 2, 3, 4]
    [joined] = [line for line in diagnosis.lines if len(line.mistakes) > 1]
    assert len(joined.mistakes) == len(joined.keys) == 4
    assert joined.do == "see each with harbor-conformance explain NAME"
    assert joined.says.count("; and it does ") == 3
    assert len(diagnosis.explanations) == len(letters)


def test_clusters_take_the_lines_that_are_left() -> None:
    told = [
        item
        for number in range(15)
        for item in evidence(odd(*(f"k{number}-{each}" for each in range(number + 1))), f"003-rule-{number}")
    ]
    diagnosis = diagnosed(told)
    sure_of_all(told, diagnosis)
    assert [line.kind for line in diagnosis.lines] == [Kind.CLUSTER] * 10
    *rules, last = keys(diagnosis)
    assert list(map(len, rules)) == [15, 14, 13, 12, 11, 10, 9, 8, 7]
    assert len(last) == 6 + 5 + 4 + 3 + 2 + 1
    do = diagnosis.lines[-1].do
    assert do == "read 003-rule-5, 003-rule-4, 003-rule-3, 003-rule-2 and 2 more clauses"
    assert set(diagnosis.unexplained) == {item.key for item in told}


def test_everything_at_once_stays_within_ten_lines() -> None:
    told = evidence(capital(*"abcdefghijklm"))
    for number in range(15):
        told += evidence(odd(f"x{number}"), f"003-rule-{number}")
    told += evidence({"z": None}, "003-rule-z")
    diagnosis = diagnosed(told, *map(mistake, "abcdefghijklm"))
    sure_of_all(told, diagnosis)
    assert len(diagnosis.lines) == 10
    assert diagnosis.lines[-1].kind is Kind.SILENT
    assert {Kind.MISTAKE, Kind.CLUSTER} <= {line.kind for line in diagnosis.lines}


def test_the_line_of_most_failures_comes_first() -> None:
    told = evidence(capital("a", "b", "b2", "c", "c2", "c3") | {"silent": None})
    told += evidence(odd("x1", "x2", "x3", "x4"), "003-other")
    diagnosis = diagnosed(told, *map(mistake, "abc"))
    sure_of_all(told, diagnosis)
    assert keys(diagnosis) == [
        ("c", "c2", "c3"),
        ("b", "b2"),
        ("a",),
        ("x1", "x2", "x3", "x4"),  # what is unexplained comes after what is known
        ("silent",),
    ]


def test_a_deviation_stands_only_for_what_nothing_before_it_does() -> None:
    told = evidence(odd(*"abcdefgh"))
    diagnosis = listed(
        told, deviation("most", *range(6)), deviation("part", 0, 1, 2), deviation("rest", 6, 7, 0)
    )
    assert [(line.says, line.keys) for line in diagnosis.lines] == [
        ("the runner most", tuple("abcdef")),
        ("the runner rest", tuple("gh")),
    ]
    assert [line.do for line in diagnosis.lines] == ["mend most", "mend rest"]


def test_the_better_of_two_deviations_is_told() -> None:
    told, better = evidence(odd(*"abcdef")), deviation("better", *range(6))
    for worse in (
        deviation("contradicted", *range(6), against=1),
        deviation("vague", *range(6), foretells=False),
        deviation("conditioned", *range(6), where="so"),
        deviation("smaller", *range(5)),
    ):
        for pair in ((worse, better), (better, worse)):
            assert listed(told, *pair).lines[0].says == "the runner better"


def wrong(op: str, number: int, due: dict[str, Any], came: dict[str, Any]) -> Evidence:
    return Evidence(str(number), OPS[op], {"n": number}, Ok(due), Ok(came), frozenset(), False, CLAUSE)


def in_part(says: str, op: str, count: int, *paths: str) -> Learned:
    return Learned(says, "mend it", (op,), dict.fromkeys(range(count), frozenset(paths)), frozenset())


def test_deviations_of_the_same_answers_are_one_line() -> None:
    came = {"status": "completed", "score": 0.0, "reason_code": None}
    told = [
        wrong("read_outcome", number, {"status": "failed", "score": 0.0, "reason_code": f"r{number}"}, came)
        for number in range(3)
    ]
    status = in_part("gives a status", "read_outcome", 3, "/status")
    [line] = listed(told, status, in_part("gives no reason", "read_outcome", 3, "/reason_code")).lines
    assert line.says == "the runner gives a status and gives no reason"
    assert (line.alone, line.count) == (3, "3 failures")
    one, rest = listed(told, status).lines[0], listed(told, status).unexplained
    assert (one.alone, one.count, rest) == (0, "a part of 3 failures", ())


def test_a_failure_of_which_little_is_accounted_for_is_unexplained_too() -> None:
    due = {f"k{number}": 1 for number in range(4)}
    told = [wrong("pass_at_k", 0, due, dict.fromkeys(due, 2))] * 2
    for known, unexplained in ((1, True), (2, False)):
        one = in_part("does it", "pass_at_k", 2, *(f"/k{number}" for number in range(known)))
        # A fourth of two failures is not worth a line.
        diagnosis = listed(told, *([one] if known > 1 else [one, one]))
        assert bool(diagnosis.unexplained) is unexplained


def test_a_line_is_certain_where_all_is_consistent_with_it() -> None:
    a = mistake("a")
    told = evidence(capital("a", "a2", "a3"))
    [line] = diagnosed(told, a).lines
    assert (line.certain, line.trust) == (True, "certain")
    # Not where a failure beside it stays unexplained.
    first, second = diagnosed([*told, *evidence(odd("x"), "003-other")], a).lines
    assert (first.certain, first.trust) == (False, "likely: no answer speaks against it")
    assert (second.kind, second.certain, second.trust) == (Kind.CLUSTER, False, "unexplained")
    # A crash says nothing.
    first, second = diagnosed([*told, *evidence({"x": None})], a).lines
    assert (first.certain, second.trust) == (True, "no answer")


def test_a_learned_line_is_certain_where_nothing_is_left_open() -> None:
    for one, certain in (
        (deviation("all", 0, 1, 2), True),
        (deviation("few", 0, 1), False),
        (deviation("contradicted", 0, 1, 2, against=1), False),
        (deviation("conditioned", 0, 1, 2, where="so"), False),
        (deviation("vague", 0, 1, 2, foretells=False), False),
    ):
        assert listed(evidence(odd(*"abc")), one).lines[0].certain is certain


def test_a_larger_deviation_stands_for_a_mistake_that_is_not_certain() -> None:
    told = evidence(capital("a", "a2", "a3", "a4"))
    more = [*told, *evidence(capital("b", "b2", "c"), "003-other")]
    [line] = diagnosed(more, mistake("a")).lines
    assert (line.kind, line.says, len(line.keys)) == (Kind.LEARNED, "the runner gives text in upper case", 7)
    # One that is no larger does not.
    [line] = diagnosed(told, mistake("a")).lines
    assert (line.kind, len(line.keys)) == (Kind.MISTAKE, 4)


def test_what_is_told_of_the_unexplained() -> None:
    told = evidence(odd("e", "f") | {"g": None, "h": "h__adhoc"})
    rest, silent = diagnosed(told).lines
    assert rest.says.startswith("no known mistake and no learned deviation accounts for them")
    assert rest.do == f"read {CLAUSE}"
    assert silent.says.startswith("no answer that could be compared: ")
    assert (silent.kind, silent.keys, silent.example.actual) == (Kind.SILENT, ("g",), "no answer")
    [one] = diagnosed(evidence(odd("e"))).lines
    assert one.says.startswith("nothing known accounts for it")
    assert one.example.key == "e"


def test_a_cluster_says_what_its_failures_share() -> None:
    """Unless the others share it too."""
    told = evidence(odd("1", "2", "3") | {letter: f"{letter}__adhoc" for letter in "abcdefghij"})
    [line] = diagnosed(told).lines
    assert line.says.endswith("; they share: agent is a string that is a number")
    told += evidence({str(number): f"{number}__adhoc" for number in range(4, 20)})
    [line] = diagnosed(told).lines
    assert "they share" not in line.says


def test_a_cluster_of_one_rule_quotes_it() -> None:
    first, *others = runs.of_ops("evals_key")
    told = [runs.piece(each, runs.expected_answer(each)) for each in others]
    [line] = diagnosed([runs.piece(first, Refused("E", None)), *told]).lines
    assert line.do.endswith(f"({first.clause})")
    assert len(line.do) > len(first.clause) + 10


def test_the_sentence_of_a_line() -> None:
    [head, sentence] = diagnosed(evidence(capital("a", "a2")), mistake("a")).sentences()
    assert head == "to do, best first (2 failures):"
    assert sentence == (
        f" 1. 2 failures (certain): it does a (m-a); do: see clause {CLAUSE}; "
        'smallest: a: {"agent": "a", "model": null, "source": null} is due {"evals_key": "a__adhoc"}, '
        'came {"evals_key": "A__ADHOC"}'
    )


def test_the_list_as_json_keeps_to_the_schema(faults: Any) -> None:
    told = [*evidence(capital("a", "a2")), *evidence(odd("x") | {"y": None}, "003-other")]
    told = [replace(item, key=f"{ID}/{item.key}") for item in told]
    a, a2, x, y = (item.key for item in told)
    document = diagnosed(told, mistake("a")).as_json()
    assert json.loads(json.dumps(document)) == document
    assert faults("run-report#/$defs/diagnosis", document) == []
    assert (document["failures"], document["unexplained"], document["unanswered"]) == (4, [x], [y])
    assert [line["kind"] for line in document["todo"]] == ["mistake", "cluster", "silent"]
    first = document["todo"][0]
    assert first["mistakes"] == [["m-a"]]
    assert (first["failures"], first["alone"], first["against"]) == ([a, a2], 2, 0)
    assert (first["ops"], first["example"]["id"]) == (["evals_key"], a)
    assert document["explanations"] == [
        {"mistakes": [{"name": "m-a", "says": "it does a", "clause": CLAUSE}], "failures": [a, a2]}
    ]
