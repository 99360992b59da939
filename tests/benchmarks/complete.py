"""The complete runner in Rust beside the reference, as ratios in one run: python tests/benchmarks/complete.py

The same in turn to both, several rounds, so that a busy machine slows them alike:

- start: from the process's beginning to hello's reply;
- alone: a bare loop that pipes every vector's request through it, from hello's reply to the last reply;
- run: ``harbor-conformance run``, from hello's reply to the last verdict; most of it is the kit's own work.

Each figure is told beside its aim; ``--json FILE`` writes them for ``assess --benchmark FILE``.
"""

import argparse
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table
from shared.bare_loop import REFERENCE, bare_loop

from conformance.assessment.benchmarks import Figure, write_benchmark
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire import messages

COMPLETE = Path(__file__).parents[1] / "runners" / "complete"
STEPS = ("start", "alone", "run")


def built(folder: Path) -> list[str]:
    """The complete runner's command."""
    if shutil.which("cargo") is None:
        sys.exit("no cargo here: install Rust to build the complete runner")
    command = ["cargo", "build", "--release", "--quiet", "--locked", "--target-dir", str(folder)]
    subprocess.run([*command, "--manifest-path", str(COMPLETE / "Cargo.toml")], check=True, timeout=600)
    return [str(folder / "release" / "complete")]


def run(command: list[str], report: Path) -> float:
    """Seconds from hello's reply to the last verdict; every vector must pass."""
    words = [sys.executable, "-c", "from conformance.cli import main; main()", "run"]
    words += ["--runner", shlex.join(command), "--report", str(report)]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    return float(json.loads(report.read_text("utf-8"))["duration_seconds"])


def main() -> None:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    options = parser.parse_args()
    vectors = load_spec(DEFAULT_SPEC)
    lines = [messages.request_line(i, v.request().tail) for i, v in enumerate(vectors, start=1)]
    console = Console(highlight=False)
    seconds: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with console.status("building the complete runner"):
            runners = {"complete": built(folder / "target"), "reference": REFERENCE}
        for _ in range(options.rounds):
            for who, command in runners.items():
                measured = (*bare_loop(command, lines)[:2], run(command, folder / "report.json"))
                for step, value in zip(STEPS, measured, strict=True):
                    seconds.setdefault(who, {}).setdefault(step, []).append(value)
    median = {who: {step: statistics.median(of[step]) for step in STEPS} for who, of in seconds.items()}

    def ratio(step: str) -> float:
        pairs = zip(seconds["complete"][step], seconds["reference"][step], strict=True)
        return statistics.median(ours / its for ours, its in pairs)

    figures = [
        Figure("the complete runner alone, over the reference", ratio("alone"), "times", 1.0),
        Figure("run with the complete runner, over run with the reference", ratio("run"), "times", 1.0),
        Figure("the complete runner's start, over the reference's", ratio("start"), "times", 1.0),
    ]
    table = Table(title=f"{len(vectors):,} vectors, {options.rounds} rounds, medians")
    for column in ("runner", "start ms", "alone, ms a vector", "run, ms a vector"):
        table.add_column(column, justify="left" if column == "runner" else "right")
    for who, of in median.items():
        each = [1000 * of[step] / len(vectors) for step in ("alone", "run")]
        table.add_row(who, f"{1000 * of['start']:.1f}", *(f"{one:.3f}" for one in each))
    if options.json:
        write_benchmark(options.json, "complete", figures, {"rounds": options.rounds, "seconds": seconds})
    console.print(table)
    for figure in figures:
        console.print(figure.line())


if __name__ == "__main__":
    main()
