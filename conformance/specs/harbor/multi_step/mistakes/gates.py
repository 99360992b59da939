"""Mistakes in the minimum of a step, and in the conditions that end a trial."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double
from conformance.mistakes.variant import Variant
from reference_impl import multi_step
from reference_impl.verifier_result import VerifierResult

mistakes = family("multi_step_reward")
Minimums = dict[str, Number]
Fails = Callable[[Rewards, Minimums, Any], bool]


@way("multi_step_reward", clause="003-4.5-exception-stops")
def ending(reference: Variant, change: Callable[[Callable[[Any], bool], Any], bool]) -> None:
    """Changes whether a step ends the trial."""
    reference.wrap(multi_step._ends_trial, lambda ends: lambda step: change(ends, step))


def _with_minimum(ends: Callable[[Any], bool], step: Any, judge: Callable[[Rewards, Minimums], bool]) -> bool:
    """Whether a step ends the trial; if it has minimums, ``judge`` decides by its rewards and minimums."""
    result, minimums = step.verifier_result, step.min_reward
    if minimums is None or (step.exception is not None and result is None):
        return ends(step)
    if not isinstance(minimums, dict):
        minimums = {"reward": minimums}
    return judge((result.rewards if result is not None else None) or {}, minimums)


@way("multi_step_reward", clause="003-4.5-gate-nothing-is-minus-inf")
def gate(reference: Variant, fails: Fails) -> None:
    """Changes when rewards are below the minimums; steps without a minimum are unchanged."""

    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        return _with_minimum(ends, step, lambda rewards, minimums: fails(rewards, minimums, step))

    ending(reference, change)


@way("multi_step_reward", clause="003-4.5-gate-nothing-is-minus-inf")
def at_gate(reference: Variant, seen: Callable[[Rewards, Minimums], tuple[Rewards, Minimums]]) -> None:
    """Changes the compared rewards and minimums, whatever the comparison is."""

    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        def judge(rewards: Rewards, minimums: Minimums) -> bool:
            rewards, minimums = seen(rewards, minimums)
            result = reference.its(VerifierResult)(rewards)
            return ends(replace(step, verifier_result=result, min_reward=minimums))

        return _with_minimum(ends, step, judge)

    ending(reference, change)


@way("multi_step_reward", clause="003-4.5-gate-compare")
def compared(reference: Variant, falls_short: Callable[[Number, Number], bool]) -> None:
    """Changes when one reward is below its minimum."""

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
    `not (reward >= min_reward)` looks equivalent to `reward < min_reward`."""
    return not reward >= least


@compared.made(invited_by="`if reward > min_reward` with the stop in else")
def minimum_must_be_exceeded_by_a_number(reward: Number, least: Number) -> bool:
    """Only a reward above min_reward passes; an equal one and NaN fail. The comparison is reversed."""
    return not reward > least


@at_gate.made(invited_by="rewards.get(key, 0), Go's zero values, `rewards[key] ?? 0`")
def missing_key_is_zero_at_gate(rewards: Rewards, minimums: Minimums) -> tuple[Rewards, Minimums]:
    """A key that the rewards lack counts as 0 against its min_reward.
    A missing key counts as 0 in means as well."""
    return dict.fromkeys(minimums, 0) | rewards, minimums


@at_gate.made(invited_by="loops over the rewards, undefined in JavaScript's comparisons")
def missing_key_passes_gate(rewards: Rewards, minimums: Minimums) -> tuple[Rewards, Minimums]:
    """A key that the rewards lack passes its min_reward. The loop is over the keys of the rewards."""
    return rewards, {key: least for key, least in minimums.items() if key in rewards}


@ending.made(
    clause="003-4.5-gate-compare", invited_by="Python's and JavaScript's truth tests, Go's zero values"
)
def zero_minimum_is_none(ends: Callable[[Any], bool], step: Any) -> bool:
    """A min_reward of 0 counts as none. `if min_reward` is false for 0."""
    return ends(replace(step, min_reward=None) if step.min_reward == 0 else step)


@mistakes.changed(
    clause="003-4.5-gate-threshold-range",
    invited_by="JavaScript, TOML readers that fall back to floats, Go's big.Float",
)
def huge_minimum_is_infinite(reference: Variant) -> None:
    """A min_reward beyond the double range is infinite; it should make the task invalid.
    Conversion to double never fails in most languages."""
    reference.replace(multi_step._to_float, as_double)


@ending.made(clause="003-4.5-gate-stops", invited_by="runners written for single-step tasks")
def gates_ignored(ends: Callable[[Any], bool], step: Any) -> bool:
    """min_reward is ignored. Most tasks have none, so it is easily overlooked."""
    return step.exception is not None and step.verifier_result is None


@gate.made(clause="003-4.5-gate-number", invited_by="one score per step, DataFrame.mean")
def number_gates_the_mean(
    reference: Variant, rewards: Rewards, minimums: dict[str, Number], step: Any
) -> bool:
    """A number as min_reward gates the mean of all keys. A step's reward is assumed to be one number."""
    if not isinstance(step.min_reward, dict) and rewards:
        return bool(reference.its(multi_step).mean(list(rewards.values())) < step.min_reward)
    return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())


@ending.made(
    clause="003-4.5-exception-with-result", invited_by="`if step.exception: break`, raise, Result types"
)
def every_exception_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step with an exception ends the trial even if it has a result. A step that raised has failed."""
    return step.exception is not None or ends(step)


@ending.made(invited_by="`if rewards and …`, optional chaining")
def no_rewards_pass_gate(ends: Callable[[Any], bool], step: Any) -> bool:
    """Without rewards, min_reward is not checked. There is nothing to compare."""
    has_none = step.verifier_result is None or step.verifier_result.rewards is None
    return ends(replace(step, min_reward=None) if has_none else step)
