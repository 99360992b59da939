"""What becomes of a report, an exit code and a log, whatever becomes of standard output."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import KIT

pytestmark = pytest.mark.usefixtures("played")


PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
PATIENT = 300
LOUD = """\
import sys
from conformance.shim import serve

def evals_key(**_):
    print("first\\n::error::gotcha\\n  ##vso[task.complete]", file=sys.stderr, flush=True)
    return {"evals_key": "##[group]x"}

serve(evals_key, name="##[error]loud", version="1")
"""


@pytest.fixture
def made(request, vectors, hostile_text, tmp_path):
    """A command that finds something, by name."""
    path, report = vectors.several(3), tmp_path / "report.json"
    wrong = ["--runner", hostile_text(path, "exit", "v1")]
    metric = tmp_path / "metric.py"
    metric.write_text("class Metric:\n    name = 'm'\n    def compute(self, task_rewards): return 'x'\n")
    fuzz = ["fuzz", "--runner", "mistake:naive-sum", "--ops", "aggregate", "--inputs", "120", "--seed", "1"]
    one = ["metric", f"{metric}:Metric", "--contract", "evsys", "--case", "one-task"]
    commands = {
        "run": ([*KIT, "run", "--vectors", str(path), *wrong, "--report", str(report)], report, 1),
        "pytest": ([*PYTEST, str(path), *wrong, "--conformance-report", str(report)], report, 1),
        "fuzz": ([*KIT, *fuzz, "--json", str(report)], report, 1),
        "metric": ([*KIT, *one, "--report", str(report)], report, 1),
    }
    return commands[request.param]


def exit_code(report):
    document = json.loads(report.read_text("utf-8"))
    return document.get("summary", document)["exit_code"]


def done(words, folder, stdout):
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    how = {"stdout": stdout, "stderr": subprocess.PIPE, "encoding": "utf-8", "check": False}
    return subprocess.run(words, cwd=folder, timeout=PATIENT, env=environment, **how)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "full"),
    [("run", False), ("pytest", False), *((one, True) for one in ("run", "pytest", "fuzz", "metric"))],
    indirect=["made"],
)
def test_an_output_that_can_not_be_written_costs_no_report(made, tmp_path, full) -> None:
    """Where nobody reads any more, nothing is wrong; of a full disk the kit's commands say so."""
    words, report, code = made
    reader, writer = os.pipe()
    os.close(reader)
    with open("/dev/full" if full else writer, "w", closefd=True) as stdout:
        ended = done(words, tmp_path, stdout)
    assert exit_code(report) == code
    if full and words[: len(KIT)] == KIT:
        said = "harbor-conformance: standard output can't be written: No space left on device\n"
        assert (ended.returncode, ended.stderr.endswith(said)) == (2, True)
    elif not full:
        assert (ended.returncode, "Error" in ended.stderr, "ignored" in ended.stderr) == (code, False, False)


@pytest.mark.slow
@pytest.mark.parametrize("made", ["run", "pytest", "fuzz", "metric"], indirect=True)
def test_a_report_that_can_not_be_written_costs_no_account(made, tmp_path) -> None:
    words, report, _ = made
    words = ["/dev/full" if word == str(report) else word for word in words]
    ended = done(words, tmp_path, subprocess.PIPE)
    assert ended.returncode == 2
    assert "the report /dev/full can't be written: No space left on device" in ended.stdout + ended.stderr
    assert ended.stdout.count("\n") > 3


@pytest.mark.slow
def test_what_is_closed_is_no_place_for_a_file(vectors, hostile_text, tmp_path) -> None:
    path, report = vectors.several(2), tmp_path / "report.json"
    words = [*KIT, "run", "--vectors", str(path), "--runner", hostile_text(path), "--report", str(report)]
    ended = done(["sh", "-c", f"{shlex.join(words)} >&- 2>&-"], tmp_path, subprocess.DEVNULL)
    assert ended.returncode == 0
    assert exit_code(report) == 0


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"])
@pytest.mark.parametrize("made", ["run", "metric"], indirect=True)
def test_colours_that_are_wished_for_move_no_cursor(cli, made, variable) -> None:
    ended = cli(*made[0][len(KIT) :], **{variable: "1", "TERM": "xterm"})
    assert ended.returncode == made[2]
    for code in ("\x1b[?25", "\x1b[2K", "\x1b[1A", "\r"):
        assert code not in ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "pytest"])
def test_a_runner_gives_a_ci_system_no_orders(command, vectors, tmp_path) -> None:
    path, runner, report = vectors.several(2), tmp_path / "runner.py", tmp_path / "report.json"
    runner.write_text(LOUD)
    words = [*KIT, "run", "--vectors", str(path), "--report", str(report)]
    if command == "pytest":
        words = [*PYTEST, str(path), "-ra", "--conformance-report", str(report)]
    ended = done([*words, "--runner", f"{sys.executable} {runner}"], tmp_path, subprocess.PIPE)
    assert ended.returncode == 1
    said = (ended.stdout + ended.stderr).splitlines()
    assert not [line for line in said if line.strip().startswith("::") or "##[" in line or "##vso[" in line]
    assert any("\\u003a:error::gotcha" in line for line in said)
    assert any("\\u0023#[group]x" in line for line in said)
    document = json.loads(report.read_text("utf-8"))
    assert document["runner"]["name"] == "##[error]loud"
    assert document["results"][0]["actual"] == {"ok": {"evals_key": "##[group]x"}}


def test_a_disk_too_full_for_the_datasets(cli, tmp_path, monkeypatch) -> None:
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    ended = cli("dataset", tmp_path / "tasks")
    monkeypatch.undo()
    assert ended.returncode == 2
    sentence = f"{tmp_path / 'tasks'} can't be written: No space left on device"
    assert ended.stderr == f"harbor-conformance: {sentence}\n"


@pytest.mark.slow
def test_fuzz_tells_what_it_found_where_it_can_not_keep_it(cli, tmp_path, monkeypatch) -> None:
    def full(descriptor) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("conformance.wire.writing.os.fsync", full)
    words = ("--ops", "aggregate", "--inputs", 200, "--seed", 1, "--out", "found.json")
    ended = cli("fuzz", "--runner", "mistake:naive-sum", *words)
    assert ended.returncode == 2
    assert "200 inputs compared" in ended.stdout
    assert ended.stderr.endswith("Error: found.json can't be written: No space left on device\n")


def test_a_device_is_no_file_of_counterexamples(cli) -> None:
    ended = cli("fuzz", "--runner", "reference", "--inputs", 1, "--out", "/dev/zero")
    assert ended.returncode == 2
    assert "/dev/zero is not a file of counterexamples, so it is not replaced" in ended.stderr
