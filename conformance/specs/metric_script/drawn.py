"""Random rewards of trials, for both ops of metric scripts."""

from typing import Any

from conformance.drawing.rewards import SIZES, reward_list, rewards
from conformance.drawing.source import Source

__all__ = ["trials"]


def trials(source: Source) -> list[Any]:
    """The rewards of several trials: all of one kind, or of any kind."""
    if source.below(3) == 2:
        return source.items(lambda draws: rewards(draws, most=5) if draws.below(20) < 17 else None, SIZES)
    return reward_list(source)
