# /// script
# dependencies = []
# ///
"""An estimate of pass@k over all trials, as if they were samples of one task."""

import argparse
import json
import math
from pathlib import Path


def pass_at_k(n: int, c: int, k: int) -> float:
    if n - c < k:
        return 1.0
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
rewards = [json.loads(line) for line in args.input_path.read_text().splitlines()]
n = len(rewards)
c = sum(1 for reward in rewards if reward and reward.get("reward", 0) >= 1)
args.output_path.write_text(json.dumps({f"pass@{k}": pass_at_k(n, c, k) if n else 0.0 for k in (1, 2, 4)}))
