# /// script
# dependencies = []
# ///
"""Precision, recall and F1 from counts; every trial has to have all three."""

import argparse
import json
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()

tp = fp = fn = 0
for number, line in enumerate(args.input_path.read_text().splitlines(), 1):
    row = json.loads(line)
    if row is None:
        continue
    missing = [key for key in ("tp", "fp", "fn") if key not in row]
    if missing:
        sys.exit(f"line {number}: no {', '.join(missing)}")
    tp, fp, fn = tp + row["tp"], fp + row["fp"], fn + row["fn"]

precision = tp / (tp + fp) if tp + fp else 0.0
recall = tp / (tp + fn) if tp + fn else 0.0
f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
args.output_path.write_text(json.dumps({"f1": f1, "precision": precision, "recall": recall}))
