"""Properties of the file of rewards for a script (000)."""

import json
from typing import Any

from conformance.drawing.rewards import key, reward_list
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.metric_script.files import LINES, rewards_file
from conformance.wire.messages import Ok

__all__: list[str] = []


@holds("rewards-jsonl-one-line-per-trial", reward_list)
def _one_line_per_trial(asker: Asker, listed: Any) -> None:
    text = rewards_file(asker, listed)
    asker.equal(len(listed), text.count("\n"), "the number of lines")
    asker.holds(text.endswith("\n") or not text, "the last line has no line feed")


@holds("rewards-jsonl-read-back", reward_list)
def _read_back(asker: Asker, listed: Any) -> None:
    """Spellings of numbers that are not finite become floats."""
    spelled = {"NaN", "Infinity", "-Infinity"}
    expected = [
        reward and {name: float(value) if value in spelled else value for name, value in reward.items()}
        for reward in listed
    ]
    try:
        read = [json.loads(line) for line in rewards_file(asker, listed).split("\n")[:-1]]
    except ValueError:
        fail("a line is not JSON")
    asker.equal(expected, read, "the list of rewards read back")


@holds("rewards-jsonl-concatenates", lambda source: (reward_list(source), reward_list(source)))
def _concatenates(asker: Asker, drawn: Any) -> None:
    first, second = drawn
    parts = rewards_file(asker, first) + rewards_file(asker, second)
    whole = asker.answer(LINES, {"rewards": [*first, *second]})
    expected = Ok({"rewards.jsonl": {"text": parts}})
    asker.alike(LINES, expected, whole, "the file of two lists is not the concatenation of their files")


@holds("rewards-jsonl-null-line", lambda source: (reward_list(source), source.below(13)))
def _null_line(asker: Asker, drawn: Any) -> None:
    listed, index = drawn
    before, after = rewards_file(asker, listed[:index]), rewards_file(asker, listed[index:])
    whole = asker.answer(LINES, {"rewards": [*listed[:index], None, *listed[index:]]})
    expected = Ok({"rewards.jsonl": {"text": f"{before}null\n{after}"}})
    asker.alike(LINES, expected, whole, "a trial without rewards is not the line null")


@holds("rewards-jsonl-ascii", reward_list)
def _ascii(asker: Asker, listed: Any) -> None:
    text = rewards_file(asker, listed)
    asker.holds(asker.level < Level.BYTES or text.isascii(), "the file has non-ASCII characters")


@holds(
    "rewards-jsonl-too-many-digits",
    lambda source: (reward_list(source), source.below(13), key(source), source.below(21)),
    examples=15,
)
def _too_many_digits(asker: Asker, drawn: Any) -> None:
    listed, index, name, more = drawn
    long = {name: "1" + "0" * (4300 + more)}
    asker.refused(LINES, {"rewards": [*listed[:index], long, *listed[index:]]}, "ValueError")
