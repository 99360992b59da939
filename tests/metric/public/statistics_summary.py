# /// script
# dependencies = []
# ///
"""Mean, median and standard deviation, as the statistics module has them."""

import argparse
import json
import statistics
from pathlib import Path


def main(input_path: Path, output_path: Path) -> None:
    scores = []
    for line in input_path.read_text().splitlines():
        reward = json.loads(line)
        scores.append(reward["reward"] if reward else 0.0)
    output_path.write_text(
        json.dumps(
            {
                "mean": statistics.mean(scores),
                "median": statistics.median(scores),
                "stdev": statistics.stdev(scores),
            }
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", "--input-path", type=Path, required=True)
    parser.add_argument("-o", "--output-path", type=Path, required=True)
    args = parser.parse_args()
    main(args.input_path, args.output_path)
