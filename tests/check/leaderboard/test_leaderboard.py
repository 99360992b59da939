"""A leaderboard with jobs right and wrong in known ways: that is found, and nothing else is said."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import Any

import pytest

Json = dict[str, Any]
Cli = Callable[..., "CompletedProcess[str]"]


def load_making() -> ModuleType:
    path = Path(__file__).with_name("making.py")
    spec = importlib.util.spec_from_file_location("leaderboard_making", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["leaderboard_making"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Json]:
    """A small leaderboard, and what there is to find in it."""
    path = list(sys.path)
    making = load_making()
    sys.path[:] = path  # its parts are found beside it
    folder = tmp_path_factory.mktemp("made")
    return folder / "leaderboard", making.make(folder, 40, small=True)


@pytest.fixture(scope="module")
def report(made: tuple[Path, Json]) -> Json:
    """What `check` reports of it."""
    start = "from conformance.cli import main; main()"
    command = [sys.executable, "-c", start, "check", "--json", "--level", "value", str(made[0])]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    found: Json = json.loads(done.stdout)
    return found


def told(job: Json) -> Counter[tuple[str, ...]]:
    """Each finding in a few words."""
    return Counter(
        (one["severity"], one["kind"], one["file"], one.get("path", one.get("place", "")))
        for one in job["findings"]
    )


def test_every_fault_is_found_at_its_place_and_nothing_else_is_said(
    made: tuple[Path, Json], report: Json
) -> None:
    expected = made[1]["jobs"]
    jobs = {job["path"]: job for job in report["jobs"]}
    assert jobs.keys() == expected.keys()
    wrong = {
        name: (told(jobs[name]), due["fault"])
        for name, due in expected.items()
        if told(jobs[name]) != told(due)
    }
    assert wrong == {}
    assert all(job["problem"] is None for job in jobs.values())
    assert sum(bool(due["findings"]) for due in expected.values()) >= 15


def test_states_and_generations_are_told(made: tuple[Path, Json], report: Json) -> None:
    for job in report["jobs"]:
        due = made[1]["jobs"][job["path"]]
        open_ended = due["state"] in ("unfinished", "without result") and not due["findings"]
        assert (job["verdict"] == "unfinished") is open_ended, job["path"]
        names = [name for name in job["generations"] if name.startswith("job file")]
        assert bool(names) is (due["state"] in ("finished", "unfinished")), job["path"]
        release = tuple(map(int, due["release"].split(".")))
        for name in names:
            releases = name.split(": ")[1].split(" to ")
            first, last = (tuple(map(int, one.split("."))) for one in (releases[0], releases[-1]))
            assert first <= release <= last, (job["path"], name)


def test_submissions_roll_up_to_the_numbers_of_their_records(made: tuple[Path, Json], report: Json) -> None:
    assert {one["name"] for one in report["submissions"]} == made[1]["submissions"].keys()
    for one in report["submissions"]:
        due = made[1]["submissions"][one["name"]]
        (group,) = one["groups"]
        counts = (group["tasks"], group["records"], sum(one["jobs"].values()))
        assert counts == (due["tasks"], due["records"], due["jobs"]), one["name"]
        (scores,) = group["scores"]
        assert scores["scored"] == due["scored"], one["name"]
        assert scores["by"]["records"]["value"] == pytest.approx(due["sum"] / due["records"], abs=1e-12)
        assert scores["by"]["scored"]["value"] == pytest.approx(due["sum"] / due["scored"], abs=1e-12)
        uneven = {**group["fewer"], **group["more"]}
        usual = group["attempts"]
        assert {task: uneven.get(task, usual) for task in due["tries"]} == due["tries"], one["name"]
        assert [double["trial"] for double in group["doubles"]] == due["doubles"], one["name"]


def test_the_job_that_leaves_out_its_failures_shows_in_its_roll_up(report: Json) -> None:
    """One submission is far better where unscored trials are left out, and the report says so."""
    (one,) = [each for each in report["submissions"] if "openhands__gpt-5.1-codex-01" in each["name"]]
    by = one["groups"][0]["scores"][0]["by"]
    assert by["scored"]["value"] - by["records"]["value"] > 0.2
    assert any("unscored" in note for note in one["notes"])


def test_reward_files_that_are_absent_are_told_once(made: tuple[Path, Json], cli: Cli, report: Json) -> None:
    trials = report["summary"]["trials"]
    assert report["summary"]["unverified"] == trials
    lines = cli("check", made[0]).stdout.splitlines()
    absent = [line for line in lines if line.startswith("reward files absent: ")]
    assert absent == [f"reward files absent: {trials} trials judged by their records"]


def test_the_report_is_a_page(made: tuple[Path, Json], cli: Cli, report: Json) -> None:
    """What all names share stands once; no line is long but for names and values; names can be asked for."""
    lines = cli("check", "--level", "value", made[0]).stdout.splitlines()
    shared = "submissions/terminal-bench/2.0/"
    assert lines[1] == f"below {shared}:"
    assert sum(shared in line for line in lines) == 1
    assert len(lines) < 110
    verdicts = Counter(job["verdict"] for job in report["jobs"])
    assert lines[0].startswith(f"{len(report['jobs'])} jobs of {len(report['submissions'])} submissions: ")
    assert f" {verdicts['wrong']} wrong, " in lines[0]
    assert lines[0].partition(": ")[2] == lines[-1].partition(": ")[2]
    job = next(one for one in report["jobs"] if one["counts"] == {"metric": 1})
    (finding,) = job["findings"]
    name = job["path"].removeprefix(shared)
    assert sum(line.split()[-2:] == [f"[{finding['id']}]", name] for line in lines) == 1
    whole, short, named = (
        cli("check", "--level", "value", "--explain", asked, made[0]).stdout
        for asked in (f"{job['path']}:{finding['path']}", f"{name}:{finding['path']}", finding["id"])
    )
    assert whole == short == named
    assert finding["expected"] in whole
