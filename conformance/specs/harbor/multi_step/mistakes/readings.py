"""What readers of the document alone understood of steps: which count, what is judged, what ends them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import as_double
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.multi_step.mistakes.gates import ending, gate
from conformance.specs.harbor.multi_step.mistakes.strategies import (
    changed_result,
    changed_steps,
    new_result,
)
from reference_impl import multi_step

mistakes = family("multi_step_reward")
Steps = Sequence[Any]


@way("multi_step_reward", clause="003-4.5-gate-stops")
def run(reference: Variant, count: Callable[[Callable[[Any], bool], Steps], int]) -> None:
    """Changes how many steps run, given the rule that ends them."""
    reference.replace(multi_step.steps_run, lambda steps: count(reference.its(multi_step._ends_trial), steps))


def _verified(executed: Steps) -> list[Any]:
    return [step for step in executed if step.verifier_result is not None]


@changed_result.made("mean", clause="003-4.5-mean-is-float", invited_by="`if len(results) == 1: return it`")
def one_result_is_verbatim(result: Any, executed: Steps) -> Any:
    """Where one step has a verifier result the mean hands it on as it is, empty or null.
    There is nothing to average."""
    verified = _verified(executed)
    return verified[0].verifier_result if len(verified) == 1 else result


@changed_result.made("mean", clause="003-4.5-mean-is-float", invited_by="JSON numbers, JavaScript")
def whole_means_of_ints_stay_ints(reference: Variant, result: Any, executed: Steps) -> Any:
    """A mean of ints that is whole is an int. The type of the rewards is kept where it can be."""
    if result is None:
        return None
    ints = {
        key
        for key in result.rewards
        if all(isinstance((s.verifier_result.rewards or {}).get(key, 0), int) for s in _verified(executed))
    }
    return new_result(
        reference,
        {
            key: int(value) if key in ints and value == int(value) else value
            for key, value in result.rewards.items()
        },
    )


@changed_result.made("mean", clause="003-4.5-mean-per-key", invited_by="keys overwritten in a loop")
def keys_of_last_step(reference: Variant, result: Any, executed: Steps) -> Any:
    """Only the keys of the last step with a result are averaged. The variable is set anew in each round."""
    if result is None:
        return None
    kept = {key: result.rewards[key] for key in _verified(executed)[-1].verifier_result.rewards or {}}
    return new_result(reference, kept) if kept else None


@changed_steps.made("mean", clause="003-4.5-mean-per-key", invited_by="`if rewards == {}`")
def empty_rewards_not_averaged(executed: Steps) -> Steps:
    """A step whose rewards are an empty object is left out of the mean, and one with null rewards is not.
    Nothing was measured there."""
    return [step for step in executed if step.verifier_result is None or step.verifier_result.rewards != {}]


@changed_steps.made("mean", clause="003-4.5-no-result-left-out", invited_by="counting from the end")
def leading_unverified_counted(reference: Variant, executed: Steps) -> Steps:
    """Steps without a verifier result count as 0 in front of the first step that has one.
    Counting stops when results do."""
    seen, steps = False, []
    for step in executed:
        seen = seen or step.verifier_result is not None
        steps.append(step if seen else replace(step, verifier_result=new_result(reference, None)))
    return steps if seen else executed


@changed_result.made("final", clause="003-4.5-gate-stops", invited_by="missed means no reward")
def final_below_minimum_is_none(reference: Variant, result: Any, executed: Steps) -> Any:
    """The strategy final gives no result where the last step that ran missed its minimum.
    The trial has failed."""
    ends = reference.its(multi_step._ends_trial)
    return None if executed and ends(replace(executed[-1], exception=None)) else result


@run.made(invited_by="a gate between steps, judged when the next one is done")
def second_failing_gate_stops(ends: Callable[[Any], bool], steps: Steps) -> int:
    """One missed minimum is forgiven: the steps end with the second one in a row.
    The gate is taken for a limit to repeated failure."""
    missed = False
    for count, step in enumerate(steps, start=1):
        if step.exception is not None and step.verifier_result is None:
            return count
        misses = ends(step)
        if misses and missed:
            return count
        missed = misses
    return len(steps)


@mistakes.changed(clause="003-4.5-gate-number", invited_by="the trial's reward, as far as it is known")
def gate_judges_mean_so_far(reference: Variant) -> None:
    """A minimum is judged by the mean of the steps so far, not by its own step's rewards.
    The reward of a multi-step trial is a mean."""

    def count(ends: Callable[[Any], bool], steps: Steps) -> int:
        module = reference.its(multi_step)
        for number, step in enumerate(steps, start=1):
            so_far = module.select_reward(module.Strategy.MEAN, steps[:number])
            if ends(step if step.verifier_result is None else replace(step, verifier_result=so_far)):
                return number
        return len(steps)

    run(reference, count)


@ending.made(clause="003-4.5-gate-compare", invited_by="truth tests on thresholds")
def thresholds_of_zero_unset(ends: Callable[[Any], bool], step: Any) -> bool:
    """A threshold of 0 is no gate, as a number or inside of an object.
    `if threshold` is false for it."""
    gates = step.min_reward
    if isinstance(gates, dict):
        gates = {key: least for key, least in gates.items() if least != 0}
    return ends(replace(step, min_reward=None if gates == 0 else gates))


@gate.made(clause="003-4.5-gate-nothing-is-minus-inf", invited_by="None is not no result")
def null_rewards_are_zero_at_gate(reference: Variant, rewards: Any, minimums: Any, step: Any) -> bool:
    """Null rewards count as 0 at a minimum, and a missing result or key as -Infinity.
    Null counts as 0 in the metrics."""
    result = step.verifier_result
    if result is not None and result.rewards is None:
        return any(least > 0 for least in minimums.values())
    return any(rewards.get(key, -math.inf) < least for key, least in minimums.items())


@ending.made(clause="003-4.5-gate-nothing-is-minus-inf", invited_by="`if result is None: continue`")
def missing_result_not_gated(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step that was not verified passes its minimum, and one with null rewards is judged.
    Without a result there is nothing to compare."""
    return ends(replace(step, min_reward=None) if step.verifier_result is None else step)


@mistakes.changed(clause="003-4.5-gate-threshold-range", invited_by="validation when a step is reached")
def threshold_validated_when_run(reference: Variant) -> None:
    """A threshold beyond the double range is refused only when its step runs.
    Each step is read when its turn comes."""
    to_float = reference.get(multi_step._to_float)

    def later(number: Any) -> Any:
        try:
            return to_float(number)
        except ValueError:
            return number

    def around(ends: Callable[[Any], bool]) -> Callable[[Any], bool]:
        def checked(step: Any) -> bool:
            gates = step.min_reward
            for least in gates.values() if isinstance(gates, dict) else [] if gates is None else [gates]:
                to_float(least)
            return ends(step)

        return checked

    reference.replace(multi_step._to_float, later)
    reference.wrap(multi_step._ends_trial, around)


@mistakes.changed(clause="003-4.5-gate-threshold-range", invited_by="two readers, one for each form")
def thresholds_in_objects_unchecked(reference: Variant) -> None:
    """A threshold beyond the double range is refused as a number, and infinite inside of an object.
    The two forms are read by two functions."""

    def around(validate: Callable[..., Any]) -> Callable[..., Any]:
        def validated(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: as_double(number) for key, number in value.items()}
            return validate(value)

        return validated

    reference.wrap(multi_step.validate_min_reward, around)


@mistakes.changed(clause="003-4.5-overflow", invited_by="both results worked out, one of them taken")
def final_raises_for_the_mean(reference: Variant) -> None:
    """The strategy final fails where the mean of the steps would be an OverflowError.
    Both are worked out before one is taken."""

    def around(select: Callable[..., Any]) -> Callable[..., Any]:
        def selecting(strategy: Any, executed: Steps) -> Any:
            select(reference.its(multi_step.Strategy).MEAN, executed)
            return select(strategy, executed)

        return selecting

    reference.wrap(multi_step.select_reward, around)


@mistakes.changed(clause="003-4.5-mean-is-default", invited_by="a default for tasks with several steps")
def one_step_without_strategy_verbatim(reference: Variant) -> None:
    """A task of one step that names no strategy hands that step's result on as it is.
    The mean is the default of tasks with steps in the plural."""

    def final(given: Any) -> Any:
        one = given["strategy"] is None and given["steps"] is not None and len(given["steps"]) == 1
        return {**given, "strategy": "final"} if one else given

    reference.wrap_op("multi_step_reward", lambda answer: lambda given: answer(final(given)))
    reference.wrap_op(
        "pipeline",
        lambda answer: lambda given: answer({**given, "trials": list(map(final, given["trials"]))}),
    )


@changed_result.made("mean", clause="003-4.5-mean-per-key", invited_by="the naming of metrics, §3.2")
def mean_named_after_metric(reference: Variant, result: Any, executed: Steps) -> Any:
    """Where the steps use one key, the trial's reward is keyed mean. Metrics of one key are named so."""
    if result is None or len(result.rewards) != 1:
        return result
    return new_result(reference, {"mean": next(iter(result.rewards.values()))})
