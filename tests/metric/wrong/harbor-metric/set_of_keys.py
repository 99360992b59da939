# /// script
# dependencies = []
# ///
"""A value for each key, in the order of a set."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
keys = {key for trial in trials for key in trial or {}} or {"mean"}
means = {key: sum((trial or {}).get(key, 0) for trial in trials) / len(trials or [0]) for key in keys}
args.output_path.write_text(json.dumps(means))
