"""Mistakes in which groups have pass@k, and which attempts pass."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, Rewards
from conformance.mistakes.variant import Variant

Success = bool | None
Judge = Callable[[Rewards | None], Success]


def _judged(reference: Variant, judge: Callable[[Judge, Rewards | None], Success]) -> None:
    """Changes how an attempt is judged; None switches pass@k off."""
    reference.wrap("pass_at_k._success", lambda success: lambda rewards: judge(success, rewards))


def _binary(reference: Variant, is_pass: Callable[[Number], Success]) -> None:
    """Changes when the only reward of an attempt is a pass."""

    def judge(success: Judge, rewards: Rewards | None) -> Success:
        if rewards is None or len(rewards) != 1:
            return success(rewards)
        return is_pass(next(iter(rewards.values())))

    _judged(reference, judge)


def trials_first(reference: Variant, change: Callable[[Sequence[Any]], Iterable[Any]]) -> None:
    """Changes a group's trials before pass@k is worked out."""
    reference.wrap("pass_at_k.pass_at_k", lambda compute: lambda trials: compute(list(change(trials))))


@mistake(
    "pass-from-one-on",
    says="pass@k stays on with any reward: 1 or more is a pass, anything else a failure",
    op="pass_at_k",
    clause="003-4.1-zero-or-one",
    why="Every attempt can be judged so.",
    invited_by="`reward >= 1`, other evaluation harnesses",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value >= 1)


@mistake(
    "only-one-passes",
    says="pass@k stays on with any reward: 1 is a pass, anything else a failure",
    op="pass_at_k",
    clause="003-4.1-zero-or-one",
    why="Every attempt can be judged so.",
    invited_by="`reward == 1.0` without a look at the other values",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value == 1)


@mistake(
    "pass-above-half",
    says="pass@k stays on with any reward: 0.5 or more is a pass",
    op="pass_at_k",
    clause="003-4.1-fraction",
    why="It is the usual threshold of a classifier.",
    invited_by="round(reward), thresholds of 0.5",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value >= 0.5)


@mistake(
    "pass-above-zero",
    says="pass@k stays on with any reward: anything above 0 is a pass",
    op="pass_at_k",
    clause="003-4.1-fraction",
    why="Any reward is a success of some kind.",
    invited_by="`reward > 0`, reinforcement learning",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value > 0)


@mistake(
    "truthy-passes",
    says="pass@k stays on with any reward: whatever is not 0 is a pass, NaN too",
    op="pass_at_k",
    clause="003-4.1-zero-or-one",
    why="`if reward` reads well.",
    invited_by="bool(reward), astype(bool), C's truth",
)
def _(reference: Variant) -> None:
    _binary(reference, bool)


@mistake(
    "binary-by-tolerance",
    says="rewards within 1e-9 of 0 or 1 count as 0 or 1",
    op="pass_at_k",
    clause="003-4.1-fraction",
    why="Floats are not to be compared for equality.",
    invited_by="math.isclose, numpy.isclose, approx crates",
)
def _(reference: Variant) -> None:
    def is_pass(value: Number) -> Success:
        near_one, near_zero = abs(value - 1) <= 1e-9, abs(value) <= 1e-9
        return near_one if near_one or near_zero else None

    _binary(reference, is_pass)


@mistake(
    "fractions-truncated",
    says="rewards are cut to whole numbers before they are judged",
    op="pass_at_k",
    clause="003-4.1-fraction",
    why="Successes are counted, and a count is an int.",
    invited_by="int(reward), `as u32`, Go's conversions",
)
def _(reference: Variant) -> None:
    def is_pass(value: Number) -> Success:
        whole = int(value) if abs(value) < 2.0**63 else None
        return None if whole not in (0, 1) else whole == 1

    _binary(reference, is_pass)


@mistake(
    "only-ints-are-binary",
    says="the floats 0.0 and 1.0 switch pass@k off, only the ints 0 and 1 are binary",
    op="pass_at_k",
    clause="003-4.1-int-and-float-alike",
    why="Binary is taken for an int's property.",
    invited_by="isinstance(value, int), match arms on integers",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value == 1 if isinstance(value, int) and value in (0, 1) else None)


@mistake(
    "minus-zero-is-not-binary",
    says="-0.0 switches pass@k off",
    op="pass_at_k",
    clause="003-4.1-signed-zero",
    why="It is neither of the two values when their bits or texts are compared.",
    invited_by="Object.is, to_bits(), comparing spellings, sets of boxed doubles in Java",
)
def _(reference: Variant) -> None:
    _binary(reference, lambda value: value == 1 if str(value) in ("0", "1", "0.0", "1.0") else None)


@mistake(
    "missing-reward-switches-off",
    says="an attempt without rewards switches pass@k off",
    op="pass_at_k",
    clause="003-4.1-none-is-failure",
    why="It is neither 0 nor 1.",
    invited_by="all(reward in (0, 1) …), Option::None in a match",
)
def _(reference: Variant) -> None:
    _judged(reference, lambda success, rewards: None if rewards is None else success(rewards))


@mistake(
    "missing-reward-left-out",
    says="attempts without rewards are left out of pass@k",
    op="pass_at_k",
    clause="003-4.1-none-is-failure",
    why="There is nothing to judge.",
    invited_by="dropna, filter(Boolean), SQL's aggregates",
)
def _(reference: Variant) -> None:
    trials_first(reference, lambda trials: [one for one in trials if one.rewards is not None])


@mistake(
    "empty-rewards-fail",
    says="an attempt whose rewards are an empty object is a failure, and pass@k stays on",
    op="pass_at_k",
    clause="003-4.1-empty-object",
    why="`if not rewards` covers null and the empty object.",
    invited_by="Python's truth tests, get('reward', 0)",
)
def _(reference: Variant) -> None:
    _judged(reference, lambda success, rewards: success(rewards or None))


@mistake(
    "odd-attempts-left-out",
    says="an attempt that is neither 0 nor 1 is left out, and pass@k stays on",
    op="pass_at_k",
    clause="003-4.1-any-trial-whole-group",
    why="The other attempts can still be judged.",
    invited_by="filter before grouping, `continue`",
)
def _(reference: Variant) -> None:
    success = reference.module("pass_at_k")._success
    trials_first(reference, lambda trials: [one for one in trials if success(one.rewards) is not None])


@mistake(
    "odd-tasks-left-out",
    says="a task with an attempt that is neither 0 nor 1 is left out, and pass@k stays on",
    op="pass_at_k",
    clause="003-4.1-any-trial-whole-group",
    why="The other tasks can still be judged.",
    invited_by="checks inside the loop over tasks",
)
def _(reference: Variant) -> None:
    success = reference.module("pass_at_k")._success

    def change(trials: Sequence[Any]) -> Iterable[Any]:
        odd = {one.task for one in trials if success(one.rewards) is None}
        return [one for one in trials if one.task not in odd]

    trials_first(reference, change)


def _one_of_several(reference: Variant, choose: Callable[[Rewards], Rewards]) -> None:
    """Judges rewards of several keys by what ``choose`` leaves of them."""
    _judged(
        reference,
        lambda success, rewards: success(choose(rewards) if rewards and len(rewards) > 1 else rewards),
    )


@mistake(
    "reward-among-keys-judged",
    says="rewards of several keys are judged by the one called `reward`",
    op="pass_at_k",
    clause="003-4.1-one-key",
    why="It is the key that reward.txt gets.",
    invited_by="rewards['reward'], structs with that field",
)
def _(reference: Variant) -> None:
    _one_of_several(
        reference,
        lambda rewards: {"reward": rewards["reward"]} if "reward" in rewards else rewards,
    )


@mistake(
    "first-key-judged",
    says="rewards of several keys are judged by the first of them",
    op="pass_at_k",
    clause="003-4.1-one-key",
    why="One key is expected, and the first is taken.",
    invited_by="next(iter(rewards.values())), Object.values(rewards)[0]",
)
def _(reference: Variant) -> None:
    _one_of_several(reference, lambda rewards: dict(list(rewards.items())[:1]))


@mistake(
    "all-keys-must-pass",
    says="rewards of several keys are a pass if all of them are 1",
    op="pass_at_k",
    clause="003-4.1-one-key",
    why="A task is solved when everything about it is.",
    invited_by="all(), Array.every, min over keys",
)
def _(reference: Variant) -> None:
    _one_of_several(reference, lambda rewards: {"all": int(all(value == 1 for value in rewards.values()))})


@mistake(
    "key-must-be-reward",
    says="an only key that is not called `reward` switches pass@k off",
    op="pass_at_k",
    clause="003-4.1-key-name-free",
    why="It is the key that reward.txt gets.",
    invited_by="rewards.get('reward'), structs with that field",
)
def _(reference: Variant) -> None:
    _judged(
        reference,
        lambda success, rewards: None if rewards and "reward" not in rewards else success(rewards),
    )
