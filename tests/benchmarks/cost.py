"""What the kit costs over the runner itself, as ratios in one run: python tests/benchmarks/cost.py

Five things in turn, several rounds of each, so that a busy machine slows them alike:

- loop: a bare loop that pipes the same request bytes through the same runner and reads the replies;
- run: ``harbor-conformance run``, from hello's reply to the last verdict;
- empty: pytest with as many empty items as there are vectors;
- vectors: ``pytest --runner`` with the vectors alone;
- pytest: ``pytest --runner``, whole: the vectors, then the properties.

Each figure is told beside its aim; ``--json FILE`` writes them for ``assess --benchmark FILE``.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from shared.bare_loop import REFERENCE, bare_loop

from conformance.assessment.benchmarks import Figure, write_benchmark
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec, section_files
from conformance.wire import messages

EMPTY_ITEMS = """
import pytest

class Empty(pytest.Item):
    def runtest(self):
        pass

    def reportinfo(self):
        return self.path, None, self.name

class Items(pytest.File):
    def collect(self):
        for index in range({count}):
            yield Empty.from_parent(self, name=f"harbor-0.13.1/section/an-empty-item-{{index}}")

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".items":
        return Items.from_parent(parent, path=file_path)
"""


def run(folder: Path) -> tuple[float, float]:
    """Seconds whole, and from hello's reply to the last verdict."""
    report = folder / "report.json"
    began = time.perf_counter()
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "run"]
    command += ["--runner", " ".join(REFERENCE), "--report", str(report)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    whole = time.perf_counter() - began
    return whole, float(json.loads(report.read_text())["duration_seconds"])


def pytest(folder: Path, *arguments: str) -> float:
    """Seconds that a pytest run takes, whole."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=folder)
    return time.perf_counter() - began


def main() -> None:
    """Runs the rounds and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    options = parser.parse_args()
    vectors = load_spec(DEFAULT_SPEC)
    count = len(vectors)
    sections = [str(path) for path in section_files(DEFAULT_SPEC)]
    lines = [messages.request_line(i, v.request().tail) for i, v in enumerate(vectors, start=1)]
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(EMPTY_ITEMS.format(count=count))
        (folder / "all.items").touch()
        for _ in range(options.rounds):
            bare = bare_loop(REFERENCE, lines)
            run_whole, run_talk = run(folder)
            measured = {
                "loop, whole": bare.whole,
                "loop, hello to last reply": bare.talk,
                "run, whole": run_whole,
                "run, hello to last verdict": run_talk,
                "empty items": pytest(folder, "all.items"),
                "vectors": pytest(folder, "--runner", " ".join(REFERENCE), *sections),
                "pytest": pytest(
                    folder,
                    *("--runner", " ".join(REFERENCE)),
                    *("--conformance-report", str(folder / "pytest.json")),
                ),
            }
            for key, value in measured.items():
                seconds.setdefault(key, []).append(value)
        report = json.loads((folder / "pytest.json").read_text())
        inputs = sum(one["examples"] for one in report["properties"])
    median = {key: statistics.median(values) for key, values in seconds.items()}
    vectors_over = median["vectors"] - median["loop, whole"] - median["empty items"]
    figures = [
        Figure(
            "run over loop, from hello's reply",
            median["run, hello to last verdict"] / median["loop, hello to last reply"],
            "times",
            1.3,
        ),
        Figure("vectors over loop and empty items", vectors_over / count * 1000, "ms a vector", 0.3),
        Figure(
            "properties, all that they take",
            (median["pytest"] - median["vectors"]) / inputs * 1000,
            "ms an input",
            0.4,
        ),
        Figure("pytest --runner=reference, whole", median["pytest"], "s", 5.0),
    ]
    if options.json:
        write_benchmark(options.json, "cost", figures, {"rounds": options.rounds, "seconds": seconds})
    asked = f"{count} vectors, {inputs} inputs of properties"
    table = Table(title=f"{asked}, {options.rounds} rounds, {sys.version.split()[0]}")
    for column in ("what", "median s", "least", "most", "ms a vector"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for key, values in seconds.items():
        cells = [f"{value:.3f}" for value in (median[key], min(values), max(values))]
        table.add_row(key, *cells, f"{median[key] / count * 1000:.3f}")
    console = Console(highlight=False)
    console.print(table)
    for figure in figures:
        console.print(figure.line())


if __name__ == "__main__":
    main()
