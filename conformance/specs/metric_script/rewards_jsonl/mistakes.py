"""Mistakes in the file of rewards: its trials and keys, and its layout."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number
from conformance.mistakes.variant import Variant
from reference_impl import metric_script

mistakes = family("rewards_jsonl", clause="000-lines-numbers")
in_rewards_jsonl = family("rewards_jsonl", of=metric_script.rewards_jsonl, clause="000-lines-object")
Rewards = dict[str, Number] | None


@way("rewards_jsonl")
def lines(reference: Variant, line: Callable[[Rewards], str]) -> None:
    """Writes each line with ``line``."""
    _text(reference, lambda rewards: "".join(f"{line(reward)}\n" for reward in rewards))


def _text(reference: Variant, text: Callable[[Sequence[Rewards]], str]) -> None:
    """Writes the whole file with ``text``, which refuses whatever the rules refuse."""
    plain = reference.get(metric_script.rewards_jsonl)

    def write(rewards: Sequence[Rewards]) -> bytes:
        plain(rewards)
        return text(rewards).encode("utf-8")

    reference.replace(metric_script.rewards_jsonl, write)


@way("rewards_jsonl", clause="000-lines-null")
def given(reference: Variant, change: Callable[[list[Rewards]], Sequence[Rewards]]) -> None:
    """Writes the file for other rewards."""
    reference.wrap(metric_script.rewards_jsonl, lambda write: lambda rewards: write(change(list(rewards))))


@way("rewards_jsonl", clause="000-lines-key-order")
def each(reference: Variant, change: Callable[[dict[str, Number]], Any]) -> None:
    """Writes each line for other rewards; trials without rewards stay unchanged."""
    given(reference, lambda rewards: [None if reward is None else change(reward) for reward in rewards])


@lines.made(clause="000-lines-separators", invited_by="JSON.stringify, encoding/json, serde_json")
def jsonl_compact_separators(reward: Rewards) -> str:
    """rewards.jsonl has no space after commas and colons. Most writers put none; Python's default does."""
    return json.dumps(reward, separators=(",", ":"))


@lines.made(clause="000-lines-ascii", invited_by="serde_json, JSON.stringify, ensure_ascii=False")
def jsonl_raw_utf_8(reward: Rewards) -> str:
    """Characters beyond ASCII are unescaped in rewards.jsonl.
    JSON is UTF-8, and most writers escape only what they must."""
    return json.dumps(reward, ensure_ascii=False)


@each.made(clause="000-lines-non-finite", invited_by="data cleaning before a dump")
def jsonl_non_finite_left_out(reward: dict[str, Number]) -> Any:
    """Members that are NaN or infinite are left out of rewards.jsonl.
    JSON has no NaN, so there seems to be nothing to write."""
    return {key: it for key, it in reward.items() if math.isfinite(it)}


@mistakes.changed(clause="000-lines-one-per-trial", invited_by="json.dump of the whole list")
def jsonl_one_array(reference: Variant) -> None:
    """rewards.jsonl is one JSON list. A single call writes a list."""
    _text(reference, json.dumps)


@given.made(invited_by="filter(None, rewards), Option::flatten")
def jsonl_nulls_left_out(rewards: list[Rewards]) -> Sequence[Rewards]:
    """Trials without rewards have no line in rewards.jsonl. There seems to be nothing to write for them."""
    return [reward for reward in rewards if reward is not None]


@in_rewards_jsonl.wrapped(clause="000-lines-one-per-trial", invited_by="sets, SELECT DISTINCT")
def jsonl_equal_rewards_once(write: Callable[..., Any], rewards: Any) -> Any:
    """Equal rewards have one line in rewards.jsonl. A set drops duplicates."""

    def once(rewards: Sequence[Any]) -> list[Any]:
        return list({json.dumps(reward): reward for reward in rewards}.values())

    return write(once(rewards))
