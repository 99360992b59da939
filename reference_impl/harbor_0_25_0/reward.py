"""From the files that a verifier leaves behind to rewards, as harbor 0.25.0 reads them."""

from collections.abc import Mapping

from .. import reward
from ..errors import VerifierOutputParseError
from ..verifier_result import Rewards

__all__ = ["parse_reward"]


def parse_reward(files: Mapping[str, bytes]) -> Rewards | None:
    """As in 0.13.1, but for null: nothing but an object of numbers is rewards."""
    rewards = reward.parse_reward(files)
    if rewards is None:
        raise VerifierOutputParseError(reward.REWARD_JSON, "JSON")
    return rewards
