"""Mistakes in the input of an aggregate: trials without rewards, keys and their order."""

from collections.abc import Callable, Iterable, Sequence

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double
from conformance.mistakes.variant import Variant
from reference_impl import aggregation

Trials = Sequence[Rewards | None]
Aggregate = Callable[[str, Trials], Rewards]


def keys_of(trials: Trials) -> list[str]:
    """Every reward key of the trials, sorted."""
    return sorted({key for rewards in trials for key in rewards or {}})


@way("aggregate", clause="003-3.2-many-keys-by-key")
def by_combining(reference: Variant, build: Callable[[Callable[..., Number], str, Trials], Rewards]) -> None:
    """Replaces the handling of several keys; at most one key, or no trials, stay as they are."""

    def around(aggregate: Aggregate) -> Aggregate:
        def aggregating(metric: str, trials: Trials) -> Rewards:
            if len(keys_of(trials)) < 2:
                return aggregate(metric, trials)
            return build(reference.get((aggregation, "METRICS"))[metric], metric, trials)

        return aggregating

    reference.wrap(aggregation.aggregate, around)


@way("aggregate", clause="003-3.2-none-is-zero")
def trials_first(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Changes the trials before they are aggregated."""
    reference.wrap(
        aggregation.aggregate, lambda aggregate: lambda metric, trials: aggregate(metric, change(trials))
    )


@way("aggregate", clause="003-3.2-keys-by-code-point")
def answer_after(reference: Variant, change: Callable[[str, Trials, Rewards], Rewards]) -> None:
    """Changes the answer of an aggregation."""

    def around(aggregate: Aggregate) -> Aggregate:
        return lambda metric, trials: change(metric, trials, aggregate(metric, trials))

    reference.wrap(aggregation.aggregate, around)


@trials_first.made(invited_by="pandas' dropna, filter(Boolean), SQL's aggregates")
def null_trials_left_out(trials: Trials) -> Trials:
    """Metrics only use the trials that have rewards. A trial that did not finish has nothing to aggregate."""
    return [rewards for rewards in trials if rewards is not None]


@by_combining.made(
    clause="003-3.2-missing-key-is-zero", invited_by="pandas' skipna, groupby, SQL's AVG, defaultdict(list)"
)
def missing_key_skipped(combine: Callable[..., Number], _: str, trials: Trials) -> Rewards:
    """A trial that lacks a key is left out of that key's values.
    Values are grouped by key, and a missing value is in no group."""
    return {
        key: combine([rewards[key] for rewards in trials if rewards and key in rewards])
        for key in keys_of(trials)
    }


@family("aggregate", clause="003-3.2-stand-in-is-int").each(
    Case(
        "missing-is-float-zero",
        "a missing reward counts as 0.0, not as the int 0",
        "Rewards are floats, so the default is a float too.",
        "get(key, 0.0), Rust's unwrap_or(0.0), fillna(0.0), Go's zero values",
        0.0,
    ),
    Case(
        "missing-is-nan",
        "a missing reward counts as NaN",
        "A table has NaN in its empty cells.",
        "pandas.DataFrame with skipna=False, numpy, JavaScript's undefined in arithmetic",
        float("nan"),
        clause="003-3.2-none-is-zero",
    ),
)
def missing_is(reference: Variant, absent: Number) -> None:
    """Makes another value than 0 replace missing rewards."""

    def around(aggregate: Aggregate) -> Aggregate:
        def aggregating(metric: str, trials: Trials) -> Rewards:
            keys = keys_of(trials) or [metric]
            filled = [{key: (rewards or {}).get(key, absent) for key in keys} for rewards in trials]
            single = len(keys) == 1
            return aggregate(
                metric,
                [rewards or full if single else full for rewards, full in zip(trials, filled, strict=True)],
            )

        return aggregating

    reference.wrap(aggregation.aggregate, around)


@answer_after.made(clause="003-3.2-one-key-metric-name", invited_by="groupby, map over keys")
def single_key_kept(metric: str, trials: Trials, answer: Rewards) -> Rewards:
    """The only reward key is kept in the answer instead of the metric's name.
    The answer then has the same shape for any number of keys."""
    keys = keys_of(trials)
    return {keys[0]: answer[metric]} if len(keys) == 1 else answer


@by_combining.made(invited_by="flatten, DataFrame.stack, numpy.mean without an axis")
def all_keys_pooled(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
    """Several keys are pooled: the answer is the metric of all their values, under the metric's name.
    The name of a metric suggests a single number."""
    return {metric: combine([value for rewards in trials for value in (rewards or {}).values()])}


@by_combining.made(clause="003-3.2-key-union", invited_by="schemas inferred from one row")
def shape_by_trial(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
    """The shape of the answer is decided by the number of keys in one trial, not in all of them.
    All trials are assumed to have the same keys."""
    if max(len(rewards or {}) for rewards in trials) > 1:
        return {key: combine([(rewards or {}).get(key, 0) for rewards in trials]) for key in keys_of(trials)}
    return {metric: combine([next(iter((rewards or {}).values()), 0) for rewards in trials])}


@way("aggregate", clause="003-3.2-key-union")
def only_keys(reference: Variant, choose: Callable[[Iterable[Rewards]], Iterable[str]]) -> None:
    """Aggregates only the keys that ``choose`` returns for the trials with rewards."""

    def change(trials: Trials) -> Trials:
        kept = set(choose([rewards for rewards in trials if rewards]))
        return [
            rewards and {key: value for key, value in rewards.items() if key in kept} for rewards in trials
        ]

    trials_first(reference, change)


@only_keys.made(invited_by="CSV writers, headers taken from the first row")
def keys_of_first_trial(measured: Iterable[Rewards]) -> Iterable[str]:
    """Only the keys of the first trial with rewards are aggregated.
    All trials are assumed to have the same keys."""
    return next(iter(measured), {})


@only_keys.made(invited_by="inner joins, set intersection")
def keys_common_to_all(measured: Iterable[Rewards]) -> Iterable[str]:
    """Only keys that every trial with rewards has are aggregated.
    A key that some trials lack cannot be compared."""
    return set.intersection(*map(set, measured)) if measured else set()


@trials_first.made(clause="003-3.2-key-union", invited_by="structs with a field called reward")
def only_reward_aggregated(trials: Trials) -> Trials:
    """Only the key `reward` is aggregated, and a trial without it counts as 0. reward.txt has this key."""
    return [rewards and {"reward": rewards.get("reward", 0)} for rewards in trials]


@trials_first.made(
    clause="003-3.2-key-union", invited_by="`[r.reward for r in results if r.reward is not None]`"
)
def trials_without_reward_left_out(trials: Trials) -> Trials:
    """Only the key `reward` is aggregated, and trials that lack it are left out.
    A consumer asks for the reward, and skips trials without it."""
    return [{"reward": rewards["reward"]} for rewards in trials if rewards and "reward" in rewards]


@trials_first.made(clause="003-3.2-key-union", invited_by="`sum(scores) / len(scores) if scores else 0.0`")
def trials_without_reward_left_out_else_zero(trials: Trials) -> Trials:
    """Only the key `reward` is aggregated, without the trials that lack it; if all do, the answer is 0.0.
    A leaderboard averages what was scored."""
    return trials_without_reward_left_out(trials) or [{"reward": 0.0}]


@answer_after.made(invited_by="JavaScript's Map, LinkedHashMap, IndexMap, Python's dict")
def metric_keys_unsorted(_: str, trials: Trials, answer: Rewards) -> Rewards:
    """The keys of an aggregate are in the order of their first appearance.
    Maps that keep insertion order seem to need no sorting."""
    seen = dict.fromkeys(key for rewards in trials for key in rewards or {})
    return {key: answer[key] for key in seen} if len(seen) > 1 else answer


@by_combining.made(
    clause="003-3.2-missing-key-is-zero", invited_by="`if reward is None or key in reward` in a comprehension"
)
def missing_key_skipped_beside_nulls(combine: Callable[..., Number], _: str, trials: Trials) -> Rewards:
    """A trial whose rewards lack a key is left out of that key's values, and one without rewards counts as
    0.
    A failed trial counts as 0, but an unmeasured key is not a failure."""
    return {
        key: combine([rewards[key] if rewards is not None else 0 for rewards in trials if _has(rewards, key)])
        for key in keys_of(trials)
    }


def _has(rewards: Rewards | None, key: str) -> bool:
    """Whether a trial counts for a key: it has the key, or has no rewards at all."""
    return rewards is None or key in rewards


@trials_first.made(clause="003-3.2-stand-in-is-int", invited_by="Python's or, JavaScript's and Perl's ||")
def zero_reward_becomes_default(trials: Trials) -> Trials:
    """A reward of 0.0 is replaced by the default 0, an int.
    `get(key) or 0` looks like a default for missing keys, and 0.0 is falsy."""
    return [rewards and {key: value or 0 for key, value in rewards.items()} for rewards in trials]


@trials_first.made(clause="003-3.2-stand-in-is-int", invited_by="pandas' DataFrame and fillna(0), R, SQL")
def columns_have_one_type(trials: Trials) -> Trials:
    """The values of a key are all floats as soon as one is, or is missing. A column has one type."""
    keys = keys_of(trials)
    columns = {key: [(rewards or {}).get(key, 0.0) for rewards in trials] for key in keys}
    for key, column in columns.items():
        if any(isinstance(value, float) for value in column):
            columns[key] = [as_double(value) for value in column]
    return (
        [dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)] if keys else trials
    )
