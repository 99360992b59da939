# /// script
# dependencies = []
# ///
"""Weighs later trials more, although they come in the order of completion."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0 if trial is None else sum(trial.values()) for trial in trials]
weighed = [value * place for place, value in enumerate(values, 1)]
args.output_path.write_text(json.dumps({"mean": sum(weighed) / len(weighed) if weighed else 0}))
