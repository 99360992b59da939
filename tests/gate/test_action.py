"""The action's steps, run as they would run on GitHub: what each situation comes to, what can't get out."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SPEC = "evsys"
MISTAKE = "mistake:evsys-avg-of-passes"
RUNNING = "Run the gate"
KEEPING = "Keep the reports"
REPORTS = {"report.json", "report.md", "report.html", "junit.xml", "badge.json", "badge.svg"}

Act = Callable[..., Any]


def a_failing_vector(folder: Path) -> list[str]:
    """The vectors that the mistaken runner fails, by its report."""
    report = json.loads((folder / "report.json").read_text())
    return [one["id"] for one in report["results"] if one["outcome"] == "mismatch"]


def everything_is_there(done: Any, machine: Any) -> None:
    """The reports, uploaded; the summary; outputs that point at them."""
    uploaded = machine.artifacts / "conformance-report"
    assert {path.name for path in uploaded.iterdir()} >= REPORTS
    assert done.step(KEEPING).exit_code == 0
    assert done.summary.strip()
    report = json.loads(Path(done.outputs["report"]).read_text())
    assert report["exit_code"] == done.exit_code == int(done.outputs["exit-code"])
    assert Path(done.outputs["page"]).is_file()
    assert re.fullmatch(r"run-[0-9a-f]{16}\.html", done.outputs["page-name"])


def test_nothing_new(act: Act, machine: Any) -> None:
    done = act(runner="reference", spec=SPEC)
    everything_is_there(done, machine)
    assert done.exit_code == 0, done.step(RUNNING).log
    assert done.outputs["verdict"] == "passed"
    assert done.outputs["passed"] == done.outputs["vectors"] == "305"
    assert done.step(RUNNING).commands == []


def test_a_new_failure(act: Act, machine: Any) -> None:
    done = act(runner=MISTAKE, spec=SPEC)
    everything_is_there(done, machine)
    assert done.exit_code == 1
    assert done.outputs["verdict"] == "failed"
    failing = a_failing_vector(Path(done.outputs["reports"]))
    assert int(done.outputs["new-failures"]) >= len(failing) > 0
    assert failing[0] in done.summary
    assert "does not conform" in done.summary
    commands = done.step(RUNNING).commands
    assert 0 < len(commands) <= 10
    assert {name for name, _ in commands} <= {"error", "warning", "notice"}


@pytest.fixture
def listed(act: Act, repository: Path) -> list[str]:
    """A list of all that the mistaken runner fails."""
    failing = a_failing_vector(Path(act(runner=MISTAKE, spec=SPEC, report_name="").outputs["reports"]))
    lines = [f"{name} mismatch  # since 2026-01-02: a mean that is not ours\n" for name in failing]
    (repository / "known-failures.txt").write_text("".join(lines))
    return failing


def test_a_known_failure(act: Act, machine: Any, listed: list[str]) -> None:
    done = act(runner=MISTAKE, spec=SPEC, known_failures="known-failures.txt")
    everything_is_there(done, machine)
    assert done.exit_code == 0, done.step(RUNNING).log
    assert done.outputs["verdict"] == "passed"
    assert done.outputs["known-failures"] == str(len(listed))
    assert done.outputs["new-failures"] == "0"
    assert listed[0] in done.summary
    assert "a mean that is not ours" in done.summary


def test_an_unexpected_pass(act: Act, machine: Any, listed: list[str]) -> None:
    done = act(runner="reference", spec=SPEC, known_failures="known-failures.txt")
    everything_is_there(done, machine)
    assert done.exit_code == 1
    assert done.outputs["verdict"] == "failed"
    assert done.outputs["unexpected-passes"] == str(len(listed))
    assert done.outputs["new-failures"] == "0"
    assert listed[0] in done.summary


def test_a_stale_entry(act: Act, machine: Any, repository: Path) -> None:
    (repository / "list.txt").write_text("evsys/* mismatch  # long mended\nevsys/no-such crash\n")
    done = act(runner="reference", spec=SPEC, known_failures="list.txt")
    everything_is_there(done, machine)
    assert done.exit_code == 1
    assert done.outputs["verdict"] == "failed"
    assert done.outputs["stale-entries"] == "2"
    assert "is stale" in done.summary
    assert "matches no vector" in done.summary


@pytest.mark.parametrize(
    ("runner", "says"),
    [("sh -c 'exit 3'", "3"), ("no-such-program-anywhere", "no-such-program"), ("'", "quot")],
)
def test_a_dead_runner(act: Act, machine: Any, runner: str, says: str) -> None:
    done = act(runner=runner, spec=SPEC)
    everything_is_there(done, machine)
    assert done.exit_code == 2
    assert done.outputs["verdict"] == "not-tried"
    assert done.outputs["passed"] == "0"
    assert says in done.summary
