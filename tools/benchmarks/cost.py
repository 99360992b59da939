"""The kit's overhead over the runner itself, as ratios in one run: python -m tools.benchmarks.cost

Five things in turn, several rounds of each, so that a busy machine slows them alike:

- loop: a bare loop that pipes the same request bytes through the same runner and reads the replies;
- run: ``harbor-conformance run``, from hello's reply to the last verdict;
- empty: pytest with as many empty items as there are vectors;
- vectors: ``pytest --runner`` with the vectors alone;
- pytest: ``pytest --runner``, whole: the vectors, then the properties.

``--json FILE`` writes the figures for ``assess --benchmark FILE``.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.assessment.benchmarks import Figure, write_benchmark
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec, section_files
from conformance.wire import messages

REFERENCE = [sys.executable, "-m", "reference_impl"]
SECONDS = 3600.0
"""The longest wait, in seconds."""
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


def timed(folder: Path, *arguments: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, timeout=SECONDS, cwd=folder)
    return time.perf_counter() - began


def pytest(folder: Path, *arguments: str) -> float:
    return timed(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)


def run(folder: Path) -> tuple[float, float]:
    """The seconds of ``harbor-conformance run``: in total, and from hello's reply to the last verdict."""
    main, report = "from conformance.cli import main; main()", folder / "report.json"
    whole = timed(folder, "-c", main, "run", "--runner", " ".join(REFERENCE), "--report", str(report))
    return whole, float(json.loads(report.read_text("utf-8"))["duration_seconds"])


def bare_loop(command: Sequence[str], lines: Sequence[bytes]) -> tuple[float, float]:
    """Pipes the request lines through a runner, which must answer all: the same two durations."""
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
    return time.perf_counter() - began, answered - greeted


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    chosen = parser.parse_args()
    vectors = load_spec(DEFAULT_SPEC)
    lines = [messages.request_line(i, v.request().tail) for i, v in enumerate(vectors, start=1)]
    count = len(lines)
    runner, sections = ("--runner", " ".join(REFERENCE)), map(str, section_files(DEFAULT_SPEC))
    only_vectors = (*runner, *sections)
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(EMPTY_ITEMS.format(count=count))
        (folder / "all.items").touch()
        for _ in range(chosen.rounds):
            loop_whole, loop_talk = bare_loop(REFERENCE, lines)
            run_whole, run_talk = run(folder)
            measured = {
                "loop, whole": loop_whole,
                "loop, hello to last reply": loop_talk,
                "run, whole": run_whole,
                "run, hello to last verdict": run_talk,
                "empty items": pytest(folder, "all.items"),
                "vectors": pytest(folder, *only_vectors),
                "pytest": pytest(folder, *runner, "--conformance-report", str(folder / "pytest.json")),
            }
            for key, value in measured.items():
                seconds.setdefault(key, []).append(value)
        report = json.loads((folder / "pytest.json").read_text())
        inputs = sum(one["examples"] for one in report["properties"])
    median = {key: statistics.median(values) for key, values in seconds.items()}
    alone = median["vectors"] - median["loop, whole"] - median["empty items"]
    properties = (median["pytest"] - median["vectors"]) / inputs
    figures = [
        Figure(
            "run over loop, from hello's reply",
            median["run, hello to last verdict"] / median["loop, hello to last reply"],
            "times",
            1.1,
        ),
        Figure("vectors over loop and empty items", alone / count * 1000, "ms a vector", 0.25),
        Figure("properties, all that they take", properties * 1000, "ms an input", 0.4),
        Figure("pytest over run, whole", median["pytest"] / median["run, whole"], "times", 2.5),
    ]
    if chosen.json:
        write_benchmark(chosen.json, "cost", figures, {"rounds": chosen.rounds, "seconds": seconds})
    print(f"{count} vectors, {inputs} inputs of properties, {chosen.rounds} rounds")
    for key, values in seconds.items():
        print(f"{key}: median {median[key]:.3f} s, {min(values):.3f} to {max(values):.3f}")
    for figure in figures:
        print(figure.line())


if __name__ == "__main__":
    main()
