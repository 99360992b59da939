"""Random rewards of trials, as a metric script is given them."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.rewards import SIZES, reward_list, rewards
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS", "trials"]


def _any_rewards(source: Source) -> Any:
    return rewards(source, most=5) if source.below(20) < 17 else None


def trials(source: Source) -> list[Any]:
    """The rewards of several trials: of a kind, or of any kind."""
    return source.items(_any_rewards, SIZES) if source.below(3) == 2 else reward_list(source)


INPUTS: Mapping[str, Draw[Any]] = {"rewards_jsonl": lambda source: {"rewards": trials(source)}}
"""An input for every op of the section."""
