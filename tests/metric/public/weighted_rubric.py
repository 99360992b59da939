# /// script
# dependencies = []
# ///
"""A rubric with weights; a criterion that is missing scores 0."""

import argparse
import json
from pathlib import Path

WEIGHTS = {"correctness": 0.6, "style": 0.1, "efficiency": 0.3}


def score(reward: dict | None) -> float:
    if reward is None:
        return 0.0
    return sum(weight * float(reward.get(name, 0.0)) for name, weight in WEIGHTS.items())


parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()

scores = [score(json.loads(line)) for line in args.input_path.read_text().splitlines()]
args.output_path.write_text(json.dumps({"weighted": sum(scores) / len(scores) if scores else 0.0}))
