# /// script
# dependencies = []
# ///
"""Prints a name in another encoding."""

import argparse
import json
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
values = [0 if trial is None else sum(trial.values()) for trial in trials]
sys.stdout.buffer.write("r\u00e9compense\n".encode("latin-1"))
args.output_path.write_text(json.dumps({"mean": sum(values) / len(values) if values else 0}))
