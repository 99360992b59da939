# /// script
# dependencies = []
# ///
"""The median, worked out in a temporary file."""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0.0 if trial is None else float(sum(trial.values())) for trial in trials]
with tempfile.TemporaryFile("w+") as file:
    file.writelines(f"{value!r}\n" for value in sorted(values))
    file.seek(0)
    ordered = [float(line) for line in file]
args.output_path.write_text(json.dumps({"median": statistics.median(ordered) if ordered else 0.0}))
