"""The page of a run: what is first, what adds up, what leads where, what is never green."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from conformance import __version__
from conformance.publishing.blocks import Bars, Tone
from conformance.publishing.kinds.run import page
from tests.publishing.sizes import CURRENT

SHOWN = (
    *("right", "first", "naive at value", "demanded", "filtered", "filtered and right", "pinned", "shard-1"),
    *("merged", "stale", "dying", "none", "nothing", "evsys", "release", "interrupted"),
)
RIGHT = {"right", "evsys", "release"}


@pytest.mark.parametrize("name", SHOWN)
def test_counts_add_up_to_the_vector_set(name: str, shown: Any, reports: Any) -> None:
    document, found = reports(name), shown(name)
    said = document["vectors"]
    assert sum(found.counts.values()) == said["total"] + said["newer"]
    assert len(found.rows("vectors")) == said["total"]
    states = Counter(row.facets["outcome"] for row in found.rows("vectors"))
    for outcome in ("filtered", "not reached"):
        assert states[outcome] == found.counts.get(outcome, 0)
    (bars,) = [block for block in found.section("classes").blocks if isinstance(block, Bars)]
    assert sum(part.number for bar in bars.bars for part in bar.parts) == said["total"]


@pytest.mark.parametrize("name", SHOWN)
def test_links_lead_somewhere_and_anchors_are_one_each(name: str, shown: Any) -> None:
    found = shown(name)
    anchors = found.anchors()
    assert len(anchors) == len(set(anchors))
    assert found.links() <= set(anchors)
    assert all(re.fullmatch(r"[a-z][A-Za-z0-9._-]*", anchor) for anchor in anchors)


@pytest.mark.parametrize("name", SHOWN)
def test_only_the_whole_is_good(name: str, shown: Any, reports: Any) -> None:
    document, found = reports(name), shown(name)
    good = name in RIGHT
    assert (found.page.verdict.tone is Tone.GOOD) is good
    assert (found.page.badge.tone is Tone.GOOD) is good
    assert found.page.exit_code == document["exit_code"]
    states = {case.state for case in found.page.cases}
    assert (document["exit_code"] == 0) is not bool(states & {"failed", "error"})
    assert len(found.page.notes) <= 10
    assert bool(found.page.notes) is (document["exit_code"] != 0)
    if not document["complete"]:
        assert found.warnings[0].startswith("in part: ")
        sentence = found.page.verdict.sentence
        assert "In part: " in sentence or f"None of {CURRENT:,} vectors has a result" in sentence
        whole = f"{document['vectors']['total'] + document['vectors']['newer']:,}"
        assert found.page.badge.message.startswith(("in part: ", "no verdict", "could not be tried"))
        assert whole in found.page.badge.message or not found.page.badge.message.startswith("in part")


def test_what_conforms(shown: Any) -> None:
    found = shown("right")
    assert found.page.verdict.word == "conforms"
    assert found.page.verdict.sentence == f"All {CURRENT:,} vectors passed; 7 of 7 classes are claimed."
    assert (found.page.badge.label, found.page.badge.message) == (
        "harbor-0.13.1 · bytes",
        f"{CURRENT:,} of {CURRENT:,} · all classes",
    )
    assert found.warnings == []
    assert found.facts["runner"].startswith("reference_impl ")
    assert list(found.facts)[:6] == ["level", "kit", "vectors", "spec", "protocol", "runner"]


def test_a_failure_has_all_that_mends_it(shown: Any, reports: Any) -> None:
    found = shown("first")
    failed = {
        one["id"] for one in reports("first")["results"] if one["outcome"] in ("mismatch", "wrong-error")
    }
    accounts = found.failures()
    assert failed <= accounts.keys()
    one = accounts["harbor-0.13.1/aggregation/sum-ten-tenths"]
    assert (one.result.text, one.expectation.text) == ("mismatch", "new")
    assert one.anchor == "f-aggregation.sum-ten-tenths"
    fields, texts = {name for name, _ in one.fields}, dict(one.texts)
    assert {"clause", "op", "class", "why", "likely", "do", "this vector catches"} <= fields
    assert json.loads(texts["input"])["metric"] == "sum"
    assert (texts["expected"], texts["actual"]) == ('{"sum": 1.0}', '{"sum": 0.9999999999999999}')
    assert one.repeat is not None
    assert one.repeat.endswith("--spec harbor-0.13.1 harbor-0.13.1/aggregation/sum-ten-tenths")


def test_a_rule_leads_to_its_vectors_and_their_failures_and_back(shown: Any, reports: Any) -> None:
    found = shown("first")
    rows = {row.anchor: row for row in found.rows("rules")}
    vectors = found.under("vectors")
    for one in reports("first")["results"]:
        slug = one["id"].partition("/")[2].replace("/", ".")
        to_rule = f"rule-{one['clause']}"
        leads = {piece.anchor for piece in rows[to_rule].cells[3] if not isinstance(piece, str)}
        under = [row.anchor for row in vectors[to_rule]]
        assert f"v-{slug}" in under
        assert under[0] in leads, "to where the rule's vectors stand together"
        assert (f"f-{slug}" in leads) == (one["outcome"] not in ("passed", "unsupported"))
    told = {one.anchor: one for one in found.failures().values()}
    for one in told.values():
        assert any(getattr(piece, "anchor", "") in rows for _, line in one.fields for piece in line)


def test_result_and_expectation_are_apart(shown: Any) -> None:
    accounts = shown("stale").failures().values()
    kinds = Counter((one.result.text, one.expectation.text) for one in accounts)
    assert kinds["mismatch", "known failure"] > 20
    assert kinds["mismatch", "new"] >= 40
    assert kinds["passed", "listed as a known failure"] == 1
    order = [one.expectation.text == "known failure" for one in accounts]
    assert order == sorted(order)


def test_known_failures_have_their_reason_age_and_state(shown: Any, reports: Any) -> None:
    rows = {
        row.anchor: [shown_cell(cell) for cell in row.cells] for row in shown("stale").rows("known-failures")
    }
    day = reports("stale")["started_at"][:10]
    expected = str(reports("stale")["known_failures"]["entries"][0]["expected"])
    assert rows["known-1"][:4] == ["harbor-0.13.1/aggregation/sum-*", "mismatch", "fails as listed", expected]
    assert re.fullmatch(r"since 2020-02-20, [\d,]+ days", rows["known-1"][4])
    assert day > "2026"
    assert rows["known-1"][5] == "since 2020-02-20: naive sums"
    assert rows["known-2"][2] == "passes: remove it"
    assert rows["known-3"][2] == "stale: remove it"
    assert rows["known-3"][4:6] == ["no date", "no reason given"]
    assert rows["known-4"][2] == "matches nothing"
    notes = shown("stale").page.notes
    assert [(note.file, note.line) for note in notes if note.file] == [
        ("stale.txt", line) for line in (2, 3, 4)
    ]


def shown_cell(cell: Any) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in cell)


def test_demanded_classes_are_bad(shown: Any) -> None:
    found = shown("demanded")
    assert found.counts["unsupported, demanded"] > 0
    assert found.page.badge.tone is Tone.BAD
    told = [one for one in found.failures().values() if one.expectation.text == "demanded"]
    assert len(told) == found.counts["unsupported, demanded"]
    assert all(one.repeat for one in told)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("first", "fails · no class claimed"),
        ("demanded", "fails · no class claimed"),
        ("stale", r"\d+ known, fails · no class claimed"),
    ],
)
def test_the_badge_counts_of_the_whole_set(name: str, said: str, shown: Any) -> None:
    found = shown(name)
    passed = f"{found.counts['passed']:,} of {CURRENT:,}"
    assert f"{passed} vectors passed" in found.page.verdict.sentence
    assert re.fullmatch(f"{passed}, {said}", found.page.badge.message)


def test_what_could_not_be_tried_says_why_first(shown: Any) -> None:
    found = shown("none")
    assert found.page.sections[0].anchor == "problems"
    assert found.page.verdict.word == "could not be tried"
    assert "there-is-no-such-runner" in found.page.verdict.sentence
    assert found.counts["not reached"] == CURRENT
    assert found.page.badge.message == "could not be tried"
    assert [case.state for case in found.page.cases] == ["error"]


def test_an_end_on_demand_is_no_verdict(shown: Any) -> None:
    found = shown("interrupted")
    assert found.page.verdict.word == "no verdict"
    assert found.page.badge.message == "no verdict"
    assert found.counts["not reached"] > 0
    assert found.counts["filtered"] > 2800
    assert found.page.exit_code == 130


def test_parts_are_named(shown: Any) -> None:
    found = shown("merged")
    assert found.counts["in missing shards"] > 800
    assert any(line.startswith("shard is missing: 2/3, with ") for line in found.warnings)
    assert found.page.verdict.tone is Tone.BAD
    alone = shown("shard-1")
    assert alone.counts["in other shards"] > 1800
    assert "filtered" not in alone.counts
    older = shown("pinned")
    assert older.counts["newer, left out"] == CURRENT - older.counts["passed"]
    assert older.page.badge.label == "harbor-0.13.1 · bytes · vectors 0.3.0"


def test_a_dying_runner_is_told_by_its_deaths(shown: Any) -> None:
    found = shown("dying")
    assert found.page.verdict.word == "does not conform"
    crashes = [one for one in found.failures().values() if one.result.text == "crash"]
    assert crashes
    assert all(dict(one.texts)["actual"] == "no answer" for one in crashes)


def test_reports_of_the_kit_before_this_are_shown(reports: Any, older: Any, shown_of: Any) -> None:
    now, found = shown_of(page(reports("first"))), shown_of(page(older(reports("first"))))
    assert found.counts == now.counts
    assert found.warnings[0].startswith("of an earlier kit, which does not say which vectors it had")
    told, was = found.failures(), now.failures()
    assert told.keys() == was.keys()
    for key, one in told.items():
        assert one.repeat == was[key].repeat
        assert one.summary == was[key].summary
        assert dict(one.texts) == dict(was[key].texts)
    assert found.page.badge.label.endswith(f" · kit {__version__}")
    part = shown_of(page(older(reports("filtered and right"))))
    assert "of how many the report does not say" in part.page.verdict.sentence
    assert part.page.badge.tone is Tone.WARN
    right = shown_of(page(older(reports("right"))))
    assert right.page.badge.tone is Tone.PLAIN
    known = shown_of(page(older(reports("stale"))))
    assert [shown_cell(row.cells[0]) for row in known.rows("known-failures")] == [
        "harbor-0.13.1/aggregation/empty-list-mean mismatch",
        "harbor-0.13.1/aggregation/sum-* mismatch",
    ]


def test_vectors_that_are_not_this_kits_are_never_green(reports: Any, shown_of: Any) -> None:
    document = reports("right")
    document["vectors"]["digest"] = "sha256:" + "0" * 64
    document["vectors"]["version"] = document["vectors"]["latest"] = "9.0.0"
    found = shown_of(page(document))
    assert found.warnings[0].startswith("of other vectors than this kit's: version 9.0.0, not ")
    assert found.page.badge.tone is Tone.PLAIN
    assert found.page.badge.label.endswith("vectors 9.0.0")


def test_a_runner_of_some_classes_is_not_green(reports: Any, shown_of: Any) -> None:
    """What a fork's report looks like: whole classes unsupported, all others claimed."""
    document = reports("right")
    gone = {one["id"] for one in document["results"] if one["class"] == "outcome"}
    ops = {one["op"] for one in document["results"] if one["class"] == "outcome"}
    for one in document["results"]:
        if one["id"] in gone:
            one.update(outcome="unsupported", level=None, detail="not harbor's")
    document["totals"].update(passed=CURRENT - len(gone), unsupported=len(gone))
    document["classes"]["outcome"].update(
        claimed=None, reached=None, totals={"unsupported": len(gone)}, reason="all vectors were unsupported"
    )
    document["runner"]["ops"] = [op for op in document["runner"]["ops"] if op not in ops]
    for one in document["offer"]["ops"]:
        if one["op"] in ops:
            one.update(offered=False, passed=0, unsupported=one["vectors"])
    document["offer"].update(vectors=CURRENT - len(gone), passed=CURRENT - len(gone))
    again = document["asked_again"]
    again["results"] = [one for one in again["results"] if one["id"] not in gone]
    again["asked"] = len(again["results"])
    found = shown_of(page(document))
    assert found.page.verdict.word == "conforms in part"
    assert (found.page.badge.message, found.page.badge.tone) == (
        f"{CURRENT - len(gone):,} of {CURRENT:,} · all but outcome",
        Tone.PLAIN,
    )
    assert found.page.exit_code == 0
