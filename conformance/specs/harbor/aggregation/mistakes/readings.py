"""What readers of the document alone understood of an aggregate: which zeros are put in, and where."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.other_numbers import Number, Rewards, naive_sum
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.aggregation.mistakes.trials import (
    Trials,
    answer_after,
    by_combining,
    key_order,
    keys_of,
    trials_first,
)
from reference_impl import aggregation

__all__: list[str] = []


@way("aggregate", clause="003-3.2-missing-key-is-zero")
def columns_first(
    reference: Variant, change: Callable[[str, str | None, Sequence[Rewards | None]], list[Number]]
) -> None:
    """Has ``change`` make each list of values, given the metric, the key or None, and the trials."""

    def around(aggregate: Callable[..., Rewards]) -> Callable[..., Rewards]:
        def aggregating(metric: str, trials: Trials) -> Rewards:
            combine = reference.get((aggregation, "METRICS"))[metric]
            keys = keys_of(trials)
            if not trials:
                return aggregate(metric, trials)
            if len(keys) < 2:
                return {metric: combine(change(metric, None, trials))}
            return {key: combine(change(metric, key, trials)) for key in keys}

        return aggregating

    reference.wrap(aggregation.aggregate, around)


def present(key: str | None, trials: Trials) -> list[Number]:
    """The values that are there, of one key or of the only one."""
    if key is None:
        return [value for rewards in trials for value in (rewards or {}).values()]
    return [rewards[key] for rewards in trials if rewards and key in rewards]


@columns_first.made(clause="003-3.2-trial-order", invited_by="padding a list with zeros to its due length")
def zeros_behind_values(_: str, key: str | None, trials: Trials) -> list[Number]:
    """The zeros for what is missing stand behind all values.
    They are added when the values are gathered."""
    values = present(key, trials)
    return [*values, *[0] * (len(trials) - len(values))]


@columns_first.made(clause="003-3.2-trial-order", invited_by="a list made of zeros, then filled")
def zeros_before_values(_: str, key: str | None, trials: Trials) -> list[Number]:
    """The zeros for what is missing stand in front of all values. They are counted first."""
    values = present(key, trials)
    return [*[0] * (len(trials) - len(values)), *values]


@columns_first.made(clause="003-3.2-none-is-zero", invited_by="examples that show None for the mean alone")
def nothing_missing_in_extremes(metric: str, key: str | None, trials: Trials) -> list[Number]:
    """Max and min leave out what is missing, mean and sum count it as 0.
    A trial without rewards is no extreme; the examples show None in a mean alone."""
    values = present(key, trials)
    return values if metric in ("max", "min") and values else zeros_in_place(key, trials)


@columns_first.made(clause="003-3.2-none-is-zero", invited_by="a low end of 0 for every reward")
def nothing_missing_in_min(metric: str, key: str | None, trials: Trials) -> list[Number]:
    """Min leaves out what is missing, the other metrics count it as 0.
    Otherwise it would nearly always be 0."""
    values = present(key, trials)
    return values if metric == "min" and values else zeros_in_place(key, trials)


def zeros_in_place(key: str | None, trials: Trials) -> list[Number]:
    """The values as they are due."""
    if key is None:
        return [next(iter((rewards or {}).values()), 0) for rewards in trials]
    return [(rewards or {}).get(key, 0) for rewards in trials]


@columns_first.made(clause="003-3.2-none-is-zero", invited_by="two branches written one after the other")
def null_trials_left_out_of_many_keys(_: str, key: str | None, trials: Trials) -> list[Number]:
    """With several keys a trial whose rewards are null is left out; with one it counts as 0.
    The zero is taken for a stand-in where there is one value to a trial."""
    return zeros_in_place(
        key, trials if key is None else [rewards for rewards in trials if rewards is not None]
    )


@columns_first.made(clause="003-3.2-none-is-zero", invited_by="two branches written one after the other")
def null_trials_left_out_of_one_key(_: str, key: str | None, trials: Trials) -> list[Number]:
    """With one key a trial whose rewards are null is left out, unless all are; with several it counts as 0.
    Only several keys need their gaps filled."""
    measured = [rewards for rewards in trials if rewards is not None]
    return zeros_in_place(key, measured if key is None and measured else trials)


@columns_first.made(clause="003-3.2-empty-dict-is-zero", invited_by="next(iter(values)) without a default")
def empty_rewards_left_out_of_one_key(_: str, key: str | None, trials: Trials) -> list[Number]:
    """With one key a trial with an empty object is left out, unless all are; a null counts as 0.
    The zero is said of None."""
    kept = [rewards for rewards in trials if rewards != {}]
    return zeros_in_place(key, kept if key is None and kept else trials)


@columns_first.made(clause="003-3.2-stand-in-is-int", invited_by="a default of the column's type")
def missing_key_is_zero_of_its_type(_: str, key: str | None, trials: Trials) -> list[Number]:
    """What is missing counts as 0.0 where the first value that is there is a float, as 0 where it is an int.
    A column has one type."""
    values = present(key, trials)
    zero = 0.0 if values and isinstance(values[0], float) else 0
    if key is None:
        return [next(iter((rewards or {}).values()), zero) for rewards in trials]
    return [(rewards or {}).get(key, zero) for rewards in trials]


@answer_after.made(invited_by="JavaScript's objects")
def metric_integer_keys_first(_: str, trials: Trials, answer: Rewards) -> Rewards:
    """Of the keys of an aggregate those that spell array indices come first, in ascending order.
    A JavaScript object puts them there."""
    indices = sorted((key for key in answer if re.fullmatch(r"0|[1-9][0-9]{0,8}", key)), key=int)
    return {key: answer[key] for key in [*indices, *(key for key in answer if key not in indices)]}


@key_order.made(invited_by="natural sort, sort -V, numeric collation")
def metric_keys_in_natural_order(key: str) -> Any:
    """The keys of an aggregate are sorted with their digits as numbers, step2 before step10.
    That is how people sort."""
    return [(0, int(p), "") if p.isdecimal() else (1, 0, p) for p in re.split(r"([0-9]+)", key) if p]


@key_order.made(invited_by="length-first orders, canonical CBOR")
def metric_keys_by_length(key: str) -> Any:
    """The keys of an aggregate are sorted by length first. Canonical CBOR of old sorts so."""
    return (len(key), key)


@answer_after.made(clause="003-3.2-many-keys-by-key", invited_by="a score that needs a mean")
def reward_key_named_by_metric_too(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """With several keys, `reward` among them, its value stands under the metric's name as well.
    It is the main reward, and the score looks for the metric."""
    return {**answer, metric: answer["reward"]} if len(keys_of(trials)) > 1 and "reward" in answer else answer


@trials_first.made(clause="003-3.2-key-union", invited_by="`if value` in a comprehension over items")
def zero_rewards_make_no_key(trials: Trials) -> Trials:
    """A reward of 0 does not count as having the key, and its value is missing, which is the int 0.
    What is falsy is left out when keys are gathered."""
    return [rewards and {key: value for key, value in rewards.items() if value != 0} for rewards in trials]


@columns_first.made(clause="003-3.2-max-min-verbatim", invited_by="fold with a reward of 1 as its start")
def min_starts_at_one(metric: str, key: str | None, trials: Trials) -> list[Number]:
    """Min is never above 1. It starts from the highest reward there is."""
    values = zeros_in_place(key, trials)
    return [*values, 1] if metric == "min" else values


@answer_after.made(clause="003-3.2-key-union", invited_by="the first row as the model of all")
def shape_by_the_first_trial(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """The answer is keyed by reward where the first trial with rewards has several keys, else by the metric.
    All trials are thought to look like it; with several keys after all, the first one's value is named so."""
    first = next((rewards for rewards in trials if rewards), {})
    return {metric: answer[next(iter(first))]} if len(first) == 1 and len(keys_of(trials)) > 1 else answer


@by_combining.made(invited_by="max(rewards, key=…), argmax, the best row")
def extremes_take_a_trial_whole(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
    """With several keys max and min give the keys of one trial, that with the highest or lowest sum.
    The best trial is looked for, not the best of each key."""
    keys = keys_of(trials)
    rows = [{key: (rewards or {}).get(key, 0) for key in keys} for rewards in trials]
    if metric not in ("max", "min"):
        return {key: combine([row[key] for row in rows]) for key in keys}
    chosen = max if metric == "max" else min
    return chosen(rows, key=lambda row: naive_sum(row.values()))


@answer_after.made(
    clause="003-3.2-many-keys-by-key", invited_by="`len(rewards) <= 1` read of the list of trials"
)
def single_trial_named_by_metric(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """A single trial gives one entry, named after the metric, of its first key, however many keys it has.
    One key or fewer is taken for one trial or fewer."""
    if len(trials) == 1 and len(answer) > 1:
        return {metric: answer[next(iter(trials[0] or {}))]}
    return answer


@answer_after.made(clause="003-3.2-many-keys-by-key", invited_by="one name for the main reward")
def reward_key_renamed_to_metric(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """With several keys the value of `reward` is named after the metric, the others after their keys.
    It is so where `reward` stands alone."""
    several = len(keys_of(trials)) > 1
    return {metric if key == "reward" else key: v for key, v in answer.items()} if several else answer


@answer_after.made(clause="003-6-nan-propagates", invited_by="one flag for a whole metric")
def nan_in_one_key_in_all(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """Where the value of one key is NaN, those of all keys are. A metric is valid or it is not."""
    return dict.fromkeys(answer, math.nan) if any(v != v for v in answer.values()) else answer
