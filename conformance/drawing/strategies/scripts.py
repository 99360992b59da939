"""Inputs of metric scripts: what they are given, and scripts of which the outcome is known."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.rewards import reward_lists

__all__ = ["READING", "SCRIPT_INPUTS", "documents", "writing"]

READING = """\
import argparse, json, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=pathlib.Path)
parser.add_argument("-o", "--output-path", type=pathlib.Path)
args = parser.parse_args()
"""
"""How a script begins: it knows its arguments then."""


def writing(content: str) -> str:
    """A script that writes this text, whatever it is given."""
    return f"{READING}args.output_path.write_bytes({content.encode()!r})\n"


documents: SearchStrategy[str] = st.sampled_from(
    (
        '{"mean": 0.5}',
        '{"b": 1, "a": 1.0}',
        "[]",
        "null",
        "true",
        '"1"',
        "{}",
        "-0.0",
        "NaN",
        "1e400",
        "[9007199254740993, 1.0, {}]",
        '{"a": {"b": [null, false, "\\u00e9"]}, "": 0}',
        '{"a": 1, "a": 2}',
    )
)
"""What a script may write: JSON of every kind."""
_BODIES = (
    "rewards = [json.loads(line) for line in args.input_path.read_text().splitlines()]\n"
    "values = [0 if r is None else list(r.values())[0] for r in rewards]\n"
    "args.output_path.write_text(json.dumps({'mean': sum(values) / len(values) if values else 0}))\n",
    "args.output_path.write_text(json.dumps(args.input_path.read_text().splitlines()))\n",
    "args.output_path.write_text(args.input_path.read_text())\n",
    "pass\n",
    "args.output_path.write_bytes(b'\\xff')\n",
    "args.output_path.write_text('{\"a\": 1')\n",
    "sys.stdout.buffer.write(b'\\xff')\nargs.output_path.write_text('1')\n",
    "args.output_path.write_text('1')\nsys.exit(3)\n",
)
_contents = st.one_of(st.sampled_from(_BODIES).map(lambda body: READING + body), documents.map(writing))
_scripts = st.one_of(*[_contents.map(lambda text: {"text": text})] * 9, st.none())

SCRIPT_INPUTS: dict[str, SearchStrategy[Any]] = {
    "rewards_jsonl": st.fixed_dictionaries({"rewards": reward_lists()}),
    "metric_script": st.fixed_dictionaries({"script": _scripts, "rewards": reward_lists()}),
}
"""An input for each of the two ops."""
