"""Mistakes in what is aggregated and in the shape of the answer."""

from collections.abc import Callable, Sequence

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, Rewards
from conformance.mistakes.variant import Variant

Trials = Sequence[Rewards | None]
Aggregate = Callable[[str, Trials], Rewards]


def keys_of(trials: Trials) -> list[str]:
    """Every reward key of the trials, sorted."""
    return sorted({key for rewards in trials for key in rewards or {}})


def _by_combining(reference: Variant, build: Callable[[Callable[..., Number], str, Trials], Rewards]) -> None:
    """Replaces what is done with several keys; at most one key, and no trials, are left as they are."""

    def around(aggregate: Aggregate) -> Aggregate:
        def aggregating(metric: str, trials: Trials) -> Rewards:
            if len(keys_of(trials)) < 2:
                return aggregate(metric, trials)
            return build(reference.get("aggregation.METRICS")[metric], metric, trials)

        return aggregating

    reference.wrap("aggregation.aggregate", around)


def trials_first(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Changes the trials before they are aggregated."""
    reference.wrap(
        "aggregation.aggregate", lambda aggregate: lambda metric, trials: aggregate(metric, change(trials))
    )


def answer_after(reference: Variant, change: Callable[[str, Trials, Rewards], Rewards]) -> None:
    """Changes the answer of an aggregation."""

    def around(aggregate: Aggregate) -> Aggregate:
        return lambda metric, trials: change(metric, trials, aggregate(metric, trials))

    reference.wrap("aggregation.aggregate", around)


@mistake(
    "null-trials-left-out",
    says="metrics are taken over the trials that have rewards, the others being left out",
    op="aggregate",
    clause="003-3.2-none-is-zero",
    why="There is nothing to aggregate in a trial that did not run to its end.",
    invited_by="pandas' dropna, filter(Boolean), SQL's aggregates",
)
def _(reference: Variant) -> None:
    trials_first(reference, lambda trials: [rewards for rewards in trials if rewards is not None])


@mistake(
    "empty-rewards-left-out",
    says="trials whose rewards are an empty object are left out",
    op="aggregate",
    clause="003-3.2-empty-dict-is-zero",
    why="They bring no value to a list of values.",
    invited_by="flattening loops over the keys of each trial",
)
def _(reference: Variant) -> None:
    trials_first(reference, lambda trials: [rewards for rewards in trials if rewards != {}])


@mistake(
    "falsy-rewards-left-out",
    says="trials with null rewards or an empty object are left out",
    op="aggregate",
    clause="003-3.2-none-is-zero",
    why="`if not rewards: continue` covers both.",
    invited_by="Python's truth tests, Lodash's isEmpty",
)
def _(reference: Variant) -> None:
    trials_first(reference, lambda trials: [rewards for rewards in trials if rewards])


@mistake(
    "missing-key-skipped",
    says="a trial that lacks a key is left out of that key's values",
    op="aggregate",
    clause="003-3.2-missing-key-is-zero",
    why="Values are grouped by key, and a missing one never arrives there.",
    invited_by="pandas' skipna, groupby, SQL's AVG, defaultdict(list)",
)
def _(reference: Variant) -> None:
    def build(combine: Callable[..., Number], _: str, trials: Trials) -> Rewards:
        return {
            key: combine([rewards[key] for rewards in trials if rewards and key in rewards])
            for key in keys_of(trials)
        }

    _by_combining(reference, build)


def _missing_is(reference: Variant, absent: Number) -> None:
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

    reference.wrap("aggregation.aggregate", around)


@mistake(
    "missing-is-float-zero",
    says="what is missing counts as 0.0, not as the int 0",
    op="aggregate",
    clause="003-3.2-stand-in-is-int",
    why="Rewards are floats, so their default is one.",
    invited_by="get(key, 0.0), Rust's unwrap_or(0.0), fillna(0.0), Go's zero values",
)
def _(reference: Variant) -> None:
    _missing_is(reference, 0.0)


@mistake(
    "missing-is-nan",
    says="what is missing counts as NaN",
    op="aggregate",
    clause="003-3.2-none-is-zero",
    why="A table has NaN in its empty cells.",
    invited_by="pandas.DataFrame with skipna=False, numpy, JavaScript's undefined in arithmetic",
)
def _(reference: Variant) -> None:
    _missing_is(reference, float("nan"))


@mistake(
    "zero-reward-becomes-default",
    says="a reward of 0.0 is replaced by the default 0, an int",
    op="aggregate",
    clause="003-3.2-stand-in-is-int",
    why="`get(key) or 0` looks like a default for missing keys, and 0.0 is falsy.",
    invited_by="Python's or, Ruby-like defaults, Perl's ||",
)
def _(reference: Variant) -> None:
    trials_first(
        reference,
        lambda trials: [
            rewards and {key: value or 0 for key, value in rewards.items()} for rewards in trials
        ],
    )


@mistake(
    "single-key-kept",
    says="the only reward key is kept in the answer, where the metric's name is due",
    op="aggregate",
    clause="003-3.2-one-key-metric-name",
    why="It keeps one shape for every number of keys.",
    invited_by="groupby, map over keys",
)
def _(reference: Variant) -> None:
    def change(metric: str, trials: Trials, answer: Rewards) -> Rewards:
        keys = keys_of(trials)
        return {keys[0]: answer[metric]} if len(keys) == 1 else answer

    answer_after(reference, change)


@mistake(
    "no-keys-no-metric",
    says="without any reward key the answer is an empty object",
    op="aggregate",
    clause="003-3.2-no-key-metric-name",
    why="There is no key to give a value to.",
    invited_by="map over keys, early returns for empty input",
)
def _(reference: Variant) -> None:
    answer_after(reference, lambda _, trials, answer: answer if keys_of(trials) or not trials else {})


@mistake(
    "all-keys-pooled",
    says="several keys are pooled: the metric of all values, under the metric's name",
    op="aggregate",
    clause="003-3.2-many-keys-by-key",
    why="A metric gives one number, says its name.",
    invited_by="flatten, DataFrame.stack, numpy.mean without an axis",
)
def _(reference: Variant) -> None:
    def build(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
        return {metric: combine([value for rewards in trials for value in (rewards or {}).values()])}

    _by_combining(reference, build)


@mistake(
    "keys-averaged-by-metric",
    says="several keys are brought together again: the metric of the keys' values, under the metric's name",
    op="aggregate",
    clause="003-3.2-many-keys-by-key",
    why="A leaderboard wants one number for each metric.",
    invited_by="leaderboards, DataFrame.mean().mean()",
)
def _(reference: Variant) -> None:
    def build(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
        by_key = [[(rewards or {}).get(key, 0) for rewards in trials] for key in keys_of(trials)]
        return {metric: combine([combine(values) for values in by_key])}

    _by_combining(reference, build)


@mistake(
    "keys-prefixed-by-metric",
    says="the values of several keys are named by metric and key, such as mean_speed",
    op="aggregate",
    clause="003-3.2-many-keys-by-key",
    why="Several metrics of several keys need names that tell them apart.",
    invited_by="pandas' agg with flattened columns, dashboards",
)
def _(reference: Variant) -> None:
    def change(metric: str, trials: Trials, answer: Rewards) -> Rewards:
        several = len(keys_of(trials)) > 1
        return {f"{metric}_{key}": value for key, value in answer.items()} if several else answer

    answer_after(reference, change)


@mistake(
    "metric-added-to-keys",
    says="beside the values of several keys there is one for the metric over all of them",
    op="aggregate",
    clause="003-3.2-many-keys-by-key",
    why="Readers look for the metric's name.",
    invited_by="leaderboards, DataFrame.describe with totals",
)
def _(reference: Variant) -> None:
    def build(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
        by_key = {
            key: combine([(rewards or {}).get(key, 0) for rewards in trials]) for key in keys_of(trials)
        }
        return {metric: combine(list(by_key.values())), **by_key}

    _by_combining(reference, build)


@mistake(
    "shape-by-trial",
    says="the shape of the answer is decided by the number of keys in one trial, not in all of them",
    op="aggregate",
    clause="003-3.2-key-union",
    why="Trials are thought to have the same keys.",
    invited_by="schemas inferred from one row",
)
def _(reference: Variant) -> None:
    def build(combine: Callable[..., Number], metric: str, trials: Trials) -> Rewards:
        if max(len(rewards or {}) for rewards in trials) > 1:
            return {
                key: combine([(rewards or {}).get(key, 0) for rewards in trials]) for key in keys_of(trials)
            }
        return {metric: combine([next(iter((rewards or {}).values()), 0) for rewards in trials])}

    _by_combining(reference, build)
