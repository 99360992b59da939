"""What is published of a run: every format counts right, and nothing in it acts on whoever reads it."""

import json
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
    few.file("lock", DEFAULT_SPEC).unlink()  # these four are in none
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


def one_for_another(report) -> None:
    passed = report["passed"]["job"]
    report.update(asked_again=None, passed={"job": passed[:1] * len(passed)})


def also_passed(report) -> None:
    report["passed"]["job"].append([report["results"][0]["id"], "bytes", 0])


CONTRADICTIONS = {
    "twice": lambda report: report["results"].append(report["results"][0]),
    "passed-twice": lambda report: report["passed"]["job"].append(report["passed"]["job"][0]),
    "one-for-another": one_for_another,
    "failed-and-passed": also_passed,
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
    claim = {"job": {"claimed": "bytes", "reached": "bytes"}}
    report["summary"] = {"exit_code": 0, "totals": {"passed": 4}, "classes": claim}
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
    assert lines[1] == "::error title=title%3A 1 failure::cause 0%0Aexample: v0: crash"
    assert lines[-1].startswith("::error title=and 6 more::see the report for all of them: ")
    assert annotation_lines(page, {}) == []
