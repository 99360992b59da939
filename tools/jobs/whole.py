"""Audits a whole leaderboard and compares the findings with its manifest.

    python -m tools.jobs.whole [--jobs 250]

It makes 250 jobs with 33,000 trials (leaderboard.py), of which 30 are wrong in known ways. `check` must
find exactly what the manifest says, with one process and with two.
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

from tools.jobs.leaderboard import make

PROGRAM = "from conformance.cli import main; main()"


def findings(job: dict[str, Any]) -> Counter[tuple[str, ...]]:
    """Each finding in a few words."""
    return Counter(
        tuple(one[name] for name in ("severity", "kind", "file", "path")) for one in job["findings"]
    )


def main() -> None:
    """Makes the leaderboard, audits it, and prints the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=250)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        wanted = {path: findings(job) for path, job in make(Path(name), options.jobs)["jobs"].items()}
        for processes in ("1", "2"):
            words = [
                sys.executable,
                "-c",
                PROGRAM,
                "check",
                "--json",
                "--level",
                "value",
                "--jobs",
                processes,
            ]
            began = time.monotonic()
            done = subprocess.run([*words, f"{name}/leaderboard"], stdout=subprocess.PIPE)
            seconds = time.monotonic() - began
            found = {job["path"]: findings(job) for job in json.loads(done.stdout)["jobs"]}
            wrong = sorted(
                path for path in found.keys() | wanted.keys() if found.get(path) != wanted.get(path)
            )
            if wrong:
                sys.exit(f"not judged as the manifest says: {', '.join(wrong)}")
            print(f"{len(found)} jobs judged as the manifest says, by {processes}, in {seconds:.0f} s")


if __name__ == "__main__":
    main()
