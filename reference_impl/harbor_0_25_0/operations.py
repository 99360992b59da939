"""The operations by harbor 0.25.0's rules: the whole table, 0.13.1's where nothing changed."""

from collections.abc import Callable
from typing import Any

from ..runner.operations import OPERATIONS as BASE
from ..runner.wire import decode_files, encode_rewards
from .reward import parse_reward

__all__ = ["OPERATIONS"]


def _parse_reward(given: Any) -> Any:
    return {"rewards": encode_rewards(parse_reward(decode_files(given["files"])))}


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    **BASE,
    "parse_reward": _parse_reward,
}
