# /// script
# dependencies = []
# ///
"""The highest reward, 0 where there is none."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [value for trial in trials for value in (trial or {}).values()]
args.output_path.write_text(json.dumps({"max": max([0, *values])}))
