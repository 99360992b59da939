"""Mistakes on the way from reward files to a job's result: what failing trials and steps leave behind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

READ = "pipeline._read"
READ_TRIAL = "pipeline.read_trial"
EXECUTED = "pipeline._executed"


def _renamed(reference: Variant, names: dict[str, str]) -> None:
    """Has exceptions that reading raises recorded under other names."""

    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(files: Any) -> Any:
            result, error = read(files)
            return result, names.get(error, error)

        return reading

    reference.wrap(READ, around)


def _read_as_zero(reference: Variant, errors: frozenset[str]) -> None:
    """Has a reward of 0.0 stand for files that cannot be read."""
    result_type = reference.get("verifier_result.VerifierResult")

    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(files: Any) -> Any:
            result, error = read(files)
            return (result_type({"reward": 0.0}), None) if error in errors else (result, error)

        return reading

    reference.wrap(READ, around)


@mistake(
    "missing-reward-is-zero",
    says="a trial without a reward file has a reward of 0.0 and no error",
    op="pipeline",
    clause="003-3.3-n-errors",
    why="No reward is no success.",
    invited_by="shell scripts with a default, `cat reward.txt || echo 0`",
)
def _(reference: Variant) -> None:
    _read_as_zero(reference, frozenset({"RewardFileNotFoundError", "RewardFileEmptyError"}))


@mistake(
    "unreadable-reward-is-zero",
    says="a trial whose reward file cannot be read has a reward of 0.0 and no error",
    op="pipeline",
    clause="003-3.3-n-errors",
    why="Whatever goes wrong counts as a failure.",
    invited_by="except Exception: reward = 0.0; unwrap_or(0.0)",
)
def _(reference: Variant) -> None:
    errors = "RewardFileNotFoundError RewardFileEmptyError VerifierOutputParseError ValidationError"
    _read_as_zero(reference, frozenset({*errors.split(), "RecursionError"}))


@mistake(
    "unreadable-reward-not-an-error",
    says="a trial whose reward file cannot be read is unverified, without an error",
    op="pipeline",
    clause="003-3.3-n-errors",
    why="The fault is the verifier's, and the agent's run went well.",
    invited_by="Optional results, Result::ok, contextlib.suppress",
)
def _(reference: Variant) -> None:
    reference.wrap(READ, lambda read: lambda files: (read(files)[0], None))


@mistake(
    "unreadable-reward-ends-the-job",
    says="a reward file that cannot be read ends the whole job",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="The exception is not caught, trial by trial.",
    invited_by="the ? operator, throwing out of a loop, set -e",
)
def _(reference: Variant) -> None:
    result_type = reference.get("verifier_result.VerifierResult")
    parse_reward = reference.get("reward.parse_reward")
    reference.replace(READ, lambda files: (None if files is None else result_type(parse_reward(files)), None))


@mistake(
    "deep-nesting-ends-the-job",
    says="a reward.json that is nested too deeply ends the whole job",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="Only the errors of reward files are expected there.",
    invited_by="except VerifierError, parsers that overflow the stack",
)
def _(reference: Variant) -> None:
    parse_reward = reference.get("reward.parse_reward")

    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(files: Any) -> Any:
            result, error = read(files)
            if error == "RecursionError":
                parse_reward(files)
            return result, error

        return reading

    reference.wrap(READ, around)


@mistake(
    "library-exception-recorded",
    says="the JSON library's own exception is recorded for a reward file that cannot be parsed",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="The cause is recorded in place of what wraps it.",
    invited_by="error chains: __cause__, Rust's source(), Java's getCause, Go's errors.Unwrap",
)
def _(reference: Variant) -> None:
    _renamed(reference, {"VerifierOutputParseError": "JSONDecodeError"})


@mistake(
    "validation-recorded-as-parse-error",
    says="values that are no numbers are recorded as VerifierOutputParseError",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="Reading and checking are one step in a typed reader.",
    invited_by="serde, encoding/json into a struct, Jackson",
)
def _(reference: Variant) -> None:
    _renamed(reference, {"ValidationError": "VerifierOutputParseError"})


@mistake(
    "deep-nesting-recorded-as-parse-error",
    says="a reward.json that is nested too deeply is recorded as VerifierOutputParseError",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="The parser has a limit of its own and reports it like any other error.",
    invited_by="serde_json, Jackson, System.Text.Json, encoding/json; except Exception",
)
def _(reference: Variant) -> None:
    _renamed(reference, {"RecursionError": "VerifierOutputParseError"})


@mistake(
    "empty-recorded-as-missing",
    says="an empty reward file is recorded as RewardFileNotFoundError",
    op="pipeline",
    clause="003-3.3-exception-stats",
    why="No content and no file are the same to a helper that returns a text.",
    invited_by="test -s in shell, helpers that return '' for a missing file",
)
def _(reference: Variant) -> None:
    _renamed(reference, {"RewardFileEmptyError": "RewardFileNotFoundError"})


@mistake(
    "last-exception-recorded",
    says="an exception of the verifier replaces the one that the trial ended in before",
    op="pipeline",
    clause="003-3.3-first-exception",
    why="The field is assigned again.",
    invited_by="finally blocks, self.error = e in each phase",
)
def _(reference: Variant) -> None:
    def around(read_trial: Callable[..., Any]) -> Callable[..., Any]:
        def reading(trial: Any) -> Any:
            later = read_trial(replace(trial, exception=None)).exception
            return replace(read_trial(trial), exception=later or trial.exception)

        return reading

    reference.wrap(READ_TRIAL, around)


@mistake(
    "no-reading-after-an-exception",
    says="the reward files of a trial that ended in an exception are not read",
    op="pipeline",
    clause="003-3.3-verifier-after-agent",
    why="There is nothing more to do for it.",
    invited_by="early returns, the ? operator",
)
def _(reference: Variant) -> None:
    def around(read_trial: Callable[..., Any]) -> Callable[..., Any]:
        def reading(trial: Any) -> Any:
            return read_trial(trial if trial.exception is None else replace(trial, files=None))

        return reading

    reference.wrap(READ_TRIAL, around)


@mistake(
    "step-exception-is-the-trials",
    says="the first exception of a step is recorded as the trial's",
    op="pipeline",
    clause="003-4.5-exception-stays-in-step",
    why="An error inside a trial is an error of the trial.",
    invited_by="exceptions that propagate",
)
def _(reference: Variant) -> None:
    def around(read_trial: Callable[..., Any]) -> Callable[..., Any]:
        def reading(trial: Any) -> Any:
            read = read_trial(trial)
            if read.exception is not None or trial.steps is None:
                return read
            executed = reference.get(EXECUTED)(trial.steps)
            return replace(read, exception=next((s.exception for s in executed if s.exception), None))

        return reading

    reference.wrap(READ_TRIAL, around)


@mistake(
    "steps-verified-only-without-exception",
    says="the reward files of a step that raised are not read",
    op="pipeline",
    clause="003-4.5-exception-with-result",
    why="There is nothing more to do for it.",
    invited_by="early returns, the ? operator",
)
def _(reference: Variant) -> None:
    reference.wrap(
        EXECUTED,
        lambda executed: (
            lambda unread: executed(
                [step if step.exception is None else replace(step, files=None) for step in unread]
            )
        ),
    )


@mistake(
    "step-reading-error-ignored",
    says="a step whose reward file cannot be read does not end the steps",
    op="pipeline",
    clause="003-4.5-exception-stops",
    why="Only what the agent raises is taken for the step's exception.",
    invited_by="reading rewards after the loop over the steps",
)
def _(reference: Variant) -> None:
    multi_step = reference.module("multi_step")

    def executed(unread: Any) -> Any:
        read = reference.get(READ)
        steps = [multi_step.Step(read(step.files)[0], step.exception, step.min_reward) for step in unread]
        return steps[: multi_step.steps_run(steps)]

    reference.replace(EXECUTED, executed)


@mistake(
    "usage-of-planned-steps",
    says="steps that were not run any more count in tokens and cost",
    op="pipeline",
    clause="003-3.3-step-usage",
    why="The list of planned steps is at hand.",
    invited_by="iterating over the task's configuration",
)
def _(reference: Variant) -> None:
    def around(read_trial: Callable[..., Any]) -> Callable[..., Any]:
        def reading(trial: Any) -> Any:
            read = read_trial(trial)
            steps = trial.steps
            return read if steps is None else replace(read, step_results=[s.agent_result for s in steps])

        return reading

    reference.wrap(READ_TRIAL, around)


@mistake(
    "steps-mean-overflow-ends-the-job",
    says="steps whose mean raises OverflowError end the whole job",
    op="pipeline",
    clause="003-4.5-overflow",
    why="It is raised outside of what the trial guards.",
    invited_by="computing the rewards of steps with the job's result",
)
def _(reference: Variant) -> None:
    select = reference.get("multi_step.select_reward")
    reference.replace("pipeline._select", lambda strategy, executed: (select(strategy, executed), None))


@mistake(
    "steps-mean-overflow-unnoticed",
    says="a trial whose steps' mean raises OverflowError has no result and no error",
    op="pipeline",
    clause="003-4.5-overflow",
    why="A step's exception stays with the step, so nothing is looked for at the end.",
    invited_by="contextlib.suppress, Result::ok",
)
def _(reference: Variant) -> None:
    reference.wrap("pipeline._select", lambda select: lambda *steps: (select(*steps)[0], None))


@mistake(
    "unverified-trials-are-errors",
    says="a trial that was not verified and raised nothing is recorded as RewardFileNotFoundError",
    op="pipeline",
    clause="003-3.3-verification-off",
    why="A directory without a reward file looks the same.",
    invited_by="runners that read the trial directories afterwards",
)
def _(reference: Variant) -> None:
    reference.wrap(READ, lambda read: lambda files: read({} if files is None else files))
