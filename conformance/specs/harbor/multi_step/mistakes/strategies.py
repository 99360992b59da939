"""Mistakes in deriving one reward from several steps: their mean, or the last step's."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Rewards
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, multi_step, verifier_result
from reference_impl.runner import wire_trials

mistakes = family("multi_step_reward")
in_decode_strategy = family(
    "multi_step_reward", of=wire_trials.decode_strategy, clause="003-4.5-mean-is-default"
)
Steps = Sequence[Any]
Whole = Callable[[Any, Steps], tuple[Any, int]]
Select = Callable[[Any, Steps], Any]


@way("multi_step_reward")
def changed_steps(reference: Variant, change: Callable[[Steps], Steps], strategy: str) -> None:
    """Changes the executed steps before a strategy combines them."""

    def around(select: Select) -> Select:
        def selecting(chosen: Any, executed: Steps) -> Any:
            return select(chosen, change(executed) if chosen.value == strategy else executed)

        return selecting

    reference.wrap(multi_step.select_reward, around)


@way("multi_step_reward", clause="003-4.5-final-verbatim")
def changed_result(reference: Variant, change: Callable[[Any, Steps], Any], strategy: str) -> None:
    """Changes the result of a strategy on the executed steps."""

    def around(select: Select) -> Select:
        def selecting(chosen: Any, executed: Steps) -> Any:
            result = select(chosen, executed)
            return change(result, executed) if chosen.value == strategy else result

        return selecting

    reference.wrap(multi_step.select_reward, around)


@way("multi_step_reward", clause="003-4.5-final-last-executed")
def planned_steps(reference: Variant, change: Callable[[Steps, Steps], Steps], strategy: str) -> None:
    """Gives a strategy steps that are derived from the executed and the planned ones."""

    def around(whole: Whole) -> Whole:
        module = reference.its(multi_step)

        def running(chosen: Any, steps: Steps) -> tuple[Any, int]:
            if chosen.value != strategy:
                return whole(chosen, steps)
            count = module.steps_run(steps)
            return module.select_reward(chosen, change(steps[:count], steps)), count

        return running

    reference.wrap(multi_step.multi_step_reward, around)


def new_result(reference: Variant, rewards: Rewards | None) -> Any:
    """A verifier result of this copy's class."""
    return reference.get(verifier_result.VerifierResult)(rewards)


def _with_rewards(reference: Variant, step: Any, rewards: Rewards | None) -> Any:
    return reference.get(multi_step.Step)(new_result(reference, rewards), step.exception, step.min_reward)


def _measured(executed: Steps) -> list[Rewards]:
    """The rewards of the steps that have a result."""
    return [step.verifier_result.rewards or {} for step in executed if step.verifier_result is not None]


@changed_steps.made(
    "mean", clause="003-4.5-no-result-left-out", invited_by="the rule of metrics carried over to steps"
)
def steps_without_result_counted(reference: Variant, executed: Steps) -> Steps:
    """Steps without a verifier result count as 0 in the mean over the steps.
    Trials without a result count as 0 in the metrics."""
    return [
        _with_rewards(reference, step, None) if step.verifier_result is None else step for step in executed
    ]


@planned_steps.made("mean", clause="003-4.5-executed-only", invited_by="len(task.steps) as the denominator")
def unrun_steps_counted(reference: Variant, executed: Steps, steps: Steps) -> Steps:
    """Planned steps that did not run count as 0 in the mean over the steps.
    Stopping early should not raise the mean."""
    return [*executed, *(_with_rewards(reference, step, None) for step in steps[len(executed) :])]


@changed_steps.made(
    "mean",
    clause="003-4.5-null-rewards-count",
    invited_by="`if result and result.rewards is not None`, flatMap over Option",
)
def null_rewards_left_out(executed: Steps) -> Steps:
    """Steps whose rewards are null are left out of the mean. They contain nothing to average."""

    def is_kept(step: Any) -> bool:
        return step.verifier_result is None or step.verifier_result.rewards is not None

    return [step for step in executed if is_kept(step)]


@changed_result.made(
    "mean",
    clause="003-4.5-missing-key-zero",
    invited_by="pandas' skipna, groupby, SQL's AVG, defaultdict(list)",
)
def step_missing_key_skipped(reference: Variant, result: Any, executed: Steps) -> Any:
    """A step that lacks a key is left out of that key's mean.
    Values are grouped by key, and a missing value is in no group."""
    if result is None:
        return None
    mean = reference.its(multi_step).mean
    return new_result(
        reference,
        {
            key: mean([rewards[key] for rewards in _measured(executed) if key in rewards])
            for key in result.rewards
        },
    )


@changed_result.made(
    "mean", clause="003-4.5-mean-per-key", invited_by="results[0].keys(), headers taken from the first row"
)
def keys_of_first_step(reference: Variant, result: Any, executed: Steps) -> Any:
    """Only the keys of the first step with a result are averaged.
    All steps are assumed to have the same keys."""
    kept = {key: result.rewards[key] for key in _measured(executed)[0]} if result is not None else {}
    return new_result(reference, kept) if kept else None


@changed_result.made("mean", clause="003-4.5-no-keys-null", invited_by="dict comprehensions without a check")
def keyless_mean_is_empty(reference: Variant, result: Any, executed: Steps) -> Any:
    """If the steps' results have no key, the trial's result is an empty object.
    A mean by key over no keys is an empty object."""
    verified = any(step.verifier_result is not None for step in executed)
    return new_result(reference, {}) if result is None and verified else result


@changed_result.made(
    "mean", clause="003-4.5-no-results-null", invited_by="defensive defaults, max(1, n) as the denominator"
)
def keyless_mean_is_zero(reference: Variant, result: Any, executed: Steps) -> Any:
    """If there is nothing to average, the trial has a reward of 0.0.
    A trial that measured nothing has failed."""
    return new_result(reference, {"reward": 0.0}) if result is None and executed else result


@changed_result.made(
    "mean", clause="003-4.5-mean-per-key", invited_by="returns of reinforcement learning, Counter.update"
)
def steps_added_up(reference: Variant, result: Any, executed: Steps) -> Any:
    """The rewards of the steps are added up instead of averaged.
    Each step seems to earn a part of one reward."""
    if result is None:
        return None
    add = reference.its(aggregation).compensated_sum
    return new_result(
        reference,
        {key: add([rewards.get(key, 0) for rewards in _measured(executed)]) for key in result.rewards},
    )


@in_decode_strategy.wrapped(invited_by="`strategy or 'final'`, an enum with the other default")
def final_is_default(reference: Variant, decode: Callable[..., Any], given: Any) -> Any:
    """A task without a strategy takes the last step's result.
    The last step looks like the outcome of the task."""
    strategy = reference.its(multi_step.Strategy)
    return strategy.FINAL if given is None else decode(given)


@changed_steps.made(
    "final", clause="003-4.5-final-no-result", invited_by="[r for r in results if r][-1], filter before last"
)
def final_with_result(executed: Steps) -> Steps:
    """The strategy final takes the last step that has a result.
    Other steps are not in the list of results."""
    return [step for step in executed if step.verifier_result is not None]


@way("multi_step_reward")
def counted(reference: Variant, count: Callable[[int, Steps], int]) -> None:
    """Changes the answered number of steps."""

    def around(whole: Callable[..., tuple[Any, int]]) -> Callable[..., tuple[Any, int]]:
        def running(strategy: Any, steps: Steps) -> tuple[Any, int]:
            result, run = whole(strategy, steps)
            return result, count(run, steps)

        return running

    reference.wrap(multi_step.multi_step_reward, around)


@counted.made(clause="003-4.5-gate-stops", invited_by="len(task.steps)")
def steps_planned_counted(_: int, steps: Steps) -> int:
    """The number of steps run is the number planned. The list of planned steps is available."""
    return len(steps)


@mistakes.changed(clause="003-4.5-gate-stops", invited_by="enumerate from 0, break before the increment")
def stopping_step_not_counted(reference: Variant) -> None:
    """The step that ends the trial is not counted as run.
    The loop ends before the counter is raised, or its index is used as the count."""
    ends = reference.its(multi_step._ends_trial)
    counted(reference, lambda run, steps: run - 1 if run and ends(steps[run - 1]) else run)


@changed_result.made(
    "mean", clause="003-6-exact-answers", invited_by="round(x, 4) around the mean over the steps"
)
def step_mean_rounded(reference: Variant, result: Any, _: Steps) -> Any:
    """The mean over the steps is rounded to four decimals. Leaderboards show four decimals."""
    if result is None or result.rewards is None:
        return result
    return new_result(reference, {key: round(value, 4) for key, value in result.rewards.items()})


@changed_result.made("mean", clause="003-6-sum-compensated", invited_by="math.fsum, statistics.fmean")
def step_sum_exact(reference: Variant, result: Any, executed: Steps) -> Any:
    """Only the mean over the steps is exact and rounded once.
    The standard library has a more accurate mean, and steps are few."""
    if result is None or result.rewards is None:
        return result
    measured = _measured(executed)
    means = {
        key: math.fsum(rewards.get(key, 0) for rewards in measured) / len(measured) for key in result.rewards
    }
    return new_result(reference, means)


@changed_steps.made(
    "mean",
    clause="003-4.5-exception-with-result",
    invited_by="filter on status, Result types with one side only",
)
def raising_steps_left_out(executed: Steps) -> Steps:
    """Steps with an exception are left out of the mean, although they have a result.
    A step that raised has failed."""
    return [step for step in executed if step.exception is None]
