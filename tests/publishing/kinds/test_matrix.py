"""The page of a matrix: of harbor's releases as they are kept, and of small matrices made here."""

import copy
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import __version__
from conformance.publishing.blocks import Bars, Link, Table, Tone, plain
from conformance.publishing.differences.matrix import difference
from conformance.publishing.kinds.matrix import page
from conformance.publishing.reading import PublishingError
from conformance.suite.vectors import load_file
from tests.conftest import TESTS
from tests.publishing.kinds.looking import failures, lines_of, links, said, section, sound
from tests.publishing.sizes import CURRENT, NEWER

Json = Any
Make = Callable[..., Json]
RELEASES = TESTS.parent / "docs" / "harbor-releases.json"
EVIL = """\
import json, sys
name = "evil\\x1b[31m|`<b>\\n::error::gotcha ##[error] " + "w" * 200
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"ok": {"runner": name, "version": name, "protocol": 1, "ops": ["evals_key"]}}
    elif request["input"]["agent"] == "v1":
        reply = {"error": {"type": name, "reason_code": None, "message": name}}
    else:
        reply = {"unsupported": name}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""


@pytest.fixture
def releases() -> Json:
    """What is kept of the releases, as this kit would have written it: another does not say all."""
    return json.loads(RELEASES.read_text(encoding="utf-8")) | {"kit_version": __version__}


@pytest.fixture
def few(vectors: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four vectors, which are all that the spec has."""
    from conformance.cli import matrix
    from conformance.matrix import recorded, trying
    from conformance.publishing.kinds import matrix_sets

    path: Path = vectors.several(4)
    loaded = load_file(path)
    for module in (matrix, recorded, trying, matrix_sets):
        monkeypatch.setattr(module, "load_spec", lambda _: loaded)
    return path


@pytest.fixture
def make(cli: Any, tmp_path: Path, faults: Any) -> Make:
    """The JSON of a matrix of these subjects."""

    def run(*words: str) -> Json:
        cli("matrix", *words, "--json", tmp_path / "m.json")
        document = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
        assert faults("matrix-report", document) == []
        return document

    return run


def test_releases(releases: Json) -> None:
    made = sound(page(releases))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("11 of 22 conform", Tone.BAD, 1)
    assert f"9 of 11 conform to harbor-0.13.1 ({CURRENT:,} vectors, level bytes)" in made.verdict.sentence
    assert [(one.name, one.number) for one in made.counts] == [("conform", 11), ("do not conform", 11)]
    assert made.warnings == ()
    assert made.badge is not None
    assert (made.badge.label, made.badge.tone) == ("harbor-0.13.1, harbor-0.25.0 bytes", Tone.BAD)
    assert len(made.cases) == 22
    assert len(made.notes) <= 10
    for bars in section(made, "subjects").blocks:
        assert isinstance(bars, Bars)
        assert {sum(part.number for part in bar.parts) for bar in bars.bars} in ({CURRENT}, {NEWER})


def test_a_rule_leads_to_its_vectors_and_subjects_and_they_lead_back(releases: Json) -> None:
    made = page(releases)
    (vectors,) = section(made, "vectors").blocks
    assert isinstance(vectors, Table)
    back = {row.anchor: links(iter(row.cells)) for row in vectors.rows}
    assert len(failures(made).failures) == 58
    for rule in failures(made).failures:
        subjects = links(value for name, value in rule.fields if name == "subjects")
        of_rule = links(value for name, value in rule.fields if name == "vectors that fail")
        assert subjects
        assert of_rule
        for subject in subjects:
            blocks = section(made, subject).blocks
            assert rule.anchor in {where for block in blocks for where in links(lines_of(block))}
        for vector in of_rule:
            assert rule.anchor in back[vector]
            assert back[vector] & subjects


def test_what_changed_nowhere_is_told_once(releases: Json) -> None:
    text = said(page(releases))
    assert (
        "0.9.0 → 0.13.0 → 0.13.1 → 0.13.2 → 0.14.0 → 0.16.1 → 0.18.0 → 0.20.0 → 0.22.0 (harbor-0.13.1): n"
        in text
    )
    assert text.count(f"nothing changed in {CURRENT:,} vectors") == 2


def test_a_subject_that_cannot_be_tried_is_never_left_out(few: Path, hostile_text: Any, make: Make) -> None:
    good, wrong = hostile_text(few), hostile_text(few, "wrong", "v1", "v2")
    made = sound(page(make(f"good={good}", "gone=/no/such/runner", f"wrong={wrong}")))
    assert (made.verdict.word, made.exit_code) == ("1 of 3 without a verdict", 2)
    assert [(one.name, one.number) for one in made.counts] == [
        ("conform", 1),
        ("do not conform", 1),
        ("no verdict", 1),
    ]
    assert made.badge is not None
    assert made.badge.message == "1 of 3 conform, 1 without a verdict"
    assert made.badge.tone is Tone.WARN
    (missing,) = made.warnings
    assert plain(missing).startswith("gone against harbor-0.13.1: no verdict: ")
    assert [case.state for case in made.cases] == ["passed", "error", "failed"]
    (rule,) = failures(made).failures
    assert plain(dict(rule.fields)["vectors that fail"]) == "2 of 4: evals_key/v1, evals_key/v2"
    asked = "--spec harbor-0.13.1 harbor-0.13.1/evals_key/v1"
    assert rule.repeat == f"harbor-conformance run --runner {shlex.quote(wrong)} {asked}"
    assert [note.title for note in made.notes] == [
        "gone could not be tried to the end against harbor-0.13.1",
        "wrong does not conform to harbor-0.13.1",
    ]


def test_a_badge_is_green_for_whole_sets_alone(
    few: Path, hostile_text: Any, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make(f"good={hostile_text(few)}", f"other={hostile_text(few)}")
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone) == ("all conform", Tone.GOOD)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("2 of 2 conform", Tone.GOOD)
    monkeypatch.undo()
    in_part = page(document)
    assert (in_part.verdict.word, in_part.verdict.tone) == ("all conform, in part", Tone.WARN)
    assert in_part.badge is not None
    assert (in_part.badge.message, in_part.badge.tone) == ("2 of 2 conform, in part", Tone.WARN)
    assert f"4 of {CURRENT:,} vectors alone have an outcome" in plain(in_part.warnings[0])
    bars = section(in_part, "subjects").blocks[0]
    assert isinstance(bars, Bars)
    assert [(part.name, part.number) for part in bars.bars[0].parts] == [
        ("passed", 4),
        ("not asked", CURRENT - 4),
    ]


def test_nothing_is_green_with_a_class_that_is_not_claimed(few: Path, hostile_text: Any, make: Make) -> None:
    document = make(f"part={hostile_text(few, 'unsupported', 'v1')}")
    assert document["exit_code"] == 0
    made = sound(page(document))
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("1 of 1 conform, not all classes claimed", Tone.WARN)


def test_a_report_that_demanded_less_is_told_of(
    few: Path, hostile_text: Any, make: Make, cli: Any, tmp_path: Path
) -> None:
    report = tmp_path / "r.json"
    cli("run", "--runner", hostile_text(few), "--vectors", few, "--level", "value", "--report", report)
    document = make(f"old=report:{report}")
    claim = document["rows"][0]["result"]["classes"]["job"]
    claim |= {"claimed": "value", "reached": "value", "reason": None}
    document["rows"][0]["result"]["exit_code"] = document["exit_code"] = 0
    document["rows"][0]["why_not"] = None
    made = sound(page(document))
    assert "claimed below level bytes: job" in plain(made.warnings[0])
    assert made.badge is not None
    assert made.badge.tone is Tone.WARN


@pytest.mark.parametrize("code", [129, 130, 143])
def test_interrupted_is_no_verdict(few: Path, hostile_text: Any, make: Make, code: int) -> None:
    document = make(f"good={hostile_text(few)}", "gone=/no/such/runner") | {"exit_code": code}
    made = sound(page(document))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("no verdict", Tone.WARN, code)
    assert made.badge is not None
    assert (made.badge.message, made.badge.tone) == ("no verdict", Tone.QUIET)


def test_a_matrix_of_an_older_kit(few: Path, hostile_text: Any, make: Make) -> None:
    document = make(f"wrong={hostile_text(few, 'wrong', 'v1', 'v2')}") | {"kit_version": "0.1.0"}
    for one in document["rows"][0]["result"]["failures"]:
        del one["vectors"]
    made = sound(page(document))
    assert "does not say how many vectors" in plain(made.warnings[0])
    (rule,) = failures(made).failures
    assert plain(dict(rule.fields)["vectors that fail"]) == "2: evals_key/v1; the report names no others"


def test_what_runners_say_is_text(few: Path, tmp_path: Path, hostile_text: Any, make: Make) -> None:
    script = tmp_path / "evil.py"
    script.write_text(EVIL)
    evil = shlex.join([sys.executable, str(script)])
    document = make(f"evil={evil}", f"good={hostile_text(few)}")
    document["subjects"][0]["name"] = document["rows"][0]["subject"] = "<b>\n::error::x\x1b[31m"
    for change in document["changes"]:
        change["from"] = document["subjects"][0]["name"]
    sound(page(document))
    sound(difference(document, document))


def _twice(document: Json) -> None:
    document["rows"].append(document["rows"][0])


def _lost_failure(document: Json) -> None:
    document["rows"][0]["result"]["failures"][0]["count"] += 1


def _lost_unsupported(document: Json) -> None:
    document["rows"][0]["result"]["totals"]["unsupported"] += 1


def _other_classes(document: Json) -> None:
    document["rows"][0]["result"]["classes"]["job"]["totals"] = {"passed": 3, "mismatch": 1}


def _too_many(document: Json) -> None:
    result = document["rows"][0]["result"]
    result["totals"]["passed"] += 5000
    result["classes"]["job"]["totals"]["passed"] += 5000


def _conforms(document: Json) -> None:
    document["rows"][0]["result"]["exit_code"] = 0


def _all_conform(document: Json) -> None:
    document["exit_code"] = 0


def _a_stranger(document: Json) -> None:
    document["rows"][0]["subject"] = "nobody"


def _other_vectors(document: Json) -> None:
    document["rows"][0]["result"]["failures"][0]["vectors"].append("harbor-0.13.1/evals_key/v0")


@pytest.mark.parametrize(
    "wrong",
    [
        *(_twice, _lost_failure, _lost_unsupported, _other_classes, _too_many, _conforms, _all_conform),
        *(_a_stranger, _other_vectors),
    ],
)
def test_contradictions(few: Path, hostile_text: Any, make: Make, wrong: Callable[[Json], None]) -> None:
    document = make(f"wrong={hostile_text(few, 'wrong', 'v1', 'v2')}")
    page(document)
    wrong(document)
    with pytest.raises(PublishingError, match="contradicts itself"):
        page(document)


def test_the_difference_of_a_matrix_and_itself(releases: Json) -> None:
    made = sound(difference(releases, copy.deepcopy(releases)))
    assert (made.exit_code, made.verdict.word) == (0, "nothing got worse or better")
    assert [(one.name, one.number) for one in made.counts] == [("as before", 22)]


def test_what_got_worse_and_better(few: Path, hostile_text: Any, make: Make) -> None:
    def subjects(last: str) -> list[str]:
        told = [f"{name}={hostile_text(few, *more)}" for name, more in words.items()]
        return [*told, f"{last}={hostile_text(few)}"]

    words = {"same": ("wrong", "v1"), "worse": (), "better": ("wrong", "v1", "v2"), "other": ("wrong", "v1")}
    before = make(
        *(f"{name}={hostile_text(few, *more)}" for name, more in words.items()), f"old={hostile_text(few)}"
    )
    words |= {"worse": ("wrong", "v3"), "better": ("wrong", "v2"), "other": ("wrong", "v2")}
    after = make(
        *(f"{name}={hostile_text(few, *more)}" for name, more in words.items()), f"new={hostile_text(few)}"
    )
    made = sound(difference(before, after))
    assert (made.exit_code, made.verdict.word) == (1, "better and worse")
    assert [(one.name, one.number) for one in made.counts] == [
        ("worse", 2),
        ("better", 1),
        ("as before", 1),
        ("in one alone", 2),
    ]
    text = said(made)
    assert "more vectors fail" not in text
    assert "newly fails" in text
    assert "fewer vectors fail" in text
    assert "other vectors fail" in text
    assert plain(section(made, "removed").blocks[0].lines[0]).startswith("old against")  # type: ignore[union-attr]
    assert plain(section(made, "added").blocks[0].lines[0]).startswith("new against")  # type: ignore[union-attr]
    assert [case.state for case in made.cases] == ["passed", "failed", "passed", "failed"]
    assert [note.title for note in made.notes] == [
        "worse against harbor-0.13.1 got worse",
        "other against harbor-0.13.1 got worse",
    ]
    rules = section(made, "rules").blocks[0]
    assert isinstance(rules, Table)
    assert [piece.text for piece in rules.rows[0].cells[3] if isinstance(piece, Link)] == ["worse", "other"]
    back = sound(difference(after, before))
    assert (back.exit_code, back.verdict.word) == (1, "better and worse")  # other vectors fail there


def test_a_subject_that_could_be_tried_and_cannot_is_worse(few: Path, hostile_text: Any, make: Make) -> None:
    before, after = make(f"a={hostile_text(few)}"), make("a=/no/such/runner")
    made = sound(difference(before, after))
    assert (made.exit_code, made.verdict.word) == (1, "worse")
    assert "no verdict in the later report" in said(made)
    made = sound(difference(after, before))
    assert (made.exit_code, made.verdict.word) == (0, "better")
