"""Mistakes in the strategy that takes the last step's result, and in the count of steps."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import as_double
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.multi_step.mistakes.mean_of_steps import (
    Steps,
    changed_result,
    changed_steps,
    new_result,
    planned_steps,
)


@mistake(
    "final-of-planned-steps",
    says="the strategy final takes the last step planned, whether it ran or not",
    op="multi_step_reward",
    clause="003-4.5-final-last-executed",
    why="The task's list of steps is at hand, that of the steps that ran is not.",
    invited_by="task.steps[-1]",
)
def _(reference: Variant) -> None:
    planned_steps(reference, "final", lambda executed, steps: steps)


@mistake(
    "final-of-unrun-is-none",
    says="the strategy final gives no result where the steps stopped early",
    op="multi_step_reward",
    clause="003-4.5-final-last-executed",
    why="The last step planned has no result then.",
    invited_by="results.get(task.steps[-1].name)",
)
def _(reference: Variant) -> None:
    planned_steps(reference, "final", lambda executed, steps: executed if len(executed) == len(steps) else [])


@mistake(
    "final-with-result",
    says="the strategy final takes the last step that has a result",
    op="multi_step_reward",
    clause="003-4.5-final-no-result",
    why="The list of results holds nothing for the other steps.",
    invited_by="[r for r in results if r][-1], filter before last",
)
def _(reference: Variant) -> None:
    changed_steps(
        reference,
        "final",
        lambda executed: [step for step in executed if step.verifier_result is not None],
    )


@mistake(
    "final-with-rewards",
    says="the strategy final takes the last step whose rewards are neither null nor empty",
    op="multi_step_reward",
    clause="003-4.5-final-verbatim",
    why="The last rewards seen are kept in a variable.",
    invited_by="`rewards = result.rewards or rewards`",
)
def _(reference: Variant) -> None:
    def change(executed: Steps) -> Steps:
        verified = [step for step in executed if step.verifier_result is not None]
        return [step for step in verified if step.verifier_result.rewards] or verified[:1] or executed

    changed_steps(reference, "final", change)


@mistake(
    "final-step-floats",
    says="the strategy final turns int rewards into floats",
    op="multi_step_reward",
    clause="003-4.5-final-verbatim",
    why="One path serves both strategies, and a mean is a float.",
    invited_by="a mean over the last step, dict[str, float]",
)
def _(reference: Variant) -> None:
    def change(result: Any, _: Steps) -> Any:
        if result is None or not result.rewards:
            return result
        return new_result(reference, {key: as_double(value) for key, value in result.rewards.items()})

    changed_result(reference, "final", change)


@mistake(
    "final-step-merged",
    says="the strategy final keeps rewards of earlier steps where the last step has no such key",
    op="multi_step_reward",
    clause="003-4.5-final-verbatim",
    why="Each step's rewards are written into one object.",
    invited_by="dict.update, object spread",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        if result is None:
            return None
        merged = {
            key: value
            for step in executed
            if step.verifier_result is not None
            for key, value in (step.verifier_result.rewards or {}).items()
        }
        return new_result(reference, merged) if merged else result

    changed_result(reference, "final", change)


@mistake(
    "final-empty-is-none",
    says="the strategy final gives no result where the last step's rewards are an empty object",
    op="multi_step_reward",
    clause="003-4.5-final-verbatim",
    why="Without keys there is no mean either.",
    invited_by="`if not rewards: return None`, one ending for both strategies",
)
def _(reference: Variant) -> None:
    changed_result(
        reference,
        "final",
        lambda result, _: None if result is not None and result.rewards == {} else result,
    )


@mistake(
    "final-null-is-none",
    says="the strategy final gives no result where the last step's rewards are null",
    op="multi_step_reward",
    clause="003-4.5-final-verbatim",
    why="A result without rewards looks like none.",
    invited_by="flattened Options, `result?.rewards`",
)
def _(reference: Variant) -> None:
    changed_result(
        reference,
        "final",
        lambda result, _: None if result is not None and result.rewards is None else result,
    )


@mistake(
    "final-after-exception-is-none",
    says="the strategy final gives no result where the last step raised",
    op="multi_step_reward",
    clause="003-4.5-exception-with-result",
    why="A step that raised has failed.",
    invited_by="Result types with one side only",
)
def _(reference: Variant) -> None:
    changed_result(
        reference,
        "final",
        lambda result, executed: None if executed and executed[-1].exception is not None else result,
    )


def _counted(reference: Variant, count: Callable[[int, Steps], int]) -> None:
    """Changes the number of steps that is answered."""

    def around(whole: Callable[..., tuple[Any, int]]) -> Callable[..., tuple[Any, int]]:
        def running(strategy: Any, steps: Steps) -> tuple[Any, int]:
            result, run = whole(strategy, steps)
            return result, count(run, steps)

        return running

    reference.wrap("multi_step.multi_step_reward", around)


@mistake(
    "steps-planned-counted",
    says="the number of steps run is the number planned",
    op="multi_step_reward",
    clause="003-4.5-gate-stops",
    why="The list of steps is at hand.",
    invited_by="len(task.steps)",
)
def _(reference: Variant) -> None:
    _counted(reference, lambda _, steps: len(steps))


@mistake(
    "stopping-step-not-counted",
    says="the step that ends the trial is not counted as run",
    op="multi_step_reward",
    clause="003-4.5-gate-stops",
    why="The loop is left before the counter is raised, or the index is taken for the count.",
    invited_by="enumerate from 0, break before the increment",
)
def _(reference: Variant) -> None:
    ends = reference.module("multi_step")._ends_trial
    _counted(reference, lambda run, steps: run - 1 if run and ends(steps[run - 1]) else run)


@mistake(
    "verified-steps-counted",
    says="only steps with a verifier result are counted as run",
    op="multi_step_reward",
    clause="003-4.5-exception-stops",
    why="The list of results is counted.",
    invited_by="len(results)",
)
def _(reference: Variant) -> None:
    _counted(
        reference,
        lambda run, steps: sum(step.verifier_result is not None for step in steps[:run]),
    )
