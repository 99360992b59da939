"""Mistakes in what ends the steps of a trial: exceptions, missing results, gates as a whole."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.specs.harbor.multi_step.mistakes.gates import ending

ending_family = way("multi_step_reward", clause="003-4.5-exception-with-result")(ending)


@ending_family.made(clause="003-4.5-gate-stops", invited_by="runners written for single-step tasks")
def gates_ignored(ends: Callable[[Any], bool], step: Any) -> bool:
    """min_reward is ignored. It is easily missed: most tasks have none."""
    return step.exception is not None and step.verifier_result is None


@ending_family.made(clause="003-4.5-gate-after-exception", invited_by="except branches with continue")
def gate_skipped_after_exception(ends: Callable[[Any], bool], step: Any) -> bool:
    """The min_reward of a step that raised is not judged. A step that raised is handled on its own path."""
    return ends(step) if step.exception is None else step.verifier_result is None


@ending_family.made(invited_by="exceptions that pass through, Rust's ?")
def every_exception_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step with an exception ends the steps, although it has a result. An exception leaves the loop."""
    return step.exception is not None or ends(step)


@ending_family.made(
    clause="003-4.5-exception-stops", invited_by="except with continue, gather(return_exceptions=True)"
)
def no_exception_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step with an exception and no result does not end the steps.
    Every step is tried, whatever became of the last one."""
    return ends(replace(step, exception=None))


@ending_family.made(clause="003-4.5-exception-stops", invited_by="`if result is None: break`")
def missing_result_ends(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step without a result ends the steps, although it raised nothing.
    Without a result there is nothing to go on with."""
    return step.verifier_result is None or ends(step)


@ending_family.made(invited_by="flattened Options, `result?.rewards`")
def null_rewards_end_after_exception(ends: Callable[[Any], bool], step: Any) -> bool:
    """A step that raised and whose rewards are null ends the steps.
    A result without rewards looks like none."""
    result = step.verifier_result
    return ends(step) or (step.exception is not None and result is not None and result.rewards is None)
