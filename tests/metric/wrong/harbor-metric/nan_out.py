# /// script
# dependencies = []
# ///
"""The mean of the trials that passed, which there may not be."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [value for trial in trials if trial for value in trial.values() if value >= 1]
args.output_path.write_text(json.dumps({"mean": sum(values) / len(values) if values else float("nan")}))
