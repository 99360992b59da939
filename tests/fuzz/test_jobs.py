"""A fuzz run in several processes: seeds apart, findings merged, deaths told, interruptions kept."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.fuzz.causes import Cause, Causes, Disagreement
from conformance.fuzz.shares import MOST_JOBS, Order, orders
from conformance.judging.comparison import Level
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_file
from conformance.wire.messages import Ok
from tests.processes import KIT, children, waited_for, workers

OUT = "counterexamples.json"


def report(folder):
    return json.loads((folder / "report.json").read_text())


@pytest.mark.slow
def test_two_jobs_ask_as_each_would_alone(cli, tmp_path, faults, monkeypatch) -> None:
    """What two jobs find is what runs with their seeds find, and it is in one file; a problem comes once."""
    monkeypatch.setattr("conformance.fuzz.findings.Keeper.diagnose", lambda _: None)  # which takes its time
    done = cli("fuzz", "--runner", shlex.join([sys.executable, "-c", "raise SystemExit(3)"]), "--jobs", 2)
    assert (done.returncode, done.stdout.count("problem: ")) == (2, 1)
    assert "Traceback" not in done.stdout + done.stderr
    common = ("--runner", "mistake:naive-sum", "--ops", "aggregate", "--from-scratch", "--failures", 1)
    common += ("--json", "report.json")
    alone = []
    for seed in (5000, 5001):
        assert cli("fuzz", *common, "--seed", seed, "--inputs", 150).returncode == 1
        alone.append(report(tmp_path))
    done = cli("fuzz", *common, "--seed", 5, "--inputs", 300, "--jobs", 2)
    both = report(tmp_path)
    assert done.returncode == 1, done.stderr
    assert "jobs: 2, with the seeds 5000 to 5001" in done.stdout
    assert faults("fuzz-report", both) == []
    for name in ("compared", "disagreed"):
        assert both[name] == sum(one[name] for one in alone)
    assert both["jobs"] == [{"seed": seed, "compared": 150, "problem": None} for seed in (5000, 5001)]
    kinds = {cause["kind"] for one in alone for cause in one["causes"]}
    assert {cause["kind"] for cause in both["causes"]} == kinds
    assert sum(cause["count"] for cause in both["causes"]) == both["disagreed"]
    vectors = json.loads((tmp_path / OUT).read_text())["vectors"]
    notes = [re.search(r"--seed (500[01]), input \d+", json.dumps(vector)) for vector in vectors]
    assert {*map(bool, notes)} == {True}, "each says which job found it, though all may show one job's"


def _started(folder, *arguments):
    command = [*KIT, "fuzz", "--seed", "1", "--json", "report.json", *arguments]
    pipe, environment = subprocess.PIPE, {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, env=environment)


def _found_something(folder):
    said = [path.read_text().split() for path in folder.glob("*/*.progress")]
    return len(said) == 2 and all(words and int(words[-1]) for words in said)


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "number", "code"), [(1, signal.SIGTERM, 143), (2, signal.SIGINT, 130)])
def test_an_interruption_keeps_what_was_found(jobs, number, code, tmp_path, faults) -> None:
    words = ("--jobs", str(jobs), "--runner", "mistake:naive-sum", "--ops", "aggregate", "--time", "300")
    with _started(tmp_path, *words) as process:
        waited_for(lambda: (tmp_path / OUT).exists() if jobs == 1 else _found_something(tmp_path), "finding")
        busy = workers(process.pid)
        process.send_signal(number)
        said, complaints = process.communicate(timeout=300)
    assert (process.returncode, "Traceback" in complaints) == (code, False), complaints
    found = report(tmp_path)
    assert (found["ended"], found["exit_code"]) == ("interrupted", code)
    assert faults("fuzz-report", found) == []
    assert all((load_file(tmp_path / OUT), found["causes"]))
    assert "interrupted after" in said
    assert all(job["compared"] for job in found.get("jobs") or [])
    assert not any(Path(f"/proc/{worker}").exists() for worker in busy)


@pytest.mark.slow
def test_a_job_that_dies_costs_the_other_nothing(tmp_path, faults) -> None:
    with _started(tmp_path, "--jobs", "2", "--runner", "reference", "--time", "4") as process:
        waited_for(lambda: any(map(children, workers(process.pid))), "worker with a runner")
        os.kill(next(filter(children, workers(process.pid))), signal.SIGKILL)
        said, complaints = process.communicate(timeout=300)
    assert process.returncode == 2, complaints
    assert "Traceback" not in complaints
    assert re.search(r"problem: the job with the seed 100[01]: the process that worked on it died", said)
    found = report(tmp_path)
    assert faults("fuzz-report", found) == []
    assert sorted(job["problem"] is None for job in found["jobs"]) == [False, True]
    assert found["compared"] == sum(job["compared"] for job in found["jobs"]) > 0


def test_causes_are_joined() -> None:
    def cause(mistakes, number, given):
        one = Disagreement(number, "aggregate", given, None, Ok(1), Ok(2), frozenset(), seed=number)
        return Cause("aggregate", "kind", frozenset(mistakes), count=3, examples=[one], smallest=one)

    causes = Causes(Level.BYTES, None)
    every = (("ab", [1, 2, 3]), ("bc", [1]), ("d", []), ("", [1]), ("", [1, 2]))
    for number, (mistakes, given) in enumerate(every, start=1):
        causes.join(cause({*mistakes}, number, given))
    assert [(sorted(one.mistakes), one.count) for one in causes.found] == [(["b"], 6), (["d"], 3), ([], 6)]
    assert [one.smallest.seed for one in causes.found if one.smallest] == [2, 3, 4]
    assert causes.count == 15


def test_jobs_share_the_inputs_and_no_seed() -> None:
    for inputs, jobs, shares in ((11, 4, [3, 3, 3, 2]), (2, 5, [1, 1]), (None, 2, [None] * 2)):
        order = Order(RunOptions(command="reference"), 7, ("aggregate",), False, None, inputs)
        every = orders(order, jobs)
        assert [one.inputs for one in every] == shares
        assert [one.seed for one in every] == [7 * MOST_JOBS + place for place in range(len(shares))]
