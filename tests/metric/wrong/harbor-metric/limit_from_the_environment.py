# /// script
# dependencies = []
# ///
"""Counts as many trials as a variable says."""

import argparse
import json
import os
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
limit = int(os.environ.get("METRIC_LIMIT", "1000000"))
values = [sum((trial or {}).values()) for trial in trials[:limit]]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
