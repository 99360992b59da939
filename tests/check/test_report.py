"""The report over many jobs: one line for a kind, what is absent once, the same whatever came first."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from conformance.check.audit import Audit
from conformance.check.findings import Finding, Findings, Severity
from conformance.check.report import Checked
from conformance.check.reporting import Shown, as_json, report_lines
from conformance.check.reporting.names import LENGTH, named
from conformance.judging.comparison import Level

Cli = Callable[..., "CompletedProcess[str]"]
Faults = Callable[[str, Any], list[str]]

MEAN = "/stats/evals/a__d/metrics/0/mean"


def made(name: str, *found: Finding, notes: Sequence[str] = (), unverified: int = 0) -> Checked:
    audit = Audit(name, Findings(Level.BYTES), "finished", trials=10, unverified=unverified)
    audit.generations = {"job file: 0.1.2 to 0.3.0": 1, "records: 0.1.13 to 0.4.0": 10}
    for one in found:
        audit.findings.add(one)
    for note in notes:
        audit.findings.note(note)
    return Checked(name, audit)


def mean(found: str = "0.1", place: str = MEAN) -> Finding:
    return Finding("metric", "result.json", place, found, "0.2", "003-3.2-mean-division", "a guess")


def text(jobs: Sequence[Checked], **options: Any) -> list[str]:
    return list(report_lines(jobs, Shown(Level.BYTES, **options), {"003-3.2-mean-division": "The rule."}))


MANY = [
    *(made(f"right-{number}", unverified=10, notes=["config.json is missing"]) for number in range(200)),
    *(made(f"wrong-{number}", mean(), unverified=10) for number in range(7)),
    made(
        "long",
        *(Finding("schema", f"t{n}/result.json", "/x", "nothing", "a member", None) for n in range(90)),
    ),
]


def test_findings_of_one_kind_are_one_line() -> None:
    lines = text(MANY)
    assert [line for line in lines if "metric: 7 in 7 jobs" in line] == [
        "    wrong   metric: 7 in 7 jobs; a metric that the rewards do not give"
    ]
    assert sum("schema: 90 in 1 job" in line for line in lines) == 1
    assert "        … and 87 more" in lines
    assert sum("found 0.1, expected 0.2" in line for line in lines) == 1 + 7
    assert len(lines) < 80


def test_the_first_places_are_those_of_different_jobs() -> None:
    jobs = [
        made("a", mean(), mean(place=MEAN.replace("a__", "b__"))),
        *(made(name, mean()) for name in "bcd"),
    ]
    (summary,) = as_json(jobs, Level.BYTES, "harbor-0.13.1", {})["summary"]["kinds"]
    assert [place["job"] for place in summary["first"]] == ["a", "b", "c", "d", "a"]


def test_what_is_absent_is_said_once() -> None:
    lines = text(MANY)
    assert [line for line in lines if "absent" in line] == [
        "reward files absent: 2,070 trials judged by their records"
    ]
    assert [line for line in lines if "config.json" in line] == ["note: config.json is missing: 200 jobs"]


def test_clean_jobs_are_counted_and_listed_on_demand() -> None:
    assert text(MANY)[-1] == "208 jobs, 2,080 trials, level bytes: 200 clean, 1 differs, 7 wrong"
    assert not any("right-" in line for line in text(MANY))
    assert sum("right-" in line for line in text(MANY, every=True)) == 200
    assert (
        sum("right" in line for line in text(MANY[:2])) == 2 * 2
    )  # of a few jobs each is listed, with its note


def test_generations_are_named() -> None:
    lines = text(MANY)
    assert "job files: 208 of harbor 0.1.2 to 0.3.0" in lines
    assert "records: 2,080 of harbor 0.1.13 to 0.4.0" in lines


def test_generations_come_in_the_order_of_their_releases() -> None:
    one, other = made("a"), made("b")
    assert one.audit is not None
    one.audit.generations = {"records: 0.21.0 to 0.22.0": 3, "records: 0.6.0 to 0.20.0": 2}
    (line,) = (line for line in text([one, other]) if line.startswith("records"))
    assert (
        line
        == "records: 10 of harbor 0.1.13 to 0.4.0, 2 of harbor 0.6.0 to 0.20.0, 3 of harbor 0.21.0 to 0.22.0"
    )


def test_findings_in_full() -> None:
    lines = text([made("job", mean(), mean(place="/n_total_trials"))], full=1)
    assert "    clause: 003-3.2-mean-division: The rule." in lines
    assert "    likely: a guess" in lines
    assert "… 2 findings in all (--findings N shows more in full)" in lines
    assert sum(line.startswith("metric: ") for line in lines) == 1


@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_of_a_job_reaches_the_terminal_as_it_is(width: int) -> None:
    nasty = "\x1b[31m\n\u202e\udcff"
    finding = Finding("metric", nasty, f"/{nasty}", nasty, nasty, None, nasty)
    jobs = [made(f"{number}{nasty}", finding, notes=[nasty]) for number in range(5)]
    for lines in (text(jobs, width=width), text(jobs[:1], full=3, every=True, width=width)):
        assert all(line.isprintable() for line in lines)


def test_a_finding_keeps_its_name() -> None:
    """It hangs on the job and the place, not on the numbers there, nor on what else is found."""
    ((name, _),) = named(made("job", mean()))
    assert len(name) == LENGTH
    again = dict(named(made("job", mean("0.3"), Finding("text", "z", "", "", "", None))))
    assert again[name].found == "0.3"
    assert [one for one, _ in named(made("other", mean()))] != [name]
    twice = [one for one, _ in named(made("job", mean(), mean("0.15")))]
    assert len(set(twice)) == 2
    assert name in twice


def test_the_report_is_the_same_whatever_came_first(faults: Faults) -> None:
    found = [Finding("schema", f"t{n}/result.json", "/x", "nothing", "a member", None) for n in range(50)]
    notes = [f"note {n}" for n in range(5)]
    there, back = made("job", *found, notes=notes), made("job", *reversed(found), notes=notes[::-1])
    reports = [as_json([one], Level.BYTES, "harbor-0.13.1", {}) for one in (there, back)]
    assert json.dumps(reports[0]) == json.dumps(reports[1])
    assert text([there]) == text([back])
    assert faults("check-report", reports[0]) == []


def test_the_summary_of_the_json_report(faults: Faults) -> None:
    report = as_json(MANY, Level.BYTES, "harbor-0.13.1", {}, Severity.WRONG)
    assert faults("check-report", report) == []
    summary = report["summary"]
    assert summary["verdicts"] == {"wrong": 7, "differs": 1, "not_judged": 0, "unfinished": 0, "clean": 200}
    assert [(one["kind"], one["severity"], one["count"], one["jobs"]) for one in summary["kinds"]] == [
        ("metric", "wrong", 7, 7),
        ("schema", "differs", 90, 1),
    ]
    assert summary["notes"] == [{"note": "config.json is missing", "jobs": 200}]
    assert (summary["unverified"], summary["trials"], summary["total"]) == (2070, 2080, 97)
    assert (report["fail_on"], report["exit_code"]) == ("wrong", 1)


def test_the_report_is_the_same_with_other_processes(cli: Cli, written: Callable[..., Path]) -> None:
    names = [
        written(name, name).name for name in ("pass-at-k", "steps-mean", "twelve-trials", "tokens-and-cost")
    ]
    for file in written("twelve-trials", "twelve-trials").glob("*/verifier/reward.txt"):
        file.write_text("x")
    one, two = (cli("check", "--json", "--jobs", number, *names).stdout for number in ("1", "2"))
    assert one == two
    assert json.loads(one)["summary"]["verdicts"]["wrong"] == 1
