"""The reference with one mistake made on purpose: python deviant.py naive-sum|pass-at-1|ints-for-floats."""

import sys
from collections.abc import Iterable
from typing import Any

import reference_impl.__main__ as runner

aggregation = sys.modules["reference_impl.aggregation"]
pass_at_k = sys.modules["reference_impl.pass_at_k"]
_encode = runner._to_json
_eligible = pass_at_k.eligible_k_values


def naive_sum(values: Iterable[Any]) -> Any:
    """Left to right without compensation, as CPython 3.11 adds."""
    total = 0
    for value in values:
        total = total + value
    return total


def with_one(min_trials_per_task: int) -> list[int]:
    """The values of k, and 1."""
    return [1, *_eligible(min_trials_per_task)] if min_trials_per_task else []


def ints_for_floats(value: Any) -> Any:
    """Whole floats as ints, as a stock JavaScript runner prints them."""
    if isinstance(value, dict):
        return {key: ints_for_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [ints_for_floats(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def deviate(mistake: str) -> None:
    """Puts one mistake into the reference."""
    if mistake == "naive-sum":
        aggregation.compensated_sum = naive_sum
        aggregation.METRICS["sum"] = naive_sum
    elif mistake == "pass-at-1":
        pass_at_k.eligible_k_values = with_one
    elif mistake == "ints-for-floats":
        runner._to_json = lambda message: _encode(ints_for_floats(message))
    else:
        sys.exit(f"there is no mistake {mistake!r}")


if __name__ == "__main__":
    deviate(sys.argv[1])
    runner.HELLO["runner"] = f"deviant-{sys.argv[1]}"
    runner.main()
