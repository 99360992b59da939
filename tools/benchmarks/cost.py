"""The kit's overhead over the runner itself, as ratios in one run: python -m tools.benchmarks.cost

Five things in turn, several rounds of each, so that a busy machine slows them alike:

- loop: a bare loop that pipes the same request bytes through the same runner and reads the replies;
- run: ``harbor-conformance run``, from hello's reply to the last verdict;
- empty: pytest with as many empty items as there are vectors;
- vectors: ``pytest --runner`` with the vectors alone;
- pytest: ``pytest --runner``, whole: the vectors, then the properties.

``--json FILE`` writes the figures for ``assess --benchmark FILE``.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conformance.assessment.benchmarks import Figure
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import section_files
from tools.benchmarks.measuring import (
    REFERENCE,
    bare_loop,
    new_table,
    parse_options,
    report_figures,
    request_lines,
    run,
)

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


def pytest(folder: Path, *arguments: str) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=folder)
    return time.perf_counter() - began


def main() -> None:
    chosen = parse_options(__doc__, 5)
    lines = request_lines()
    count = len(lines)
    sections = [str(path) for path in section_files(DEFAULT_SPEC)]
    runner = ("--runner", " ".join(REFERENCE))
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(EMPTY_ITEMS.format(count=count))
        (folder / "all.items").touch()
        for _ in range(chosen.rounds):
            bare = bare_loop(REFERENCE, lines)
            run_whole, run_talk = run(runner[1], folder / "report.json")
            measured = {
                "loop, whole": bare.whole,
                "loop, hello to last reply": bare.talk,
                "run, whole": run_whole,
                "run, hello to last verdict": run_talk,
                "empty items": pytest(folder, "all.items"),
                "vectors": pytest(folder, *runner, *sections),
                "pytest": pytest(folder, *runner, "--conformance-report", str(folder / "pytest.json")),
            }
            for key, value in measured.items():
                seconds.setdefault(key, []).append(value)
        report = json.loads((folder / "pytest.json").read_text())
        inputs = sum(row["examples"] for row in report["properties"])
    median = {key: statistics.median(values) for key, values in seconds.items()}
    talk = median["run, hello to last verdict"] / median["loop, hello to last reply"]
    vectors = median["vectors"] - median["loop, whole"] - median["empty items"]
    properties = (median["pytest"] - median["vectors"]) / inputs
    figures = [
        Figure("run over loop, from hello's reply", talk, "times", 1.1),
        Figure("vectors over loop and empty items", vectors / count * 1000, "ms a vector", 0.25),
        Figure("properties, all that they take", properties * 1000, "ms an input", 0.3),
        Figure("pytest over run, whole", median["pytest"] / median["run, whole"], "times", 2.5),
    ]
    counts = f"{count} vectors, {inputs} inputs of properties"
    title = f"{counts}, {chosen.rounds} rounds, {sys.version.split()[0]}"
    table = new_table(title, "what", "median s", "least", "most", "ms a vector")
    for key, values in seconds.items():
        cells = [f"{value:.3f}" for value in (median[key], min(values), max(values))]
        table.add_row(key, *cells, f"{median[key] / count * 1000:.3f}")
    report_figures(chosen, "cost", figures, {"rounds": chosen.rounds, "seconds": seconds}, table)


if __name__ == "__main__":
    main()
