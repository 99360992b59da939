"""Mistakes on the way from reward files to a job's result: what failing trials and steps leave behind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from reference_impl import multi_step as multi_step_rules
from reference_impl import reward, verifier_result
from reference_impl.pipeline import _executed, _read, _select, read_trial

mistakes = family("pipeline", clause="003-3.3-n-errors")
in_read = family("pipeline", of=_read, clause="003-3.3-exception-stats")
in_read_trial = family("pipeline", of=read_trial)
in_executed = family("pipeline", of=_executed)
in_select = family("pipeline", of=_select, clause="003-4.5-overflow")


@family("pipeline", clause="003-3.3-exception-stats").each(
    Case(
        "library-exception-recorded",
        "the JSON library's own exception is recorded for a reward file that cannot be parsed",
        "The cause is recorded in place of what wraps it.",
        "error chains: __cause__, Rust's source(), Java's getCause, Go's errors.Unwrap",
        {"VerifierOutputParseError": "JSONDecodeError"},
    ),
    Case(
        "validation-recorded-as-parse-error",
        "values that are no numbers are recorded as VerifierOutputParseError",
        "Reading and checking are one step in a typed reader.",
        "serde, encoding/json into a struct, Jackson",
        {"ValidationError": "VerifierOutputParseError"},
    ),
    Case(
        "deep-nesting-recorded-as-parse-error",
        "a reward.json that is nested too deeply is recorded as VerifierOutputParseError",
        "The parser has a limit of its own and reports it like any other error.",
        "serde_json, Jackson, System.Text.Json, encoding/json; except Exception",
        {"RecursionError": "VerifierOutputParseError"},
    ),
    Case(
        "empty-recorded-as-missing",
        "an empty reward file is recorded as RewardFileNotFoundError",
        "No content and no file are the same to a helper that returns a text.",
        "test -s in shell, helpers that return '' for a missing file",
        {"RewardFileEmptyError": "RewardFileNotFoundError"},
    ),
)
def renamed(reference: Variant, names: dict[str, str]) -> None:
    """Has exceptions that reading raises recorded under other names."""

    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(files: Any) -> Any:
            result, error = read(files)
            return result, names.get(error, error)

        return reading

    reference.wrap(_read, around)


def read_as_zero(reference: Variant, errors: frozenset[str]) -> None:
    """Has a reward of 0.0 stand for files that cannot be read."""
    result_type = reference.get(verifier_result.VerifierResult)

    def around(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(files: Any) -> Any:
            result, error = read(files)
            return (result_type({"reward": 0.0}), None) if error in errors else (result, error)

        return reading

    reference.wrap(_read, around)


@mistakes.changed(invited_by="shell scripts with a default, `cat reward.txt || echo 0`")
def missing_reward_is_zero(reference: Variant) -> None:
    """A trial without a reward file has a reward of 0.0 and no error. No reward is no success."""
    read_as_zero(reference, frozenset({"RewardFileNotFoundError", "RewardFileEmptyError"}))


@mistakes.changed(invited_by="except Exception: reward = 0.0; unwrap_or(0.0)")
def unreadable_reward_is_zero(reference: Variant) -> None:
    """A trial whose reward file cannot be read has a reward of 0.0 and no error.
    Whatever goes wrong counts as a failure."""
    errors = "RewardFileNotFoundError RewardFileEmptyError VerifierOutputParseError ValidationError"
    read_as_zero(reference, frozenset({*errors.split(), "RecursionError"}))


@in_read.wrapped(clause="003-3.3-n-errors", invited_by="Optional results, Result::ok, contextlib.suppress")
def unreadable_reward_not_an_error(read: Callable[..., Any], files: Any) -> Any:
    """A trial whose reward file cannot be read is unverified, without an error.
    The fault is the verifier's, and the agent's run went well."""
    return (read(files)[0], None)


@in_read.replaced(invited_by="the ? operator, throwing out of a loop, set -e")
def unreadable_reward_ends_the_job(reference: Variant, files: Any) -> Any:
    """A reward file that cannot be read ends the whole job. The exception is not caught, trial by trial."""
    result_type = reference.its(verifier_result.VerifierResult)
    parse_reward = reference.its(reward.parse_reward)
    return (None if files is None else result_type(parse_reward(files)), None)


@in_read.wrapped(invited_by="except VerifierError, parsers that overflow the stack")
def deep_nesting_ends_the_job(reference: Variant, read: Callable[..., Any], files: Any) -> Any:
    """A reward.json that is nested too deeply ends the whole job.
    Only the errors of reward files are expected there."""
    parse_reward = reference.its(reward.parse_reward)
    result, error = read(files)
    if error == "RecursionError":
        parse_reward(files)
    return result, error


@in_read_trial.wrapped(
    clause="003-3.3-first-exception", invited_by="finally blocks, self.error = e in each phase"
)
def last_exception_recorded(read_trial: Callable[..., Any], trial: Any) -> Any:
    """An exception of the verifier replaces the one that the trial ended in before.
    The field is assigned again."""
    later = read_trial(replace(trial, exception=None)).exception
    return replace(read_trial(trial), exception=later or trial.exception)


@in_read_trial.wrapped(clause="003-3.3-verifier-after-agent", invited_by="early returns, the ? operator")
def no_reading_after_an_exception(read_trial: Callable[..., Any], trial: Any) -> Any:
    """The reward files of a trial that ended in an exception are not read.
    There is nothing more to do for it."""
    return read_trial(trial if trial.exception is None else replace(trial, files=None))


@in_read_trial.wrapped(clause="003-4.5-exception-stays-in-step", invited_by="exceptions that propagate")
def step_exception_is_the_trials(reference: Variant, read_trial: Callable[..., Any], trial: Any) -> Any:
    """The first exception of a step is recorded as the trial's.
    An error inside a trial is an error of the trial."""
    read = read_trial(trial)
    if read.exception is not None or trial.steps is None:
        return read
    executed = reference.get(_executed)(trial.steps)
    return replace(read, exception=next((s.exception for s in executed if s.exception), None))


@in_executed.wrapped(clause="003-4.5-exception-with-result", invited_by="early returns, the ? operator")
def steps_verified_only_without_exception(executed: Callable[..., Any], unread: Any) -> Any:
    """The reward files of a step that raised are not read. There is nothing more to do for it."""
    return executed([step if step.exception is None else replace(step, files=None) for step in unread])


@in_executed.replaced(
    clause="003-4.5-exception-stops", invited_by="reading rewards after the loop over the steps"
)
def step_reading_error_ignored(reference: Variant, unread: Any) -> Any:
    """A step whose reward file cannot be read does not end the steps.
    Only what the agent raises is taken for the step's exception."""
    multi_step = reference.its(multi_step_rules)
    read = reference.get(_read)
    steps = [multi_step.Step(read(step.files)[0], step.exception, step.min_reward) for step in unread]
    return steps[: multi_step.steps_run(steps)]


@in_read_trial.wrapped(clause="003-3.3-step-usage", invited_by="iterating over the task's configuration")
def usage_of_planned_steps(read_trial: Callable[..., Any], trial: Any) -> Any:
    """Steps that were not run any more count in tokens and cost. The list of planned steps is at hand."""
    read = read_trial(trial)
    steps = trial.steps
    return read if steps is None else replace(read, step_results=[s.agent_result for s in steps])


@in_select.replaced(invited_by="computing the rewards of steps with the job's result")
def steps_mean_overflow_ends_the_job(reference: Variant, strategy: Any, executed: Any) -> Any:
    """Steps whose mean raises OverflowError end the whole job.
    It is raised outside of what the trial guards."""
    select = reference.its(multi_step_rules.select_reward)
    return (select(strategy, executed), None)


@in_select.wrapped(invited_by="contextlib.suppress, Result::ok")
def steps_mean_overflow_unnoticed(select: Callable[..., Any], *steps: Any) -> Any:
    """A trial whose steps' mean raises OverflowError has no result and no error.
    A step's exception stays with the step, so nothing is looked for at the end."""
    return (select(*steps)[0], None)


@in_read.wrapped(
    clause="003-3.3-verification-off", invited_by="runners that read the trial directories afterwards"
)
def unverified_trials_are_errors(read: Callable[..., Any], files: Any) -> Any:
    """A trial that was not verified and raised nothing is recorded as RewardFileNotFoundError.
    A directory without a reward file looks the same."""
    return read({} if files is None else files)
