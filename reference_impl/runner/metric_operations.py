"""The operations of the runner protocol for metric scripts: `input` in, `ok` out (PROTOCOL.md)."""

import json
from collections.abc import Callable
from typing import Any

from ..metric_script import METRIC_JSON, REWARDS_JSONL, metric_script, rewards_jsonl, show_first_value
from .wire import decode_content, decode_rewards, encode_content

__all__ = ["OPERATIONS"]


def _rewards_jsonl(given: Any) -> Any:
    rewards = [decode_rewards(reward) for reward in given["rewards"]]
    return {REWARDS_JSONL: encode_content(rewards_jsonl(rewards))}


def _metric_script(given: Any) -> Any:
    rewards = [decode_rewards(reward) for reward in given["rewards"]]
    script = None if given["script"] is None else decode_content(given["script"])
    output = metric_script(script, rewards)
    if given.get("first") and rewards:
        show_first_value(output)
    return {METRIC_JSON: encode_content(json.dumps(output).encode("ascii"))}


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "rewards_jsonl": _rewards_jsonl,
    "metric_script": _metric_script,
}
