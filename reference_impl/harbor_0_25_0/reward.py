"""Only finite numbers are rewards (since 0.23.0).

harbor 0.13.1 takes what its data model can make a number of: `NaN`, `Infinity`, `"1.5"`. Since 0.23.0
every value is looked at as it was written, before the data model sees it, and one that is no finite
number makes the whole file malformed, with the reason code of a malformed file. A bool passes, since
Python has it for an int, and is made 1.0 or 0.0 after that, as before; so does an int of any size.
Which file counts, and how it is read, is as it was.
"""

import math
from collections.abc import Iterable, Mapping

from .. import reward as before
from ..cpython312.parsing import Json
from ..errors import VerifierOutputParseError
from ..reward import REWARD_JSON, REWARD_TEXT
from ..verifier_result import Rewards

__all__ = ["parse_finite_reward"]

NUMBER = "finite number"  # what each value has to be


def parse_finite_reward(files: Mapping[str, bytes]) -> Rewards | None:
    """Read the rewards, all of them finite numbers (since 0.23.0).

    `files` holds what this verification wrote. What lay there before it is gone: harbor removes both
    reward files before it starts the tests (since 0.25.0).

    Raises:
        VerifierOutputParseError: a value is neither a finite number nor a bool; or as before.
        RewardFileNotFoundError, RewardFileEmptyError, RecursionError: as before.
        ValidationError: the JSON is one finite number or one bool, not an object.
    """
    for value in _written(files):
        if not _is_finite_number(value):
            raise VerifierOutputParseError(REWARD_JSON if REWARD_JSON in files else REWARD_TEXT, NUMBER)
    return before.parse_reward(files)


def _written(files: Mapping[str, bytes]) -> Iterable[Json]:
    """The values in the file that counts; what cannot be read raises here what it raises anyway.

    A JSON file that holds no object is one value, be it null.
    """
    if REWARD_JSON in files:
        value = before._parse_reward_json(files[REWARD_JSON])
        return value.values() if isinstance(value, dict) else [value]
    if REWARD_TEXT in files:
        return [*before._parse_reward_text(files[REWARD_TEXT]).values()]
    return []


def _is_finite_number(value: Json) -> bool:
    """Bools and ints are, of any size; a float may be finite; nothing else is, not a text that spells one."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
