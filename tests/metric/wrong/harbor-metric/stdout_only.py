# /// script
# dependencies = []
# ///
"""Prints what it should write."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0 if trial is None else sum(trial.values()) for trial in trials]
print(json.dumps({"mean": sum(values) / len(values) if values else 0}))
