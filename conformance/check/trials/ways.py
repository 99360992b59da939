"""How releases read reward files: the order of the two, and which numbers are rewards."""

from collections.abc import Collection
from enum import Enum

from conformance.check.generations import RecordGeneration
from reference_impl.reward import REWARD_JSON, REWARD_TEXT

__all__ = ["Way", "ways"]

_SINCE_0_7_1 = "extra_instruction_paths"


class Way(Enum):
    """How a release reads reward files: which of the two comes first, and whether any number is a reward."""

    TEXT_FIRST = (REWARD_TEXT, REWARD_JSON)
    """Until 0.6.6."""
    JSON_FIRST = (REWARD_JSON, REWARD_TEXT)
    """From 0.7.0 to 0.22.0."""
    FINITE = (REWARD_JSON, REWARD_TEXT, "finite")
    """From 0.23.0 on."""


def ways(generation: RecordGeneration | None, config: Collection[str] = ()) -> tuple[Way, ...]:
    """How the releases that write such a record read reward files, the likeliest first.

    Some generations of records reach over a change of the reading, or can't be told from the one before
    where the agent reported nothing: what fits any of their readings is no contradiction. `config` are the
    members of the record's configuration.
    """
    if generation is None or generation.first == "0.21.0":
        return (Way.JSON_FIRST,)
    if "model_usage" in generation.agent_result:
        return Way.FINITE, Way.JSON_FIRST
    if _SINCE_0_7_1 in config:
        return (Way.JSON_FIRST,)
    if "step_results" in generation.record:
        return Way.JSON_FIRST, Way.TEXT_FIRST
    return (Way.TEXT_FIRST,)
