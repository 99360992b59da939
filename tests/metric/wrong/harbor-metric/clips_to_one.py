# /// script
# dependencies = []
# ///
"""Keeps each reward between 0 and 1."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [min(1.0, max(0.0, sum((trial or {}).values()))) for trial in trials]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
