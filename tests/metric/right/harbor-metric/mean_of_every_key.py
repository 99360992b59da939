# /// script
# dependencies = []
# ///
"""The mean of each key, as harbor's own mean."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
keys = dict.fromkeys(key for trial in trials if trial for key in trial)
means = {key: sum((trial or {}).get(key, 0) for trial in trials) / len(trials) for key in keys}
args.output_path.write_text(json.dumps(means or {"mean": 0.0}))
