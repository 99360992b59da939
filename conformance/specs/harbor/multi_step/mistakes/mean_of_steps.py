"""Mistakes in a multi-step trial's one result: which steps make it, and how."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Rewards
from conformance.mistakes.variant import Variant

Steps = Sequence[Any]
Whole = Callable[[Any, Steps], tuple[Any, int]]
Select = Callable[[Any, Steps], Any]


def changed_steps(reference: Variant, strategy: str, change: Callable[[Steps], Steps]) -> None:
    """Changes the steps that ran before a strategy takes them."""

    def around(select: Select) -> Select:
        def selecting(chosen: Any, executed: Steps) -> Any:
            return select(chosen, change(executed) if chosen.value == strategy else executed)

        return selecting

    reference.wrap("multi_step.select_reward", around)


def changed_result(reference: Variant, strategy: str, change: Callable[[Any, Steps], Any]) -> None:
    """Changes what a strategy makes of the steps that ran."""

    def around(select: Select) -> Select:
        def selecting(chosen: Any, executed: Steps) -> Any:
            result = select(chosen, executed)
            return change(result, executed) if chosen.value == strategy else result

        return selecting

    reference.wrap("multi_step.select_reward", around)


def planned_steps(reference: Variant, strategy: str, change: Callable[[Steps, Steps], Steps]) -> None:
    """Has a strategy take steps made of those that ran and those that were planned."""

    def around(whole: Whole) -> Whole:
        module = reference.module("multi_step")

        def running(chosen: Any, steps: Steps) -> tuple[Any, int]:
            if chosen.value != strategy:
                return whole(chosen, steps)
            count = module.steps_run(steps)
            return module.select_reward(chosen, change(steps[:count], steps)), count

        return running

    reference.wrap("multi_step.multi_step_reward", around)


def new_result(reference: Variant, rewards: Rewards | None) -> Any:
    """A verifier result of this copy."""
    return reference.get("verifier_result.VerifierResult")(rewards)


def _with_rewards(reference: Variant, step: Any, rewards: Rewards | None) -> Any:
    return reference.get("multi_step.Step")(new_result(reference, rewards), step.exception, step.min_reward)


@mistake(
    "steps-without-result-counted",
    says="steps without a verifier result count as 0 in the mean over the steps",
    op="multi_step_reward",
    clause="003-4.5-no-result-left-out",
    why="Trials without a result count so in the metrics.",
    invited_by="the rule of metrics carried over to steps",
)
def _(reference: Variant) -> None:
    def change(executed: Steps) -> Steps:
        return [
            _with_rewards(reference, step, None) if step.verifier_result is None else step
            for step in executed
        ]

    changed_steps(reference, "mean", change)


@mistake(
    "unrun-steps-counted",
    says="planned steps that did not run count as 0 in the mean over the steps",
    op="multi_step_reward",
    clause="003-4.5-executed-only",
    why="Stopping early should not raise the mean.",
    invited_by="len(task.steps) as the denominator",
)
def _(reference: Variant) -> None:
    def change(executed: Steps, steps: Steps) -> Steps:
        return [*executed, *(_with_rewards(reference, step, None) for step in steps[len(executed) :])]

    planned_steps(reference, "mean", change)


@mistake(
    "unrun-steps-averaged",
    says="the results that steps would have given after the stop enter the mean",
    op="multi_step_reward",
    clause="003-4.5-executed-only",
    why="The stop is looked for, and the list is used whole all the same.",
    invited_by="loops without break",
)
def _(reference: Variant) -> None:
    planned_steps(reference, "mean", lambda executed, steps: steps)


@mistake(
    "null-rewards-left-out",
    says="steps whose rewards are null are left out of the mean",
    op="multi_step_reward",
    clause="003-4.5-null-rewards-count",
    why="There is nothing to average in them.",
    invited_by="`if result and result.rewards is not None`, flatMap over Option",
)
def _(reference: Variant) -> None:
    def is_kept(step: Any) -> bool:
        return step.verifier_result is None or step.verifier_result.rewards is not None

    changed_steps(reference, "mean", lambda executed: [step for step in executed if is_kept(step)])


@mistake(
    "keyless-steps-left-out",
    says="steps whose rewards are null or empty are left out of the mean",
    op="multi_step_reward",
    clause="003-4.5-missing-key-zero",
    why="`if result and result.rewards` covers both.",
    invited_by="Python's truth tests, Lodash's isEmpty",
)
def _(reference: Variant) -> None:
    def is_kept(step: Any) -> bool:
        return step.verifier_result is None or bool(step.verifier_result.rewards)

    changed_steps(reference, "mean", lambda executed: [step for step in executed if is_kept(step)])


@mistake(
    "raising-steps-left-out",
    says="steps with an exception are left out of the mean, although they have a result",
    op="multi_step_reward",
    clause="003-4.5-exception-with-result",
    why="A step that raised has failed.",
    invited_by="filter on status, Result types with one side only",
)
def _(reference: Variant) -> None:
    changed_steps(reference, "mean", lambda executed: [step for step in executed if step.exception is None])


@mistake(
    "stopping-step-left-out",
    says="the step that fails its minimum is left out of the mean",
    op="multi_step_reward",
    clause="003-4.5-executed-only",
    why="The loop is left before the step is recorded.",
    invited_by="break before append",
)
def _(reference: Variant) -> None:
    ends = reference.module("multi_step")._ends_trial

    def change(executed: Steps) -> Steps:
        return [step for step in executed if step.verifier_result is None or not ends(step)]

    changed_steps(reference, "mean", change)


@mistake(
    "step-missing-key-skipped",
    says="a step that lacks a key is left out of that key's mean",
    op="multi_step_reward",
    clause="003-4.5-missing-key-zero",
    why="Values are grouped by key, and a missing one never arrives there.",
    invited_by="pandas' skipna, groupby, SQL's AVG, defaultdict(list)",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        if result is None:
            return None
        measured = [
            step.verifier_result.rewards or {} for step in executed if step.verifier_result is not None
        ]
        mean = reference.module("multi_step").mean
        return new_result(
            reference,
            {key: mean([rewards[key] for rewards in measured if key in rewards]) for key in result.rewards},
        )

    changed_result(reference, "mean", change)


@mistake(
    "keys-of-first-step",
    says="only the keys of the first step with a result are averaged",
    op="multi_step_reward",
    clause="003-4.5-mean-per-key",
    why="Steps are thought to have the same keys.",
    invited_by="results[0].keys(), headers taken from the first row",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        measured = [
            step.verifier_result.rewards or {} for step in executed if step.verifier_result is not None
        ]
        kept = {key: result.rewards[key] for key in measured[0]} if result is not None else {}
        return new_result(reference, kept) if kept else None

    changed_result(reference, "mean", change)


@mistake(
    "keys-common-to-steps",
    says="only keys that every step with a result has are averaged",
    op="multi_step_reward",
    clause="003-4.5-mean-per-key",
    why="A key that is not everywhere cannot be compared.",
    invited_by="inner joins, set intersection",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        if result is None:
            return None
        measured = [
            step.verifier_result.rewards or {} for step in executed if step.verifier_result is not None
        ]
        common = {
            key: value for key, value in result.rewards.items() if all(key in rewards for rewards in measured)
        }
        return new_result(reference, common) if common else None

    changed_result(reference, "mean", change)


@mistake(
    "keyless-mean-is-empty",
    says="where the steps' results hold no key, the trial has a result with an empty object",
    op="multi_step_reward",
    clause="003-4.5-no-keys-null",
    why="The mean of nothing by key is an object without keys.",
    invited_by="dict comprehensions without a check",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        verified = any(step.verifier_result is not None for step in executed)
        return new_result(reference, {}) if result is None and verified else result

    changed_result(reference, "mean", change)


@mistake(
    "keyless-mean-is-zero",
    says="where there is nothing to average, the trial has a reward of 0.0",
    op="multi_step_reward",
    clause="003-4.5-no-results-null",
    why="A trial that measured nothing has failed.",
    invited_by="defensive defaults, max(1, n) as the denominator",
)
def _(reference: Variant) -> None:
    changed_result(
        reference,
        "mean",
        lambda result, executed: (
            new_result(reference, {"reward": 0.0}) if result is None and executed else result
        ),
    )


@mistake(
    "only-step-handed-on",
    says="a mean of one result is handed on as it is, without a mean being taken",
    op="multi_step_reward",
    clause="003-4.5-mean-is-float",
    why="The mean of one value is the value.",
    invited_by="short cuts for single elements",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        verified = [step.verifier_result for step in executed if step.verifier_result is not None]
        return verified[0] if len(verified) == 1 and result is not None else result

    changed_result(reference, "mean", change)


@mistake(
    "steps-added-up",
    says="the rewards of the steps are added up, where their mean is due",
    op="multi_step_reward",
    clause="003-4.5-mean-per-key",
    why="Steps are thought to earn parts of one reward.",
    invited_by="returns of reinforcement learning, Counter.update",
)
def _(reference: Variant) -> None:
    def change(result: Any, executed: Steps) -> Any:
        if result is None:
            return None
        measured = [
            step.verifier_result.rewards or {} for step in executed if step.verifier_result is not None
        ]
        add = reference.module("aggregation").compensated_sum
        return new_result(
            reference, {key: add([rewards.get(key, 0) for rewards in measured]) for key in result.rewards}
        )

    changed_result(reference, "mean", change)


@mistake(
    "final-is-default",
    says="a task without a strategy takes the last step's result",
    op="multi_step_reward",
    clause="003-4.5-mean-is-default",
    why="The last step looks like the outcome of the task.",
    invited_by="`strategy or 'final'`, the other member as an enum's default",
)
def _(reference: Variant) -> None:
    strategy = reference.get("multi_step.Strategy")
    reference.wrap(
        "runner.wire_trials.decode_strategy",
        lambda decode: lambda given: strategy.FINAL if given is None else decode(given),
    )
