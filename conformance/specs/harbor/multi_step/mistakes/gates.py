"""Mistakes in the minimum that a step has to reach, and in what ends a trial."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double
from conformance.mistakes.variant import Variant
from reference_impl import multi_step

mistakes = family("multi_step_reward")
Fails = Callable[[Rewards, dict[str, Number], Any], bool]


@way("multi_step_reward", clause="003-4.5-exception-stops")
def ending(reference: Variant, change: Callable[[Callable[[Any], bool], Any], bool]) -> None:
    """Changes whether a step ends the trial."""
    reference.wrap(multi_step._ends_trial, lambda ends: lambda step: change(ends, step))


@way("multi_step_reward", clause="003-4.5-gate-nothing-is-minus-inf")
def gate(reference: Variant, fails: Fails) -> None:
    """Changes when rewards fall short of the minimums; what has no minimum is left alone."""

    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        result, minimums = step.verifier_result, step.min_reward
        if minimums is None or (step.exception is not None and result is None):
            return ends(step)
        if not isinstance(minimums, dict):
            minimums = {"reward": minimums}
        return fails((result.rewards if result is not None else None) or {}, minimums, step)

    ending(reference, change)


@way("multi_step_reward", clause="003-4.5-gate-compare")
def compared(reference: Variant, falls_short: Callable[[Number, Number], bool]) -> None:
    """Changes when one reward falls short of its minimum."""

    def fails(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
        return any(falls_short(rewards.get(key, -math.inf), least) for key, least in minimums.items())

    gate(reference, fails)


@compared.made(invited_by="hand-written conditions, `reward > min_reward`")
def minimum_must_be_exceeded(reward: Number, least: Number) -> bool:
    """A reward equal to min_reward fails. < and <= are easily confused."""
    return reward <= least


@compared.made(
    clause="003-4.5-gate-nan",
    invited_by="`if reward >= min_reward` with the stop in else, PartialOrd, SQL's WHERE",
)
def nan_fails_the_gate(reward: Number, least: Number) -> bool:
    """A NaN, as reward or as min_reward, fails.
    `not (reward >= min_reward)` looks the same as `reward < min_reward`."""
    return not reward >= least


@compared.made(invited_by="math.isclose, epsilon comparisons")
def gate_with_tolerance(reward: Number, least: Number) -> bool:
    """A reward within 1e-9 below min_reward passes. Floats are not to be compared exactly."""
    return reward < least - 1e-9


@compared.made(invited_by="C, Java, Rust's `as f64`, JavaScript")
def gate_compares_doubles(reward: Number, least: Number) -> bool:
    """An int reward is rounded to a double before it is compared with min_reward.
    Mixed operands are promoted before they are compared."""
    return as_double(reward) < least


@gate.made(invited_by="loops over the rewards, undefined in JavaScript's comparisons")
def missing_key_passes_gate(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
    """A key that the rewards lack passes its min_reward. Only keys that are there are looked at."""
    return any(rewards[key] < least for key, least in minimums.items() if key in rewards)


@gate.made(invited_by="get(key, 0), Go's zero values, unwrap_or(0.0)")
def missing_key_is_zero_at_gate(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
    """A key that the rewards lack counts as 0 against its min_reward. It counts as 0 in the mean."""
    return any(rewards.get(key, 0) < least for key, least in minimums.items())


@gate.made(invited_by="`key not in rewards or …`, Option::None in a match")
def missing_key_always_fails(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
    """A key that the rewards lack fails its min_reward even where that is -Infinity or NaN.
    Absence is tested before anything is compared."""
    return any(key not in rewards or rewards[key] < least for key, least in minimums.items())


@ending.made(
    clause="003-4.5-gate-nothing-is-minus-inf",
    invited_by="`if result and result.rewards is not None`, optional chaining",
)
def no_rewards_pass_gate(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step whose rewards are null, or that has no result, passes its min_reward.
    There is nothing to compare."""
    result = step.verifier_result
    if result is None:
        return step.exception is not None
    return result.rewards is not None and ends(step)


@gate.made(
    clause="003-4.5-gate-number",
    invited_by="any(value < min_reward for value in rewards.values()), broadcasting",
)
def number_gates_every_key(rewards: Rewards, minimums: dict[str, Number], step: Any) -> bool:
    """A number as min_reward gates every key of the rewards. It has no key, so it is for all of them."""
    if isinstance(step.min_reward, dict):
        return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())
    return any(value < step.min_reward for value in rewards.values() or [-math.inf])


@gate.made(clause="003-4.5-gate-number", invited_by="next(iter(rewards.values()))")
def number_gates_only_key(rewards: Rewards, minimums: dict[str, Number], step: Any) -> bool:
    """A number as min_reward gates the only key of the rewards, whatever it is called.
    The key of a single reward is free elsewhere."""
    if not isinstance(step.min_reward, dict) and len(rewards) == 1:
        rewards = {"reward": next(iter(rewards.values()))}
    return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())


@gate.made(clause="003-4.5-gate-number", invited_by="one score per step, DataFrame.mean")
def number_gates_the_mean(
    reference: Variant, rewards: Rewards, minimums: dict[str, Number], step: Any
) -> bool:
    """A number as min_reward gates the mean of all keys. A step's reward is thought to be one number."""
    if not isinstance(step.min_reward, dict) and rewards:
        return bool(reference.its(multi_step).mean(list(rewards.values())) < step.min_reward)
    return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())


@gate.made(clause="003-4.5-gate-object", invited_by="hand-written conditions, negations of all()")
def every_key_must_fail(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
    """An object as min_reward fails only where all of its keys do. any and all are easily confused."""
    short = [rewards.get(key, -math.inf) < least for key, least in minimums.items()]
    return bool(short) and all(short)


@gate.made(clause="003-4.5-gate-object", invited_by="structs with a field called reward")
def only_reward_gated(rewards: Rewards, minimums: dict[str, Number], _: Any) -> bool:
    """Of an object as min_reward only the key `reward` is looked at. It is the key that reward.txt gets."""
    return "reward" in minimums and rewards.get("reward", -math.inf) < minimums["reward"]


@ending.made(
    clause="003-4.5-gate-compare", invited_by="Python's and JavaScript's truth tests, Go's zero values"
)
def zero_minimum_is_none(ends: Callable[[Any], bool], step: Any) -> bool:
    """A min_reward of 0 counts as none. `if min_reward` is false for it."""
    return ends(replace(step, min_reward=None) if step.min_reward == 0 else step)


@mistakes.changed(
    clause="003-4.5-gate-threshold-range",
    invited_by="JavaScript, TOML readers that fall back to floats, Go's big.Float",
)
def huge_minimum_is_infinite(reference: Variant) -> None:
    """A min_reward beyond the double range is infinite, where the task is invalid.
    Conversion to double never fails in most languages."""
    reference.replace(multi_step._to_float, as_double)


@mistakes.changed(
    clause="003-4.5-gate-threshold-double",
    invited_by="untyped configuration, Python's int and float comparison",
)
def minimum_kept_as_int(reference: Variant) -> None:
    """An int as min_reward is compared as it is, without being made a double.
    There is no need to convert it, it seems."""
    reference.replace(multi_step._to_float, lambda number: number)
    gate(
        reference,
        lambda rewards, minimums, _: any(
            rewards.get(key, -math.inf) < least for key, least in minimums.items()
        ),
    )


@ending.made(clause="003-4.5-gate-stops", invited_by="runners written for single-step tasks")
def gates_ignored(ends: Callable[[Any], bool], step: Any) -> bool:
    """min_reward is ignored. It is easily missed: most tasks have none."""
    return step.exception is not None and step.verifier_result is None


@ending.made(clause="003-4.5-gate-after-exception", invited_by="except branches with continue")
def gate_skipped_after_exception(ends: Callable[[Any], bool], step: Any) -> bool:
    """The min_reward of a step that raised is not judged. A step that raised is handled on its own path."""
    return ends(step) if step.exception is None else step.verifier_result is None


@ending.made(clause="003-4.5-exception-with-result", invited_by="exceptions that pass through, Rust's ?")
def every_exception_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step with an exception ends the steps, although it has a result. An exception leaves the loop."""
    return step.exception is not None or ends(step)


@ending.made(invited_by="except with continue, gather(return_exceptions=True)")
def no_exception_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step with an exception and no result does not end the steps.
    Every step is tried, whatever became of the last one."""
    return ends(replace(step, exception=None))


@ending.made(invited_by="`if result is None: break`")
def missing_result_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step without a result ends the steps, although it raised nothing.
    Without a result there is nothing to go on with."""
    return step.verifier_result is None or ends(step)


@ending.made(clause="003-4.5-exception-with-result", invited_by="flattened Options, `result?.rewards`")
def null_rewards_end_after_exception(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step that raised and whose rewards are null ends the steps.
    A result without rewards looks like none."""
    result = step.verifier_result
    return ends(step) or (step.exception is not None and result is not None and result.rewards is None)
