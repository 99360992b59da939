import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.metric_script import metric_script, rewards_jsonl, show_first_value
from reference_impl.verifier_result import Rewards

ARGUMENTS = """
import argparse, json, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=pathlib.Path)
parser.add_argument("-o", "--output-path", type=pathlib.Path)
args = parser.parse_args()
"""

TEMPLATE = """# /// script
# dependencies = []
# ///
# To add a dependency: uv add --script metric.py <dependency>

import argparse
import json
from pathlib import Path


def main(input_path: Path, output_path: Path):
    rewards = []

    for line in input_path.read_text().splitlines():
        reward = json.loads(line)
        if reward is None:
            rewards.append(0)
        elif len(reward) != 1:
            raise ValueError(
                f"Expected exactly one key in reward dictionary, got {len(reward)}"
            )
        else:
            rewards.extend(reward.values())

    mean = sum(rewards) / len(rewards) if rewards else 0

    output_path.write_text(json.dumps({"mean": mean}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "-i",
        "--input-path",
        type=Path,
        required=True,
        help="Path to a jsonl file containing rewards, one json object per line.",
    )
    parser.add_argument(
        "-o",
        "--output-path",
        type=Path,
        required=True,
        help="Path to a json file where the metric will be written as a json object.",
    )
    args = parser.parse_args()
    main(args.input_path, args.output_path)
"""
"""The example of document 000, as it is printed."""

LINES: list[tuple[list[Rewards | None], bytes]] = [
    ([], b""),
    ([None], b"null\n"),
    ([{"reward": 1.0}, {"reward": 1}], b'{"reward": 1.0}\n{"reward": 1}\n'),
    ([{"é": 1, "b": 1e22}], b'{"\\u00e9": 1, "b": 1e+22}\n'),
    ([{"r": math.nan}, {"r": -math.inf}, {}], b'{"r": NaN}\n{"r": -Infinity}\n{}\n'),
    ([{"r": -0.0, "\x7f\U0001f600": 2**64}], b'{"r": -0.0, "\\u007f\\ud83d\\ude00": 18446744073709551616}\n'),
]

FAILURES: list[tuple[str, type[Exception]]] = [
    ("args.output_path.write_text('{}'); sys.exit(1)", RuntimeError),
    ("sys.exit('no')", RuntimeError),
    ("pass", FileNotFoundError),
    ("args.output_path.mkdir()", IsADirectoryError),
    ("args.output_path.write_text('')", json.JSONDecodeError),
    ("args.output_path.write_text('{} {}')", json.JSONDecodeError),
    ("args.output_path.write_bytes(b'\\xef\\xbb\\xbf{}')", json.JSONDecodeError),
    ("args.output_path.write_bytes(b'\"\\xff\"')", UnicodeDecodeError),
    ("sys.stdout.buffer.write(b'\\xff'); sys.exit(1)", UnicodeDecodeError),
    ("args.output_path.write_text('1' * 4301)", ValueError),
]


def script(last_line: str) -> bytes:
    return f"{ARGUMENTS}{last_line}\n".encode()


@pytest.mark.parametrize(("rewards", "expected"), LINES)
def test_lines(rewards: list[Rewards | None], expected: bytes) -> None:
    assert rewards_jsonl(rewards) == expected


def test_an_int_of_too_many_digits() -> None:
    assert len(rewards_jsonl([{"r": 10**4299}])) == len('{"r": }\n') + 4300
    for reward in (10**4300, -(10**4300)):
        with pytest.raises(ValueError, match="4300 digits"):
            rewards_jsonl([{"r": reward}])


numbers = st.integers() | st.floats(allow_nan=False)


@given(st.lists(st.none() | st.dictionaries(st.text(), numbers, max_size=4), max_size=5))
def test_lines_are_read_back(rewards: list[Rewards | None]) -> None:
    content = rewards_jsonl(rewards)
    assert content.isascii()
    lines = content.split(b"\n")
    assert lines.pop() == b""
    assert repr([json.loads(line) for line in lines]) == repr(rewards)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"mean": 0.81, "pass_rate": 0.5}', "{'mean': 0.81, 'pass_rate': 0.5}"),
        ('{"b": 1, "a": 1.0, "b": -0.0}', "{'b': -0.0, 'a': 1.0}"),
        (" [NaN, 1e400, null] ", "[nan, inf, None]"),
        ('"high"', "'high'"),
        ("true", "True"),
    ],
)
def test_what_is_written_comes_back(written: str, expected: str) -> None:
    assert repr(metric_script(script(f"args.output_path.write_text({written!r})"), [])) == expected


@pytest.mark.parametrize(("last_line", "error"), FAILURES)
def test_failures(last_line: str, error: type[Exception]) -> None:
    with pytest.raises(error) as raised:
        metric_script(script(last_line), [{"reward": 1.0}])
    assert raised.type is error


def test_no_script() -> None:
    with pytest.raises(FileNotFoundError):
        metric_script(None, [])


def test_the_complaint_is_told() -> None:
    with pytest.raises(RuntimeError, match="Failed to compute custom metric: not today"):
        metric_script(script("sys.exit('not today')"), [])


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ([], "{'mean': 0}"),
        ([None], "{'mean': 0.0}"),
        ([{"a": 1}, {"b": 0}], "{'mean': 0.5}"),
        ([{"r": 1}, None, {"r": 0.5}], "{'mean': 0.5}"),
    ],
)
def test_the_documents_example(rewards: list[Rewards | None], expected: str) -> None:
    assert repr(metric_script(TEMPLATE.encode(), rewards)) == expected


@pytest.mark.parametrize("reward", [{}, {"a": 1, "b": 1}])
def test_the_documents_example_wants_one_key(reward: Rewards) -> None:
    with pytest.raises(RuntimeError, match="Expected exactly one key in reward dictionary, got"):
        metric_script(TEMPLATE.encode(), [reward])


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ({"mean": 0.5}, "0.500"),
        ({"n": 3, "note": "x"}, "3.000"),
        ({"passed": True}, "1.000"),
        ({"mean": math.nan}, "nan"),
        ({"mean": -math.inf}, "-inf"),
    ],
)
def test_a_first_value_that_can_be_shown(output: object, shown: str) -> None:
    assert show_first_value(output) == shown


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ([0.5], AttributeError),
        (None, AttributeError),
        ("0.5", AttributeError),
        ({}, RuntimeError),
        ({"mean": "0.5"}, ValueError),
        ({"mean": None, "n": 1}, TypeError),
        ({"mean": [0.5]}, TypeError),
        ({"n": 10**400}, OverflowError),
    ],
)
def test_a_first_value_that_cannot_be_shown(output: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        show_first_value(output)
