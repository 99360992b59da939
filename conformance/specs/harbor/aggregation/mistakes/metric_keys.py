"""Mistakes in the keys of an aggregate: which there are, and in which order."""

from collections.abc import Callable, Iterable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Rewards
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.aggregation.mistakes.shape import Trials, answer_after, trials_first


def _only_keys(reference: Variant, choose: Callable[[Iterable[Rewards]], Iterable[str]]) -> None:
    """Aggregates only the keys chosen from the trials that have rewards."""

    def change(trials: Trials) -> Trials:
        kept = set(choose([rewards for rewards in trials if rewards]))
        return [
            rewards and {key: value for key, value in rewards.items() if key in kept} for rewards in trials
        ]

    trials_first(reference, change)


@mistake(
    "keys-of-first-trial",
    says="only the keys of the first trial with rewards are aggregated",
    op="aggregate",
    clause="003-3.2-key-union",
    why="Trials are thought to have the same keys.",
    invited_by="CSV writers, headers taken from the first row",
)
def _(reference: Variant) -> None:
    _only_keys(reference, lambda measured: next(iter(measured), {}))


@mistake(
    "keys-common-to-all",
    says="only keys that every trial with rewards has are aggregated",
    op="aggregate",
    clause="003-3.2-key-union",
    why="A key that is not everywhere cannot be compared.",
    invited_by="inner joins, set intersection",
)
def _(reference: Variant) -> None:
    _only_keys(reference, lambda measured: set.intersection(*map(set, measured)) if measured else set())


@mistake(
    "only-reward-aggregated",
    says="only the key `reward` is aggregated, as 0 where a trial lacks it",
    op="aggregate",
    clause="003-3.2-key-union",
    why="It is the key that reward.txt gets.",
    invited_by="structs with a field called reward",
)
def _(reference: Variant) -> None:
    def change(trials: Trials) -> Trials:
        return [rewards and {"reward": rewards.get("reward", 0)} for rewards in trials]

    trials_first(reference, change)


def _key_order(reference: Variant, key: Callable[[str], Any]) -> None:
    answer_after(
        reference,
        lambda _, __, answer: {name: answer[name] for name in sorted(answer, key=key)},
    )


@mistake(
    "metric-keys-unsorted",
    says="the keys of an aggregate stand in the order of their first appearance",
    op="aggregate",
    clause="003-3.2-keys-by-code-point",
    why="Maps that keep their order need no sorting.",
    invited_by="JavaScript's Map, LinkedHashMap, IndexMap, Python's dict",
)
def _(reference: Variant) -> None:
    def change(_: str, trials: Trials, answer: Rewards) -> Rewards:
        seen = dict.fromkeys(key for rewards in trials for key in rewards or {})
        return {key: answer[key] for key in seen} if len(seen) > 1 else answer

    answer_after(reference, change)


@mistake(
    "metric-keys-by-utf-16",
    says="the keys of an aggregate are sorted by UTF-16 units",
    op="aggregate",
    clause="003-3.2-keys-by-code-point",
    why="Strings are compared unit by unit where they are UTF-16.",
    invited_by="JavaScript's sort, Java's TreeMap, C#'s ordinal comparison",
)
def _(reference: Variant) -> None:
    _key_order(reference, lambda key: key.encode("utf-16-be", "surrogatepass"))


@mistake(
    "metric-keys-caseless",
    says="the keys of an aggregate are sorted without regard to case",
    op="aggregate",
    clause="003-3.2-keys-by-code-point",
    why="That is how people and locales sort.",
    invited_by="localeCompare, String.CASE_INSENSITIVE_ORDER, SQL collations",
)
def _(reference: Variant) -> None:
    _key_order(reference, str.casefold)


@mistake(
    "metric-keys-reversed",
    says="the keys of an aggregate are sorted from last to first",
    op="aggregate",
    clause="003-3.2-keys-by-code-point",
    why="A comparator with its operands swapped.",
    invited_by="hand-written comparators",
)
def _(reference: Variant) -> None:
    answer_after(reference, lambda _, __, answer: dict(reversed(answer.items())))
