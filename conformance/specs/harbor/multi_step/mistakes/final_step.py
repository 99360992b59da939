"""Mistakes in the strategy that takes the last step's result, and in the count of steps."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.hooks import as_double
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.multi_step.mistakes.mean_of_steps import (
    Steps,
    changed_result,
    changed_steps,
    new_result,
    planned_steps,
)
from reference_impl import multi_step

mistakes = family("multi_step_reward")

planned_steps_family = way("multi_step_reward", clause="003-4.5-final-last-executed")(planned_steps)


@planned_steps_family.made("final", invited_by="task.steps[-1]")
def final_of_planned_steps(executed: Steps, steps: Steps) -> Steps:
    """The strategy final takes the last step planned, whether it ran or not.
    The task's list of steps is at hand, that of the steps that ran is not."""
    return steps


@planned_steps_family.made("final", invited_by="results.get(task.steps[-1].name)")
def final_of_unrun_is_none(executed: Steps, steps: Steps) -> Steps:
    """The strategy final gives no result where the steps stopped early.
    The last step planned has no result then."""
    return executed if len(executed) == len(steps) else []


changed_steps_family = way("multi_step_reward", clause="003-4.5-final-no-result")(changed_steps)


@changed_steps_family.made("final", invited_by="[r for r in results if r][-1], filter before last")
def final_with_result(executed: Steps) -> Steps:
    """The strategy final takes the last step that has a result.
    The list of results holds nothing for the other steps."""
    return [step for step in executed if step.verifier_result is not None]


@changed_steps_family.made(
    "final", clause="003-4.5-final-verbatim", invited_by="`rewards = result.rewards or rewards`"
)
def final_with_rewards(executed: Steps) -> Steps:
    """The strategy final takes the last step whose rewards are neither null nor empty.
    The last rewards seen are kept in a variable."""
    verified = [step for step in executed if step.verifier_result is not None]
    return [step for step in verified if step.verifier_result.rewards] or verified[:1] or executed


changed_result_family = way("multi_step_reward", clause="003-4.5-final-verbatim")(changed_result)


@changed_result_family.made("final", invited_by="a mean over the last step, dict[str, float]")
def final_step_floats(reference: Variant, result: Any, _: Steps) -> Any:
    """The strategy final turns int rewards into floats.
    One path serves both strategies, and a mean is a float."""
    if result is None or not result.rewards:
        return result
    return new_result(reference, {key: as_double(value) for key, value in result.rewards.items()})


@changed_result_family.made("final", invited_by="dict.update, object spread")
def final_step_merged(reference: Variant, result: Any, executed: Steps) -> Any:
    """The strategy final keeps rewards of earlier steps where the last step has no such key.
    Each step's rewards are written into one object."""
    if result is None:
        return None
    merged = {
        key: value
        for step in executed
        if step.verifier_result is not None
        for key, value in (step.verifier_result.rewards or {}).items()
    }
    return new_result(reference, merged) if merged else result


@changed_result_family.made(
    "final", invited_by="`if not rewards: return None`, one ending for both strategies"
)
def final_empty_is_none(result: Any, _: Steps) -> Any:
    """The strategy final gives no result where the last step's rewards are an empty object.
    Without keys there is no mean either."""
    return None if result is not None and result.rewards == {} else result


@changed_result_family.made("final", invited_by="flattened Options, `result?.rewards`")
def final_null_is_none(result: Any, _: Steps) -> Any:
    """The strategy final gives no result where the last step's rewards are null.
    A result without rewards looks like none."""
    return None if result is not None and result.rewards is None else result


@changed_result_family.made(
    "final", clause="003-4.5-exception-with-result", invited_by="Result types with one side only"
)
def final_after_exception_is_none(result: Any, executed: Steps) -> Any:
    """The strategy final gives no result where the last step raised. A step that raised has failed."""
    return None if executed and executed[-1].exception is not None else result


@way("multi_step_reward", clause="003-4.5-gate-stops")
def counted(reference: Variant, count: Callable[[int, Steps], int]) -> None:
    """Changes the number of steps that is answered."""

    def around(whole: Callable[..., tuple[Any, int]]) -> Callable[..., tuple[Any, int]]:
        def running(strategy: Any, steps: Steps) -> tuple[Any, int]:
            result, run = whole(strategy, steps)
            return result, count(run, steps)

        return running

    reference.wrap(multi_step.multi_step_reward, around)


@counted.made(invited_by="len(task.steps)")
def steps_planned_counted(_: int, steps: Steps) -> int:
    """The number of steps run is the number planned. The list of steps is at hand."""
    return len(steps)


@mistakes.changed(clause="003-4.5-gate-stops", invited_by="enumerate from 0, break before the increment")
def stopping_step_not_counted(reference: Variant) -> None:
    """The step that ends the trial is not counted as run.
    The loop is left before the counter is raised, or the index is taken for the count."""
    ends = reference.its(multi_step._ends_trial)
    counted(reference, lambda run, steps: run - 1 if run and ends(steps[run - 1]) else run)


@counted.made(clause="003-4.5-exception-stops", invited_by="len(results)")
def verified_steps_counted(run: int, steps: Steps) -> int:
    """Only steps with a verifier result are counted as run. The list of results is counted."""
    return sum(step.verifier_result is not None for step in steps[:run])
