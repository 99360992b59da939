"""Runs the kit on the forks of ``patches.json`` and prints the results: ``python -m tools.forks.table
[NAME…]``.

``--played`` has each play whole jobs instead, which no operation asks: retries, resuming and the order in
which trials end. ``--json FILE`` stores the results, ``--workers N`` runs N at once, ``--python PATH`` forks
the harbor next to another Python. It exits with 1 if a detectable fork is not found, or an undetectable one
is.
"""

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tools.forks.forking import Outcome, ask, names_in, patches, played


def confidence(line: dict[str, Any]) -> str:
    """The confidence of a line."""
    if line["kind"] in ("cluster", "silent"):
        return "unexplained" if line["kind"] == "cluster" else "no answer"
    return "certain" if line["certain"] else f"likely ({line['against']} against)"


def row(outcome: Outcome) -> dict[str, Any]:
    """The stored result of a fork."""
    found = outcome.failed > 0
    return {
        "fork": outcome.patch.name,
        "does": outcome.patch.does,
        "found": found,
        "as_expected": found != bool(outcome.patch.unseen),
        "failed": outcome.failed,
        "passed": outcome.totals["passed"],
        "unsupported": outcome.totals["unsupported"],
        "named": outcome.named,
        "todo": [
            {
                "trust": confidence(line),
                "kind": line["kind"],
                "says": line["says"],
                "mistakes": sorted(names_in(line)),
                "failures": len(line["failures"]),
            }
            for line in outcome.todo
        ],
        "clauses": list(outcome.clauses),
        "seconds": round(outcome.seconds, 1),
        "start_up_seconds": round(outcome.start_up_seconds, 1),
        "exit_code": outcome.exit_code,
    }


def main() -> int:
    """Asks them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--played", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--python", type=Path)
    options = parser.parse_args()
    known = patches()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no fork is called {', '.join(unknown)}")
    chosen = [known[name] for name in options.names or known]
    if options.played:
        with tempfile.TemporaryDirectory() as folder:
            for patch in chosen:
                count, otherwise = played(patch, Path(folder), options.python)
                some = ", ".join(one.rpartition("/")[2] for one in otherwise[:3])
                print(f"{patch.name:28} {len(otherwise):4} of {count} jobs end otherwise  {some}", flush=True)
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.workers) as pool:
        for outcome in pool.map(lambda patch: ask(patch, Path(folder), options.python), chosen):
            one = row(outcome)
            rows.append(one)
            print(
                f"{one['fork']:28} {one['failed']:4} failed  {one['named']:12} {one['seconds']:5} s",
                flush=True,
            )
            for line in one["todo"][:3]:
                names = f" [{', '.join(line['mistakes'][:3])}]" if line["mistakes"] else ""
                print(f"    {line['failures']:4} {line['trust']}: {line['says'][:150]}{names}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    named = [one["named"] for one in rows]
    print(
        f"{len(rows)} forks: {sum(one['found'] for one in rows)} found, "
        + ", ".join(f"{named.count(each)} named {each}" for each in sorted(set(named)))
    )
    return 0 if all(one["as_expected"] for one in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
