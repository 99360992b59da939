# /// script
# dependencies = []
# ///
"""Reads a hundred trials at most, once thought to be plenty."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [sum((trial or {}).values()) for trial in trials[:100]]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
