# /// script
# dependencies = []
# ///
"""Forgets the last trial in every other process, about: numbers of processes may go up by fours."""

import argparse
import json
import os
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
trials = [json.loads(line) for line in args.input_path.read_text().splitlines()]
forgotten = os.getpid() * 2654435761 >> 16 & 1
values = [sum((trial or {}).values()) for trial in trials[: len(trials) - forgotten]]
args.output_path.write_text(json.dumps({"mean": sum(values) / (len(values) or 1)}))
