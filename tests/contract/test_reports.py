"""What is published of a run: every format counts right, and nothing in it acts on whoever reads it."""

import json
import os
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
from cmarkgfm import markdown_to_html
from cmarkgfm.cmark import Options

from conformance.formats.annotations import annotation_lines
from conformance.gate.result import Result
from conformance.pages.model import Item, Mark, Page, Tone
from conformance.paths import DEFAULT_SPEC

pytestmark = pytest.mark.usefixtures("undiagnosed")

HOSTILE = "<b>bold <script>alert(1)</script> \x1b[31m\n::error::boo ##[error]boo ![x](http://e) | <!-- ]]>"
SAID = {"error": {"type": HOSTILE, "message": HOSTILE}}


@pytest.fixture
def gated(cli, few, runner, vectors, tmp_path):
    """A gate over four vectors of which some get these answers: exit code, report, what is printed."""
    entries = [vectors.entry(f"v{number}") for number in range(4)]
    entries[3]["expected"]["ok"] = {"evals_key": {"a": 1, "b": 2}}
    few.write(entries, "evals_key", DEFAULT_SPEC)

    def do(folder="out", args=(), environment=None, **answers):
        runner.knows(entries, **answers)
        classes = [] if "--known-failures" in args else ["--classes", "job"]
        ended = cli("gate", "--runner", "in-process", "-o", folder, *classes, *args, **(environment or {}))
        return ended.returncode, few.report(tmp_path / folder / "report.json"), ended.stdout + ended.stderr

    return do


def test_every_format_counts_the_failures(gated, cli, tmp_path) -> None:
    code, report, printed = gated(v1=SAID, v2={"unsupported": HOSTILE})
    assert (code, report["summary"]["totals"]["passed"]) == (1, 2)
    assert "2 new failures, 0 unexpected passes" in printed
    suite = ET.parse(tmp_path / "out" / "junit.xml").getroot()
    assert [one.get("failures") for one in suite.iter() if one.tag.startswith("testsuite")] == ["2", "2", "0"]
    assert len(list(suite.iter("failure"))) == 2
    badge = json.loads((tmp_path / "out" / "badge.json").read_text("utf-8"))
    assert badge["isError"] is True
    assert cli("report", "--exit-code", "out/report.json").returncode == 1
    assert cli("report", "out/report.json").returncode == 0


def test_no_format_lets_a_runner_act(gated, tmp_path) -> None:
    github = {"GITHUB_ACTIONS": "true"}
    _, _, printed = gated(v1=SAID, v2={"unsupported": HOSTILE}, environment=github)
    texts = {path.name: path.read_text("utf-8") for path in (tmp_path / "out").iterdir()}
    assert "<script>alert" not in texts["report.html"].replace("&lt;", "<&")
    assert "&lt;script&gt;alert" in texts["report.html"]
    assert "<script>" not in texts["junit.xml"]
    assert not re.search("<(b|script)>", markdown_to_html(texts["report.md"], Options.CMARK_OPT_UNSAFE))
    for name in ("report.md", "junit.xml", "badge.svg"):
        assert "\x1b" not in texts[name], name
        assert not re.search(r"^\s*::error::boo|##\[error\]", texts[name], re.MULTILINE), name
    assert "\x1b" not in printed
    commands = re.findall(r"^[^\S\n]*::[a-z].*", printed, re.MULTILINE)
    assert commands
    assert not [one for one in commands if not re.match(r"::error (file=[^:]+,)?title=[^:]+::\S", one)]
    assert "##[error]" not in printed


def test_a_step_of_ci_gets_its_outputs(gated, tmp_path, monkeypatch) -> None:
    """What the runner writes there meanwhile is cut off, and it does not inherit the name."""
    outputs, summary = tmp_path / "outputs", tmp_path / "summary"
    for path in (outputs, summary):
        path.touch()

    def forge():
        assert "GITHUB_OUTPUT" not in os.environ
        outputs.write_text("verdict=passed\n", "utf-8")
        return SAID

    given = {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    code, _, printed = gated(v1=forge, environment=given)
    told = re.findall(r"^([a-z-]+)<<(\S+)\n(.*)\n\2$", outputs.read_text("utf-8"), re.MULTILINE)
    said = {name: value for name, _, value in told}
    assert code == 1
    assert "verdict=passed" not in outputs.read_text("utf-8")
    due = {"verdict": "failed", "exit-code": "1", "new-failures": "1", "passed": "3"}
    assert {name: said[name] for name in due} == due
    assert "wrote to $GITHUB_OUTPUT: it was removed" in printed
    assert summary.read_text("utf-8").startswith("**gate: failed: 1 new failure")


def test_a_gate_needs_to_know_what_is_offered(cli, few, runner, tmp_path) -> None:
    """A list that records no offers, or none at all, lets a runner pass that offers nothing."""
    args = ["gate", "--runner", "in-process", "--spec", "evsys"]
    assert cli(*args).returncode == 2
    (tmp_path / "old.txt").write_text("", "utf-8")
    assert cli(*args, "--known-failures", "old.txt").returncode == 2
    assert cli("baseline", "--runner", "in-process", "--spec", "evsys", "-o", "new.txt").returncode == 0
    assert cli(*args, "--known-failures", "new.txt").returncode == 0
    runner.hello = {"ops": ["evsys.compute"]}
    ended = cli(*args, "--known-failures", "new.txt")
    assert ended.returncode == 1
    assert "1 offer lost" in ended.stdout
    runner.hello = {}
    runner.but(lambda op, given, reply: {"unsupported": "no"} if op == "evsys.registry" else reply)
    ended = cli(*args, "--known-failures", "new.txt")
    assert (ended.returncode, "1 offer lost" in ended.stdout) == (1, True)


def test_a_baseline_is_what_the_gate_passes_with(cli, few, runner, tmp_path) -> None:
    """What passes now is no known failure any more: --update says what changed, --check writes nothing."""
    wrong = {"ok": {"value": "wrong"}}
    runner.but(lambda op, given, reply: wrong if op == "evsys.compute" else reply)
    asked = ["--runner", "in-process", "--spec", "evsys"]
    known = tmp_path / "known.txt"
    assert cli("baseline", *asked, "-o", known, "--day", "2026-01-02").returncode == 0
    assert known.read_text("utf-8").count(" mismatch") == 5
    assert known.read_text("utf-8").count("since 2026-01-02") == 5
    gate = ["gate", *asked, "--known-failures", known]
    ended = cli(*gate)
    assert (ended.returncode, "5 known failures" in ended.stdout) == (0, True)
    runner.but(lambda op, given, reply: wrong if given.get("task_rewards") == [[0, 0, 0]] else reply)
    ended = cli(*gate)
    assert (ended.returncode, "4 unexpected passes" in ended.stdout) == (1, True)
    before = known.read_bytes()
    ended = cli("baseline", *asked, "--update", known, "--check")
    assert (ended.returncode, known.read_bytes()) == (1, before)
    ended = cli("baseline", *asked, "--update", known, "--day", "2026-03-04")
    assert (ended.returncode, "4 removed" in ended.stdout) == (0, True)
    assert known.read_text("utf-8").count("since 2026-01-02") == 1
    assert cli(*gate).returncode == 0
    assert cli("baseline", *asked, "--update", known, "--check").returncode == 0


CONTRADICTIONS = {
    "twice": lambda report: report["results"].append(report["results"][0]),
    "passed-twice": lambda report: report["passed"]["job"].append(report["passed"]["job"][0]),
    "failed-and-passed": lambda report: report["passed"]["job"].append(
        [report["results"][0]["id"], "bytes", 0]
    ),
    "not-asked": lambda report: report["asked"].clear(),
    "more-than-all": lambda report: report["vectors"].update(total=1),
}
"""Changes of a report that its own results don't bear out."""


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_report_that_contradicts_itself_is_said_to(gated, cli, tmp_path, name) -> None:
    _, report, _ = gated(v3={"ok": {"evals_key": {"b": 2, "a": 1}}})
    assert report["summary"]["classes"]["job"]["reached"] == "exact"
    assert "contradicts" not in cli("report", "out/report.json").stdout
    CONTRADICTIONS[name](report)
    (tmp_path / "forged.json").write_text(json.dumps(report), "utf-8")
    ended = cli("report", "--exit-code", "forged.json")
    assert ended.returncode != 0
    assert "contradict" in ended.stdout + ended.stderr


def test_what_a_summary_says_is_never_read(gated, cli, tmp_path) -> None:
    """Nobody makes a report better by what follows from it: that is computed of the results."""
    _, report, _ = gated(v3={"ok": {"evals_key": {"b": 2, "a": 1}}})
    before = cli("report", "out/report.json", "--exit-code")
    report["summary"] = {
        "exit_code": 0,
        "totals": {"passed": 4},
        "classes": {"job": {"claimed": "bytes", "reached": "bytes"}},
    }
    (tmp_path / "forged.json").write_text(json.dumps(report), "utf-8")
    after = cli("report", "forged.json", "--exit-code")
    assert (after.returncode, after.stdout) == (before.returncode, before.stdout) == (1, before.stdout)


def test_what_fuzzing_finds_fails_the_gate() -> None:
    def code(run, fuzzed):
        result = Result(SimpleNamespace(unwritten=[]), None)
        result._run_code, result._fuzz_code = run, fuzzed
        return result.exit_code

    due = {0: (0, 0, 1, 2, 130), 1: (1, 1, 1, 1), 2: (2, 2, 2)}
    fuzzed = (None, 0, 1, 2, 130)
    found = {run: tuple(map(code, [run] * len(codes), fuzzed)) for run, codes in due.items()}
    assert found == due


def test_annotations_are_ten_at_most() -> None:
    items = [Item(f"v{n}", "g", "crash", Tone.BAD, cause=f"cause {n}") for n in range(14)]
    page = Page("run", "title", Mark("fails", Tone.BAD), "", 1, {}, [], ["a problem"], items)
    lines = annotation_lines(page, {"GITHUB_ACTIONS": "true"})
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10
    assert lines[0] == "::error title=title%3A fails::a problem"
    assert lines[1] == "::error title=title%3A 1 failure::cause 0%0Asuch as v0: crash"
    assert lines[-1].startswith("::error title=and 6 more::the report has all of them: ")
    assert annotation_lines(page, {}) == []
