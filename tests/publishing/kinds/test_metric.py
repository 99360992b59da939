"""The page of a metric's check: cases, findings, and what was not tried."""

import copy
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.publishing.blocks import Table, Tone, plain
from conformance.publishing.differences.metric import difference
from conformance.publishing.kinds.metric import page
from conformance.publishing.reading import PublishingError
from tests.conftest import TESTS
from tests.metric.bodies import written
from tests.metric.in_process import in_process as in_process
from tests.publishing.kinds.looking import failures, links, said, section, sound

pytestmark = pytest.mark.usefixtures("in_process")

Json = Any
Make = Callable[..., Json]
METRICS = TESTS / "metric"
MADE: dict[object, str] = {}
WRONG = "raises_on_null"
"""One of the metrics that are data."""
DOCUMENT = METRICS / "documents" / "metric.py"


@pytest.fixture
def make(cli: Any, tmp_path: Path, faults: Any) -> Make:
    """The JSON of a metric's check in these cases; each is made once."""

    def run(target: object, *cases: str) -> Json:
        asked = (target, *cases)
        if asked in MADE:
            return json.loads(MADE[asked])
        path = written("wrong", "harbor-metric", WRONG, tmp_path) if target == WRONG else target
        words = [word for case in cases for word in ("--case", case)]
        cli("metric", path, "--python", sys.executable, *words, "--report", tmp_path / "m.json")
        document = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
        assert faults("metric-report", document) == []
        MADE[asked] = json.dumps(document)
        return document

    return run


def whole(document: Json) -> Json:
    """The report as if the contract had no other cases."""
    return document | {"all_cases": len(document["cases"])}


def test_findings(make: Make, cli: Any) -> None:
    document = whole(make(WRONG, "null-rewards", "all-null", "one-key", "no-keys"))
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("does not conform", Tone.BAD, 1)
    assert made.verdict.sentence == "4 of 4 cases were tried; findings: 2 required, 0 documented, 1 advice."
    assert [(one.name, one.number) for one in made.counts] == [
        ("hold", 1),
        ("break rules", 2),
        ("advice alone", 1),
    ]
    assert made.badge is not None
    assert (made.badge.label, made.badge.message, made.badge.tone) == (
        "harbor-metric",
        "2 findings",
        Tone.BAD,
    )
    first, second, advice = failures(made).failures
    assert (first.result.text, advice.result.text, advice.result.tone) == ("broken", "advice", Tone.WARN)
    assert first.title.startswith("exit-code, case null-rewards: It exited with 1")
    (rules,) = section(made, "rules").blocks
    (cases,) = section(made, "cases").blocks
    assert isinstance(rules, Table)
    assert isinstance(cases, Table)
    assert links(iter(rules.rows[0].cells)) == {first.anchor, second.anchor}
    assert links(value for _, value in first.fields) == {rules.rows[0].anchor, "case-null-rewards"}
    assert [case.state for case in made.cases] == ["passed", "failed", "failed", "passed"]
    assert [note.severity for note in made.notes] == ["error", "notice"]
    again = cli(*shlex.split(first.repeat or "")[1:])
    assert again.returncode == 1


def test_advice_is_no_failure_and_a_part_is_not_the_whole(make: Make) -> None:
    document = make(DOCUMENT, "one-key", "no-keys")
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("conforms, in part", Tone.WARN, 0)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("conforms in 2 of 31 cases", Tone.WARN)
    assert [(one.name, one.number) for one in made.counts][-1] == ("not chosen", 29)
    made = page(whole(document))
    assert (made.verdict.word, made.verdict.tone) == ("conforms", Tone.GOOD)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("conforms", Tone.GOOD)
    del document["all_cases"]
    made = sound(page(document))
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("conforms, in part", Tone.WARN)
    assert "does not say whether these are all" in plain(made.warnings[0])


def test_a_case_that_was_not_run_is_told_of(make: Make) -> None:
    document = whole(make(DOCUMENT, "one-key", "ints"))
    document["cases"][1]["not_run"] = "there is no uv"
    made = sound(page(document))
    assert (made.verdict.word, made.badge and made.badge.tone) == ("conforms, in part", Tone.WARN)
    assert plain(made.warnings[0]) == "1 case not run: there is no uv"
    assert [case.state for case in made.cases] == ["passed", "skipped"]


def test_what_could_not_be_tried(make: Make, tmp_path: Path) -> None:
    made = sound(page(make(tmp_path / "none.py")))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("could not be tried", Tone.BAD, 2)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("could not be tried", Tone.BAD)
    assert made.cases[-1].state == "error"


@pytest.mark.parametrize("code", [129, 130, 143])
def test_interrupted_is_no_verdict(make: Make, code: int) -> None:
    document = make(DOCUMENT, "one-key") | {"exit_code": code, "problem": "interrupted after 1 of 31 cases"}
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("no verdict", Tone.WARN, code)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("no verdict", Tone.QUIET)


def test_examples(accepted: Any) -> None:
    for document in accepted("metric-report").values():
        sound(page(document))
        assert sound(difference(document, document)).exit_code == 0


def test_what_a_metric_says_is_text(make: Make) -> None:
    document = make(WRONG, "null-rewards")
    evil = "<b>\n::error::x\x1b[31m ##[error]"
    document["target"] = document["environment"] = evil
    document["notes"] = [evil]
    document["reads"] = {"names": [evil], "every": False}
    document["findings"][0] |= {"found": evil, "input": evil, "file": evil, "repeat": evil}
    sound(page(document))
    sound(difference(document, document))


def _more_cases(document: Json) -> None:
    document["cases"].append(document["cases"][0])


def _other_case(document: Json) -> None:
    document["findings"][0]["case"] = "one-key"


def _other_counts(document: Json) -> None:
    document["counts"]["advice"] = 3


def _no_failure(document: Json) -> None:
    document["exit_code"] = 0


def _a_problem(document: Json) -> None:
    document["problem"] = "none"


def _few(document: Json) -> None:
    document["all_cases"] = 0


@pytest.mark.parametrize("wrong", [_more_cases, _other_case, _other_counts, _no_failure, _a_problem, _few])
def test_contradictions(make: Make, wrong: Callable[[Json], None]) -> None:
    document = make(WRONG, "null-rewards")
    wrong(document)
    with pytest.raises(PublishingError, match="contradicts itself"):
        page(document)


def test_the_difference_of_two_checks(make: Make) -> None:
    cases = ("null-rewards", "one-key", "no-keys", "several-keys")
    wrong, right = make(WRONG, *cases), make(DOCUMENT, *cases)
    made = sound(difference(right, wrong))
    assert (made.exit_code, made.verdict.word) == (1, "better and worse")
    assert "1 new finding, 1 gone" in made.verdict.sentence
    assert [(one.name, one.number) for one in made.counts] == [("new", 1), ("gone", 1), ("still there", 1)]
    assert sorted(case.state for case in made.cases) == ["failed", "passed", "skipped"]
    assert [note.title for note in made.notes] == ["new: required exit-code"]
    made = difference(wrong, right)
    assert (made.exit_code, made.verdict.word) == (0, "better")  # new advice alone is no failure
    same = difference(wrong, copy.deepcopy(wrong))
    assert (same.exit_code, same.verdict.word, same.warnings) == (0, "nothing got worse or better", ())


def test_what_only_one_check_tried_is_neither_new_nor_gone(make: Make) -> None:
    some, others = make(WRONG, "null-rewards"), make(WRONG, "all-null")
    made = sound(difference(some, others))
    assert made.exit_code == 0
    assert [(one.name, one.number) for one in made.counts] == [("not comparable", 2)]
    assert "tried by the later report alone: all-null" in said(made)


def test_metrics_of_two_contracts_are_not_compared(make: Make, accepted: Any) -> None:
    one = make(DOCUMENT, "one-key")
    with pytest.raises(PublishingError, match="no case in common"):
        difference(one, one | {"contract": "evsys"})
