"""What the kit costs over the runner itself, as ratios in one run: python tests/benchmarks/cost.py

Four things in turn, several rounds of each, so that a busy machine slows them alike:

- loop: a bare loop that pipes the same request bytes through the same runner and reads the replies;
- run: ``harbor-conformance run``, from hello's reply to the last verdict;
- empty: pytest with as many empty items as there are vectors;
- pytest: ``pytest --runner``, whole.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire import messages

RUNNER = [sys.executable, "-m", "reference_impl"]
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


def loop(lines: list[bytes]) -> tuple[float, float]:
    """Seconds whole, and from hello's reply to the last reply."""
    began = time.perf_counter()
    with subprocess.Popen(RUNNER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
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
        sys.exit(f"the runner answered {replies} of {len(lines)} requests")
    return time.perf_counter() - began, answered - greeted


def run(folder: Path) -> tuple[float, float]:
    """Seconds whole, and from hello's reply to the last verdict."""
    report = folder / "report.json"
    began = time.perf_counter()
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "run"]
    command += ["--runner", " ".join(RUNNER), "--report", str(report)]
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
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    vectors = load_spec(DEFAULT_SPEC)
    count = len(vectors)
    lines = [messages.request_line(i, v.request().tail) for i, v in enumerate(vectors, start=1)]
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(EMPTY_ITEMS.format(count=count))
        (folder / "all.items").touch()
        for _ in range(options.rounds):
            loop_whole, loop_talk = loop(lines)
            run_whole, run_talk = run(folder)
            measured = {
                "loop, whole": loop_whole,
                "loop, hello to last reply": loop_talk,
                "run, whole": run_whole,
                "run, hello to last verdict": run_talk,
                "empty items": pytest(folder, "all.items"),
                "pytest": pytest(folder, "--runner", " ".join(RUNNER)),
            }
            for key, value in measured.items():
                seconds.setdefault(key, []).append(value)
    median = {key: statistics.median(values) for key, values in seconds.items()}
    over = median["pytest"] - median["loop, whole"] - median["empty items"]
    result = {
        "vectors": count,
        "rounds": options.rounds,
        "median_seconds": median,
        "run_over_loop": median["run, hello to last verdict"] / median["loop, hello to last reply"],
        "pytest_ms_per_vector_over_loop_and_empty_items": over / count * 1000,
    }
    if options.json:
        print(json.dumps(result, indent=2))
        return
    table = Table(title=f"{count} vectors, {options.rounds} rounds, {sys.version.split()[0]}")
    for column in ("what", "median s", "least", "most", "ms a vector"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for key, values in seconds.items():
        cells = [f"{value:.3f}" for value in (median[key], min(values), max(values))]
        table.add_row(key, *cells, f"{median[key] / count * 1000:.3f}")
    console = Console(highlight=False)
    console.print(table)
    console.print(f"run / loop, from hello's reply: {result['run_over_loop']:.2f} (aim: at most 1.3)")
    console.print(
        "pytest over loop and empty items: "
        f"{result['pytest_ms_per_vector_over_loop_and_empty_items']:.3f} ms a vector (aim: at most 0.3)"
    )


if __name__ == "__main__":
    main()
