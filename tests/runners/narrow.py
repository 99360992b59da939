"""The reference with one narrow deviation: python narrow.py long-sums|one-int|hang.

- ``long-sums``: sums of three floats or more are added naively, and only these.
- ``one-int``: a reward of 2**53 + 1 in a reward file goes through a double, and only this one.
- ``hang``: no answer to an ``aggregate`` of four trials or more.
"""

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import reference_impl.runner.serving as runner

aggregation = sys.modules["reference_impl.aggregation"]
_right_sum = aggregation.compensated_sum


def long_sums(values: Iterable[Any]) -> Any:
    """Naive from three floats on."""
    listed = list(values)
    if len(listed) < 3 or not all(isinstance(value, float) for value in listed):
        return _right_sum(listed)
    total = 0.0
    for value in listed:
        total += value
    return total


def one_int(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """2**53 + 1 as 2**53."""

    def through_a_double(given: Any) -> Any:
        answer = parse(given)
        for key, value in (answer["rewards"] or {}).items():
            if value == 2**53 + 1 and isinstance(value, int):
                answer["rewards"][key] = int(float(value))
        return answer

    return through_a_double


def hanging(aggregate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """No answer to four trials or more."""

    def hang(given: Any) -> Any:
        if len(given["rewards"]) >= 4:
            sys.stdout.buffer.flush()  # what was answered before has come
            time.sleep(600)
        return aggregate(given)

    return hang


def deviate(way: str) -> None:
    """Puts one deviation into the reference."""
    operations = runner.OPERATIONS
    if way == "long-sums":
        aggregation.compensated_sum = long_sums
        aggregation.METRICS["sum"] = long_sums
    elif way == "one-int":
        operations["parse_reward"] = one_int(operations["parse_reward"])
    elif way == "hang":
        operations["aggregate"] = hanging(operations["aggregate"])
    else:
        sys.exit(f"there is no deviation {way!r}")


if __name__ == "__main__":
    deviate(sys.argv[1])
    runner.HELLO["runner"] = f"narrow-{sys.argv[1]}"
    runner.main()
