"""What changed between two audits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.publishing.blocks import Failures, Ranges, Table, plain
from conformance.publishing.differences.check import difference
from conformance.publishing.formats import FORMATS, rendered
from conformance.publishing.model import Page
from conformance.publishing.reading import PublishingError
from tests.publishing.check.conftest import Report, put, wrong


def blocks(made: Page, kind: type) -> list[Any]:
    return [block for section in made.sections for block in section.blocks if isinstance(block, kind)]


def counts(made: Page) -> dict[str, int]:
    return {one.name: one.number for one in made.counts if one.number}


def test_nothing_changed(leaderboard: Path, report: Report) -> None:
    document = report(leaderboard)
    made = difference(document, document)
    assert made.exit_code == 0
    assert counts(made) == {"as before": 6}
    assert not blocks(made, Failures)
    assert {one.state for one in made.cases} == {"passed"}


def test_a_new_finding_is_worse(leaderboard: Path, report: Report) -> None:
    before = report(leaderboard)
    wrong(leaderboard / "a" / "one")
    after = report(leaderboard)
    made = difference(before, after)
    assert made.exit_code == 1
    assert counts(made) == {"worse": 1, "as before": 5}
    [shown] = blocks(made, Failures)
    assert {plain(dict(one.fields)["job"])[-5:] for one in shown.failures} == {"a/one"}
    assert {one.expectation.text for one in shown.failures} == {"new"}
    assert [one.state for one in made.cases].count("failed") == 1
    assert made.notes
    back = difference(after, before)
    assert back.exit_code == 0
    assert counts(back) == {"better": 1, "as before": 5}
    assert back.notes == ()


def test_a_job_that_can_not_be_judged_any_more_is_worse_and_nothing_of_it_gone(
    tmp_path: Path, report: Report
) -> None:
    job = wrong(tmp_path / "job")
    before = report(job)
    for path in sorted(job.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    after = report(job)
    made = difference(before, after)
    assert made.exit_code == 1
    assert counts(made) == {"worse": 1}
    assert "gone-findings" not in {section.anchor for section in made.sections}
    assert [one.state for one in made.cases] == ["error"]


def test_jobs_are_new_and_gone(leaderboard: Path, report: Report) -> None:
    before = report(leaderboard)
    put(leaderboard / "a" / "three")
    wrong(leaderboard / "a" / "four")
    after = report(leaderboard)
    made = difference(before, after)
    assert counts(made) == {"new": 1, "new, and not clean": 1, "as before": 6}
    assert made.exit_code == 1
    back = difference(after, before)
    assert counts(back) == {"gone": 2, "as before": 6}
    assert back.exit_code == 0
    assert any("2 jobs" in plain(line) for line in back.warnings)
    assert sum(one.number for one in back.counts) == 8


def test_a_job_is_compared_with_its_next_run_whatever_its_name(tmp_path: Path, report: Report) -> None:
    made = difference(report(put(tmp_path / "monday")), report(wrong(tmp_path / "tuesday")))
    assert counts(made) == {"worse": 1}


def test_scores_and_tasks_that_moved(tmp_path: Path, report: Report) -> None:
    made = difference(report(put(tmp_path / "a" / "job")), report(put(tmp_path / "b" / "job", "pass-at-k")))
    [ranges] = blocks(made, Ranges)
    assert [one.value for one in ranges.ranges] == [0.5, 0.3]
    table = next(one for one in blocks(made, Table) if one.caption.startswith("Harbor's mean"))
    [row] = table.rows
    assert plain(row.cells[4]) == "-20"
    assert sum(int(plain(cell)) for cell in row.cells[-3:]) >= 1


def test_every_format_takes_it(leaderboard: Path, report: Report) -> None:
    before = report(leaderboard)
    wrong(leaderboard / "a" / "one")
    made = difference(before, report(leaderboard))
    for name in FORMATS:
        if not name.startswith("badge"):
            assert "worse" in rendered(made, name) or name == "junit"


def test_one_that_contradicts_itself_is_refused(leaderboard: Path, report: Report) -> None:
    good, bad = report(leaderboard), report(leaderboard)
    bad["summary"]["jobs"] = 7
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(PublishingError, match="contradicts itself"):
            difference(*pair)
