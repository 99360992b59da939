"""The command ``gate``: what it writes, how it exits, what it prints, and that it ends whatever happens."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from conformance import paths
from conformance.gate.result import LOG_LINES
from conformance.gate.step import MOST_SUMMARY, Step, output_text
from tests.processes import KIT, lying, waited_for
from tools import github
from tools.forks.forking import Edit, Fork, checkout

SPEC = ("--spec", "evsys")
ALL = (*SPEC, "--classes", "all")
FEW = "evsys/compute/unknown-*"
RUN_IDS = ("GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILD_BUILDID")
OF_A_RUN = {*("report.json", "report.md", "report.html", "junit.xml", "ctrf.json", "badge.json", "badge.svg")}
ROOT = Path(__file__).parents[2]
MISTAKE = "mistake:evsys-micro-mean"
NEVER = json.loads(Path(__file__).with_name("never_green.json").read_text("utf-8"))
"""A name, the runner, further words, what list.txt has, the exit code, a sentence."""
pytestmark = pytest.mark.usefixtures("played")


def files(folder):
    return {path.name for path in folder.iterdir()}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def report_of(folder):
    return read(folder / "conformance-report" / "report.json")


@pytest.fixture
def recorded(cli, tmp_path):
    """The list of a runner that is right throughout."""
    listed = tmp_path / "known.txt"
    done = cli("baseline", "--runner", "reference", *SPEC, "-o", listed)
    assert done.returncode == 0, done.stderr
    return listed


@pytest.mark.parametrize("one", NEVER, ids=lambda one: one[0])
def test_never_green_by_accident(cli, tmp_path, one) -> None:
    _, runner, words, listed, code, sentence = one
    (tmp_path / "list.txt").write_text(listed)
    runner = lying(*runner.split()[1:]) if runner.startswith("lying ") else runner
    asked = () if "--merge" in words else ("--runner", runner, *SPEC)
    done = cli("gate", *asked, *words.split(), "--failures", 1)
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (code, False)
    assert sentence in " ".join((done.stdout + done.stderr).split())
    assert "gate: passed" not in done.stdout
    assert not done.stdout or done.stdout.splitlines()[-1].startswith(("gate: failed", "gate: not-tried"))
    if done.stdout:  # what can be reported is
        assert files(tmp_path / "conformance-report") == OF_A_RUN


def test_a_report_that_can_not_be_written(cli, tmp_path, monkeypatch) -> None:
    """The other reports are there, and the gate does not pass."""
    from conformance.gate import folder

    right = folder.unwritten

    def full(path, text):
        return f"{path} can't be written: full" if path.name == "junit.xml" else right(path, text)

    monkeypatch.setattr(folder, "unwritten", full)
    done = cli("gate", "--runner", "reference", *ALL, FEW)
    assert done.returncode == 2
    assert files(tmp_path / "conformance-report") == OF_A_RUN - {"junit.xml"}
    assert "can't be written: full" in done.stdout


def test_a_log_is_short(cli, tmp_path) -> None:
    """Known failures are a number; new ones are causes, and of some of them an example with its stderr."""
    listed = tmp_path / "known.txt"
    cli("baseline", "--runner", MISTAKE, *SPEC, "-o", listed)
    known = len(re.findall(r"^evsys/", listed.read_text(), re.MULTILINE))
    done = cli("gate", "--runner", MISTAKE, *SPEC, "--known-failures", listed)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 5
    assert f", {known} known failures, " in done.stdout.splitlines()[-1]
    done = cli("gate", "--runner", lying("crash", "evsys.compute"), *SPEC, "--known-failures", listed)
    lines = done.stdout.splitlines()
    assert 10 <= len(lines) <= LOG_LINES
    assert "   stderr: last words" in lines
    assert any(line.startswith("   repeat: harbor-conformance run --runner ") for line in lines)
    crashed = [one for one in report_of(tmp_path)["results"] if one["outcome"] == "crash"]
    assert {one["stderr"] for one in crashed} == {"last words"}
    for name in ("report.html", "junit.xml", "report.md", "ctrf.json"):
        assert "last words" in (tmp_path / "conformance-report" / name).read_text()
    none = cli("gate", "--runner", lying("crash", "evsys.compute"), *ALL, "--failures", 0)
    assert "stderr:" not in none.stdout


@pytest.mark.parametrize(
    ("runner", "code", "said"),
    [
        (lying("without", "evsys.registry"), 1, "evsys.registry is not among the ops that hello named"),
        (lying("without", "evsys.registry", "it moved to another package"), 1, ": it moved to another pac"),
        (lying("unsupported", "evsys.compute", "always"), 1, "160 of 160 vectors are unsupported: not today"),
        (lying("unsupported", "evsys.compute"), 1, "vectors are unsupported: not today"),
        (MISTAKE, 1, ""),  # fewer pass where some fail: these are new failures, and no offer is lost
    ],
)
def test_less_is_an_offer_lost(cli, recorded, tmp_path, runner, code, said) -> None:
    """In a run as in a gate, in one part as in several."""
    given = ("--runner", runner, *SPEC, "--experiments", 0, "--known-failures", recorded)
    output = tmp_path / "output"
    output.touch()
    done = cli("gate", *given, GITHUB_OUTPUT=str(output))
    lost = int(bool(said))
    assert done.returncode == code
    assert github.file_commands(output.read_text("utf-8"))["offers-lost"] == str(lost)
    assert done.stdout.splitlines()[-1].startswith(f"gate: failed: {'1 offer lost, 0 new' * lost}")
    assert said in " ".join(done.stdout.split())
    assert ("no longer offered: " in done.stdout) is bool(said)
    assert ("no longer offered: " in cli("run", *given, "--failures", 0).stdout) is bool(said)
    for number in (1, 2):
        cli("gate", *given, "--shard", f"{number}/2", "-o", f"parts/{number}")
    merged = cli("gate", "--merge", "parts")
    assert (merged.returncode, merged.stdout) == (done.returncode, done.stdout)


def test_later_vectors_hide_no_loss(cli, tmp_path) -> None:
    """A pattern expects any number of failures, so how many passed is recorded; later passes don't count."""
    runner = ("--runner", MISTAKE, *SPEC, "--known-failures", "list.txt", "--failures", 0)
    offers = "evsys/compute/* mismatch\n# offers: evsys.compute, 158 of 158 passed\n"
    (tmp_path / "list.txt").write_text(offers)
    assert "no longer offered: evsys.compute: " in cli("gate", *runner).stdout
    older = ("--runner", "reference", *SPEC, "--vectors-version", "0.3.0")
    cli("baseline", *older, "-o", "list.txt")
    refusing = lying("unsupported", "evsys.compute")
    done = cli("gate", "--runner", refusing, *SPEC, "--known-failures", "list.txt")
    assert done.returncode == 1
    assert "no longer offered: evsys.compute: " in done.stdout


def test_less_is_accepted_by_recording_it(cli, recorded) -> None:
    recorded.write_text("# mine\r\n\r\n" + recorded.read_text().replace("\n", "\r\n"), newline="")
    runner = ("--runner", lying("without", "evsys.registry"), *SPEC)
    done = cli("baseline", *runner, "--update", recorded, "--check")
    assert done.returncode == 1
    assert "\n-# offers: evsys.registry, " in done.stdout
    done = cli("baseline", *runner, "--update", recorded)
    assert "offers: evsys.registry: is no longer offered (was " in done.stdout
    content = recorded.read_bytes().decode()
    assert content.startswith("# mine\r\n\r\n")
    assert content.count("# offers: ") == 1
    assert content.count("\n") == content.count("\r\n")
    assert cli("gate", *runner, "--known-failures", recorded).returncode == 0
    assert "needs nothing" in cli("baseline", *runner, "--update", recorded).stdout


@pytest.mark.slow
def test_what_an_earlier_gate_left_is_gone(cli, tmp_path) -> None:
    """A folder is of one run; what is not the gate's stays."""
    cli("gate", "--runner", MISTAKE, *ALL, FEW, "--fuzz", 1, "--shard", "1/2", "-o", "out")
    assert {"transcript.jsonl.gz", "fuzz.json"} <= files(tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    cli("gate", "--runner", "no-such-program-anywhere", *ALL, FEW, "-o", "out")
    assert files(tmp_path / "out") == OF_A_RUN | {"notes.txt"}
    (tmp_path / "out" / "counterexamples.json").write_text("mine")
    done = cli("gate", "--runner", "reference", *ALL, FEW, "--fuzz", 1, "-o", "out")
    assert (done.returncode, "choose another folder" in done.stderr) == (2, True)


@pytest.mark.slow
def test_fuzzing_asks_what_the_vectors_leave_open(cli, tmp_path, faults) -> None:
    """A runner that passes these vectors, and that random inputs show to be wrong; not what fails anyway."""
    given = ("--runner", "mistake:naive-sum", "harbor-0.13.1/aggregation/empty-*", "--classes", "aggregation")
    done = cli("gate", *given, "--fuzz", 3)
    folder = tmp_path / "conformance-report"
    report, fuzzed = read(folder / "report.json"), read(folder / "fuzz.json")
    assert (report["summary"]["exit_code"], fuzzed["exit_code"], done.returncode) == (0, 1, 1), done.stdout
    assert faults("fuzz-report", fuzzed) == []
    of_fuzz = {"fuzz.json", "fuzz.md", "fuzz.html", "junit-fuzz.xml", "counterexamples.json"}
    assert files(folder) == OF_A_RUN | of_fuzz
    assert re.search(r"[1-9]\d* findings? by fuzzing \(exit code 1\)$", done.stdout.splitlines()[-1])
    assert len(done.stdout.splitlines()) <= LOG_LINES
    done = cli("gate", "--runner", MISTAKE, *ALL, "--fuzz", 1, "--failures", 0)
    assert "not fuzzed, since vectors already show failures: evsys.compute" in done.stdout
    done = cli("gate", "--runner", "no-such-program-anywhere", *ALL, "--fuzz", 1)
    assert (done.returncode, "not fuzzed, since the run has no verdict" in done.stdout) == (2, True)


@pytest.mark.slow
def test_unsupported_fails_where_its_class_is_demanded(cli, tmp_path) -> None:
    """As among vectors, which may be in another shard: else a part fails of a whole that passes."""
    runner = ("--runner", lying("unsupported", "aggregate"))
    given = ("gate", *runner, "harbor-0.13.1/aggregation/empty-*", "--fuzz", 1.5, "--classes")
    summary = tmp_path / "summary.md"
    done = cli(*given, "outcome", "--shard", "1/2", "-o", "parts/1", GITHUB_STEP_SUMMARY=str(summary))
    fuzzed = read(tmp_path / "parts" / "1" / "fuzz.json")
    assert (fuzzed["exit_code"], fuzzed["causes"], fuzzed["unclaimed"]) == (1, [], ["aggregation"])
    assert done.returncode == 0, done.stdout
    for said in (done.stdout, summary.read_text()):
        assert "unsupported at some random inputs, which breaks the claim of the class aggregation" in said
    assert cli("gate", "--merge", "parts", "-o", "whole").returncode == 1  # the other part is missing
    assert cli(*given, "outcome", "--shard", "2/2", "-o", "parts/2").returncode == 0
    drawn = [read(tmp_path / "parts" / part / "fuzz.json")["seed"] for part in ("1", "2")]
    assert drawn == [1000, 1001]  # as jobs of one fuzz: no input is drawn twice
    assert cli("gate", "--merge", "parts", "-o", "whole").returncode == 0
    assert cli(*given, "aggregation").returncode == 1


def test_a_summary_begins_with_what_the_gate_comes_to(cli, tmp_path) -> None:
    """Its other sentences are escaped as a page's texts are."""
    summary = tmp_path / "summary.md"
    given = ("--compare-with", "@everyone [x](http://x.invalid) <b>.json")
    done = cli("gate", "--runner", "reference", *ALL, FEW, *given, GITHUB_STEP_SUMMARY=str(summary))
    first, _, rest = summary.read_text().partition("\n")
    assert first == f"**{done.stdout.splitlines()[-1]}**"
    assert "not compared with an earlier run: " in rest
    assert "`@everyone`" in rest
    tokens = [one for each in MarkdownIt().parse(rest) for one in (each, *(each.children or ()))]
    html = [one.content for one in tokens if "html" in one.type]
    assert "<b>" not in "".join(html)
    assert "link_open" not in [one.type for one in tokens]


def test_what_is_new_since_an_earlier_run(cli, tmp_path) -> None:
    """It decides nothing; nor does an earlier report that is not there, is none, or is an older kit's."""
    cli("gate", "--runner", "reference", *ALL, FEW, "-o", "earlier")
    given = ("gate", "--runner", "reference", *ALL, FEW, "--compare-with")
    assert cli(*given, "earlier/report.json").returncode == 0
    assert files(tmp_path / "conformance-report") == OF_A_RUN | {"difference.md", "difference.html"}
    old = {"schema": "urn:harbor-conformance:run-report:1", "kit_version": "0.4.0"}
    (tmp_path / "old.json").write_text(json.dumps(old))
    for path, why in (
        ("nothing.json", "can't be read"),
        ("earlier/badge.json", "is not a report"),
        ("earlier", "can't be read"),
        ("old.json", "harbor-conformance 0.4.0 shows it"),
    ):
        done = cli(*given, path)
        assert done.returncode == 0
        (said,) = [one for one in done.stdout.splitlines() if one.startswith("not compared with an earlier")]
        assert why in said
        assert files(tmp_path / "conformance-report") == OF_A_RUN


def test_parts_are_merged(cli, tmp_path, accepted) -> None:
    """Into the gate of the whole, with what fuzzing found in any; or that says which is missing."""
    parts = tmp_path / "parts"
    for number in (1, 2, 3):
        shard = ("--shard", f"{number}/3", "-o", f"parts/{number}-of-3")
        assert cli("gate", "--runner", "reference", *ALL, *shard).returncode == 0
    done = cli("gate", "--merge", "parts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(map(len, report_of(tmp_path)["passed"].values())) == 334
    fuzzed = next(one for one in accepted("fuzz-report").values() if one["causes"])
    (parts / "2-of-3" / "fuzz.json").write_text(json.dumps(fuzzed))
    done = cli("gate", "--merge", parts / "1-of-3", parts / "2-of-3", parts / "3-of-3")
    assert done.returncode == 1
    found = len(fuzzed["causes"])
    assert f"{found} finding" in done.stdout.splitlines()[-1]
    (parts / "2-of-3" / "fuzz.json").write_text("{}")
    assert cli("gate", "--merge", "parts").returncode == 2
    shutil.rmtree(parts / "2-of-3")
    done = cli("gate", "--merge", "parts/1-of-3/transcript.jsonl.gz", "--merge", "parts/3-of-3")
    assert done.returncode == 1
    assert "shard 2/3 is missing" in done.stdout
    assert files(tmp_path / "conformance-report") == OF_A_RUN
    done = cli("gate", "--merge", ".", "--runner", "reference")
    assert (done.returncode, done.stdout) == (2, "")
    assert "asks no runner" in done.stderr
    assert cli("gate", "--merge", parts / "gone").returncode == 2
    assert files(tmp_path / "conformance-report") == set()  # of the gate before


@pytest.mark.parametrize("variable", RUN_IDS)
def test_a_shard_of_an_earlier_run_is_not_merged(cli, tmp_path, monkeypatch, variable) -> None:
    """A machine that is not cleaned may still have it, where today's was never written."""
    for name in RUN_IDS:
        monkeypatch.delenv(name, raising=False)
    given = ("--runner", "reference", *ALL, FEW)
    for number, run in ((1, "12"), (2, "11"), (3, "12")):
        monkeypatch.setenv(variable, run)
        assert cli("gate", *given, "--shard", f"{number}/3", "-o", f"parts/{number}").returncode == 0
    done = cli("gate", "--merge", "parts")
    assert done.returncode == 2
    assert 'is of another run than parts/1/transcript.jsonl.gz: `ci_run` is "11", not "12"' in done.stderr
    monkeypatch.setenv(variable, "12")
    assert cli("gate", *given, "--shard", "2/3", "-o", "parts/2").returncode == 0
    assert cli("gate", "--merge", "parts").returncode == 0


def test_a_merge_misses_what_fuzzing_found_and_what_must_be_offered(cli, tmp_path) -> None:
    """A job that ends while it fuzzes leaves its transcript; a ``run`` without a list may offer anything."""
    given = ("--runner", "reference", *ALL, FEW, "--fuzz", 0.1)
    for number in (1, 2):
        assert cli("gate", *given, "--shard", f"{number}/2", "-o", f"parts/{number}").returncode == 0
    assert cli("gate", "--merge", "parts").returncode == 0
    (tmp_path / "parts" / "2" / "fuzz.json").unlink()
    done = cli("gate", "--merge", "parts")
    assert done.returncode == 1
    assert "shard 2/2 was fuzzed, but its fuzz.json is missing" in done.stdout
    for number in (1, 2):
        words = ("--shard", f"{number}/2", "--report", f"parts/{number}/transcript.jsonl.gz")
        cli("run", "--runner", lying("without", "evsys.registry"), *SPEC, *words)
    done = cli("gate", "--merge", "parts")
    assert (done.returncode, "the gate does not know what the runner must offer" in done.stdout) == (2, True)


def test_vectors_that_the_lock_does_not_have_gate_nothing(cli, tmp_path, monkeypatch) -> None:
    """Without some of its vectors, a kit would pass what it no longer asks."""
    (tmp_path / "vectors").mkdir()
    for name in ("schemas", "vectors/harbor-0.13.1"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "vectors" / "evsys", tmp_path / "vectors" / "evsys")
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "conformance")
    assert cli("gate", "--runner", "reference", *ALL, FEW).returncode == 0
    path = tmp_path / "vectors" / "evsys" / "registry.json"
    document = read(path)
    gone = document["vectors"].pop()["id"]
    path.write_text(json.dumps(document))
    done = cli("gate", "--runner", "reference", *ALL, FEW)
    assert (done.returncode, done.stdout.count(f"install it again: {gone} is in the lock")) == (2, 1)


SLOW = """\
import sys, time
from conformance.shim import serve
serve({"evsys.compute": lambda **_: (open(sys.argv[1], "w").close(), time.sleep(600))})
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_job_has_its_reports(number, tmp_path) -> None:
    """GitHub sends the one, waits 7.5 seconds, sends the other, waits 2.5, and kills."""
    (tmp_path / "slow.py").write_text(SLOW)
    begun, output, summary = tmp_path / "begun", tmp_path / "output", tmp_path / "summary"
    output.touch()
    runner = ("--runner", f"{sys.executable} slow.py {begun}", "--runner-timeout", "500")
    environment = {**os.environ, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    how = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "text": True}
    how |= {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    process = subprocess.Popen([*KIT, "gate", *ALL, "--fuzz", "30", *runner], **how)
    waited_for(lambda: begun.exists() or process.poll() is not None, "request")
    process.send_signal(number)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert files(tmp_path / "conformance-report") == OF_A_RUN
    assert said.splitlines()[-1].startswith("gate: interrupted")
    assert "\ninterrupted\n" in output.read_text()
    assert "interrupted" in summary.read_text()


@pytest.fixture
def heard(cli, tmp_path):
    """Runs a gate in CI: how it ended, the outputs, the summary and the annotations."""

    def gate(*words):
        output, summary = tmp_path / "output", tmp_path / "summary"
        for path in (output, summary):
            path.unlink(missing_ok=True)
            path.touch()
        given = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = cli("gate", "--runner", *words, **given, GITHUB_ACTIONS="true")
        found = github.file_commands(output.read_text("utf-8"))
        assert int(found["exit-code"]) == done.returncode
        texts = [line for line in done.stdout.splitlines() if line.startswith("::")]
        assert len(texts) <= 10
        return done, found, summary.read_text("utf-8"), texts

    return gate


NOTHING = dict.fromkeys(("new-failures", "stale-entries", "known-failures", "flaky", "not-counted"), "0")
FLAKY = lying("once", "evsys.compute", "always")
STALE = "evsys/* mismatch\nevsys/no-such crash\n"
SITUATIONS = {
    "nothing new": ("reference", None, 0, NOTHING, "conforms"),
    "a new failure": (MISTAKE, None, 1, {"new-failures": "all", "known-failures": "0"}, "does not conform"),
    "a known failure": (MISTAKE, "{all}", 0, {"known-failures": "all", "new-failures": "0"}, "not ours"),
    "an unexpected pass": ("reference", "{all}", 1, {"unexpected-passes": "all"}, "but passes"),
    "stale entries": ("reference", STALE, 1, {"stale-entries": "2"}, "matches no vector"),
    "asked again": ("reference", "{again} mismatch\n", 1, {"unexpected-passes": "1"}, "but passes"),
    "flaky": (FLAKY, None, 1, {"flaky": "50"}, "asked again passed 3 times"),
    "a dead runner": ("no-such-program-anywhere", None, 2, {"passed": "0"}, "no-such-program"),
}


WRONG = {}
"""The report of the mistake, made by the first test that needs it."""


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_ci_hears(name, heard, tmp_path) -> None:
    runner, listed, code, outputs, said = SITUATIONS[name]
    if not WRONG:
        heard(MISTAKE, *ALL, "--failures", 0)
        WRONG.update(report_of(tmp_path))
    again = next(iter(WRONG["asked_again"]["passed"]["evsys"])) + "/asked-again"
    failing = [one["id"] for one in WRONG["results"]]
    failing += [f"{one['id']}/asked-again" for one in WRONG["asked_again"]["results"]]
    everything = "".join(f"{one} mismatch  # since 2026-01-02: a mean that is not ours\n" for one in failing)
    (tmp_path / "list.txt").write_text((listed or "").replace("{all}", everything).replace("{again}", again))
    more = ("--known-failures", "list.txt") if listed else ()
    done, found, summary, commands = heard(runner, *ALL, *more, "--failures", 0)
    assert done.returncode == code, done.stdout
    assert found["verdict"] == {0: "passed", 1: "failed", 2: "not-tried"}[code]
    count = str(len(failing))
    assert [found[key] for key in outputs] == [n.replace("all", count) for n in outputs.values()]
    assert said in summary + "".join(commands)
    assert bool(commands) is (code != 0)


def test_a_summary_has_room_for_what_was_there(tmp_path) -> None:
    """What does not fit is left out whole, and said to be."""
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    step = Step({"GITHUB_STEP_SUMMARY": str(summary)})
    assert step.write({}, ["first", "x" * (MOST_SUMMARY - 300), "y" * 400, "last"]) == []
    text = summary.read_text()
    assert len(text.encode()) <= MOST_SUMMARY
    assert text.startswith("before\nfirst\n")
    assert "too long to be shown" in text
    assert "yyy" not in text


def test_what_others_wrote_meanwhile_is_removed(tmp_path) -> None:
    paths = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")}
    for path in paths.values():
        path.write_text("before=1\n")
    environment = {name: str(path) for name, path in paths.items()} | {"KEPT": "1"}
    step = Step(environment)
    assert environment == {"KEPT": "1"}
    for path in paths.values():
        with path.open("a") as file:
            file.write("other=1\n")
    assert len(step.write({"mine": "2"}, [])) == 3
    assert paths["GITHUB_ENV"].read_text() == paths["GITHUB_PATH"].read_text() == "before=1\n"
    assert paths["GITHUB_OUTPUT"].read_text().startswith("before=1\nmine<<end_")


def test_no_ci_system(tmp_path) -> None:
    assert Step({}).write({"a": "b"}, ["text"]) == []
    gone = Step({"GITHUB_OUTPUT": str(tmp_path / "no" / "such")}).write({}, [])
    assert gone == ["$GITHUB_OUTPUT can't be written: No such file or directory"]
    values = {"a": "x\ny=z\nb<<EOF\nEOF", "b": "", "c": "plain", "d": "%0A::error::x"}
    assert github.file_commands(output_text(values)) == values, "outputs hold any value"


@pytest.mark.oracle
def test_a_fork_whose_modules_fail(cli, tmp_path) -> None:
    """Without any list: harbor has it, so a fork must. Each op says which module of its own it lacks."""

    def gate(name, file, line):
        fork = checkout(Fork(name, "it fails when it is imported", (Edit(file, line),)), tmp_path)
        for path in (gone, broken) if file == "job.py" else ():
            for copy in ((fork / path), *(fork / path).parent.glob(f"__pycache__/{path.stem}.*")):
                copy.unlink()  # it is the oracle's own, by another name
            if path is broken:
                (fork / path).write_text("this is no Python\n")
        done = cli("gate", "--runner", f"harbor:{fork}", "harbor-0.13.1/*/*-one-*")
        return done.returncode, " ".join(done.stdout.split())

    gone, broken = Path("harbor/utils/pass_at_k.py"), Path("harbor/metrics/mean.py")
    code, said = gate("modules", "job.py", "import no_such_module_anywhere\n")
    assert code == 1, said
    for why in ("no_such_module_anywhere", "no module harbor.utils.pass_at_k", "invalid syntax"):
        assert why in said
    assert "no longer offered: " in said
    code, said = gate("package", "__init__.py", "raise ValueError('half a merge')\n")
    assert code == 2, said
    assert "half a merge" in said
