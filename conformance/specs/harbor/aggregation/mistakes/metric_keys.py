"""Mistakes in the keys of an aggregate: which there are, and in which order."""

from collections.abc import Callable, Iterable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.hooks import Rewards
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.aggregation.mistakes.shape import Trials, answer_after, trials_first

mistakes = family("aggregate", clause="003-3.2-keys-by-code-point")


@way("aggregate", clause="003-3.2-key-union")
def only_keys(reference: Variant, choose: Callable[[Iterable[Rewards]], Iterable[str]]) -> None:
    """Aggregates only the keys chosen from the trials that have rewards."""

    def change(trials: Trials) -> Trials:
        kept = set(choose([rewards for rewards in trials if rewards]))
        return [
            rewards and {key: value for key, value in rewards.items() if key in kept} for rewards in trials
        ]

    trials_first(reference, change)


@only_keys.made(invited_by="CSV writers, headers taken from the first row")
def keys_of_first_trial(measured: Iterable[Rewards]) -> Iterable[str]:
    """Only the keys of the first trial with rewards are aggregated.
    Trials are thought to have the same keys."""
    return next(iter(measured), {})


@only_keys.made(invited_by="inner joins, set intersection")
def keys_common_to_all(measured: Iterable[Rewards]) -> Iterable[str]:
    """Only keys that every trial with rewards has are aggregated.
    A key that is not everywhere cannot be compared."""
    return set.intersection(*map(set, measured)) if measured else set()


trials_first_family = way("aggregate")(trials_first)


@trials_first_family.made(clause="003-3.2-key-union", invited_by="structs with a field called reward")
def only_reward_aggregated(trials: Trials) -> Trials:
    """Only the key `reward` is aggregated, as 0 where a trial lacks it.
    It is the key that reward.txt gets."""
    return [rewards and {"reward": rewards.get("reward", 0)} for rewards in trials]


@way("aggregate", clause="003-3.2-keys-by-code-point")
def key_order(reference: Variant, key: Callable[[str], Any]) -> None:
    """Orders the metric's keys by ``key``."""
    answer_after(
        reference,
        lambda _, __, answer: {name: answer[name] for name in sorted(answer, key=key)},
    )


answer_after_family = way("aggregate", clause="003-3.2-keys-by-code-point")(answer_after)


@answer_after_family.made(invited_by="JavaScript's Map, LinkedHashMap, IndexMap, Python's dict")
def metric_keys_unsorted(_: str, trials: Trials, answer: Rewards) -> Rewards:
    """The keys of an aggregate stand in the order of their first appearance.
    Maps that keep their order need no sorting."""
    seen = dict.fromkeys(key for rewards in trials for key in rewards or {})
    return {key: answer[key] for key in seen} if len(seen) > 1 else answer


@key_order.made(invited_by="JavaScript's sort, Java's TreeMap, C#'s ordinal comparison")
def metric_keys_by_utf_16(key: str) -> Any:
    """The keys of an aggregate are sorted by UTF-16 units.
    Strings are compared unit by unit where they are UTF-16."""
    return key.encode("utf-16-be", "surrogatepass")


@mistakes.changed(invited_by="localeCompare, String.CASE_INSENSITIVE_ORDER, SQL collations")
def metric_keys_caseless(reference: Variant) -> None:
    """The keys of an aggregate are sorted without regard to case. That is how people and locales sort."""
    key_order(reference, str.casefold)


@answer_after_family.made(invited_by="hand-written comparators")
def metric_keys_reversed(_: str, __: Trials, answer: Rewards) -> Rewards:
    """The keys of an aggregate are sorted from last to first. A comparator with its operands swapped."""
    return dict(reversed(answer.items()))
