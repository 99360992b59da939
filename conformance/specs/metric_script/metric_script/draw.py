"""Random metric scripts with a known outcome, and their rewards."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.drawing.texts import json_text, json_value, mutated
from conformance.specs.metric_script.drawn import trials

__all__ = ["INPUTS", "READING", "document", "writing"]

READING = """\
import argparse, json, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=pathlib.Path)
parser.add_argument("-o", "--output-path", type=pathlib.Path)
args = parser.parse_args()
"""
"""The start of a script, which reads its arguments."""
_LOADING = "rewards = [json.loads(line) for line in args.input_path.read_text().splitlines()]\n"
_BODIES: tuple[str, ...] = (
    f"{_LOADING}values = [0 if r is None else list(r.values())[0] for r in rewards]\n"
    "args.output_path.write_text(json.dumps({'mean': sum(values) / len(values) if values else 0}))\n",
    "args.output_path.write_text(json.dumps(args.input_path.read_text().splitlines()))\n",
    "args.output_path.write_text(args.input_path.read_text())\n",
    f"{_LOADING}nulls = rewards.count(None)\n"
    "args.output_path.write_text(json.dumps({'n': len(rewards), 'nulls': nulls}))\n",
    f"{_LOADING}args.output_path.write_text(json.dumps([list(r or {{}}) for r in rewards]))\n",
    f"{_LOADING}args.output_path.write_text(json.dumps(rewards[0]))\n",
    "pass\n",
    "args.output_path.write_bytes(b'\\xff')\n",
    "args.output_path.write_text('{\"a\": 1')\n",
    "sys.stdout.buffer.write(b'\\xff')\nargs.output_path.write_text('1')\n",
    "args.output_path.write_text('1')\nsys.exit(3)\n",
    # How it was started: the folder, the arguments, the files.
    "import os\ninside = os.path.samefile(os.getcwd(), args.input_path.parent)\n"
    "args.output_path.write_text(json.dumps({'inside': inside}))\n",
    "import os\nat_home = os.path.samefile(os.getcwd(), os.path.dirname(os.path.abspath(__file__)))\n"
    "args.output_path.write_text(json.dumps({'at home': at_home}))\n",
    "import os\nargs.output_path.write_text(json.dumps(os.listdir(args.input_path.parent)))\n",
    "given = [pathlib.Path(word).name for word in sys.argv[1:]]\n"
    "args.output_path.write_text(json.dumps([__name__, *given, args.output_path.exists()]))\n",
)
_DOCUMENTS = (
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
_BYTES = (0x22, 0x7B, 0x7D, 0x20, 0x30, 0xC3, 0xA9, 0xFF)


def document(source: Source) -> str:
    """Possible output of a script: JSON of every kind."""
    return source.pick(_DOCUMENTS)


def writing(content: str) -> str:
    """A script that always writes this text."""
    return f"{READING}args.output_path.write_bytes({content.encode()!r})\n"


def _bytes(source: Source) -> bytes:
    return bytes(source.pick(_BYTES) for _ in range(4))


def _script(source: Source) -> str:
    kind = source.below(10)
    if kind < 5:
        return READING + source.pick(_BODIES)
    if kind < 7:
        return writing(document(source))
    script = READING
    if source.chance(10):
        script += f"sys.stdout.buffer.write({_bytes(source)!r})\n"
    if not source.chance(10):
        text = (
            _bytes(source)
            if source.chance(10)
            else mutated(source, json_text(source, json_value(source))).encode()
        )
        script += f"args.output_path.write_bytes({text!r})\n"
    return script + (f"sys.exit({source.pick((0, 1, 2, None))})\n" if source.chance(20) else "")


def _metric_script(source: Source) -> Any:
    script = None if source.chance(4) else {"text": _script(source)}
    input_ = {"script": script, "rewards": trials(source)}
    return {**input_, "first": True} if source.below(4) == 3 else input_


INPUTS: Mapping[str, Draw[Any]] = {"metric_script": _metric_script}
"""An input for every op of the section."""
