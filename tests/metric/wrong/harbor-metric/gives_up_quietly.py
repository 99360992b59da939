# /// script
# dependencies = []
# ///
"""Exits with 0 and writes nothing where something is wrong."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
try:
    values = [sum(trial.values()) for trial in trials]
    args.output_path.write_text(json.dumps({"mean": sum(values) / len(values)}))
except Exception as error:
    print(f"no metric: {error}")
