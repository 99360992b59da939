"""The cost of a report's page: python -m tools.benchmarks.report

The reports are written by the kit itself: runs of every vector by the reference, which passes, and by a
runner that answers everything wrong, whole and in four shards; and `check` of the tests' leaderboard, 250
jobs with 33,000 trials (tools/jobs/leaderboard.py). Each page is then made by `harbor-conformance report` in
a process of its own, start-up included.

Times are seconds of the processor, the least of the rounds.
"""

import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure
from tools.benchmarks.measuring import (
    LEADERBOARD_OPTIONS,
    make_leaderboard,
    parse_options,
    report_figures,
    run_kit,
)

SHARDS = 4
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


def pages(folder: Path, board: Path) -> dict[str, list[Any]]:
    """Writes the reports with the kit; returns the arguments of `report` for each page, by name."""
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")

    def run(name: str, runner: str, *more: str) -> Path:
        path = folder / f"{name}.json"
        options = ["--runner", runner, "--again-seed", 1, "--failures", 0, "--report", path]
        run_kit("run", *options, *more, codes=(0, 1))
        return path

    wrong = shlex.join([sys.executable, str(folder / "wrong.py")])
    passing, failing = run("passing", "reference"), run("failing", wrong)
    parts = [run(f"part-{k}", wrong, "--shard", f"{k}/{SHARDS}") for k in range(1, SHARDS + 1)]
    audited = folder / "leaderboard.json"
    audited.write_bytes(run_kit("check", "--json", board, codes=(0, 1, 2))[1])
    words = {f"{file.stem}, {kind}": [file] for kind in ("HTML", "Markdown") for file in (passing, failing)}
    return {**words, "difference": [passing, failing], "merge": ["--merge", *parts], "leaderboard": [audited]}


def render_all(inputs: dict[str, list[Any]], folder: Path) -> dict[str, float]:
    """Renders every page once; returns the processor seconds by page."""
    seconds = {}
    for name, words in inputs.items():
        page = folder / ("page.md" if name.endswith("Markdown") else "page.html")
        cost, _ = run_kit("report", *words, "-o", page, codes=(0, 1))  # a merge exits like its run
        seconds[name] = cost["processor"]
    return seconds


def main() -> None:
    chosen = parse_options(__doc__, 3, LEADERBOARD_OPTIONS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        board = make_leaderboard(folder / "made", chosen.jobs)
        inputs = pages(folder, board)
        rounds = [render_all(inputs, folder) for _ in range(chosen.rounds)]
    least = {name: min(times[name] for times in rounds) for name in rounds[0]}
    figures = [
        Figure(f"{name}, processor time", seconds, "s", AIMS.get(name, 2.0))
        for name, seconds in least.items()
    ]
    report_figures(chosen, "report", figures, {"rounds": chosen.rounds, "turns": rounds})


if __name__ == "__main__":
    main()
