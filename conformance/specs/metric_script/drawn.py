"""Random rewards of trials, for both ops of metric scripts."""

from typing import Any

from conformance.drawing.rewards import SIZES, reward_list, rewards
from conformance.drawing.source import Source

__all__ = ["trials"]


def _any_rewards(source: Source) -> Any:
    return rewards(source, most=5) if source.below(20) < 17 else None


def trials(source: Source) -> list[Any]:
    """The rewards of several trials: all of one kind, or of any kind."""
    return source.items(_any_rewards, SIZES) if source.below(3) == 2 else reward_list(source)
