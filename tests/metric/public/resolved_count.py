# /// script
# dependencies = []
# ///
"""How many trials were resolved, answered and lost, as a leaderboard prints them."""

import argparse
import collections
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()

counts: collections.Counter[str] = collections.Counter(resolved=0, unresolved=0, lost=0)
for line in args.input_path.read_text().splitlines():
    match json.loads(line):
        case None:
            counts["lost"] += 1
        case {"resolved": value} | {"reward": value} if value == 1:
            counts["resolved"] += 1
        case _:
            counts["unresolved"] += 1
for name, count in counts.items():
    print(f"{name:<12}{count:>6}")
args.output_path.write_text(json.dumps(counts))
