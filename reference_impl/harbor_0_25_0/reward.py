"""Only finite numbers are rewards (since 0.23.0).

harbor 0.13.1 accepts whatever its data model can convert to a number: `NaN`, `Infinity`, `"1.5"`. Since
0.23.0 every value is checked as written, before the data model sees it, and one value that is not a finite
number makes the whole file malformed, with the reason code of a malformed file. A bool passes, since it is
an int in Python, and then becomes 1.0 or 0.0, as before; so does an int of any size. The choice of the
file, and its parsing, have not changed.
"""

import math
from collections.abc import Iterable, Mapping

from .. import reward as before
from ..cpython312.parsing import Json
from ..errors import VerifierOutputParseError
from ..reward import REWARD_JSON, REWARD_TEXT
from ..verifier_result import Rewards

__all__ = ["parse_finite_reward"]

NUMBER = "finite number"  # required of each value


def parse_finite_reward(files: Mapping[str, bytes]) -> Rewards | None:
    """Read the rewards, all of them finite numbers (since 0.23.0).

    `files` holds the files that this verification wrote. Older ones are gone: harbor removes both reward
    files before it starts the tests (since 0.25.0).

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
    """The values in the file that counts; if it cannot be read, this raises the same errors as before.

    A JSON file that does not hold an object is a single value, even if it is null.
    """
    if REWARD_JSON in files:
        value = before._parse_reward_json(files[REWARD_JSON])
        return value.values() if isinstance(value, dict) else [value]
    if REWARD_TEXT in files:
        return [*before._parse_reward_text(files[REWARD_TEXT]).values()]
    return []


def _is_finite_number(value: Json) -> bool:
    """Whether it is a bool, an int of any size or a finite float; a string that spells one is not."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
