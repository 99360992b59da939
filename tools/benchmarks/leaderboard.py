"""How long `check` takes over a leaderboard, by one process and two: python -m tools.benchmarks.leaderboard

The leaderboard is that of the tests, 250 jobs with 33,000 trials (tools/jobs/leaderboard.py). Each turn,
`harbor-conformance check --json` with the trials one by one as Parquet, is a process of its own, start-up
included; both must give the same report.

Times are seconds of the clock and of the processor, its children's included; memory is the largest resident
set of any of its processes. What two processes gain is seen only on two idle processors.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure
from tools.benchmarks.measuring import LEADERBOARD, finish, kit, leaderboard, options


def check(folder: Path, processes: int) -> dict[str, Any]:
    """A turn of `check`."""
    with tempfile.TemporaryDirectory() as tables:
        words = ("--json", "--jobs", processes, "--parquet", tables)
        found, printed = kit("check", *words, folder.absolute(), codes=(0, 1, 2))
    report = json.loads(printed)
    trials = sum(job["trials"] for job in report["jobs"])
    digest = hashlib.sha256(printed).hexdigest()
    return {**found, "jobs": len(report["jobs"]), "trials": trials, "report": digest}


def main() -> None:
    """Makes the leaderboard, measures, prints."""
    chosen = options(__doc__, 3, LEADERBOARD)
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.leaderboard or leaderboard(Path(name) / "made", chosen.jobs)
        rounds = [[check(folder, count) for count in (1, 2)] for _ in range(chosen.rounds)]
    if len({one["report"] for turns in rounds for one in turns}) != 1:
        sys.exit("the reports differ")
    keys = ("clock", "processor", "memory", "memory_of_a_worker")
    best = [{key: min(turns[index][key] for turns in rounds) for key in keys} for index in (0, 1)]
    first = rounds[0][0]
    print(f"{first['jobs']} jobs, {first['trials']} trials, best of {chosen.rounds}:")
    for count, one in enumerate(best, 1):
        memory = f"{one['memory'] / 2**20:.0f} MiB, a worker {one['memory_of_a_worker'] / 2**20:.0f} MiB"
        print(f"  by {count}: {one['clock']:.2f} s, {one['processor']:.2f} s of processor, {memory}")
    peak = max(one[key] for one in best for key in ("memory", "memory_of_a_worker"))
    clock, processor = (best[1][key] / best[0][key] for key in ("clock", "processor"))
    figures = [
        Figure("the leaderboard by one process, processor time", best[0]["processor"], "s", 30.0),
        Figure("the same by two, of one's clock time", clock, "times", 0.65),
        Figure("the same by two, of one's processor time", processor, "times", 1.2),
        Figure("the largest process", peak / 2**20, "MiB", 300.0),
    ]
    finish(chosen, "leaderboard", figures, {"rounds": rounds, "best": best})


if __name__ == "__main__":
    main()
