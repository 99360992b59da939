# /// script
# dependencies = []
# ///
"""A bootstrap without a seed."""

import argparse
import json
import random
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0 if trial is None else sum(trial.values()) for trial in trials]
sample = [random.choice(values) + random.random() / 1e6 for _ in values]
args.output_path.write_text(json.dumps({"mean": sum(sample) / len(sample) if sample else 0}))
