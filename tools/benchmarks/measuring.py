"""Shared code of the benchmarks: options, a loop around a bare runner, commands of the kit, figures."""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from conformance.assessment.benchmarks import Figure, write_benchmark
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire import messages

ROOT = Path(__file__).parents[2]
REFERENCE = [sys.executable, "-m", "reference_impl"]
SECONDS = 3600.0
"""The longest wait, in seconds."""


def parse_options(doc: str | None, rounds: int, more: Mapping[str, Mapping[str, Any]] | None = None) -> Any:
    """The command line: ``--rounds``, ``--json`` and a benchmark's own options."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    for name, settings in (more or {}).items():
        parser.add_argument(name, **settings)
    return parser.parse_args()


def new_table(title: str, *columns: str) -> Table:
    table = Table(title=title)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def report_figures(
    chosen: Any, name: str, figures: Sequence[Figure], more: Any, table: Table | None = None
) -> None:
    """Prints the table, and each figure next to its target; writes both if requested."""
    if chosen.json:
        write_benchmark(chosen.json, name, figures, more)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    if table is not None:
        console.print(table)
    for figure in figures:
        console.print(figure.line())


def run_kit(*words: object, codes: Sequence[int] = (0,)) -> tuple[dict[str, Any], bytes]:
    """Runs a command of the kit in a new process; returns its cost and its output."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.measured", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        timeout=SECONDS,
    )
    lines = done.stderr.decode().splitlines()
    if done.returncode != 0 or (cost := json.loads(lines[-1]))["code"] not in codes:
        sys.exit(f"{words[0]} failed:\n{done.stdout.decode()[-2000:]}{done.stderr.decode()[-4000:]}")
    return cost, done.stdout


def make_leaderboard(folder: Path, jobs: int) -> Path:
    words = [sys.executable, "-m", "tools.jobs.leaderboard", str(folder.absolute()), "--jobs", str(jobs)]
    subprocess.run(words, cwd=ROOT, check=True, timeout=SECONDS)
    os.sync()
    return folder / "leaderboard"


LEADERBOARD_OPTIONS = {"--jobs": {"type": int, "default": 250, "help": "jobs of the leaderboard"}}


def request_lines() -> list[bytes]:
    vectors = load_spec(DEFAULT_SPEC)
    return [messages.request_line(i, v.request().tail) for i, v in enumerate(vectors, start=1)]


def run(command: str, report: Path) -> tuple[float, float]:
    """The seconds of ``harbor-conformance run``: in total, and from hello's reply to the last verdict."""
    cost, _ = run_kit("run", "--runner", command, "--report", report)
    return cost["clock"], float(json.loads(report.read_text("utf-8"))["duration_seconds"])


class Seconds(NamedTuple):
    start: float
    """From the start of the process to hello's reply."""
    talk: float
    """From hello's reply to the last reply."""
    whole: float
    """From the start of the process to its end."""


def bare_loop(command: Sequence[str], lines: Sequence[bytes]) -> Seconds:
    """Pipes the request lines through a runner; ends the benchmark if not all are answered."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        stdin = process.stdin
        stdin.write(messages.hello_line(DEFAULT_SPEC))
        stdin.flush()
        process.stdout.readline()
        greeted = time.perf_counter()

        def write() -> None:
            stdin.writelines(lines)
            stdin.close()

        writer = threading.Thread(target=write)
        writer.start()
        replies = sum(1 for _ in process.stdout)
        answered = time.perf_counter()
        writer.join()
    if replies != len(lines):
        sys.exit(f"{command[0]} answered {replies} of {len(lines)} requests")
    return Seconds(greeted - began, answered - greeted, time.perf_counter() - began)
