# /// script
# dependencies = []
# ///
"""Scores of a judge from 1 to 10, as a share of the scale; what is out of range stops everything."""

import argparse
import json
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
shares = []
for line in args.input_path.read_text().splitlines():
    reward = json.loads(line) or {"judge_score": 0}
    score = reward["judge_score"]
    if not 0 <= score <= 10:
        raise ValueError(f"judge_score {score} is not between 0 and 10")
    shares.append(score / 10)
args.output_path.write_text(json.dumps({"judge": sum(shares) / len(shares) if shares else 0.0}))
