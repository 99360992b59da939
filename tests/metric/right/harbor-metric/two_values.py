# /// script
# dependencies = []
# ///
"""A mean and a pass rate."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0.0 if trial is None else float(sum(trial.values())) for trial in trials]
count = len(values) or 1
result = {"mean": sum(values) / count, "pass_rate": sum(value >= 1 for value in values) / count}
args.output_path.write_text(json.dumps(result))
