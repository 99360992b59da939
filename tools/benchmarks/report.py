"""The cost of a report's page, in time and in bytes: python -m tools.benchmarks.report

The reports are written by the kit itself: runs of every vector by the reference, which passes, and by a
runner that answers everything wrong, whole and in four shards; and `check` of the tests' leaderboard, 250
jobs with 33,000 trials (tools/jobs/leaderboard.py). Each page is then made by `harbor-conformance report` in
a process of its own, start-up included. The pages of the two runs are made in turn, so that a busy machine
slows them alike, and reading a report is given as a ratio to parsing its JSON in the same process.

Times are seconds of the processor, the least of the rounds, and bytes are those of the pages.
"""

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.assessment.benchmarks import Figure
from tools.benchmarks.measuring import LEADERBOARD, SECONDS, finish, kit, leaderboard, options

SHARDS = 4
Best = dict[str, dict[str, float]]

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
print(json.dumps({"parsing": parsed - began, "reading": time.process_time() - parsed}))
"""


def reports(folder: Path, board: Path) -> dict[str, list[Path]]:
    """Writes the reports with the kit; returns them by their subject."""
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    runners = {"passing": "reference", "failing": shlex.join([sys.executable, str(folder / "wrong.py")])}
    made = {}
    for name, runner in runners.items():
        for kind, shards in ((name, [None]), (f"{name}, shards", [f"{k}/{SHARDS}" for k in range(1, 5)])):
            made[kind] = []
            for shard in shards:
                path = folder / f"{kind}-{len(made[kind])}.json"
                only = ["--shard", shard] if shard else []
                options = ["--runner", runner, "--again-seed", 1, "--failures", 0, "--report", path]
                kit("run", *options, *only, codes=(0, 1))
                made[kind].append(path)
    path = folder / "leaderboard.json"
    path.write_bytes(kit("check", "--json", board, codes=(0, 1, 2))[1])
    return {**made, "leaderboard": [path]}


def turn(made: dict[str, list[Path]], folder: Path) -> Best:
    """Renders every page once, and measures how a report is read."""
    pages = {
        "passing, HTML": made["passing"],
        "failing, HTML": made["failing"],
        "passing, Markdown": made["passing"],
        "failing, Markdown": made["failing"],
        "difference": made["passing"] + made["failing"],
        "merge, passing": ["--merge", *made["passing, shards"]],
        "merge, failing": ["--merge", *made["failing, shards"]],
        "leaderboard": made["leaderboard"],
    }
    found = {}
    for name, words in pages.items():
        page = folder / ("page.md" if name.endswith("Markdown") else "page.html")
        found[name], _ = kit("report", *words, "-o", page, codes=(0, 1))  # a merge exits like its run
        found[name]["bytes"] = page.stat().st_size
    for name in ("passing", "failing", "leaderboard"):
        done = subprocess.run(
            [sys.executable, "-c", READ, str(made[name][0])], check=True, capture_output=True, timeout=SECONDS
        )
        found[f"reading, {name}"] = json.loads(done.stdout)
    return found


def main() -> None:
    """Makes the reports, measures, prints."""
    chosen = options(__doc__, 3, LEADERBOARD)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        board = (chosen.leaderboard or leaderboard(folder / "made", chosen.jobs)).absolute()
        made = reports(folder, board)
        sizes = {kind: sum(path.stat().st_size for path in paths) for kind, paths in made.items()}
        rounds = [turn(made, folder) for _ in range(chosen.rounds)]
    least = {
        what: {key: min(one[what][key] for one in rounds) for key in rounds[0][what] if key != "code"}
        for what in rounds[0]
    }
    for what, one in least.items():
        if "bytes" in one:
            print(
                f"  {what:18} {one['clock']:6.2f} s   {one['processor']:6.2f} s of processor   "
                f"{one['bytes'] / 1e6:6.3f} MB   {one['memory'] / 2**20:4.0f} MiB"
            )
        else:
            print(f"  {what:18} {one['reading']:6.3f} s, of which parsing JSON {one['parsing']:.3f} s")
    ratios = [
        one[f"reading, {name}"]["reading"] / one[f"reading, {name}"]["parsing"]
        for one in rounds
        for name in ("passing", "failing", "leaderboard")
    ]
    figures = [
        Figure(f"{what}, {label}", least[what][key] / by, unit, aim)
        for what, aims in AIMS.items()
        for key, label, by, unit, aim in aims
    ]
    figures.append(Figure("reading, checked, over parsing", statistics.median(ratios), "times", 6.0))
    finish(chosen, "report", figures, {"rounds": chosen.rounds, "sizes": sizes, "turns": rounds})


def processor(aim: float) -> tuple[str, str, float, str, float]:
    """A target in seconds."""
    return ("processor", "processor time", 1, "s", aim)


SIZE = ("bytes", "its size", 1e6, "MB", 2.0)
COMMENT = ("bytes", "its size", 1, "bytes", 60_000.0)
AIMS = {
    "passing, HTML": (processor(2.0), SIZE),
    "failing, HTML": (processor(2.0), SIZE),
    "passing, Markdown": (processor(2.0), COMMENT),
    "failing, Markdown": (processor(2.0), COMMENT),
    "difference": (processor(3.0), SIZE),
    "merge, passing": (processor(4.0), SIZE),
    "merge, failing": (processor(4.0), SIZE),
    "leaderboard": (processor(4.0), SIZE),
}
"""The measurements of each page: its key, its name, its scale, its unit, and its target."""


if __name__ == "__main__":
    main()
