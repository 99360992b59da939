# /// script
# dependencies = []
# ///
"""Sorts the input file itself."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = sorted(0 if trial is None else sum(trial.values()) for trial in trials)
args.input_path.write_text("".join(f"{value}\n" for value in values))
args.output_path.write_text(json.dumps({"median": values[len(values) // 2] if values else 0}))
