"""The page of a fuzz run: what it found, on how many inputs, and that it never claims more."""

import copy
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.publishing.blocks import Bars, Table, Tone, plain
from conformance.publishing.differences.fuzz import difference
from conformance.publishing.kinds.fuzz import page
from conformance.publishing.reading import PublishingError
from tests.publishing.kinds.looking import failures, links, said, section, sound

Json = Any
Make = Callable[..., Json]
MADE: dict[tuple[object, ...], str] = {}


@pytest.fixture
def make(cli: Any, tmp_path: Path, faults: Any) -> Make:
    """The JSON of a fuzz run; each is made once."""

    def run(*words: object) -> Json:
        if words in MADE:
            return json.loads(MADE[words])
        cli("fuzz", *words, "--json", tmp_path / "f.json", "--out", tmp_path / "c.json", "--failures", 0)
        document = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
        assert faults("fuzz-report", document) == []
        MADE[words] = json.dumps(document)
        return document

    return run


NAIVE = ("--runner", "mistake:naive-sum", "--ops", "aggregate,evals_key", "--inputs", 400)
AGREES = ("--runner", "reference", "--inputs", 300, "--seed", 3)


def test_causes(make: Make, cli: Any) -> None:
    MADE.clear()  # its vector file is asked for again
    document = make(*NAIVE, "--seed", 1)
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("disagrees", Tone.BAD, 1)
    wrong = document["disagreed"]
    assert f"{wrong} of 400 random inputs were answered otherwise" in made.verdict.sentence
    assert [(one.name, one.number) for one in made.counts] == [("agreed", 400 - wrong), ("disagreed", wrong)]
    assert made.badge is None
    found = failures(made)
    assert (len(found.failures), found.left_out) == (len(document["causes"]), 0)
    for failure, cause in zip(found.failures, document["causes"], strict=True):
        texts, fields = dict(failure.texts), {name: plain(value) for name, value in failure.fields}
        assert json.loads(texts["expected"]) == cause["expected"] != json.loads(texts["actual"])
        assert json.loads(texts["input"]) == cause["asked"]["input"]
        assert "naive-sum" in fields["likely mistake"]
        assert "compensation" in fields["what to do"]
    assert found.failures[0].repeat is not None
    again = cli(*shlex.split(found.failures[0].repeat)[1:])
    assert again.returncode == 1
    assert "0 of 1 " in again.stdout
    (todo,) = section(made, "todo").blocks
    assert isinstance(todo, Table)
    assert links(iter(todo.rows[0].cells)) == {failure.anchor for failure in found.failures}
    (bars,) = section(made, "ops").blocks
    assert isinstance(bars, Bars)
    assert sum(part.number for bar in bars.bars for part in bar.parts) == 400
    assert [(case.name, case.state) for case in made.cases[:2]] == [
        ("aggregate", "failed"),
        ("evals_key", "passed"),
    ]
    (note,) = made.notes
    assert "naive-sum" in note.text


def test_no_disagreement_claims_nothing(make: Make) -> None:
    made = sound(page(make(*AGREES)))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("no disagreement found", Tone.GOOD, 0)
    assert "other inputs may show one" in made.verdict.sentence
    assert made.badge is None
    assert made.notes == ()


def test_ops_that_were_not_asked_are_named(make: Make, hostile_text: Any, vectors: Any) -> None:
    runner = hostile_text(vectors.several(1), "unsupported")
    made = sound(page(make("--runner", runner, "--ops", "aggregate,evals_key", "--inputs", 30)))
    assert made.exit_code in (1, 2)
    assert made.verdict.tone is Tone.BAD
    assert "aggregate" in plain(made.warnings[-1]) or "aggregate" in said(made)


@pytest.mark.parametrize("code", [129, 130, 143])
def test_interrupted_is_no_verdict(accepted: Any, code: int) -> None:
    document = accepted("fuzz-report")["interrupted"] | {"exit_code": code}
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("no verdict", Tone.WARN, code)
    assert any("interrupted" in plain(line) for line in made.warnings)


def test_examples_and_reports_of_older_kits(accepted: Any) -> None:
    for document in accepted("fuzz-report").values():
        made = sound(page(document))
        sound(difference(document, document))
        if document["counterexamples"]:
            found = failures(made).failures
            assert found[0].repeat == (
                f"harbor-conformance run --runner '{document['runner']['command']}' --spec harbor-0.13.1 "
                f"--vectors {document['counterexamples']} {document['causes'][0]['counterexample']}"
            )
            assert "older kit" in dict(found[0].texts)["input"]


def test_what_a_runner_says_is_text(accepted: Any) -> None:
    document = accepted("fuzz-report")["disagreements"]
    evil = "<b>\n::error::x\x1b[31m ##[error]"
    document["runner"]["name"] = document["runner"]["version"] = evil
    document["causes"][0]["kind"] = document["causes"][1]["likely"] = evil
    document["problems"] = document["cut"] = [evil]
    document["causes"][0] |= {"clause": "003-6-exact-answers", "detail": evil, "do": evil, "repeat": evil}
    document["causes"][0] |= {"asked": {"op": evil, "input": evil}, "expected": None, "actual": {"ok": evil}}
    sound(page(document))
    sound(difference(document, document))


def _ops(document: Json) -> None:
    document["ops"]["aggregate"]["disagreed"] += 1


def _compared(document: Json) -> None:
    document["compared"] += 1


def _causes(document: Json) -> None:
    document["causes"][0]["count"] += 1


def _stray(document: Json) -> None:
    document["causes"][0]["op"] = "pass_at_k"


def _jobs(document: Json) -> None:
    document["jobs"] = [{"seed": 7, "compared": 1, "problem": None}]


@pytest.mark.parametrize("wrong", [_ops, _compared, _causes, _stray, _jobs])
def test_contradictions(accepted: Any, wrong: Callable[[Json], None]) -> None:
    document = accepted("fuzz-report")["disagreements"]
    page(document)
    wrong(document)
    with pytest.raises(PublishingError, match="contradicts itself"):
        page(document)


def test_the_difference_of_two_runs(make: Make) -> None:
    clean = make("--runner", "reference", "--ops", "aggregate,evals_key", "--inputs", 400, "--seed", 1)
    one, other = make(*NAIVE, "--seed", 1), make(*NAIVE, "--seed", 2)
    new = sound(difference(clean, one))
    assert (new.exit_code, new.verdict.word) == (1, "worse")
    assert {count.name for count in new.counts} == {"new"}
    assert len(new.notes) == 1
    gone = sound(difference(one, clean))
    assert (gone.exit_code, gone.verdict.word) == (0, "better")
    still = sound(difference(one, other))
    assert (still.exit_code, still.verdict.word) == (0, "nothing got worse or better")
    assert {count.name for count in still.counts} == {"still there"}
    assert "the inputs of the two runs differ" in said(still)
    same = difference(one, copy.deepcopy(one))
    assert same.warnings == ()


def test_what_only_one_run_asked_is_neither_new_nor_gone(accepted: Any) -> None:
    before = accepted("fuzz-report")["disagreements"]
    after = copy.deepcopy(before)
    after["ops"]["scores"] = after["ops"].pop("aggregate")
    for cause in after["causes"]:
        cause["op"] = "scores"
    made = sound(difference(before, after))
    assert made.exit_code == 0
    assert [count.name for count in made.counts] == ["not comparable"]
    assert "asked in the earlier run alone: aggregate" in said(made)


def test_a_run_that_was_interrupted_shows_no_difference(accepted: Any) -> None:
    reports = accepted("fuzz-report")
    made = difference(reports["disagreements"], reports["interrupted"])
    assert (made.exit_code, made.verdict.word) == (1, "worse: no verdict any more")
    made = difference(reports["interrupted"], reports["interrupted"])
    assert (made.exit_code, made.verdict.word) == (0, "no verdict")
