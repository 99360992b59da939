"""Compares the complete runner in Rust with the reference, as ratios in one run: python -m
tools.benchmarks.complete

The same in turn to both, several rounds, so that a busy machine slows them alike:

- start: from the process's beginning to hello's reply;
- alone: a bare loop that pipes every vector's request through it, from hello's reply to the last reply;
- run: ``harbor-conformance run``, from hello's reply to the last verdict; most of it is the kit's own work.
"""

import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.assessment.benchmarks import Figure
from tools.benchmarks.measuring import REFERENCE, ROOT, bare_loop, finish, options, request_lines, run, table

COMPLETE = ROOT / "tests" / "runners" / "complete"
STEPS = ("start", "alone", "run")


def built(folder: Path) -> list[str]:
    if shutil.which("cargo") is None:
        sys.exit("no cargo here: install Rust to build the complete runner")
    command = ["cargo", "build", "--release", "--quiet", "--locked", "--target-dir", str(folder)]
    subprocess.run([*command, "--manifest-path", str(COMPLETE / "Cargo.toml")], check=True, timeout=600)
    return [str(folder / "release" / "complete")]


def main() -> None:
    chosen = options(__doc__, 7)
    lines = request_lines()
    seconds: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runners = {"complete": built(folder / "target"), "reference": REFERENCE}
        for _ in range(chosen.rounds):
            for who, command in runners.items():
                verdicts = run(shlex.join(command), folder / "report.json")[1]
                measured = (*bare_loop(command, lines)[:2], verdicts)
                for step, value in zip(STEPS, measured, strict=True):
                    seconds.setdefault(who, {}).setdefault(step, []).append(value)

    def ratio(step: str) -> float:
        pairs = zip(seconds["complete"][step], seconds["reference"][step], strict=True)
        return statistics.median(ours / its for ours, its in pairs)

    figures = [
        Figure("the complete runner alone, over the reference", ratio("alone"), "times", 1.0),
        Figure("run with the complete runner, over run with the reference", ratio("run"), "times", 1.0),
        Figure("the complete runner's start, over the reference's", ratio("start"), "times", 1.0),
    ]
    title = f"{len(lines):,} vectors, {chosen.rounds} rounds, medians"
    shown = table(title, "runner", "start ms", "alone, ms a vector", "run, ms a vector")
    for who, of in seconds.items():
        median = {step: statistics.median(of[step]) for step in STEPS}
        each = [1000 * median[step] / len(lines) for step in ("alone", "run")]
        shown.add_row(who, f"{1000 * median['start']:.1f}", *(f"{one:.3f}" for one in each))
    finish(chosen, "complete", figures, {"rounds": chosen.rounds, "seconds": seconds}, shown)


if __name__ == "__main__":
    main()
