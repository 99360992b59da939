"""The report over many jobs: one line for a kind, what is absent once, the same whatever came first."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from conformance.check.audit import Audit
from conformance.check.below import Below
from conformance.check.findings import Finding, Findings, Severity
from conformance.check.report import Checked
from conformance.check.reporting import Shown, as_json, page_head, report_lines
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
    at = lines.index("    wrong   metric: 7 in 7 jobs; a metric that the rewards do not give")
    names = [name for job in MANY[200:203] for name, _ in named(job)]
    assert lines[at + 1 : at + 3] == [
        f"        {names[0]}  wrong-0: result.json {MEAN}: found 0.1, expected 0.2; likely: a guess",
        f"        also {names[1]} wrong-1, {names[2]} wrong-2 and 4 more",
    ]
    assert sum("schema: 90 in 1 job" in line for line in lines) == 1
    assert sum(line.endswith(" and 87 more") for line in lines) == 1
    assert sum("found 0.1, expected 0.2" in line for line in lines) == 1
    assert len(lines) < 25


def test_each_job_that_is_not_clean_has_a_line() -> None:
    """With the name of the one finding of a kind, or their number; a clean job has one on demand."""
    jobs = [
        *MANY,
        made("both", mean(), Finding("text", "result.json", "", "a", "b", None), mean(place="/x")),
        Checked("lost", None, "No such file or directory"),
    ]
    lines = text(jobs)
    (name, _), *_ = (one for one in named(jobs[200]))
    (text_name,) = (name for name, one in named(jobs[-2]) if one.kind == "text")
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("verdict ")) : -1]
    told = [line.split(maxsplit=3) for line in table[1:]]
    assert told[0][:3] == ["wrong", "10", "0"]
    assert told[0][3].split() == ["metric", f"[{name}]", "wrong-0"]
    assert [one[3].split("  ")[0] for one in told[7:9]] == ["schema ×90", f"metric ×2, text [{text_name}]"]
    assert table[-1].split() == ["not", "judged", "-", "-", "No", "such", "file", "or", "directory", "lost"]
    assert len(table) == 1 + 7 + 1 + 2
    assert {line.index(line.split()[-1]) for line in table[1:]} == {table[0].index("job")}


def test_jobs_are_told_one_by_one_on_demand() -> None:
    assert not any(line.startswith("wrong-0: wrong") for line in text(MANY))
    for options in ({"full": 1}, {"every": True}):
        assert sum(line.startswith("wrong-0: wrong") for line in text(MANY, **options)) == 1
    assert sum(line == "    likely: a guess" for line in text(MANY, full=1)) == 7


def test_no_line_is_long_but_for_names() -> None:
    long = "x" * 3000
    found = [
        Finding("metric", "result.json", f"/{long}", long, long, None, long),
        Finding("schema", long, "", long, long, None),
    ]
    lines = text([made(f"{number}", *found) for number in range(9)])
    assert max(map(len, lines)) < 600
    assert len(lines) < 30


def test_what_all_names_share_is_said_once() -> None:
    jobs = [made(f"board/bench/s{number % 2}/{number}", mean()) for number in range(6)]
    jobs = [replace(job, submission=job.path.rpartition("/")[0]) for job in jobs]
    below = Below.of((job.path, job.submission) for job in jobs)
    lines = [*page_head(jobs, below), *text(jobs, below=below)]
    assert lines[:2] == ["6 jobs of 2 submissions: 6 wrong", "below board/bench/:"]
    assert sum("board/bench" in line for line in lines) == 1
    assert [line.split()[-1] for line in lines[-7:-1]] == [f"s{number % 2}/{number}" for number in range(6)]
    assert page_head(jobs[:3], below) == []


@pytest.mark.parametrize(
    ("jobs", "folder"),
    [
        ([("a/b/1", "a/b"), ("a/c/1", "a/c")], "a/"),
        ([("a/b/1", "a/b"), ("a/b/2", "a/b")], "a/"),
        ([("1", "."), ("2", ".")], ""),
        ([("a/1", "a"), ("a/b/1", "a/b")], ""),
        ([("a/b/1", ""), ("a/b/2", "")], "a/b/"),
        ([("/1", ""), ("/2", "")], ""),
        ([("s3://one/1", ""), ("s3://two/2", "")], ""),
        ([("s3://one/1", ""), ("s3://one/2", "")], "s3://one/"),
        ([], ""),
    ],
)
def test_what_names_share(jobs: list[tuple[str, str]], folder: str) -> None:
    below = Below.of(jobs)
    assert below.folder == folder
    for name, _ in jobs:
        assert folder + below.short(name) == name


def test_names_in_a_sentence_are_shortened() -> None:
    below = Below("a/b/")
    assert below.in_text("2 jobs do not say: a/b/1, a/b/2, xa/b/3, …") == "2 jobs do not say: 1, 2, xa/b/3, …"
    assert Below().in_text("it: a/b") == "it: a/b"


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
