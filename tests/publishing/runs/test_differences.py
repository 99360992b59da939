"""The difference of two runs: what got worse, and nothing else, also of other levels, sets and kits."""

from typing import Any

import pytest

from conformance.publishing.blocks import Tone
from conformance.publishing.comparing import difference
from conformance.publishing.reading import Document, PublishingError
from tests.publishing.sizes import CURRENT, REWARD_FILES

Json = Any


@pytest.fixture
def between(reports: Any, shown_of: Any) -> Any:
    """The page of what changed from one report to another; of documents where they are given."""

    def made(before: Json, after: Json) -> Any:
        documents = [
            Document("run", "r.json", reports(one) if isinstance(one, str) else one)
            for one in (before, after)
        ]
        found = shown_of(difference(*documents))
        anchors = found.anchors()
        assert len(anchors) == len(set(anchors))
        assert found.links() <= set(anchors)
        ids = {
            one["id"].partition("/")[2]
            for one in (*documents[0].content["results"], *documents[1].content["results"])
        }
        assert sum(found.counts.values()) == len(ids)
        assert (found.page.exit_code == 0) is not any(
            case.state in ("failed", "error") for case in found.page.cases
        )
        assert len(found.page.notes) <= 10
        return found

    return made


def test_the_same_is_the_same(between: Any) -> None:
    found = between("naive", "naive")
    assert found.page.verdict.word == "nothing got worse"
    assert found.page.verdict.tone is Tone.GOOD
    assert found.counts == {
        "got worse": 0,
        "got better": 0,
        "still failing": 85,
        "still passing": CURRENT - 85,
    }
    assert found.page.exit_code == 0


def test_what_got_worse_is_told_in_full(between: Any, reports: Any) -> None:
    found = between("right", "naive")
    assert found.page.verdict.word == f"{found.counts['got worse'] + worse_again(reports)} got worse"
    assert found.page.exit_code == 1
    one = found.failures("worse")["harbor-0.13.1/aggregation/sum-ten-tenths"]
    assert (one.result.text, one.expectation.text) == ("mismatch", "passed before")
    assert {"input", "expected", "actual"} <= {name for name, _ in one.texts}
    assert one.repeat is not None
    lost = {"".join(map(str, row.cells[0])) for row in found.rows("classes") if cell(row.cells[1]) == "lost"}
    assert lost == {"aggregation", "job", "pass-at-k", "scores", "outcome", "multi-step"} - kept(reports)
    back = between("naive", "right")
    assert back.counts["got better"] == found.counts["got worse"]
    assert back.page.exit_code == 0


def cell(line: Any) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in line)


def kept(reports: Any) -> set[str]:
    return {name for name, one in reports("naive")["classes"].items() if one["claimed"]}


def worse_again(reports: Any) -> int:
    """Vectors that fail in the same other words, of those that both runs asked."""
    asked = {one["id"] for one in reports("right")["asked_again"]["results"]}
    again = reports("naive")["asked_again"]["results"]
    return sum(one["id"] in asked and one["outcome"] != "passed" for one in again)


def test_what_is_not_answered_any_more_is_told_by_op(between: Any) -> None:
    found = between("right", "first")
    rows = {cell(row.cells[0]): cell(row.cells[2]) for row in found.rows("worse")}
    assert rows["parse_reward"] == str(REWARD_FILES)
    assert "aggregate" not in rows
    assert len(found.failures("worse")) < 200
    assert (
        any("is not answered any more" in note.text for note in found.page.notes)
        or len(found.page.notes) == 10
    )


def test_two_levels_are_held_to_the_weaker(between: Any) -> None:
    found = between("naive", "naive at value")
    assert found.warnings[0].startswith("two levels: both are held to the weaker one, value")
    assert found.counts["got worse"] == found.counts["got better"] == 0


def test_what_only_one_has_is_told_with_its_reason(between: Any) -> None:
    for before, after, reason in (
        ("first", "filtered", "filtered"),
        ("right", "pinned", "new in vectors 0.4.0"),
        ("first", "merged", "in a missing shard"),
        ("first", "shard-1", "in another shard"),
        ("first", "interrupted", "filtered"),
        ("first", "none", "not reached"),
    ):
        rows = between(before, after).rows("one-sided")
        reasons = {cell(row.cells[1]) for row in rows if cell(row.cells[0]) == "only in the first"}
        assert reason in reasons, after


def test_releases_are_compared_by_what_stands_behind_the_spec(between: Any) -> None:
    found = between("right", "release")
    assert found.warnings[0].startswith(
        "two specs: vectors are compared by what stands behind harbor-0.13.1 and"
    )
    assert "due another answer in the second" in found.warnings[0]
    reasons = {cell(row.cells[1]) for row in found.rows("one-sided")}
    assert "not in harbor-0.25.0" in reasons
    assert found.page.verdict.tone is Tone.WARN


def test_known_failures_that_came_and_went(between: Any) -> None:
    found = between("naive", "stale")
    rows = {cell(row.cells[0]): cell(row.cells[1]) for row in found.rows("known-failures")}
    assert rows["harbor-0.13.1/aggregation/sum-* mismatch"] == "added"
    assert found.counts["got worse"] == 0  # they failed before as well
    assert found.page.verdict.tone is Tone.WARN
    assert "claim was lost all the same" in found.page.verdict.sentence
    back = between("stale", "naive")
    assert {cell(row.cells[1]) for row in back.rows("known-failures")} == {"removed"}


def test_answers_that_changed_are_told_though_both_fail(between: Any, reports: Any) -> None:
    after = reports("naive")
    one = next(one for one in after["results"] if one["outcome"] == "mismatch")
    one["actual"] = {"ok": {"other": 7}}
    found = between("naive", after)
    assert found.counts["wrong in another way"] == 1
    assert found.page.exit_code == 0
    (row,) = found.rows("otherwise")
    assert cell(row.cells[4]) == '{"other": 7}'


def test_a_message_alone_is_no_change(between: Any, reports: Any) -> None:
    after = reports("first")
    for one in after["results"]:
        if one["outcome"] == "wrong-error":
            one["actual"]["error"]["message"] = "another"
    assert "wrong in another way" not in between("first", after).counts


def test_a_second_run_without_verdict_is_never_green(between: Any) -> None:
    for name, word in (("interrupted", "no verdict"), ("none", "could not be tried")):
        found = between("first", name)
        assert found.page.verdict.word == f"the second run: {word}"
        assert found.page.exit_code == 1


def test_reports_of_earlier_kits_are_compared(between: Any, reports: Any, older: Any) -> None:
    found = between(older(reports("first")), "first")
    assert found.counts["got worse"] == 0
    assert found.warnings[0].startswith("the first: of an earlier kit")


def test_what_can_not_be_compared_is_said(between: Any, reports: Any) -> None:
    with pytest.raises(PublishingError, match="these have no vector in common"):
        between("right", "evsys")
    with pytest.raises(PublishingError, match="two reports of one kind can be compared"):
        difference(Document("run", "a.json", reports("right")), Document("matrix", "b.json", {}))
    lie = reports("right")
    lie["totals"]["passed"] = 1
    with pytest.raises(PublishingError, match="contradicts itself"):
        between("right", lie)
