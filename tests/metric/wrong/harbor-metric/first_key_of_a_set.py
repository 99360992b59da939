# /// script
# dependencies = []
# ///
"""Takes the main key from a set, whose order is another in each process."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
keys = {key for trial in trials for key in trial or {}}
main = next(iter(keys), "reward")
values = [(trial or {}).get(main, 0) for trial in trials]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
