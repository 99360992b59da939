"""The page of an audit says what the report says; of a report that contradicts itself there is none."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.check.submissions.scores import DENOMINATORS as DUE
from conformance.cli.check import check
from conformance.publishing.blocks import Bars, Failures, Heat, Link, Ranges, Table, Tone, plain
from conformance.publishing.formats import FORMATS, rendered
from conformance.publishing.kinds.check import page
from conformance.publishing.kinds.checks.words import DENOMINATORS
from conformance.publishing.model import Page
from conformance.publishing.reading import PublishingError
from tests.publishing.check.conftest import Report, put, wrong

Document = dict[str, Any]


def blocks(made: Page, kind: type) -> list[Any]:
    return [block for section in made.sections for block in section.blocks if isinstance(block, kind)]


def anchors(made: Page) -> Counter[str]:
    found = Counter(section.anchor for section in made.sections)
    found.update(row.anchor for table in blocks(made, Table) for row in table.rows if row.anchor)
    found.update(one.anchor for block in blocks(made, Failures) for one in block.failures)
    return found


def links(value: Any) -> list[Link]:
    if isinstance(value, Link):
        return [value]
    if isinstance(value, str | int | float | None) or not hasattr(value, "__iter__"):
        slots = getattr(value, "__dataclass_fields__", {})
        return [link for name in slots for link in links(getattr(value, name))]
    return [link for one in value for link in links(one)]


def test_a_clean_job_is_a_good_page(tmp_path: Path, report: Report) -> None:
    made = page(report(put(tmp_path / "job")))
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("clean", Tone.GOOD, 0)
    assert {one.name: one.number for one in made.counts} == {
        "clean": 1,
        "differs": 0,
        "wrong": 0,
        "unfinished": 0,
        "not judged": 0,
    }
    assert made.badge is not None
    assert made.badge.tone is Tone.GOOD
    assert made.badge.label == "check · harbor-0.13.1 · bytes"
    assert made.badge.message == "1 of 1 job clean"
    assert not made.warnings
    assert [one.state for one in made.cases] == ["passed"]


def test_without_reward_files_no_badge_is_good(tmp_path: Path, report: Report) -> None:
    made = page(report("--results-only", put(tmp_path / "job")))
    assert made.verdict.tone is Tone.GOOD
    assert made.badge is not None
    assert made.badge.tone is Tone.PLAIN
    assert "by records alone" in made.badge.message
    assert any("judged by their records" in plain(line) for line in made.warnings)


def test_a_job_that_has_not_finished_is_not_clean(tmp_path: Path, report: Report) -> None:
    made = page(report(put(tmp_path / "job", "stopped-half-way")))
    assert made.verdict.tone is Tone.WARN
    assert made.verdict.word == "1 of 1 job unfinished"
    assert made.badge is not None
    assert made.badge.tone is Tone.WARN
    assert [one.state for one in made.cases] == ["skipped"]


def test_a_wrong_job_is_told_with_the_command_that_explains_it(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = report("--level", "value", wrong(tmp_path / "a job's"))
    made = page(document)
    assert (made.verdict.word, made.verdict.tone, made.exit_code) == ("1 of 1 job wrong", Tone.BAD, 1)
    [shown] = blocks(made, Failures)
    one = shown.failures[0]
    [finding] = [each for each in document["jobs"][0]["findings"] if each["id"] in one.title]
    assert one.result.text == finding["severity"] == "wrong"
    assert one.expectation.text == "fails the check"
    assert dict(one.texts) == {"found": finding["found"], "expected": finding["expected"]}
    fields = {name: plain(line) for name, line in one.fields}
    assert fields["place"] == finding["path"]
    assert fields["clause"] == finding["clause"]
    assert finding["rule"] in plain(one.summary)
    assert one.repeat is not None
    assert finding["expected"] in explained(one.repeat)
    assert made.cases[0].state == "failed"
    assert len(made.notes) == len(document["summary"]["kinds"])


def explained(command: str) -> str:
    """What the command prints."""
    import shlex

    words = shlex.split(command)
    assert words[:2] == ["harbor-conformance", "check"]
    result = CliRunner().invoke(check, words[2:])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_of_jobs_below_a_folder_the_command_is_for_that_folder(
    leaderboard: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = page(report(leaderboard))
    monkeypatch.chdir(leaderboard)
    [shown] = blocks(made, Failures)
    for one in shown.failures[:3]:
        assert dict(one.texts)["expected"][:40] in explained(one.repeat)


def test_fail_on_says_what_fails(tmp_path: Path, report: Report) -> None:
    made = page(report("--fail-on", "never", wrong(tmp_path / "job")))
    assert made.exit_code == 0
    assert made.verdict.tone is Tone.BAD, "a number that is wrong is wrong"
    assert {one.expectation.text for block in blocks(made, Failures) for one in block.failures} == {
        "does not fail the check"
    }
    assert [one.state for one in made.cases] == ["passed"]
    assert all(note.severity == "warning" for note in made.notes)


def test_a_place_without_a_job_is_an_error(tmp_path: Path, report: Report) -> None:
    (tmp_path / "empty").mkdir()
    made = page(report(tmp_path / "empty", put(tmp_path / "job")))
    assert made.exit_code == 2
    assert made.verdict.word == "1 of 2 jobs not judged"
    assert sorted(one.state for one in made.cases) == ["error", "passed"]
    assert made.badge is not None
    assert made.badge.tone is Tone.BAD
    assert made.notes[0].severity == "error"


def test_a_leaderboard_has_scores_pictures_and_every_job(leaderboard: Path, report: Report) -> None:
    document = report(leaderboard)
    made = page(document)
    assert sum(one.number for one in made.counts) == len(document["jobs"]) == 6
    [bars] = blocks(made, Bars)
    assert sum(part.number for bar in bars.bars for part in bar.parts) == 6
    trials = sum(group["records"] for one in document["submissions"] for group in one["groups"])
    cells = [
        cell
        for heat in blocks(made, Heat)
        if heat.caption.startswith("Trials")
        for row in heat.rows
        for cell in row.cells
    ]
    assert sum(cell.state != "missing" for cell in cells) == trials
    ranges = [each for block in blocks(made, Ranges) for each in block.ranges]
    for one in document["submissions"]:
        for group in one["groups"]:
            for name, score in group["scores"][0]["by"].items():
                assert any(
                    each.label == DENOMINATORS[name] and each.value == score["value"] for each in ranges
                ), (one["name"], name)
    assert any(each.marked for each in ranges)
    table = next(each for each in blocks(made, Table) if each.caption == "All jobs")
    assert len(table.rows) == 6
    assert {row.facets["verdict"] for row in table.rows} == {job["verdict"] for job in document["jobs"]}


def test_a_job_of_its_own_has_scores_and_trials_too(tmp_path: Path, report: Report) -> None:
    made = page(report(put(tmp_path / "job", "pass-at-k")))
    [heat] = blocks(made, Heat)
    assert [len(row.cells) for row in heat.rows] == [5, 5]
    assert Counter(cell.state for row in heat.rows for cell in row.cells)["errored"] == 2
    [ranges] = blocks(made, Ranges)
    assert ranges.stated == 0.3


def test_a_report_of_an_older_kit_is_a_page_without_trials(leaderboard: Path, report: Report) -> None:
    document = report(leaderboard)
    del document["asked"]
    for one in document["submissions"]:
        for group in one["groups"]:
            del group["trials"]
    made = page(document)
    assert not blocks(made, Heat)
    assert blocks(made, Ranges)


def test_every_link_leads_somewhere_and_every_anchor_is_one(leaderboard: Path, report: Report) -> None:
    made = page(report(leaderboard))
    known = anchors(made)
    assert max(known.values()) == 1
    told = [link for section in made.sections for link in links(section)]
    assert told
    assert [link for link in told if link.anchor not in known] == []


def test_findings_of_one_job_hide_none_of_another(tmp_path: Path, report: Report) -> None:
    document = report(wrong(tmp_path / "first"), wrong(tmp_path / "second"))
    job = document["jobs"][0]
    many = [{**job["findings"][0], "id": f"{at:010x}"} for at in range(1000)]
    added = len(many)
    severity, kind = many[0]["severity"], many[0]["kind"]
    job["findings"] += many
    job["total"] += added
    job["severities"][severity] += added
    job["counts"][kind] += added
    document["summary"]["total"] += added
    next(one for one in document["summary"]["kinds"] if (one["kind"], one["severity"]) == (kind, severity))[
        "count"
    ] += added
    made = page(document)
    [shown] = blocks(made, Failures)
    assert len(shown.failures) + shown.left_out == document["summary"]["total"]
    jobs = [plain(dict(one.fields)["job"]) for one in shown.failures[:4]]
    assert len(set(jobs)) == 2
    assert any("not told one by one" in plain(line) for line in made.warnings)


Change = Callable[[Document], Any]


def _later(key: str, value: Any) -> Change:
    return lambda document: document["summary"].__setitem__(key, value)


CONTRADICTIONS: dict[str, Change] = {
    "a job more": _later("jobs", 7),
    "trials": _later("trials", 1),
    "unverified": _later("unverified", 1),
    "findings": _later("total", 0),
    "verdicts": lambda d: d["summary"]["verdicts"].__setitem__("clean", 6),
    "a kind's count": lambda d: d["summary"]["kinds"][0].__setitem__("count", 99),
    "a kind left out": lambda d: d["summary"]["kinds"].pop(),
    "exit code": lambda d: d.__setitem__("exit_code", 0),
    "an exit code of a signal": lambda d: d.__setitem__("exit_code", 130),
    "a job left out": lambda d: d["jobs"].pop(),
    "a verdict": lambda d: next(j for j in d["jobs"] if j["verdict"] == "wrong").update(verdict="clean"),
    "findings by severity": lambda d: d["jobs"][0]["severities"].__setitem__("note", 5),
    "more errors than trials": lambda d: d["jobs"][0].__setitem__("errored", 1000),
    "a submission left out": lambda d: d["submissions"].pop(),
    "a submission's jobs": lambda d: d["submissions"][0]["jobs"].__setitem__("clean", 9),
    "scored trials": lambda d: d["submissions"][0]["groups"][0]["scores"][0].__setitem__("scored", 99),
    "trials of a grid": lambda d: d["submissions"][0]["groups"][0]["trials"]["rewards"][0]["cells"].pop(),
    "a cell": lambda d: d["submissions"][0]["groups"][0]["trials"]["rewards"][0]["cells"].__setitem__(
        0, "1 1 1 1"
    ),
    "a leaderboard of others": lambda d: d["leaderboards"][0]["entries"][0].__setitem__("submission", "z"),
}


@pytest.mark.parametrize("change", list(CONTRADICTIONS))
def test_a_report_that_contradicts_itself_is_refused(change: str, leaderboard: Path, report: Report) -> None:
    document = report(leaderboard)
    page(copy.deepcopy(document))
    CONTRADICTIONS[change](document)
    with pytest.raises(PublishingError, match="contradicts itself"):
        page(document)


HOSTILE = "<img src=x onerror=alert(1)>\u202e::error::\x1b[31m|`]]>&\"'\n##[error]x"


def test_what_strangers_wrote_is_bounded_and_escaped(leaderboard: Path, report: Report) -> None:
    """Every text of a report replaced by one that means harm, then by one that is very long."""
    document = report(leaderboard)
    for text in (HOSTILE, "<b>" * 20_000):
        spoilt = hostile(document, text)
        made = page(spoilt)
        for name in FORMATS:
            shown = rendered(made, name)
            if name in ("html", "junit", "badge-svg"):
                assert "<img src=x" not in shown
            assert "\x1b" not in shown
            assert len(shown) < 2_000_000


def hostile(document: Document, text: str) -> Document:
    """The report with that text wherever a job's maker may write one."""
    made = json.loads(json.dumps(document))
    renamed = {one["name"]: f"{one['name']}/{text}" for one in made["submissions"]}
    for job in made["jobs"]:
        job["path"] += text
        job["submission"] = renamed[job["submission"]]
        job["notes"] = [text]
        for finding in job["findings"]:
            finding.update(file=text, found=text, expected=text, likely=text, rule=text)
    for kind in made["summary"]["kinds"]:
        for place in kind["first"]:
            place.update(job=text, found=text, expected=text, file=text)
    made["aside"] = [text]
    for one in made["submissions"]:
        one["name"] = renamed[one["name"]]
        one["notes"] = [text]
        for group in one["groups"]:
            group.update(agent=text, model=text)
            group["trials"]["tasks"] = [f"{at}{text}" for at, _ in enumerate(group["trials"]["tasks"])]
            for scores in group["scores"]:
                scores["stated"]["odd"] = [text]
        for metadata in one["metadata"]:
            metadata["values"] = {text: text}
    for board in made["leaderboards"]:
        for entry in board["entries"]:
            entry.update(submission=renamed[entry["submission"]], agent=text, model=text, missing=[text])
    return dict(made)


def test_the_denominators_are_those_of_check() -> None:
    assert list(DENOMINATORS) == list(DUE)


def test_locations_that_begin_with_a_dash_are_no_options(
    tmp_path: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = page(report("--", wrong(Path("-v"))))
    [shown] = blocks(made, Failures)
    assert shown.failures[0].repeat.endswith("-- -v")
    assert "wrong: " in explained(shown.failures[0].repeat)
