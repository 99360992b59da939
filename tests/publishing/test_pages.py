"""What pages say: of every kind of report, of what changed between two, and never more than was shown."""

import copy
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conformance.cli.check import check

from tests.publishing.examples import (
    KINDS,
    MATRICES,
    RUNS,
    Examples,
    accepted_names,
    changed,
    leaderboard,
    put,
)
from tests.publishing.reading import ReadBack, failing, green, read_all, read_junit
from tests.publishing.test_formats import CONTRADICT, LARGE, counts_of

Json = Any
DIFFERENCES = [
    *(("right", other) for other in ("right", "wrong", "without", "unsupported", "pinned")),
    *(
        ("wrong", other)
        for other in ("right", "wrong at value", "filtered", "merged", "shard 1", "interrupted")
    ),
    *(("wrong", "none"), ("wrong", "stale"), ("stale", "wrong")),
    *(("rewards", "release"), ("few and right", "few"), ("whole", "whole naive"), ("whole", "fork")),
    *(("matrix", "matrix after"), ("matrix", "matrix gone"), ("matrix gone", "matrix")),
    *(("check clean", "check wrong"), ("check wrong", "check clean"), ("check clean", "check board")),
    *(("check wrong", "check gone"), ("check board", "check clean")),
    *(
        ("fuzz: disagreements", f"fuzz: {other}")
        for other in ("interrupted", "no-disagreement", "unsupported")
    ),
    *(("fuzz: interrupted", "fuzz: interrupted"), ("fuzz: no-disagreement", "fuzz: disagreements")),
    *(("metric: one-finding", f"metric: {other}") for other in ("kept", "not-run", "not-tried")),
    *(
        ("run: mismatch", "run: all-passed"),
        ("run: all-passed", "run: mismatch"),
        ("run: mismatch", "run: cut-answer"),
    ),
]
WHOLE = [
    *(
        f"run: {one}"
        for one in ("mismatch-explained", "property-failed", "asked-again", "environments-mixed")
    ),
    *("check: one-finding", "metric: one-finding", "matrix: compared", "fuzz: disagreements"),
]


def in_brief(made: dict[str, str]) -> str:
    """The head of a page, its notes, counts and badge."""
    text = made["text"]
    notes = re.findall(r"^note: .*(?:\n {7}.*)*", text, re.MULTILINE)
    badge = json.loads(made.get("badge-json", "{}"))
    colour = {True: "green", False: "not green"}[green(badge["color"])] if badge else ""
    lines = [*text.partition("\n\n")[0].splitlines(), *notes, f"counts: {counts_of(text)}"]
    lines += [f"badge: {badge['label']}: {badge['message']}, {colour}"] if badge else []
    return "\n".join(" ".join(line.split()) for line in lines)


def steady(text: str, name: str) -> str:
    """The text without what another vector, day, machine or version of the kit changes."""
    text = re.sub(r"today's [\d,]+", "today's N", text)
    text = re.sub(r"\d+\.\d+\.\d+\.dev\S+|sha256:\w+", "KIT", text)
    if ": " in name:
        return text
    return re.sub(r"\b\d[\d,]*\d\d\b|\b[2-9]\d\b", "N", re.sub(r"/\S*/(?=\w)", "", text))


def marks(*names: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if LARGE & set(names) else []


ALONE = [*RUNS, "merged", "check clean", "check wrong", "check board", *MATRICES]
ALONE += [name for kind in KINDS for name in accepted_names(kind) if name not in CONTRADICT]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in ALONE])
def test_a_page_in_brief(name: str, cli: Any, written: Any, examples: Examples, snapshot: Any) -> None:
    made = {}
    for one in ("text", "badge-json"):
        done = cli("report", written(name), "--format", one, "--exit-code")
        if "has no badge" not in done.stderr:
            made[one] = done.stdout
            assert done.returncode == examples(name)["exit_code"]
    assert steady(in_brief(made), name) == snapshot


@pytest.mark.parametrize(
    "names", [pytest.param(two, marks=marks(*two)) for two in DIFFERENCES], ids=" to ".join
)
def test_a_difference_in_brief(names: tuple[str, str], cli: Any, written: Any, snapshot: Any) -> None:
    done = cli("report", *map(written, names), "--exit-code")
    assert done.returncode in (0, 1), done.stderr
    brief = in_brief({"text": done.stdout})
    assert steady(f"exit code {done.returncode}\n{brief}", names[0]) == snapshot
    counts, whole = counts_of(done.stdout)
    assert sum(counts.values()) == whole


@pytest.mark.parametrize("names", DIFFERENCES[:2] + DIFFERENCES[-19:], ids=" to ".join)
def test_a_difference_in_every_format(names: tuple[str, str], pages: Any, cli: Any, written: Any) -> None:
    made = pages(*names)
    read_all(made)
    code = cli("report", *map(written, names), "-o", "x.html", "--exit-code").returncode
    assert bool(failing(read_junit(made["junit"]))) is (code != 0)


@pytest.mark.parametrize("name", WHOLE)
def test_a_page_in_full(name: str, cli: Any, written: Any, snapshot: Any) -> None:
    assert steady(cli("report", written(name), "--all").stdout, name) == snapshot


# A run


def test_a_failure_has_all_that_mends_it(cli: Any, written: Any, examples: Examples) -> None:
    text = cli("report", written("wrong")).stdout
    _, first, *_ = re.split(r"\n(?=mismatch: )", text)
    labels = re.findall(r"^  ([a-z ]+): ", first, re.MULTILINE)
    assert labels[:4] == ["rule", "clause", "op", "class"]
    wanted = {"why", "likely", "do", "input", "expected", "actual", "repeat", "this vector catches"}
    assert wanted <= set(labels)
    results = {one["id"]: one for one in examples("wrong")["results"] if one["outcome"] == "mismatch"}
    assert sorted(re.findall(r"^mismatch: (\S+) \(new\)$", text, re.MULTILINE)) == sorted(results)


def test_places_of_a_page_lead_to_each_other(pages: Any, examples: Examples) -> None:
    """A vector to its failure and its rule, a rule to its vectors and failures, a failure to its rule."""
    html = pages("wrong")["html"]
    for one in examples("wrong")["results"]:
        slug, failed = one["id"].partition("/")[2].replace("/", "."), one["outcome"] != "passed"
        row = html.split(f'id="v-{slug}"')[1].split("<tr")[0]
        assert (f'href="#f-{slug}"' in row) is failed
        rule = html.split(f'id="rule-{one["clause"]}"')[1].split("<tr")[0]
        assert (f'href="#f-{slug}"' in rule) is failed
        if failed:
            told = html.split(f'<div class="in" id="f-{slug}">')[1].split("</details>")[0]
            assert f'href="#rule-{one["clause"]}"' in told
            assert f'href="#v-{slug}"' in told
    back = ReadBack(html)
    values = {
        str(given["value"]) for tag, given in back.tags if tag in ("option", "input") and given.get("value")
    }
    for value in values:
        assert f"[value={value}]:checked" in back.raw["style"][0], "rows can be filtered without a script"
        assert any(
            value in (given.get("class") or "").split()
            for tag, given in back.tags
            if tag in ("tr", "details")
        )
    for tone in ("good", "bad", "known", "warn", "quiet"):
        assert re.search(rf"b\.{tone}::before[^{{]*\{{content:", back.raw["style"][0]), "a tone is a sign too"


def test_known_failures_have_their_reason_age_and_state(pages: Any) -> None:
    rows = pages("stale")["html"].split('id="known-')[1:]
    told = {row[0]: " ".join(re.sub("<[^>]+>", " ", row.split("<tr")[0]).split()) for row in rows}
    assert "evsys/compute/avg-*" in told["1"]
    assert re.search(
        r"fails as listed 2 since 2020-02-20, [\d,]+ days since 2020-02-20: a mean of ours", told["1"]
    )
    assert re.search("threshold-infinity mismatch passes: remove it 0 no date passes", told["2"])
    assert re.search(r"evsys/registry/\* mismatch fails as listed \d+ no date no reason given", told["3"])
    assert "evsys/gone/* mismatch matches nothing" in told["4"]
    assert "evsys/compute/pass-hat-* mismatch stale: remove it" in told["5"]


def test_other_vectors_than_this_kits_are_never_green(pages: Any, examples: Examples) -> None:
    other = changed(examples("right"), ("vectors", "digest"), "sha256:" + "0" * 64)
    other["vectors"]["version"] = other["vectors"]["latest"] = "9.0.0"
    made = pages(other)
    assert "note:  of other vectors than this kit's: version 9.0.0" in made["text"]
    assert not green(json.loads(made["badge-json"])["color"])


def test_properties_and_what_was_asked_again_are_on_the_page(pages: Any) -> None:
    for name in ("run: property-failed", "run: asked-again", "run: property-not-tried"):
        assert re.search("Properties|Asked again", pages(name)["text"])


def test_the_document_says_what_each_count_of_a_run_is(cli: Any, written: Any) -> None:
    text = (Examples.docs() / "reports.md").read_text(encoding="utf-8")
    told = text.partition("| count | what it is |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([a-z, ]+) \|", told, re.MULTILINE)
    every = [counts_of(cli("report", written(name)).stdout)[0] for name in RUNS if name not in LARGE]
    seen = {name for counts in every for name in counts}
    assert seen <= set(rows)
    assert all([one for one in rows if one in counts] == list(counts) for counts in every), "in this order"


# What changed


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("right", "wrong"), [r"mismatch: \S+ \(passed before\)", r"  input: ", r"evsys +lost +bytes +none"]),
        (("right", "without"), [r"evsys\.registry +\S.* +151"]),
        (("wrong", "filtered"), [r"only in the first +filtered"]),
        (("right", "pinned"), [r"only in the first +new in vectors 0\.4\.0"]),
        (("wrong", "merged"), [r"only in the first +in a missing shard"]),
        (("wrong", "shard 1"), [r"only in the first +in another shard"]),
        (("wrong", "none"), [r"only in the first +not reached"]),
        (("wrong", "stale"), [r"evsys/compute/avg-\* mismatch +added"]),
        (("stale", "wrong"), [r"evsys/compute/avg-\* mismatch +removed"]),
        (
            ("matrix", "matrix after"),
            ["newly fails", "fails no more", "class evsys: claimed at bytes, then at none"],
        ),
        (("matrix", "matrix gone"), ["no verdict in the later report"]),
        (("check clean", "check wrong"), [r"wrong: .* \(new\)"]),
    ],
    ids=lambda given: " to ".join(given) if isinstance(given, tuple) else "",
)
def test_what_changed_is_told(names: tuple[str, str], said: list[str], cli: Any, written: Any) -> None:
    text = cli("report", *map(written, names), "--all").stdout
    for one in said:
        assert re.search(one, text), (one, text[-6000:])


def test_answers_that_changed_are_told_though_both_fail(cli: Any, written: Any, examples: Examples) -> None:
    after = examples("wrong")
    one = next(one for one in after["results"] if one["outcome"] == "mismatch")
    one["actual"] = {"ok": {"other": 7}}
    done = cli("report", written("wrong"), written(after), "--all", "--exit-code")
    assert (done.returncode, counts_of(done.stdout)[0]["wrong in another way"]) == (0, 1)
    assert '{"other": 7}' in done.stdout
    before, after = examples("run: wrong-error"), examples("run: wrong-error")
    after["results"][0]["actual"]["error"]["message"] = "another"
    assert "wrong in another way" not in cli("report", written(before), written(after)).stdout


def test_what_only_one_of_two_asked_is_neither_new_nor_gone(
    cli: Any, written: Any, examples: Examples
) -> None:
    before, after = examples("fuzz: disagreements"), examples("fuzz: disagreements")
    after["ops"]["scores"] = after["ops"].pop("aggregate")
    for cause in after["causes"]:
        cause["op"] = "scores"
    fuzzed = cli("report", written(before), written(after | {"kit_version": "0.3.0"}), "--exit-code")
    assert (fuzzed.returncode, list(counts_of(fuzzed.stdout)[0])) == (0, ["not comparable"])
    before, after = examples("metric: one-finding"), examples("metric: one-finding")
    for one in (*after["cases"], *after["findings"]):
        one["name" if "name" in one else "case"] = "all-null"
    checked = cli("report", written(before), written(after), "--exit-code")
    assert (checked.returncode, list(counts_of(checked.stdout)[0])) == (0, ["not comparable"])
    for text, said in (
        (fuzzed.stdout, "asked in the earlier run alone: aggregate"),
        (fuzzed.stdout, "asked in the later run alone: scores"),
        (fuzzed.stdout, "the two are of different kits"),
        (checked.stdout, "tried by the later report alone: all-null"),
    ):
        assert f"note:  {said}" in text


def test_a_report_is_compared_with_one_of_an_earlier_kit(cli: Any, written: Any, examples: Examples) -> None:
    older = copy.deepcopy(examples("wrong"))
    for name in ("vectors", "selection", "known_failures", "clauses"):
        del older[name]
    for one in older["classes"].values():
        del one["vectors"]
    for one in older["results"]:
        for name in ("rule", "since", "demanded", "repeat", "catches", "asked"):
            del one[name]
    for one in older["asked_again"]["results"]:
        del one["repeat"], one["demanded"]
    done = cli("report", written(older), written("wrong"), "--exit-code")
    assert done.returncode == 0
    assert "note:  the first: of an earlier kit" in done.stdout
    alone = cli("report", written(older)).stdout
    assert re.findall("^mismatch: .*", alone, re.M) == re.findall(
        "^mismatch: .*", cli("report", written("wrong")).stdout, re.M
    )
    assert "repeat: harbor-conformance run" in alone


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("right", "run: all-passed"), "these have no vector in common"),
        (("right", "matrix: compared"), "two reports of one kind can be compared"),
        (("right", "liar"), "contradicts itself"),
        (("liar", "right"), "contradicts itself"),
        (("metric: one-finding", "other"), "no case in common"),
    ],
    ids=lambda given: " to ".join(given) if isinstance(given, tuple) else "",
)
def test_what_can_not_be_compared_is_said(
    names: tuple[str, str], sentence: str, cli: Any, written: Any, examples: Examples
) -> None:
    made = {
        "liar": changed(examples("right"), ("totals", "passed"), 1),
        "other": examples("metric: one-finding") | {"contract": "evsys"},
    }
    done = cli("report", *(written(made.get(name, name)) for name in names))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert sentence in done.stderr


# Commands that repeat it


@pytest.mark.parametrize("name", ["wrong", "demanded", "dying", "matrix"])
def test_what_a_page_says_repeats_a_failure_does(name: str, cli: Any, written: Any, played: None) -> None:
    text = cli("report", written(name)).stdout
    (command, *_) = re.findall(r"^ +repeat: (.*)$", text, re.MULTILINE)
    again = cli(*shlex.split(command)[1:])
    assert again.returncode == 1 or "unsupported" in again.stdout
    assert "0 of 1 " in again.stdout


def test_the_command_of_a_finding_explains_it(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a job's", spoil=True)
    put(tmp_path / "-v", spoil=True)
    leaderboard(tmp_path / "board")
    for words in (("a job's", "--level", "value"), ("board",), ("--", "-v")):
        (tmp_path / "r.json").write_text(cli("check", "--json", "--jobs", 1, *words).stdout, "utf-8")
        (command, *_) = re.findall(r"^ +repeat: (.*)$", cli("report", "r.json").stdout, re.MULTILINE)
        jobs = json.loads((tmp_path / "r.json").read_text("utf-8"))["jobs"]
        (finding, *_) = [one for job in jobs for one in job["findings"]]
        monkeypatch.chdir(tmp_path / "board" if words == ("board",) else tmp_path)
        done = CliRunner().invoke(check, shlex.split(command)[2:])
        assert done.exit_code == 0, done.output
        assert finding["expected"] in done.stdout
