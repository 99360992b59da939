# /// script
# dependencies = []
# ///
"""The number of trials, and the mean of a key under a name made up on the spot."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [(trial or {}).get("score_" + str(len("v2")), 0) for trial in trials]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1), "n": len(trials)}))
