"""Reads the rewards from a verifier's files (003 §1).

A verifier writes `reward.txt`, one number, or `reward.json`, an object of numbers by name. If both files
exist the JSON file counts, even if it is broken. A file is empty if it has no bytes; white space is not
empty, but malformed.
"""

from collections.abc import Mapping

from .cpython312.parsing import Json, parse_float, parse_json
from .errors import RewardFileEmptyError, RewardFileNotFoundError, VerifierOutputParseError
from .verifier_result import Rewards, validate_rewards

__all__ = ["REWARD_JSON", "REWARD_KEY", "REWARD_TEXT", "parse_reward"]

REWARD_JSON = "reward.json"  # 003 §1.1
REWARD_TEXT = "reward.txt"  # 003 §1.1
REWARD_KEY = "reward"  # the key that the number of reward.txt gets, 003 §1.2


def parse_reward(files: Mapping[str, bytes]) -> Rewards | None:
    """Read the rewards from `reward.json`, or else from `reward.txt` (003 §1.1, §2).

    `files` holds the bytes of each file in the verifier's directory by name; other files are
    ignored. Rewards have no unit.

    Raises:
        RewardFileNotFoundError: neither file is there.
        RewardFileEmptyError: the file that counts has no bytes.
        VerifierOutputParseError: the file that counts is not UTF-8, or not a number or JSON.
        RecursionError: the JSON is nested too deeply to read.
        ValidationError: the JSON has a value that is not a reward.
    """
    # The JSON file wins, even if it is empty or broken.
    if REWARD_JSON in files:
        return validate_rewards(_parse_reward_json(files[REWARD_JSON]))
    if REWARD_TEXT in files:
        return _parse_reward_text(files[REWARD_TEXT])
    raise RewardFileNotFoundError


def _parse_reward_text(content: bytes) -> Rewards:
    """Parse all of `reward.txt` as one float, by the rules of Python's `float` (003 §1.2)."""
    if len(content) == 0:
        raise RewardFileEmptyError(REWARD_TEXT)
    try:
        return {REWARD_KEY: parse_float(content.decode("utf-8"))}
    except ValueError as error:
        raise VerifierOutputParseError(REWARD_TEXT, "text") from error


def _parse_reward_json(content: bytes) -> Json:
    """Parse all of `reward.json` as one JSON value, unchecked (003 §1.3)."""
    if len(content) == 0:
        raise RewardFileEmptyError(REWARD_JSON)
    try:
        return parse_json(content.decode("utf-8"))
    except ValueError as error:
        raise VerifierOutputParseError(REWARD_JSON, "JSON") from error
