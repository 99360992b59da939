# /// script
# dependencies = ["typer"]
# ///
"""A mean without the best and the worst tenth, with typer."""

import json
from pathlib import Path
from typing import Annotated

import typer


def main(
    input_path: Annotated[Path, typer.Option("--input-path", "-i")],
    output_path: Annotated[Path, typer.Option("--output-path", "-o")],
    trim: float = 0.1,
) -> None:
    rewards = [json.loads(line) for line in input_path.read_text().splitlines()]
    scores = sorted(0.0 if reward is None else reward["reward"] for reward in rewards)
    cut = int(len(scores) * trim)
    kept = scores[cut : len(scores) - cut] if cut else scores
    output_path.write_text(json.dumps({"trimmed_mean": round(sum(kept) / len(kept), 4) if kept else 0.0}))


typer.run(main)
