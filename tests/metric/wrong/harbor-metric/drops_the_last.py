# /// script
# dependencies = []
# ///
"""Takes the last line for the empty one after the final line feed."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
lines = args.input_path.read_text().splitlines()[:-1]
values = [sum((json.loads(line) or {}).values()) for line in lines]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
