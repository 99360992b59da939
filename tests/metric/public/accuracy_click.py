# /// script
# requires-python = ">=3.10"
# dependencies = ["click"]
# ///
"""Accuracy of a question-answering set, with click."""

import json

import click


@click.command()
@click.option("-i", "--input-path", type=click.Path(exists=True), required=True)
@click.option("-o", "--output-path", type=click.Path(), required=True)
def main(input_path: str, output_path: str) -> None:
    total = correct = 0
    with open(input_path) as f:
        for line in f:
            reward = json.loads(line) or {}
            total += 1
            correct += reward.get("accuracy", 0.0)
    with open(output_path, "w") as f:
        json.dump({"accuracy": correct / total if total else 0.0}, f, indent=2)
    click.echo(f"accuracy over {total} trials: {correct / max(total, 1):.3f}")


if __name__ == "__main__":
    main()
