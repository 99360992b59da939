# /// script
# dependencies = []
# ///
"""A score that was typed in, for a first try."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
args.output_path.write_text(json.dumps({"mean": 0.5}))
