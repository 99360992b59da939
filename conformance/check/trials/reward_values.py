"""Rewards as a record holds them and as they were measured: where the two differ."""

import math

from conformance.check.reading.json_files import show
from conformance.judging.comparison import Level
from reference_impl.verifier_result import Rewards, VerifierResult

__all__ = ["Recorded", "all_finite", "difference", "shown_rewards"]

Recorded = dict[str, int | float | None]


def difference(
    said: Recorded | None, measured: Rewards | None, ordered: bool = True
) -> tuple[str | None, Level, str | None] | None:
    """The reward key where a record departs from what was measured, from which level on, and likely why."""
    if said is None or measured is None:
        return None if said is None and measured is None else (None, Level.VALUE, None)
    if not all(map(str.isascii, measured)):  # a record can't hold a lone surrogate, and says so three times
        measured = {
            key.encode("utf-8", "surrogatepass").decode("utf-8", "replace"): measured[key] for key in measured
        }
    if said.keys() != measured.keys():
        return None, Level.VALUE, None
    worst: tuple[str | None, Level, str | None] | None = None
    for key, number in said.items():
        found = _number_difference(number, measured[key])
        if found is not None and (worst is None or found[0] < worst[1]):
            worst = (key, *found)
    if worst is None and ordered and list(said) != list(measured):
        return None, Level.BYTES, "the keys come in another order"
    return worst


def _number_difference(said: int | float | None, measured: int | float) -> tuple[Level, str | None] | None:
    if said is None or not _finite(measured):
        if said is None and not _finite(measured):
            return None
        return Level.VALUE, "NaN and infinities are recorded as null, and nothing else is"
    if said != measured:
        return Level.VALUE, None
    if type(said) is not type(measured):
        return Level.EXACT, "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
    if said == 0 and math.copysign(1.0, said) != math.copysign(1.0, measured):
        return Level.EXACT, "the sign of zero is lost or made up"
    return None


def all_finite(rewards: Recorded | Rewards | None) -> bool:
    """Whether no reward is NaN, infinite or null."""
    return rewards is None or all(map(_finite, rewards.values()))


def _finite(number: int | float | None) -> bool:
    return isinstance(number, int) or (number is not None and math.isfinite(number))


def shown_rewards(rewards: Recorded | Rewards | VerifierResult | None) -> str:
    """For people."""
    if isinstance(rewards, VerifierResult):
        rewards = rewards.rewards
    return show(rewards)
