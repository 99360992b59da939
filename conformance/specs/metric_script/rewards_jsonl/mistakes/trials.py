"""Mistakes in which trials and which keys the file of rewards tells of."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_PATH = "metric_script.rewards_jsonl"


@mistake(
    "jsonl-unverified-last",
    says="trials without rewards come last in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-trial-order",
    why="They are gathered apart, and put behind the others.",
    invited_by="partitions, databases that sort nulls last",
)
def _(reference: Variant) -> None:
    reference.wrap(_PATH, lambda write: lambda rewards: write(sorted(rewards, key=lambda it: it is None)))


@mistake(
    "jsonl-equal-rewards-once",
    says="equal rewards have one line in rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-one-per-trial",
    why="What is collected in a set loses its repetitions.",
    invited_by="sets, SELECT DISTINCT",
)
def _(reference: Variant) -> None:
    def once(rewards: Sequence[Any]) -> list[Any]:
        return list({json.dumps(reward): reward for reward in rewards}.values())

    reference.wrap(_PATH, lambda write: lambda rewards: write(once(rewards)))


@mistake(
    "jsonl-columns-filled",
    says="every line of rewards.jsonl has the keys of all trials, 0 where they were not measured",
    op="rewards_jsonl",
    clause="000-lines-object",
    why="A table has the same columns in every row.",
    invited_by="data frames, CSV writers",
)
def _(reference: Variant) -> None:
    def filled(rewards: Sequence[Any]) -> list[Any]:
        columns = dict.fromkeys((key for reward in rewards for key in reward or ()), 0)
        return [None if reward is None else columns | reward for reward in rewards]

    reference.wrap(_PATH, lambda write: lambda rewards: write(filled(rewards)))


@mistake(
    "jsonl-empty-keys-left-out",
    says="members with an empty key are left out of rewards.jsonl",
    op="rewards_jsonl",
    clause="000-lines-object",
    why="An empty name is taken for a missing one.",
    invited_by="if key, required names",
)
def _(reference: Variant) -> None:
    def named(reward: Any) -> Any:
        return None if reward is None else {key: it for key, it in reward.items() if key}

    reference.wrap(_PATH, lambda write: lambda rewards: write(list(map(named, rewards))))
