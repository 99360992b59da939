"""Audits a whole leaderboard and holds what is said to its manifest: python tests/check/leaderboard/whole.py

250 jobs with 33,000 trials are made (making.py), of which 30 are wrong in known ways. `check` must find
what the manifest says and nothing else, with one process and with two. Times are seconds of the clock
and of the processors, start-up included; memory is the largest resident set of one process.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

MAKING = Path(__file__).with_name("making.py")
SECONDS = 3600.0

CHECK = """
import json, resource, sys
from conformance.cli import main
code = 0
try:
    main()
except SystemExit as stop:
    code = stop.code
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({
    "code": code,
    "processor": own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime,
    "memory": max(own.ru_maxrss, children.ru_maxrss) * 1024,
}), file=sys.stderr)
"""


def check(folder: Path, processes: int) -> tuple[dict[str, float], dict[str, Any]]:
    """What it takes, and what it reports."""
    began = time.perf_counter()
    options = ("check", "--json", "--level", "value", "--jobs", str(processes), str(folder))
    done = subprocess.run(
        [sys.executable, "-c", CHECK, *options],
        check=True,
        capture_output=True,
        timeout=SECONDS,
    )
    clock = time.perf_counter() - began
    took: dict[str, float] = json.loads(done.stderr.splitlines()[-1])
    return {**took, "clock": clock}, json.loads(done.stdout)


def misjudged(report: dict[str, Any], manifest: dict[str, Any]) -> list[str]:
    """The jobs of which is said what there is not, or not said what there is."""
    told = {job["path"]: findings(job, "path") for job in report["jobs"]}
    due = {name: findings(job, "place") for name, job in manifest["jobs"].items()}
    return sorted(name for name in told.keys() | due.keys() if told.get(name) != due.get(name))


def findings(job: dict[str, Any], place: str) -> Counter[tuple[str, ...]]:
    """Each finding in a few words."""
    return Counter((one["severity"], one["kind"], one["file"], one[place]) for one in job["findings"])


def main() -> None:
    """Makes the leaderboard, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to make it (default: a temporary folder)")
    options = parser.parse_args()
    results: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        top = Path(name)
        subprocess.run([sys.executable, str(MAKING), name, "--jobs", str(options.jobs)], check=True)
        manifest = json.loads((top / "manifest.json").read_text(encoding="utf-8"))
        trials = 0
        for processes in (1, 2):
            for _ in range(options.rounds):
                took, report = check(top / "leaderboard", processes)
                if wrong := misjudged(report, manifest):
                    sys.exit(f"not judged as the manifest says: {', '.join(wrong)}")
                before = results.get(processes, took)
                results[processes] = {key: min(before[key], took[key]) for key in took}
                trials = report["summary"]["trials"]
    print(f"{options.jobs} jobs, {trials} trials, best of {options.rounds}:")
    for processes, best in results.items():
        print(
            f"  {processes} process{'es' if processes > 1 else ''}: {best['clock']:.1f} s"
            f"   {best['processor']:.1f} s of processor   {best['memory'] / 2**20:.0f} MiB"
        )


if __name__ == "__main__":
    main()
