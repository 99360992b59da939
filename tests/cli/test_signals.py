"""Ctrl-C, SIGTERM and SIGHUP: a report, an exit code, and nothing left running."""

import importlib
import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from conformance import interrupts
from tests.processes import KIT, running, waited_for

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
PATIENT = 300
STUBBORN = """\
import pathlib, signal, sys, time
from conformance.shim import serve
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
serve({"evals_key": lambda **_: (pathlib.Path(sys.argv[1]).touch(), time.sleep(600))}, name="stubborn")
time.sleep(600)
"""


METRIC = """\
import contextlib, time
class Metric:
    name = "m"
    def compute(self, given):
        with contextlib.suppress(OSError): open({begun!r}, "w").close()
        time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _as_from_a_terminal():
    """Signals count, here and in what is started, even under ``nohup``, which has one ignored."""
    before = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
    for number, handler in before.items():
        if handler is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to look for orphans")
@pytest.mark.parametrize(
    ("command", "numbers"),
    [
        *(("run", [signal.SIGHUP]), ("run --oneshot", [signal.SIGINT]), ("run", [signal.SIGTERM] * 2)),
        *(("pytest", [signal.SIGTERM]), ("pytest -n 2", [signal.SIGHUP]), ("metric", [signal.SIGTERM])),
    ],
)
def test_a_signal_ends_in_a_report_and_leaves_nothing(command, numbers, vectors, tmp_path, faults) -> None:
    path, report, begun = vectors.several(4), tmp_path / "report.json", tmp_path / "begun"
    runner = tmp_path / "runner.py"
    runner.write_text(STUBBORN)
    mark = f"MARK_{uuid.uuid4().hex}"
    metric = tmp_path / mark / "slow.py"
    metric.parent.mkdir()
    metric.write_text(METRIC.format(begun=str(begun)))
    runner_option = ["--runner", f"{sys.executable} {runner} {begun}"]
    asked = [*runner_option, "--runner-timeout", "600"]
    in_pytest = [*runner_option, "--conformance-runner-timeout", "600", "--conformance-report", str(report)]
    words = {
        "run": [*KIT, "run", "--vectors", str(path), *asked, "--report", str(report)],
        "run --oneshot": [*KIT, "run", "--vectors", str(path), *asked, "--oneshot", "--report", str(report)],
        "pytest": [*PYTEST, str(path), *in_pytest],
        "pytest -n 2": [*PYTEST, str(path), *in_pytest, "-n", "2"],
        "metric": [*KIT, "metric", f"{metric}:Metric", "--contract", "evsys", "--report", str(report)],
    }[command]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
    with subprocess.Popen(words, cwd=tmp_path, env=environment | {mark: "1"}, **pipes) as kit:
        try:
            confined, gone = "--unshare-pid", lambda: kit.poll() is not None
            waited_for(lambda: begun.exists() or gone() or confined in "".join(running(mark)), "request")
            for number in numbers:
                kit.send_signal(number)
            said, _ = kit.communicate(timeout=PATIENT)
        finally:
            kit.kill()  # a test that fails must not wait for it for ever
    assert kit.returncode == 128 + numbers[0], said
    assert "Traceback" not in said
    document = json.loads(report.read_text("utf-8"))
    assert faults("metric-report" if command == "metric" else "run-report", document) == []
    assert document.get("summary", document)["exit_code"] == 128 + numbers[0]
    if command.startswith("run"):
        assert "no verdict; 0 of 0 passed" in said
        assert "does not conform" not in said
        assert document["interrupted"]["sentence"] == "interrupted after 0 of 4 vectors"
    waited_for(lambda: not [*running(mark)], "end of what it started")


def test_an_interrupted_audit_keeps_what_was_audited(cli, tmp_path, monkeypatch, faults) -> None:
    module = importlib.import_module("conformance.extensions.audit.work")
    audit = module.audit

    asked = []

    def interrupted(*given):
        asked.append(given)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return audit(*given)

    monkeypatch.setattr(module, "audit", interrupted)
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text("{}")
    done = cli("check", "--json", "a", "b", "c")
    assert done.returncode == 143
    document = json.loads(done.stdout)
    assert faults("check-report", document) == []
    assert document["exit_code"] == 143
    problems = [job["problem"] for job in document["jobs"]]
    assert problems == [None, *["interrupted before its audit had ended"] * 2]


def test_the_first_signal_counts_at_once_unless_it_must_wait_or_is_ignored() -> None:
    with interrupts.taken_over():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert (interrupts.taken(), interrupts.exit_code()) == (signal.SIGHUP, 129)
    with interrupts.taken_over():
        done = []
        with pytest.raises(KeyboardInterrupt), interrupts.held():  # noqa: PT012
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("the whole block")
        assert done == ["the whole block"]
    with interrupts.taken_over(), interrupts.ending():
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.taken() == signal.SIGTERM
        with pytest.raises(KeyboardInterrupt), interrupts.released():
            pytest.fail("it has come already")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts.taken_over():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_hangs_can_be_ended(monkeypatch) -> None:
    monkeypatch.setattr(interrupts, "PATIENCE", 0.0)
    with interrupts.taken_over(), pytest.raises(KeyboardInterrupt), interrupts.ending():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        pytest.fail("the second did not count")
