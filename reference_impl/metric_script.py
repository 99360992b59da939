"""A metric that a user wrote as a script: its input, how it is started, and its output (000).

A `metric.py` reads one line of JSON per trial and writes one JSON document. harbor starts it with uv, waits
as long as it takes, and returns whatever the document contains, unchecked.

The rules do not say how a script's dependencies are installed, and nothing here installs any: a script runs
on the current interpreter.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .cpython312.parsing import MAX_INT_DIGITS, Json, parse_json
from .verifier_result import Rewards

__all__ = [
    "METRIC_JSON",
    "REWARDS_JSONL",
    "Run",
    "metric_script",
    "rewards_jsonl",
    "run_script",
    "show_first_value",
]

REWARDS_JSONL = "rewards.jsonl"  # 000, "must accept the following arguments"
METRIC_JSON = "metric.json"  # as above


def rewards_jsonl(rewards: Sequence[Rewards | None]) -> bytes:
    """One line per trial, in trial order: its rewards as JSON, or `null` if it has none (000).

    Written as Python's `json` writes by default: a space after `,` and `:`, keys in the order in
    which they were measured, non-ASCII escaped, `NaN` and `Infinity` bare. Every line ends with a
    line feed; no trials make no bytes.

    Raises:
        ValueError: an int has more than 4300 digits.
    """
    # Python itself refuses to print such an int, unless its limit is lifted.
    for reward in rewards:
        for value in (reward or {}).values():
            if isinstance(value, int) and abs(value) >= 10**MAX_INT_DIGITS:
                raise ValueError(f"an int of more than {MAX_INT_DIGITS} digits")
    return "".join(json.dumps(reward) + "\n" for reward in rewards).encode("ascii")


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a finished script."""

    returncode: int
    """0 if it succeeded."""
    stdout: bytes
    """Its output on standard output."""
    stderr: bytes
    """Its output on standard error."""
    written: bytes | OSError
    """The output file's bytes, or the exception from reading it."""


def run_script(script: bytes, lines: bytes, options: tuple[str, str] = ("-i", "-o")) -> Run:
    """Run a script on `rewards.jsonl`, in the caller's directory (000).

    Input and output have a folder of their own.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
        given, written = Path(folder, REWARDS_JSONL), Path(folder, METRIC_JSON)
        program = Path(elsewhere, "metric.py")
        program.write_bytes(script)
        given.write_bytes(lines)
        command = [sys.executable, str(program), options[0], str(given), options[1], str(written)]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
        try:
            return Run(done.returncode, done.stdout, done.stderr, written.read_bytes())
        except OSError as error:
            return Run(done.returncode, done.stdout, done.stderr, error)


def metric_script(script: bytes | None, rewards: Sequence[Rewards | None]) -> Json:
    """Run a script on the rewards and return its output, parsed and otherwise unchanged (000).

    It is started with `-i <rewards.jsonl> -o <metric.json>`, in the caller's directory. Its standard output
    is decoded, but not used. `script` is None if there is no such file.

    Raises:
        FileNotFoundError: there is no script, or it wrote no output and exited with 0.
        ValueError: the rewards cannot be written, as for `rewards_jsonl`; or the output holds an
            int of more than 4300 digits.
        UnicodeDecodeError: what the script printed, or wrote, is not UTF-8.
        RuntimeError: it exited with another code than 0, whatever it wrote.
        json.JSONDecodeError: its output is not one JSON document.
        RecursionError: its output is nested too deeply to read.
    """
    if script is None:
        raise FileNotFoundError("there is no such script")
    run = run_script(script, rewards_jsonl(rewards))

    # Its printed output must be UTF-8; then its exit code decides.
    run.stdout.decode("utf-8")
    complaint = run.stderr.decode("utf-8")
    if run.returncode != 0:
        raise RuntimeError(f"Failed to compute custom metric: {complaint}")

    # Its output is used as it is.
    if isinstance(run.written, OSError):
        raise run.written
    return parse_json(run.written.decode("utf-8"))


def show_first_value(output: Json) -> str:
    """The first value of a job's first metric as harbor shows it while the job runs (000; 003 §3.3).

    If it cannot be shown with three decimals, the job ends, even if it shows nothing.

    Raises:
        AttributeError: the output is no object.
        RuntimeError: the object is empty.
        TypeError: the value is null, a list or an object.
        ValueError: the value is a string.
        OverflowError: the value is an int beyond the double range.
    """
    if not isinstance(output, dict):
        raise AttributeError("the output is no object")
    if not output:
        raise RuntimeError("the output has no value")
    return format(next(iter(output.values())), ".3f")
