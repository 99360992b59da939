"""The command ``gate``: what it writes, how it exits, and that it ends as it should whatever happens."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from conformance.gate.numbers import Numbers
from conformance.gate.step import MOST_SUMMARY, Step, output_text
from tools import github

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
SPEC = ("--spec", "evsys", "--classes", "all")
FEW = "evsys/compute/unknown-*"
OF_A_RUN = {"report.json", "report.md", "report.html", "junit.xml", "badge.json", "badge.svg"}
LYING = Path(__file__).parents[1] / "runners" / "lying.py"
pytestmark = pytest.mark.usefixtures("played")
MISTAKE = "mistake:evsys-micro-mean"


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_vector_is_asked_again_as_in_a_run_of_all(cli: Cli, tmp_path: Path) -> None:
    """Else a list of known failures, which is of all, would not do for a part of the vectors."""

    def asked(*given: str) -> set[str]:
        cli("gate", "--runner", "reference", *SPEC, *given)
        again = read(tmp_path / "conformance-report" / "report.json")["asked_again"]
        return {one["id"] for one in again["results"]}

    of_all = {name for name in asked() if name.startswith("evsys/compute/")}
    assert of_all == asked("evsys/compute/*")
    assert 0 < len(of_all) < len(asked("evsys/compute/*", "--again-seed", "1"))  # a seed of the user's: each


@pytest.mark.slow
def test_what_an_earlier_gate_left_is_gone(cli: Cli, tmp_path: Path) -> None:
    """A folder tells of one run; what is not the gate's stays."""
    cli("gate", "--runner", MISTAKE, *SPEC, FEW, "--fuzz", 1, "-o", "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "fuzz.json").write_text("{}")
    cli("gate", "--runner", "no-such-program-anywhere", *SPEC, FEW, "-o", "out")
    assert files(tmp_path / "out") == OF_A_RUN | {"notes.txt"}


def test_a_list_that_can_not_be_read(cli: Cli, tmp_path: Path) -> None:
    """It is told of where CI shows everything else."""
    (tmp_path / "list.txt").write_text("evsys/x what\n")
    summary = tmp_path / "summary.md"
    done = cli(
        "gate",
        "--runner",
        "reference",
        *SPEC,
        "--known-failures",
        "list.txt",
        GITHUB_STEP_SUMMARY=str(summary),
    )
    assert done.returncode == 2
    assert files(tmp_path / "conformance-report") == OF_A_RUN
    assert "line 1" in summary.read_text()
    assert done.stdout.splitlines()[-1].startswith("gate: not-tried")


@pytest.mark.slow
def test_fuzzing_asks_what_the_vectors_leave_open(cli: Cli, tmp_path: Path, faults: Any) -> None:
    """A runner that passes these vectors, and that random inputs show to be wrong."""
    given = (
        "--runner",
        "mistake:naive-sum",
        "harbor-0.13.1/aggregation/empty-*",
        "--classes",
        "aggregation",
        "--fuzz",
        6,
    )
    done = cli("gate", *given)
    folder = tmp_path / "conformance-report"
    report, fuzzed = read(folder / "report.json"), read(folder / "fuzz.json")
    assert (report["exit_code"], fuzzed["exit_code"], done.returncode) == (0, 1, 1), done.stdout
    assert faults("fuzz-report", fuzzed) == []
    assert fuzzed["seed"] == 1
    assert files(folder) == OF_A_RUN | {
        *("fuzz.json", "fuzz.md", "fuzz.html", "junit-fuzz.xml", "counterexamples.json")
    }
    assert done.stdout.splitlines()[-1].endswith("findings by fuzzing (exit code 1)")


@pytest.mark.slow
def test_fuzzing_leaves_out_what_fails(cli: Cli, tmp_path: Path) -> None:
    done = cli("gate", "--runner", MISTAKE, *SPEC, "--fuzz", 1, "--failures", 0)
    assert "not fuzzed, as vectors show failures already: evsys.compute" in done.stdout
    assert done.returncode == 1
    done = cli("gate", "--runner", "no-such-program-anywhere", *SPEC, "--fuzz", 1)
    assert "not fuzzed: the run has no verdict" in done.stdout
    assert done.returncode == 2


@pytest.mark.slow
def test_unsupported_fails_where_its_class_is_demanded(cli: Cli, tmp_path: Path) -> None:
    """As among vectors, which may be in another shard: else a part fails of a whole that passes."""
    given = (
        *("gate", "--runner", shlex.join([sys.executable, str(LYING), "unsupported", "aggregate"])),
        *("harbor-0.13.1/aggregation/empty-*", "--fuzz", 1.5, "--classes"),
    )
    summary = tmp_path / "summary.md"
    done = cli(*given, "outcome", "--shard", "1/2", GITHUB_STEP_SUMMARY=str(summary))
    fuzzed = read(tmp_path / "conformance-report" / "fuzz.json")
    assert (fuzzed["exit_code"], fuzzed["causes"], fuzzed["unclaimed"]) == (1, [], ["aggregation"])
    assert done.returncode == 0, done.stdout
    for said in (done.stdout, summary.read_text()):
        assert "unsupported at some random inputs, which breaks the claim of the class aggregation" in said
    assert (
        cli("gate", "--merge", "conformance-report", "-o", "whole").returncode == 1
    )  # the other part is missing
    shutil.move(tmp_path / "conformance-report", tmp_path / "parts" / "1")
    assert cli(*given, "outcome", "--shard", "2/2", "-o", "parts/2").returncode == 0
    drawn = [read(tmp_path / "parts" / part / "fuzz.json")["seed"] for part in ("1", "2")]
    assert drawn == [1000, 1001]  # as fuzz --shard has them: no input is drawn twice
    assert cli("gate", "--merge", "parts", "-o", "whole").returncode == 0
    assert cli(*given, "aggregation").returncode == 1


def test_a_summary_begins_with_what_the_gate_comes_to(cli: Cli, tmp_path: Path) -> None:
    """What it was told besides is escaped as a page's texts are."""
    summary = tmp_path / "summary.md"
    given = ("--compare-with", "@everyone [x](http://x.invalid) <b>.json")
    done = cli("gate", "--runner", "reference", *SPEC, FEW, *given, GITHUB_STEP_SUMMARY=str(summary))
    first, _, rest = summary.read_text().partition("\n")
    assert first == f"**{done.stdout.splitlines()[-1]}**"
    assert "not compared with an earlier run: " in rest
    assert "`@everyone`" in rest
    tokens = [one for each in MarkdownIt().parse(rest) for one in (each, *(each.children or ()))]
    assert not [
        one for one in tokens if one.type == "link_open" or ("<b>" in one.content and "html" in one.type)
    ]


def test_no_command_at_all(cli: Cli) -> None:
    done = cli("gate", "--runner", " ", *SPEC)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--runner is empty" in done.stderr


def test_what_is_new_since_an_earlier_run(cli: Cli, tmp_path: Path) -> None:
    """It decides nothing; nor does an earlier report that is not there, or is none."""
    cli("gate", "--runner", "reference", *SPEC, FEW, "-o", "earlier")
    given = ("gate", "--runner", "reference", *SPEC, FEW, "--compare-with")
    assert cli(*given, "earlier/report.json").returncode == 0
    assert files(tmp_path / "conformance-report") == OF_A_RUN | {"difference.md", "difference.html"}
    for path in ("nothing.json", "earlier/badge.json", "earlier"):
        done = cli(*given, path)
        assert done.returncode == 0
        assert "not compared with an earlier run: " in done.stdout
        assert files(tmp_path / "conformance-report") == OF_A_RUN


@pytest.fixture
def parts(cli: Cli, tmp_path: Path) -> Path:
    """The reports of three parts, as artifacts are downloaded."""
    for number in (1, 2, 3):
        done = cli(
            "gate", "--runner", "reference", *SPEC, "--shard", f"{number}/3", "-o", f"parts/{number}-of-3"
        )
        assert done.returncode == 0, done.stdout
    return tmp_path / "parts"


def test_parts_are_merged(
    cli: Cli, tmp_path: Path, parts: Path, accepted: Callable[[str], dict[str, Any]]
) -> None:
    """Into the gate of the whole, with what fuzzing found in any; or that says which is missing."""
    done = cli("gate", "--merge", "parts")
    assert done.returncode == 0, done.stdout + done.stderr
    whole = read(tmp_path / "conformance-report" / "report.json")
    assert (whole["complete"], whole["totals"]["passed"]) == (True, 305)
    fuzzed = next(one for one in accepted("fuzz-report").values() if one["causes"])
    (parts / "2-of-3" / "fuzz.json").write_text(json.dumps(fuzzed))
    done = cli("gate", "--merge", "parts")
    assert done.returncode == 1
    found = len(fuzzed["causes"])
    assert f"{found} finding" in done.stdout.splitlines()[-1]
    (parts / "2-of-3" / "fuzz.json").write_text("{}")
    assert cli("gate", "--merge", "parts").returncode == 2
    shutil.rmtree(parts / "2-of-3")
    done = cli("gate", "--merge", "parts/1-of-3/report.json", "--merge", "parts/3-of-3")
    assert done.returncode in (1, 2)
    assert "2/3" in done.stdout or "part 2 of 3" in done.stdout or "2 of 3" in done.stdout
    assert files(tmp_path / "conformance-report") == OF_A_RUN


def test_merging_asks_no_runner(cli: Cli, tmp_path: Path) -> None:
    done = cli("gate", "--merge", ".", "--runner", "reference")
    assert (done.returncode, done.stdout) == (2, "")
    assert "asks no runner" in done.stderr
    (tmp_path / "empty").mkdir()
    done = cli("gate", "--merge", "empty")
    assert done.returncode == 2
    assert "there is no report.json in empty" in done.stderr


def test_a_folder_that_can_not_be_written(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    done = cli("gate", "--runner", "reference", *SPEC, FEW, "-o", "file/below")
    assert done.returncode == 2
    assert "can't be used for reports" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_a_report_that_can_not_be_written(cli: Cli, tmp_path: Path, monkeypatch: Any) -> None:
    """The other reports are there, and the gate does not pass."""
    from conformance.gate import folder

    right = folder.unwritten
    monkeypatch.setattr(
        folder,
        "unwritten",
        lambda path, text: (
            f"{path} can't be written: full" if path.name == "junit.xml" else right(path, text)
        ),
    )
    done = cli("gate", "--runner", "reference", *SPEC, FEW)
    assert done.returncode == 2
    assert files(tmp_path / "conformance-report") == OF_A_RUN - {"junit.xml"}
    assert "can't be written: full" in done.stdout


SLOW = """\
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    ok = {"runner": "slow", "version": "1", "protocol": 1, "ops": ["evsys.compute"]}
    if request["op"] != "hello":
        open(sys.argv[1], "w").close()
        time.sleep(600)
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_job_has_its_reports(number: signal.Signals, tmp_path: Path) -> None:
    """GitHub sends the one, waits 7.5 seconds, sends the other, waits 2.5, and kills."""
    (tmp_path / "slow.py").write_text(SLOW)
    begun, output, summary = tmp_path / "begun", tmp_path / "output", tmp_path / "summary"
    output.touch()
    process = subprocess.Popen(
        [
            *(
                sys.executable,
                "-c",
                "from conformance.cli import main; main()",
                "gate",
                *SPEC,
                "--fuzz",
                "30",
            ),
            *("--runner", f"{sys.executable} slow.py {begun}", "--runner-timeout", "500"),
        ],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not begun.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert files(tmp_path / "conformance-report") == OF_A_RUN
    assert said.splitlines()[-1].startswith("gate: interrupted")
    assert "\ninterrupted\n" in output.read_text()
    assert "interrupted" in summary.read_text()


@pytest.fixture
def told(cli: Cli, tmp_path: Path) -> Callable[..., tuple[Any, dict[str, str], str, list[str]]]:
    """Runs a gate where CI listens: how it ended, the outputs, the summary and the annotations."""

    def gate(*words: object) -> tuple[Any, dict[str, str], str, list[str]]:
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


SITUATIONS: dict[str, tuple[str, str | None, int, dict[str, object], list[str]]] = {
    "nothing new": (
        "reference",
        None,
        0,
        {"new-failures": 0, "stale-entries": 0, "known-failures": 0},
        ["conforms"],
    ),
    "a new failure": (
        MISTAKE,
        None,
        1,
        {"new-failures": "19", "known-failures": 0},
        ["does not conform", "{0}"],
    ),
    "a known failure": (
        *(MISTAKE, "{all}", 0, {"known-failures": "all", "new-failures": 0, "unexpected-passes": 0}),
        ["{0}", "a mean that is not ours"],
    ),
    "an unexpected pass": (
        *("reference", "{all}", 1, {"unexpected-passes": "all", "new-failures": 0, "known-failures": 0}),
        ["{0}", "passed though listed as known failures"],
    ),
    "stale entries": (
        *("reference", "evsys/* mismatch  # long mended\nevsys/no-such crash\n", 1, {"stale-entries": 2}),
        ["is stale", "matches no vector"],
    ),
    "a list that hides nothing": (
        *(MISTAKE, "".join(f"evsys/no-such-{n} mismatch\n" for n in range(12)), 1),
        {"stale-entries": 12},
        ["12 lines to remove or correct (1, 2, 3, "],
    ),
    "asked again": (
        "reference",
        "{again}/asked-again mismatch\n",
        1,
        {"unexpected-passes": 1},
        ["asked-again is listed as mismatch, and passes: remove the line"],
    ),
    "a dead runner": (
        "no-such-program-anywhere",
        None,
        2,
        {"passed": 0, "new-failures": 0},
        ["no-such-program"],
    ),
    "no runner": ("'", None, 2, {"passed": 0}, ["No closing quotation"]),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_ci_is_told(name: str, told: Any, tmp_path: Path) -> None:
    runner, listed, code, outputs, said = SITUATIONS[name]
    told(MISTAKE, *SPEC, "--failures", 0)
    report = read(tmp_path / "conformance-report" / "report.json")
    results, again = report["results"], report["asked_again"]["results"][0]["id"]
    failing = [one["id"] for one in results if one["outcome"] == "mismatch"]
    everything = "".join(f"{one} mismatch  # since 2026-01-02: a mean that is not ours\n" for one in failing)
    (tmp_path / "list.txt").write_text((listed or "").replace("{all}", everything).replace("{again}", again))
    more = ("--known-failures", "list.txt") if listed else ()
    done, found, summary, commands = told(runner, *SPEC, *more, "--failures", 0)
    assert done.returncode == code, done.stdout
    assert found["verdict"] == {0: "passed", 1: "failed", 2: "not-tried"}[code]
    counts = {"all": len(failing), "19": len(failing)}
    assert {key: found[key] for key in outputs} == {
        key: str(counts.get(str(n), n)) for key, n in outputs.items()
    }
    for one in said:
        assert one.replace("{0}", failing[0]) in summary + "".join(commands)
    assert bool(commands) is (code != 0)
    assert "failed in other words" not in summary
    if name == "a list that hides nothing":
        assert "; repeat: harbor-conformance run --runner mistake:" in commands[0]
        assert "12 lines" in commands[-1]
        assert int(found["new-failures"]) == len(failing)


def test_outputs_hold_any_value() -> None:
    values = {"a": "x\ny=z\nb<<EOF\nEOF", "b": "", "c": "plain", "d": "%0A::error::x"}
    assert github.file_commands(output_text(values)) == values


def test_a_summary_has_room_for_what_was_there(tmp_path: Path) -> None:
    """What does not fit is left out whole, and said to be."""
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    step = Step({"GITHUB_STEP_SUMMARY": str(summary)})
    assert step.tell({}, ["first", "x" * (MOST_SUMMARY - 300), "y" * 400, "last"]) == []
    text = summary.read_text()
    assert len(text.encode()) <= MOST_SUMMARY
    assert text.startswith("before\nfirst\n")
    assert "too long to be shown" in text
    assert "yyy" not in text


def test_what_others_wrote_meanwhile_is_removed(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")}
    for path in paths.values():
        path.write_text("before=1\n")
    environment = {name: str(path) for name, path in paths.items()} | {"KEPT": "1"}
    step = Step(environment)
    assert environment == {"KEPT": "1"}
    for path in paths.values():
        with path.open("a") as file:
            file.write("other=1\n")
    assert len(step.tell({"mine": "2"}, [])) == 3
    assert paths["GITHUB_ENV"].read_text() == paths["GITHUB_PATH"].read_text() == "before=1\n"
    assert paths["GITHUB_OUTPUT"].read_text().startswith("before=1\nmine<<end_")


def test_no_ci_system(tmp_path: Path) -> None:
    assert Step({}).tell({"a": "b"}, ["text"]) == []
    gone = tmp_path / "no" / "such"
    assert Step({"GITHUB_OUTPUT": str(gone)}).tell({}, []) == [
        "$GITHUB_OUTPUT can't be written: No such file or directory"
    ]


def test_numbers_of_a_report_of_an_earlier_kit(accepted: Callable[[str], dict[str, Any]]) -> None:
    """Without the members that came later."""
    for document in accepted("run-report").values():
        numbers = Numbers.of(document)
        assert numbers.vectors >= numbers.passed >= 0
