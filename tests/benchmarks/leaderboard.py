"""How long `check` takes over a leaderboard, by one process and two: python tests/benchmarks/leaderboard.py

The leaderboard is that of the tests, 250 jobs with 33,000 trials (tools/jobs/leaderboard.py).
Each turn, `harbor-conformance check --json` with the trials one by one as Parquet, is a process of its
own, start-up included; both must give the same report.

Times are seconds of the clock and of the processor, its children's included; memory is the largest
resident set of any of its processes. What two processes gain is seen only on two idle processors. Each
figure is told beside its aim.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure, write_benchmark

SECONDS = 3600.0

CHECK = """
import json, resource, sys
from conformance.cli import main
if __name__ == "__main__":
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({
        "code": code,
        "processor": sum(one.ru_utime + one.ru_stime for one in (own, others)),
        "memory": own.ru_maxrss * 1024,
        "memory_of_a_worker": others.ru_maxrss * 1024,
    }), file=sys.stderr)
"""


def check(folder: Path, processes: int, program: Path) -> dict[str, Any]:
    """A turn of `check`."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as tables:
        options = ["--json", "--jobs", str(processes), "--parquet", tables]
        done = subprocess.run(
            [sys.executable, str(program), "check", *options, str(folder)],
            capture_output=True,
            timeout=SECONDS,
        )
    clock = time.perf_counter() - began
    if done.returncode != 0:
        sys.exit(f"check failed:\n{done.stderr.decode()[-4000:]}")
    found: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    if found["code"] not in (0, 1, 2):
        sys.exit(f"check ended with {found['code']}")
    report = json.loads(done.stdout)
    trials = sum(job["trials"] for job in report["jobs"])
    digest = hashlib.sha256(done.stdout).hexdigest()
    return {**found, "clock": clock, "jobs": len(report["jobs"]), "trials": trials, "report": digest}


def main() -> None:
    """Makes the leaderboard, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=250, help="jobs of the leaderboard")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--leaderboard", type=Path, metavar="DIR", help="one that is made already")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "check.py"  # a file, as the processes that it starts load it
        program.write_text(CHECK, encoding="utf-8")
        folder = options.leaderboard
        if folder is None:
            made = Path(name) / "made"
            subprocess.run(
                [sys.executable, "-m", "tools.jobs.leaderboard", str(made), "--jobs", str(options.jobs)],
                check=True,
            )
            folder = made / "leaderboard"
            os.sync()
        rounds = [[check(folder, count, program) for count in (1, 2)] for _ in range(options.rounds)]
    if len({one["report"] for turns in rounds for one in turns}) != 1:
        sys.exit("the reports differ")
    keys = ("clock", "processor", "memory", "memory_of_a_worker")
    best = [{key: min(turns[index][key] for turns in rounds) for key in keys} for index in (0, 1)]
    first = rounds[0][0]
    print(f"{first['jobs']} jobs, {first['trials']} trials, best of {options.rounds}:")
    for count, one in enumerate(best, 1):
        memory = f"{one['memory'] / 2**20:.0f} MiB, a worker {one['memory_of_a_worker'] / 2**20:.0f} MiB"
        print(f"  by {count}: {one['clock']:.2f} s, {one['processor']:.2f} s of processor, {memory}")
    peak = max(one[key] for one in best for key in ("memory", "memory_of_a_worker"))
    figures = [
        Figure("the leaderboard by one process, processor time", best[0]["processor"], "s", 30.0),
        Figure("the same by two, of one's clock time", best[1]["clock"] / best[0]["clock"], "times", 0.65),
        Figure(
            "the same by two, of one's processor time",
            best[1]["processor"] / best[0]["processor"],
            "times",
            1.2,
        ),
        Figure("the largest process", peak / 2**20, "MiB", 300.0),
    ]
    for figure in figures:
        print(figure.line())
    if options.json:
        write_benchmark(options.json, "leaderboard", figures, {"rounds": options.rounds, "best": best})


if __name__ == "__main__":
    main()
