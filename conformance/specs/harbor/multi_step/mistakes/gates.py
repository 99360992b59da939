"""Mistakes in the minimum rewards that steps have to reach."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, Rewards, as_double
from conformance.mistakes.variant import Variant

Fails = Callable[[Rewards, dict[str, Number], Any], bool]


def ending(reference: Variant, change: Callable[[Callable[[Any], bool], Any], bool]) -> None:
    """Changes whether a step ends the trial."""
    reference.wrap("multi_step._ends_trial", lambda ends: lambda step: change(ends, step))


def _gate(reference: Variant, fails: Fails) -> None:
    """Changes when rewards fall short of the minimums; what has no minimum is left alone."""

    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        result, minimums = step.verifier_result, step.min_reward
        if minimums is None or (step.exception is not None and result is None):
            return ends(step)
        if not isinstance(minimums, dict):
            minimums = {"reward": minimums}
        return fails((result.rewards if result is not None else None) or {}, minimums, step)

    ending(reference, change)


def _compared(reference: Variant, falls_short: Callable[[Number, Number], bool]) -> None:
    """Changes when one reward falls short of its minimum."""

    def fails(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
        return any(falls_short(rewards.get(key, -math.inf), least) for key, least in minimums.items())

    _gate(reference, fails)


@mistake(
    "minimum-must-be-exceeded",
    says="a reward equal to min_reward fails",
    op="multi_step_reward",
    clause="003-4.5-gate-compare",
    why="< and <= are easily confused.",
    invited_by="hand-written conditions, `reward > min_reward`",
)
def _(reference: Variant) -> None:
    _compared(reference, lambda reward, least: reward <= least)


@mistake(
    "nan-fails-the-gate",
    says="a NaN, as reward or as min_reward, fails",
    op="multi_step_reward",
    clause="003-4.5-gate-nan",
    why="`not (reward >= min_reward)` looks the same as `reward < min_reward`.",
    invited_by="`if reward >= min_reward` with the stop in else, PartialOrd, SQL's WHERE",
)
def _(reference: Variant) -> None:
    _compared(reference, lambda reward, least: not reward >= least)


@mistake(
    "gate-with-tolerance",
    says="a reward within 1e-9 below min_reward passes",
    op="multi_step_reward",
    clause="003-4.5-gate-compare",
    why="Floats are not to be compared exactly.",
    invited_by="math.isclose, epsilon comparisons",
)
def _(reference: Variant) -> None:
    _compared(reference, lambda reward, least: reward < least - 1e-9)


@mistake(
    "gate-compares-doubles",
    says="an int reward is rounded to a double before it is compared with min_reward",
    op="multi_step_reward",
    clause="003-4.5-gate-compare",
    why="Mixed operands are promoted before they are compared.",
    invited_by="C, Java, Rust's `as f64`, JavaScript",
)
def _(reference: Variant) -> None:
    _compared(reference, lambda reward, least: as_double(reward) < least)


@mistake(
    "missing-key-passes-gate",
    says="a key that the rewards lack passes its min_reward",
    op="multi_step_reward",
    clause="003-4.5-gate-nothing-is-minus-inf",
    why="Only keys that are there are looked at.",
    invited_by="loops over the rewards, undefined in JavaScript's comparisons",
)
def _(reference: Variant) -> None:
    _gate(
        reference,
        lambda rewards, minimums, _: any(
            rewards[key] < least for key, least in minimums.items() if key in rewards
        ),
    )


@mistake(
    "missing-key-is-zero-at-gate",
    says="a key that the rewards lack counts as 0 against its min_reward",
    op="multi_step_reward",
    clause="003-4.5-gate-nothing-is-minus-inf",
    why="It counts as 0 in the mean.",
    invited_by="get(key, 0), Go's zero values, unwrap_or(0.0)",
)
def _(reference: Variant) -> None:
    _gate(
        reference,
        lambda rewards, minimums, _: any(rewards.get(key, 0) < least for key, least in minimums.items()),
    )


@mistake(
    "missing-key-always-fails",
    says="a key that the rewards lack fails its min_reward even where that is -Infinity or NaN",
    op="multi_step_reward",
    clause="003-4.5-gate-nothing-is-minus-inf",
    why="Absence is tested before anything is compared.",
    invited_by="`key not in rewards or …`, Option::None in a match",
)
def _(reference: Variant) -> None:
    _gate(
        reference,
        lambda rewards, minimums, _: any(
            key not in rewards or rewards[key] < least for key, least in minimums.items()
        ),
    )


@mistake(
    "no-rewards-pass-gate",
    says="a step whose rewards are null, or that has no result, passes its min_reward",
    op="multi_step_reward",
    clause="003-4.5-gate-nothing-is-minus-inf",
    why="There is nothing to compare.",
    invited_by="`if result and result.rewards is not None`, optional chaining",
)
def _(reference: Variant) -> None:
    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        result = step.verifier_result
        if result is None:
            return step.exception is not None
        return result.rewards is not None and ends(step)

    ending(reference, change)


@mistake(
    "number-gates-every-key",
    says="a number as min_reward gates every key of the rewards",
    op="multi_step_reward",
    clause="003-4.5-gate-number",
    why="It has no key, so it is for all of them.",
    invited_by="any(value < min_reward for value in rewards.values()), broadcasting",
)
def _(reference: Variant) -> None:
    def fails(rewards: Rewards, minimums: dict[str, Number], step: Any) -> bool:
        if isinstance(step.min_reward, dict):
            return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())
        return any(value < step.min_reward for value in rewards.values() or [-math.inf])

    _gate(reference, fails)


@mistake(
    "number-gates-only-key",
    says="a number as min_reward gates the only key of the rewards, whatever it is called",
    op="multi_step_reward",
    clause="003-4.5-gate-number",
    why="The key of a single reward is free elsewhere.",
    invited_by="next(iter(rewards.values()))",
)
def _(reference: Variant) -> None:
    def fails(rewards: Rewards, minimums: dict[str, Number], step: Any) -> bool:
        if not isinstance(step.min_reward, dict) and len(rewards) == 1:
            rewards = {"reward": next(iter(rewards.values()))}
        return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())

    _gate(reference, fails)


@mistake(
    "number-gates-the-mean",
    says="a number as min_reward gates the mean of all keys",
    op="multi_step_reward",
    clause="003-4.5-gate-number",
    why="A step's reward is thought to be one number.",
    invited_by="one score per step, DataFrame.mean",
)
def _(reference: Variant) -> None:
    def fails(rewards: Rewards, minimums: dict[str, Number], step: Any) -> bool:
        if not isinstance(step.min_reward, dict) and rewards:
            return bool(reference.module("multi_step").mean(list(rewards.values())) < step.min_reward)
        return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())

    _gate(reference, fails)


@mistake(
    "every-key-must-fail",
    says="an object as min_reward fails only where all of its keys do",
    op="multi_step_reward",
    clause="003-4.5-gate-object",
    why="any and all are easily confused.",
    invited_by="hand-written conditions, negations of all()",
)
def _(reference: Variant) -> None:
    def fails(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
        short = [rewards.get(key, -math.inf) < least for key, least in minimums.items()]
        return bool(short) and all(short)

    _gate(reference, fails)


@mistake(
    "only-reward-gated",
    says="of an object as min_reward only the key `reward` is looked at",
    op="multi_step_reward",
    clause="003-4.5-gate-object",
    why="It is the key that reward.txt gets.",
    invited_by="structs with a field called reward",
)
def _(reference: Variant) -> None:
    _gate(
        reference,
        lambda rewards, minimums, _: (
            "reward" in minimums and rewards.get("reward", -math.inf) < minimums["reward"]
        ),
    )


@mistake(
    "zero-minimum-is-none",
    says="a min_reward of 0 counts as none",
    op="multi_step_reward",
    clause="003-4.5-gate-compare",
    why="`if min_reward` is false for it.",
    invited_by="Python's and JavaScript's truth tests, Go's zero values",
)
def _(reference: Variant) -> None:
    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        return ends(replace(step, min_reward=None) if step.min_reward == 0 else step)

    ending(reference, change)


@mistake(
    "huge-minimum-is-infinite",
    says="a min_reward beyond the double range is infinite, where the task is invalid",
    op="multi_step_reward",
    clause="003-4.5-gate-threshold-range",
    why="Conversion to double never fails in most languages.",
    invited_by="JavaScript, TOML readers that fall back to floats, Go's big.Float",
)
def _(reference: Variant) -> None:
    reference.replace("multi_step._to_float", as_double)


@mistake(
    "minimum-kept-as-int",
    says="an int as min_reward is compared as it is, without being made a double",
    op="multi_step_reward",
    clause="003-4.5-gate-threshold-double",
    why="There is no need to convert it, it seems.",
    invited_by="untyped configuration, Python's int and float comparison",
)
def _(reference: Variant) -> None:
    reference.replace("multi_step._to_float", lambda number: number)
    _gate(
        reference,
        lambda rewards, minimums, _: any(
            rewards.get(key, -math.inf) < least for key, least in minimums.items()
        ),
    )
