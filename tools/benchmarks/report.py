"""The cost of a report's page, in time and in bytes: python -m tools.benchmarks.report

The reports are written by the kit itself: runs of every vector by the reference, which passes, and by a
runner that answers everything wrong, whole and in four shards; and `check` of the tests' leaderboard, 250
jobs with 33,000 trials (tools/jobs/leaderboard.py). Each page is then made by `harbor-conformance report` in
a process of its own, start-up included, and reading a report is given as a ratio to parsing its JSON in the
same process.

Times are seconds of the processor, the least of the rounds, and bytes are those of the pages.
"""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure
from tools.benchmarks.measuring import LEADERBOARD, SECONDS, finish, kit, leaderboard, options, table

SHARDS = 4
MOST_MB, MOST_COMMENT = 2.0, 60_000.0
AIMS = {"difference": 3.0, "merge": 4.0, "leaderboard": 4.0}
"""Seconds of the processor that a page may take; 2 if it is not listed."""
WRONG = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        from conformance.registry.ops import OPS
        ok = {"runner": "wrong", "version": "0", "protocol": 1, "ops": sorted(OPS)}
    else:
        ok = {"wrong": request["input"]}
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
"""
READ = """
import json, sys, time
from pathlib import Path
from conformance.outcomes.reading import document_of
content = Path(sys.argv[1]).read_bytes()
document_of(content, "the first reads the schemas too")
began = time.process_time()
json.loads(content.decode("utf-8"))
parsed = time.process_time()
document_of(content, "a report")
print((time.process_time() - parsed) / (parsed - began))
"""


def pages(folder: Path, board: Path) -> dict[str, list[Any]]:
    """Writes the reports with the kit; returns the words that make a page of them, by its name."""
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")

    def run(name: str, runner: str, *more: str) -> Path:
        path = folder / f"{name}.json"
        given = ["--runner", runner, "--again-seed", 1, "--failures", 0, "--report", path]
        kit("run", *given, *more, codes=(0, 1))
        return path

    wrong = shlex.join([sys.executable, str(folder / "wrong.py")])
    passing, failing = run("passing", "reference"), run("failing", wrong)
    parts = [run(f"part-{k}", wrong, "--shard", f"{k}/{SHARDS}") for k in range(1, SHARDS + 1)]
    audited = folder / "leaderboard.json"
    audited.write_bytes(kit("check", "--json", board, codes=(0, 1, 2))[1])
    made = {f"{of.stem}, {kind}": [of] for kind in ("HTML", "Markdown") for of in (passing, failing)}
    return {**made, "difference": [passing, failing], "merge": ["--merge", *parts], "leaderboard": [audited]}


def turn(made: dict[str, list[Any]], folder: Path) -> dict[str, tuple[float, float]]:
    """Renders every page once, in seconds and bytes; and how long reading takes, relative to parsing."""
    found: dict[str, tuple[float, float]] = {}
    for name, words in made.items():
        page = folder / ("page.md" if name.endswith("Markdown") else "page.html")
        cost, _ = kit("report", *words, "-o", page, codes=(0, 1))  # a merge exits like its run
        found[name] = (cost["processor"], page.stat().st_size)
    for name in ("passing, HTML", "failing, HTML", "leaderboard"):
        command = [sys.executable, "-c", READ, str(made[name][0])]
        done = subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        found[f"reading, {name}"] = (float(done.stdout), 0.0)
    return found


def main() -> None:
    chosen = options(__doc__, 3, LEADERBOARD)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        board = (chosen.leaderboard or leaderboard(folder / "made", chosen.jobs)).absolute()
        made = pages(folder, board)
        rounds = [turn(made, folder) for _ in range(chosen.rounds)]
    shown, figures = table("the least of the rounds", "page", "processor s", "MB"), []
    for what in rounds[0]:
        least, size = min(one[what] for one in rounds)
        shown.add_row(what, f"{least:.2f}", f"{size / 1e6:.3f}")
        if what.startswith("reading"):
            figures.append(Figure(f"{what}, over parsing", least, "times", 6.0))
            continue
        figures.append(Figure(f"{what}, processor time", least, "s", AIMS.get(what, 2.0)))
        bytes_of = ("bytes", 1, MOST_COMMENT) if what.endswith("Markdown") else ("MB", 1e6, MOST_MB)
        figures.append(Figure(f"{what}, its size", size / bytes_of[1], bytes_of[0], bytes_of[2]))
    finish(chosen, "report", figures, {"rounds": chosen.rounds, "turns": rounds}, shown)


if __name__ == "__main__":
    main()
