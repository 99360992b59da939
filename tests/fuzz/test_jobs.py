"""A fuzz run in several processes: seeds apart, findings merged, deaths told, interruptions kept."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz.causes import Cause, Causes, Disagreement
from conformance.fuzz.shares import Order, orders
from conformance.judging.comparison import Level
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_file
from conformance.wire.messages import Ok

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Faults = Callable[[str, Any], list[str]]
Text = Callable[[str], str]

OUT = "counterexamples.json"


def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def test_orders_share_the_inputs_and_no_seed() -> None:
    order = Order(RunOptions(command="reference"), 7, ["aggregate"], (), True, None, 11)
    several = orders(order, 4)
    assert [one.inputs for one in several] == [3, 3, 3, 2]
    seeds = {
        one.seed for seed in range(3) for one in orders(Order(order.options, seed, [], (), True, 1, None), 9)
    }
    assert len(seeds) == 27
    assert len(orders(order, 50)) == 11


def test_two_jobs_ask_what_each_would_alone(
    cli: Cli, tmp_path: Path, narrow_text: Text, faults: Faults
) -> None:
    """What two jobs find is what runs with their seeds find, and it is in one file."""
    common = ("--runner", narrow_text("long-sums"), "--ops", "aggregate", "--from-scratch")
    common = (*common, "--json", "report.json", "--failures", 1)
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
    assert notes
    assert all(notes), "each says which job found it, though all may show one job's"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_runner_that_agrees(cli: Cli, tmp_path: Path, faults: Faults, seed: int) -> None:
    arguments = ("--seed", seed, "--inputs", 101, "--jobs", 2, "--json", "report.json")
    done = cli("fuzz", "--runner", "reference", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    found = report(tmp_path)
    assert faults("fuzz-report", found) == []
    assert (found["compared"], found["ended"], found["seed"]) == (101, "inputs", seed)
    assert [job["compared"] for job in found["jobs"]] == [51, 50]
    assert not (tmp_path / OUT).exists()


def test_a_runner_that_cannot_be_tried_is_told_once(cli: Cli) -> None:
    done = cli("fuzz", "--runner", shlex.join([sys.executable, "-c", "raise SystemExit(3)"]), "--jobs", 2)
    assert done.returncode == 2
    assert done.stdout.count("problem: ") == 1
    assert "Traceback" not in done.stdout + done.stderr


def _started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "fuzz", "--seed", "1"]
    command += ["--jobs", "2", "--json", "report.json", *arguments]
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def _workers(pid: int) -> list[int]:
    """The processes that compare: those that Python spawned."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def _waited_for(process: subprocess.Popen[str], seen: Callable[[], bool]) -> None:
    while not seen():
        assert process.poll() is None
        time.sleep(0.05)


def _found_something(folder: Path) -> bool:
    """Whether both jobs say that they have."""
    said = [path.read_text().split() for path in folder.glob("*/*.progress")]
    return len(said) == 2 and all(words and int(words[-1]) for words in said)


def _children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_keeps_what_was_found(
    number: signal.Signals, code: int, tmp_path: Path, narrow_text: Text, faults: Faults
) -> None:
    runner = narrow_text("long-sums")
    with _started(tmp_path, "--runner", runner, "--ops", "aggregate", "--time", "300") as process:
        _waited_for(process, lambda: _found_something(tmp_path))
        workers = _workers(process.pid)
        process.send_signal(number)
        _, complaints = process.communicate(timeout=300)
    assert process.returncode == code, complaints
    assert "Traceback" not in complaints
    assert load_file(tmp_path / OUT)
    found = report(tmp_path)
    assert faults("fuzz-report", found) == []
    assert (found["ended"], found["exit_code"]) == ("interrupted", code)
    assert found["causes"]
    assert all(job["compared"] for job in found["jobs"])
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def test_a_job_that_dies_is_told_and_costs_the_other_nothing(
    tmp_path: Path, narrow_text: Text, faults: Faults
) -> None:
    with _started(tmp_path, "--runner", "reference", "--time", "6") as process:
        _waited_for(process, lambda: any(map(_children, _workers(process.pid))))
        os.kill(next(filter(_children, _workers(process.pid))), signal.SIGKILL)
        said, complaints = process.communicate(timeout=300)
    assert process.returncode == 2, complaints
    assert "Traceback" not in complaints
    assert re.search(r"problem: the job with the seed 100[01]: the process that worked on it died", said)
    found = report(tmp_path)
    assert faults("fuzz-report", found) == []
    assert sorted(job["problem"] is None for job in found["jobs"]) == [False, True]
    assert found["compared"] == sum(job["compared"] for job in found["jobs"]) > 0


def test_causes_are_joined() -> None:
    def cause(mistakes: set[str], number: int, given: object) -> Cause:
        one = Disagreement(number, "aggregate", given, None, Ok(1), Ok(2), frozenset(), seed=number)
        return Cause("aggregate", "kind", frozenset(mistakes), count=3, examples=[one], smallest=one)

    causes = Causes(Level.BYTES, None)  # type: ignore[arg-type]
    for mistakes, number, given in (
        ({"a", "b"}, 1, [1, 2, 3]),
        ({"b", "c"}, 2, [1]),
        ({"d"}, 3, []),
        (set(), 4, [1]),
        (set(), 5, [1, 2]),
    ):
        causes.join(cause(mistakes, number, given))
    assert [(sorted(one.mistakes), one.count) for one in causes.found] == [(["b"], 6), (["d"], 3), ([], 6)]
    assert [one.smallest.seed for one in causes.found if one.smallest] == [2, 3, 4]
    assert causes.count == 15
