# /// script
# dependencies = []
# ///
"""Share of trials at or above a threshold, rounded to three decimals."""

import argparse
import json

THRESHOLD = 0.7


def load(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--input-path", "-i", required=True)
    p.add_argument("--output-path", "-o", required=True)
    a = p.parse_args()
    rewards = load(a.input_path)
    passed = sum(1 for r in rewards if r and r.get("reward", 0) >= THRESHOLD)
    rate = round(passed / len(rewards), 3) if rewards else 0.0
    with open(a.output_path, "w", encoding="utf-8") as f:
        json.dump({"pass_rate": rate, "n": len(rewards)}, f)


if __name__ == "__main__":
    main()
