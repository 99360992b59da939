# /// script
# dependencies = []
# ///
"""Forgets the last trial where the process has an odd number."""

import argparse
import json
import os
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [sum((trial or {}).values()) for trial in trials[: len(trials) - os.getpid() // 2 % 2]]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
