# /// script
# dependencies = []
# ///
"""The best and the worst trial and how many there were; null is a 0."""

import argparse
import json
from pathlib import Path

ap = argparse.ArgumentParser()
ap.add_argument("-i", "--input-path", type=Path)
ap.add_argument("-o", "--output-path", type=Path)
ns = ap.parse_args()
values = [0.0]
if ns.input_path.stat().st_size:
    rows = map(json.loads, ns.input_path.open())
    values = [0.0 if row is None else float(row.get("reward", 0.0)) for row in rows]
result = {"best": max(values), "worst": min(values), "spread": max(values) - min(values)}
ns.output_path.write_text(json.dumps(result))
