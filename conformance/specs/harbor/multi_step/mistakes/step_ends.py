"""Mistakes in what ends the steps of a trial: exceptions, missing results, gates as a whole."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.multi_step.mistakes.gates import ending


@mistake(
    "gates-ignored",
    says="min_reward is ignored",
    op="multi_step_reward",
    clause="003-4.5-gate-stops",
    why="It is easily missed: most tasks have none.",
    invited_by="runners written for single-step tasks",
)
def _(reference: Variant) -> None:
    ending(reference, lambda ends, step: step.exception is not None and step.verifier_result is None)


@mistake(
    "gate-skipped-after-exception",
    says="the min_reward of a step that raised is not judged",
    op="multi_step_reward",
    clause="003-4.5-gate-after-exception",
    why="A step that raised is handled on its own path.",
    invited_by="except branches with continue",
)
def _(reference: Variant) -> None:
    ending(
        reference,
        lambda ends, step: ends(step) if step.exception is None else step.verifier_result is None,
    )


@mistake(
    "every-exception-ends",
    says="a step with an exception ends the steps, although it has a result",
    op="multi_step_reward",
    clause="003-4.5-exception-with-result",
    why="An exception leaves the loop.",
    invited_by="exceptions that pass through, Rust's ?",
)
def _(reference: Variant) -> None:
    ending(reference, lambda ends, step: step.exception is not None or ends(step))


@mistake(
    "no-exception-ends",
    says="a step with an exception and no result does not end the steps",
    op="multi_step_reward",
    clause="003-4.5-exception-stops",
    why="Every step is tried, whatever became of the last one.",
    invited_by="except with continue, gather(return_exceptions=True)",
)
def _(reference: Variant) -> None:
    ending(reference, lambda ends, step: ends(replace(step, exception=None)))


@mistake(
    "missing-result-ends",
    says="a step without a result ends the steps, although it raised nothing",
    op="multi_step_reward",
    clause="003-4.5-exception-stops",
    why="Without a result there is nothing to go on with.",
    invited_by="`if result is None: break`",
)
def _(reference: Variant) -> None:
    ending(reference, lambda ends, step: step.verifier_result is None or ends(step))


@mistake(
    "null-rewards-end-after-exception",
    says="a step that raised and whose rewards are null ends the steps",
    op="multi_step_reward",
    clause="003-4.5-exception-with-result",
    why="A result without rewards looks like none.",
    invited_by="flattened Options, `result?.rewards`",
)
def _(reference: Variant) -> None:
    def change(ends: Callable[[Any], bool], step: Any) -> bool:
        result = step.verifier_result
        return ends(step) or (step.exception is not None and result is not None and result.rewards is None)

    ending(reference, change)
