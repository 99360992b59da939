# /// script
# dependencies = ["numpy"]
# ///
"""The mean with a confidence interval from a bootstrap whose seed is fixed."""

import argparse
import json
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
lines = args.input_path.read_text().splitlines()
scores = np.array([(json.loads(line) or {}).get("score", 0.0) for line in lines] or [0.0], dtype=float)
rng = np.random.default_rng(0)
means = rng.choice(scores, size=(200, scores.size)).mean(axis=1)
low, high = np.percentile(means, [2.5, 97.5])
result = {"mean": float(scores.mean()), "ci_low": float(low), "ci_high": float(high)}
args.output_path.write_text(json.dumps(result))
