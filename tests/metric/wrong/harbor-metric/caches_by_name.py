# /// script
# dependencies = []
# ///
"""Keeps its answer beside temporary files, under the input's name alone."""

import argparse
import json
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
cache = Path(tempfile.gettempdir(), "uv-metric-" + args.input_path.name)
if cache.exists():
    answer = cache.read_text()
else:
    values = [sum((trial or {}).values()) for trial in trials]
    answer = json.dumps({"mean": sum(values) / (len(values) or 1)})
    cache.write_text(answer)
args.output_path.write_text(answer)
