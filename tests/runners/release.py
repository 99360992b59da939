"""The reference as an earlier or a later release: python release.py old|new|crash [OP]...

- ``new`` refuses rewards of true and false, answers sums as floats with other last digits, writes another
  text for the source of nothing, and can't be asked ``plan_trials``.
- ``crash`` is old and dies of every ``aggregate`` with no trials.
- It offers each ``OP`` as well, and answers that it is unsupported.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import reference_impl.runner.serving as runner
from reference_impl.errors import VerifierOutputParseError

Operation = Callable[[Any], Any]


def no_booleans(parse: Operation) -> Operation:
    """Files that hold true or false are refused, where they were read."""

    def parse_reward(given: Any) -> Any:
        answer = parse(given)
        if any(word in str(given["files"].get("reward.json")) for word in ("true", "false")):
            raise VerifierOutputParseError("reward.json", "JSON")
        return answer

    return parse_reward


def other_digits(aggregate: Operation) -> Operation:
    """Floats one unit in the last place larger."""

    def aggregated(given: Any) -> Any:
        answer = aggregate(given)
        if given["metric"] != "sum":
            return answer
        most = sys.float_info.max  # the next float is infinite, which no JSON number is
        return {
            key: math.nextafter(value, math.inf) if isinstance(value, float) and 0 < value < most else value
            for key, value in answer.items()
        }

    return aggregated


def dying(aggregate: Operation) -> Operation:
    """No answer where there are no trials."""

    def aggregated(given: Any) -> Any:
        if not given["rewards"]:
            sys.stdout.buffer.flush()
            sys.exit(3)
        return aggregate(given)

    return aggregated


def text_of_nothing(evals_key: Operation) -> Operation:
    """Another word for the source of nothing."""
    return lambda given: {"evals_key": evals_key(given)["evals_key"].replace("adhoc", "none")}


def become(way: str) -> None:
    table = runner.OPERATIONS
    if way == "new":
        table["parse_reward"] = no_booleans(table["parse_reward"])
        table["aggregate"] = other_digits(table["aggregate"])
        table["evals_key"] = text_of_nothing(table["evals_key"])
        del table["plan_trials"]
    if way == "crash":
        table["aggregate"] = dying(table["aggregate"])


become(sys.argv[1])
runner.HELLO["ops"] = [*runner.HELLO["ops"], *sys.argv[2:]]
runner.main()
