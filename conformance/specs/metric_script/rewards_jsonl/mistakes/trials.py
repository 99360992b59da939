"""Mistakes in which trials and which keys the file of rewards tells of."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import metric_script

in_rewards_jsonl = family("rewards_jsonl", of=metric_script.rewards_jsonl, clause="000-lines-trial-order")
mistakes = family("rewards_jsonl", clause="000-lines-object")

_PATH = metric_script.rewards_jsonl


@in_rewards_jsonl.wrapped(invited_by="partitions, databases that sort nulls last")
def jsonl_unverified_last(write: Callable[..., Any], rewards: Any) -> Any:
    """Trials without rewards come last in rewards.jsonl.
    They are gathered apart, and put behind the others."""
    return write(sorted(rewards, key=lambda it: it is None))


@mistakes.changed(clause="000-lines-one-per-trial", invited_by="sets, SELECT DISTINCT")
def jsonl_equal_rewards_once(reference: Variant) -> None:
    """Equal rewards have one line in rewards.jsonl. What is collected in a set loses its repetitions."""

    def once(rewards: Sequence[Any]) -> list[Any]:
        return list({json.dumps(reward): reward for reward in rewards}.values())

    reference.wrap(_PATH, lambda write: lambda rewards: write(once(rewards)))


@mistakes.changed(invited_by="data frames, CSV writers")
def jsonl_columns_filled(reference: Variant) -> None:
    """Every line of rewards.jsonl has the keys of all trials, 0 where they were not measured.
    A table has the same columns in every row."""

    def filled(rewards: Sequence[Any]) -> list[Any]:
        columns = dict.fromkeys((key for reward in rewards for key in reward or ()), 0)
        return [None if reward is None else columns | reward for reward in rewards]

    reference.wrap(_PATH, lambda write: lambda rewards: write(filled(rewards)))


@mistakes.changed(invited_by="if key, required names")
def jsonl_empty_keys_left_out(reference: Variant) -> None:
    """Members with an empty key are left out of rewards.jsonl. An empty name is taken for a missing one."""

    def named(reward: Any) -> Any:
        return None if reward is None else {key: it for key, it in reward.items() if key}

    reference.wrap(_PATH, lambda write: lambda rewards: write(list(map(named, rewards))))
