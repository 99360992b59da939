"""Runs the kit on the forks of ``patches.json`` and prints the results: ``python -m tools.forks.table
[NAME…]``.

``--gate`` gates the forks of ``gated.json`` instead, each one place away from a release, as its author
would; ``--played`` asks them only whole jobs, which is quicker: retries, resuming and the order in which
trials end. It exits with 1 if a detectable fork is not found, or an undetectable one is.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.forks.forking import GATED, PATCHES, ask, forks, names_in


def confidence(line: dict[str, Any]) -> str:
    """How sure a line of the to-do list is."""
    if line["kind"] in ("cluster", "silent"):
        return "unexplained" if line["kind"] == "cluster" else "no answer"
    if line["certain"]:
        return "certain"
    return f"{'near' if line['resembles'] else 'likely'} ({line['against']} against)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--played", action="store_true")
    options = parser.parse_args()
    known = forks(GATED if options.gate or options.played else PATCHES)
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"no fork is called {', '.join(unknown)}")
    named, unexpected = [], []
    for name in options.names or known:
        with tempfile.TemporaryDirectory() as scratch:
            sections = ("played",) if options.played else ()
            run = ask(known[name], Path(scratch), sections, gate=options.gate)
        named.append(run.named)
        unexpected += [] if run.as_expected else [name]
        text = run.sections if run.failures or not run.exit_code else run.printed.strip().rpartition("\n")[2]
        print(f"{name:36} exit {run.exit_code}  {run.seconds:5.1f} s  {run.named:12} {text}", flush=True)
        for line in run.todo[:3]:
            names = f" [{', '.join(sorted(names_in(line))[:3])}]" if names_in(line) else ""
            print(
                f"    {len(line['failures']):4} {confidence(line)}: {line['says'][:150]}{names}", flush=True
            )
    print(f"{len(named)} forks: {', '.join(f'{named.count(key)} named {key}' for key in sorted(set(named)))}")
    print(f"not as expected: {', '.join(unexpected) or 'none'}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
