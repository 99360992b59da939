"""Reward files that are not there: nobody's mistake where no trial has any, and a finding where some have."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.check.audit import Audit, audit
from conformance.check.trials import helpers
from conformance.judging.comparison import Level

Written = Callable[..., Path]
Strip = Callable[[Path], None]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "WORTH_IT", 1)
    monkeypatch.setattr("conformance.check.trials.scan.BATCH", 2)


def all_of_it(folder: Path) -> None:
    for verifier in [*folder.glob("*/verifier"), *folder.glob("*/steps")]:
        shutil.rmtree(verifier)


def rewards_alone(folder: Path) -> None:
    """As a mirror does that keeps the verifier's logs."""
    for verifier in [*folder.glob("*/verifier"), *folder.glob("*/steps/*/verifier")]:
        for name in ("reward.txt", "reward.json"):
            (verifier / name).unlink(missing_ok=True)
        (verifier / "test-stdout.txt").write_text("ok\n")


def outcome(found: Audit) -> tuple[object, ...]:
    return found.findings.ordered(), list(found.findings.notes), found.trials, found.errored, found.unverified


def both_ways(folder: Path, results_only: bool = False) -> Audit:
    """The audit, after it was seen that helpers make no difference."""
    alone = audit(str(folder), Level.BYTES, results_only=results_only)
    assert outcome(audit(str(folder), Level.BYTES, helpers=1, results_only=results_only)) == outcome(alone)
    return alone


JOBS = (
    "pass-and-fail",
    "twelve-trials",
    "reward-errors",
    "not-a-number",
    "infinite",
    "steps-mean",
    "pass-at-k",
)


@pytest.mark.parametrize("strip", [all_of_it, rewards_alone])
@pytest.mark.parametrize("name", JOBS)
def test_where_no_trial_has_any_the_records_are_judged(name: str, strip: Strip, written: Written) -> None:
    folder = written(name)
    before = both_ways(folder)
    strip(folder)
    found = both_ways(folder)
    assert found.findings.ordered() == []
    assert (before.unverified, found.unverified, found.errored) == (0, found.trials, before.errored)


@pytest.mark.parametrize("name", JOBS)
def test_results_only_leaves_files_aside_that_are_there(name: str, written: Written) -> None:
    folder = written(name)
    for file in folder.glob("*/verifier/reward.*"):
        file.write_text("0.125")
    found = both_ways(folder, results_only=True)
    assert (found.findings.ordered(), found.unverified) == ([], found.trials)
    if any(folder.glob("*/verifier/reward.*")):
        assert both_ways(folder).findings.total() > 0


@pytest.mark.parametrize("name", ["t0__0000000", "t1__0000001", "t11__0000011"])
def test_one_file_makes_all_that_are_missing_findings(name: str, written: Written) -> None:
    folder = written("twelve-trials")
    content = (folder / name / "verifier" / "reward.txt").read_bytes()
    all_of_it(folder)
    (folder / name / "verifier").mkdir()
    (folder / name / "verifier" / "reward.txt").write_bytes(content)
    found = both_ways(folder)
    assert [(one.kind, one.file, one.found) for one in found.findings.ordered()] == [
        ("reward-file", f"{other.name}/verifier/reward.txt", "RewardFileNotFoundError")
        for other in sorted(folder.iterdir())
        if other.is_dir() and other.name != name
    ]
    assert found.unverified == 0


def test_a_step_without_its_file_is_found_where_another_trial_has_files(written: Written) -> None:
    folder = written("steps-mean")
    all_of_it(folder)
    assert both_ways(folder).findings.ordered() == []
    step = folder / "m__0000000" / "steps" / "s0" / "verifier"
    step.mkdir(parents=True)
    (step / "reward.txt").write_text("1\n")
    found = both_ways(folder)
    assert {one.kind for one in found.findings.ordered()} == {"reward-file"}
    assert found.unverified == 0


def edit(file: Path, old: str, new: str) -> None:
    content = file.read_text()
    assert old in content
    file.write_text(content.replace(old, new, 1))


def test_a_changed_record_is_found_by_what_the_job_says(written: Written) -> None:
    folder = written("fractions")
    all_of_it(folder)
    edit(folder / "t3__0000003" / "result.json", '"reward": 0.7', '"reward": 0.8')
    (finding,) = both_ways(folder).findings.ordered()
    assert (finding.kind, finding.file, finding.path) == (
        "record",
        "t3__0000003/result.json",
        "/verifier_result/rewards",
    )


def test_a_changed_step_is_found_by_the_trial(written: Written) -> None:
    folder = written("steps-mean")
    all_of_it(folder)
    edit(folder / "m__0000000" / "result.json", '"reward": 0.0', '"reward": 0.25')
    assert [one.kind for one in both_ways(folder).findings.ordered()] == ["steps"]


def test_a_record_that_hides_that_its_file_was_missing(written: Written) -> None:
    """The job lists the exception; which of the two is wrong depends on files of other trials."""
    folder = written("reward-errors")
    record = folder / "t1__0000001" / "result.json"
    edit(record, '"verifier_result": null', '"verifier_result": {"rewards": {"reward": 0.5}}')
    (finding,) = both_ways(folder).findings.ordered()
    assert (finding.kind, finding.file, finding.path) == (
        "record",
        "t1__0000001/result.json",
        "/verifier_result",
    )
    assert finding.found == '{"reward": 0.5}'
