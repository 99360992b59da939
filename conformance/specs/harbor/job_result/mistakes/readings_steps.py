"""What readers of the document alone understood of steps and files in a job: failures, and what is left."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    Trials,
    groups_from,
    pipeline_by,
    verified_as,
    with_line,
    with_stats,
)
from reference_impl import multi_step as multi_step_rules
from reference_impl.job_result import job_result
from reference_impl.pipeline import _executed, _read, _select, read_trial

in_read_trial = family("pipeline", of=read_trial, clause="003-4.5-executed-only")
in_select = family("pipeline", of=_select, clause="003-4.5-overflow")


@way("pipeline", clause="003-4.5-exception-stays-in-step")
def read_first(reference: Variant, change: Callable[[Trials, Trials], Trials]) -> None:
    """Changes the read trials of a job, given the unread ones and them."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        read = list(map(reference.its(read_trial), unread))
        return with_line(reference, reference.its(job_result)(job, change(unread, read)))

    pipeline_by(reference, answer)


@way("pipeline", clause="003-4.5-mean-is-default")
def unread_first(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Changes the unread trials of a job."""
    pipeline_by(reference, lambda original, job, unread: original(job, change(unread)))


@way("pipeline", clause="003-4.5-mean-is-default")
def asked(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the trials that are asked about, as they are asked."""
    reference.wrap_op(
        "pipeline", lambda answer: lambda given: answer({**given, "trials": change(given["trials"])})
    )


def _exceptions(reference: Variant, trial: Any) -> list[str]:
    """The exceptions of the steps that ran."""
    if trial.steps is None:
        return []
    return [s.exception for s in reference.its(_executed)(trial.steps) if s.exception is not None]


@read_first.made(clause="003-4.5-exception-stays-in-step", invited_by="statistics apart from counters")
def step_errors_counted(reference: Variant, unread: Trials, read: Trials) -> Trials:
    """A trial with an exception in a step is an errored one, under the last of its steps' exceptions.
    Each step's exception is assigned to the trial's."""
    return [
        replace(one, exception=_exceptions(reference, raw)[-1])
        if one.exception is None and _exceptions(reference, raw)
        else one
        for raw, one in zip(unread, read, strict=True)
    ]


@way("pipeline", clause="003-4.5-exception-stays-in-step")
def exceptions_listed(reference: Variant, change: Callable[[Trials, Trials], Trials]) -> None:
    """Has exception_stats, and nothing else, be that of other read trials."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        whole, line = original(job, unread)
        read = list(map(reference.its(read_trial), unread))
        other = reference.its(job_result)(replace(job, metrics={}), change(unread, read))
        return groups_from(whole, other, ("exception_stats",)), line

    pipeline_by(reference, answer)


@exceptions_listed.made(invited_by="statistics apart from counters")
def step_exceptions_listed(reference: Variant, unread: Trials, read: Trials) -> Trials:
    """exception_stats lists a trial under its first step's exception, though no counter counts it.
    A list of exceptions has every exception."""
    return [
        replace(one, exception=next(iter(_exceptions(reference, raw)), None))
        if one.exception is None
        else one
        for raw, one in zip(unread, read, strict=True)
    ]


@read_first.made(clause="003-3.3-n-cancelled", invited_by="cancellation goes through all levels")
def cancelled_step_cancels_trial(reference: Variant, unread: Trials, read: Trials) -> Trials:
    """A step that was cancelled makes its trial a cancelled one, while its other exceptions stay in it.
    Cancelling goes through all levels."""
    return [
        replace(one, exception="CancelledError")
        if one.exception is None and "CancelledError" in _exceptions(reference, raw)
        else one
        for raw, one in zip(unread, read, strict=True)
    ]


@unread_first.made(invited_by="a setting of the job")
def strategy_of_first_trial(unread: Trials) -> Trials:
    """The strategy of the first multi-step trial holds for all trials of the job.
    The strategy is taken for a setting of the job."""
    first = next((trial.strategy for trial in unread if trial.steps is not None), None)
    return [t if t.steps is None else replace(t, strategy=first) for t in unread]


@asked.made(invited_by="a variable that outlives its round")
def strategy_carried_over(trials: list[Any]) -> list[Any]:
    """A trial that names no strategy takes that of the multi-step trial before it.
    The variable keeps what it held."""
    made, before = [], None
    for trial in trials:
        if trial["steps"] is not None:
            before = trial["strategy"] or before
            trial = {**trial, "strategy": before}
        made.append(trial)
    return made


@asked.made(invited_by="a setting of the task, kept by its name")
def strategy_of_task(trials: list[Any]) -> list[Any]:
    """A trial that names no strategy takes the one that another trial of its task names.
    The strategy belongs to the task."""
    named = {t["task_name"]: t["strategy"] for t in trials if t["strategy"] is not None}
    return [
        {**t, "strategy": t["strategy"] or named.get(t["task_name"])} if t["steps"] is not None else t
        for t in trials
    ]


@unread_first.made(clause="003-4.5-gate-stops", invited_by="a table of tasks and the steps they reached")
def stop_holds_for_task(reference: Variant, unread: Trials) -> Trials:
    """Once a trial was stopped, later trials of its task run no step behind that place.
    The stop is kept with the task."""
    limits: dict[str, int] = {}
    made = []
    for trial in unread:
        if trial.steps is not None:
            trial = replace(trial, steps=trial.steps[: limits.get(trial.task_name, len(trial.steps))])
            count = len(reference.its(_executed)(trial.steps))
            if count < len(trial.steps):
                limits[trial.task_name] = count
        made.append(trial)
    return made


@unread_first.made(clause="003-4.5-gate-stops", invited_by="a flag that is not set back")
def stop_holds_for_job(reference: Variant, unread: Trials) -> Trials:
    """Once a trial was stopped, later multi-step trials run their first step alone.
    The flag is not set back."""
    stopped, made = False, []
    for trial in unread:
        if trial.steps is not None:
            if stopped:
                trial = replace(trial, steps=trial.steps[:1])
            stopped = stopped or len(reference.its(_executed)(trial.steps)) < len(trial.steps)
        made.append(trial)
    return made


@unread_first.made(clause="003-4.5-gate-stops", invited_by="final takes the last step anyway")
def gates_with_mean_only(unread: Trials) -> Trials:
    """In a job minimums are judged with the strategy mean only. Final takes the last step of all."""
    return [
        t
        if t.steps is None or t.strategy.value == "mean"
        else replace(t, steps=[replace(s, min_reward=None) for s in t.steps])
        for t in unread
    ]


@unread_first.made(clause="003-4.5-gate-stops", invited_by="final needs a last step worth taking")
def gates_with_final_only(unread: Trials) -> Trials:
    """In a job minimums are judged with the strategy final only. A mean is made of all steps."""
    return [
        t
        if t.steps is None or t.strategy.value == "final"
        else replace(t, steps=[replace(s, min_reward=None) for s in t.steps])
        for t in unread
    ]


@unread_first.made(clause="003-4.5-gate-stops", invited_by="the last step has nothing behind it")
def first_gate_for_all_steps(unread: Trials) -> Trials:
    """A step without a minimum takes that of the step before it in a job. The variable keeps what it held."""
    made = []
    for trial in unread:
        if trial.steps is not None:
            steps, before = [], None
            for step in trial.steps:
                before = step.min_reward if step.min_reward is not None else before
                steps.append(replace(step, min_reward=before))
            trial = replace(trial, steps=steps)
        made.append(trial)
    return made


@way("pipeline", clause="003-4.5-exception-stops")
def read_steps(
    reference: Variant, change: Callable[[Any, Any, str | None, list[Any]], tuple[Any, Any]]
) -> None:
    """Changes a step's result and exception, given it, what was read, what that raised, those before."""

    def executed(unread: Any) -> Any:
        module, read = reference.its(multi_step_rules), reference.its(_read)
        steps: list[Any] = []
        for step in unread:
            result, error = read(step.files)
            result, exception = change(step, result, error, steps)
            steps.append(module.Step(result, exception, step.min_reward))
        return steps[: module.steps_run(steps)]

    reference.replace(_executed, executed)


@read_steps.made(invited_by="None contributes 0")
def unreadable_step_is_zero(
    reference: Variant, step: Any, result: Any, error: str | None, before: list[Any]
) -> Any:
    """A step whose reward files cannot be read counts as a result without rewards, and the steps go on.
    What has no rewards counts 0."""
    return (result if error is None else verified_as(reference, None)), step.exception


@read_steps.made(invited_by="a trial that has a result is not lost any more")
def unreadable_step_ends_before_first_result(
    step: Any, result: Any, error: str | None, before: list[Any]
) -> Any:
    """A step whose reward files cannot be read ends nothing where an earlier step has a result.
    The trial has something to go on with."""
    earlier = any(one.verifier_result is not None for one in before)
    return result, step.exception or (None if earlier else error)


@read_steps.made(clause="003-4.5-exception-with-result", invited_by="no file, no failure")
def step_without_file_unverified(step: Any, result: Any, error: str | None, before: list[Any]) -> Any:
    """A step whose verifier left no file is one without a result, and the steps go on.
    Only a broken file is an error."""
    return result, step.exception or (None if error == "RewardFileNotFoundError" else error)


@read_steps.made(invited_by="no files means that something went wrong")
def unverified_step_ends(step: Any, result: Any, error: str | None, before: list[Any]) -> Any:
    """A step whose verifier did not run ends the steps, though nothing was raised.
    No reward file is RewardFileNotFoundError."""
    return result, step.exception or error or ("RewardFileNotFoundError" if step.files is None else None)


@read_first.made(invited_by="verification is what the trial waits for")
def unreadable_step_is_trials_error(reference: Variant, unread: Trials, read: Trials) -> Trials:
    """Reward files of a step that cannot be read make the trial an errored one.
    It is the reading of the reward that failed."""
    made = []
    for raw, one in zip(unread, read, strict=True):
        executed = reference.its(_executed)(raw.steps) if raw.steps else []
        errors = [
            error
            for step, _ in zip(raw.steps or [], executed, strict=False)
            if step.exception is None and (error := reference.its(_read)(step.files)[1]) is not None
        ]
        made.append(replace(one, exception=errors[0]) if errors and one.exception is None else one)
    return made


@in_read_trial.wrapped(clause="003-3.3-n-errors", invited_by="an early return for trials that raised")
def exception_drops_steps(read: Callable[..., Any], trial: Any) -> Any:
    """A multi-step trial with an exception of its own has no result, and its steps' usage stays.
    The trial did not come to the selection."""
    got = read(trial)
    return (
        replace(got, verifier_result=None) if trial.steps is not None and trial.exception is not None else got
    )


@in_read_trial.wrapped(clause="003-3.3-n-errors", invited_by="an early return for trials that raised")
def exception_runs_no_steps(read: Callable[..., Any], trial: Any) -> Any:
    """A multi-step trial with an exception of its own has no result, and no step of it counts.
    The exception is thought to have come first."""
    if trial.steps is not None and trial.exception is not None:
        return replace(read(trial), verifier_result=None, step_results=None)
    return read(trial)


@in_read_trial.wrapped(clause="003-3.3-n-cancelled", invited_by="cancelled before it was verified")
def cancelled_keeps_no_reward(read: Callable[..., Any], trial: Any) -> Any:
    """A cancelled trial keeps no reward, and other errored trials keep theirs.
    It was cancelled before it was verified."""
    got = read(trial)
    return replace(got, verifier_result=None) if trial.exception == "CancelledError" else got


@in_read_trial.wrapped(clause="003-3.3-first-exception", invited_by="the exception is assigned again")
def reading_error_recorded_last(read: Callable[..., Any], trial: Any) -> Any:
    """Unreadable reward files of a single-step trial replace the exception that it had recorded.
    The field is assigned again."""
    if trial.steps is not None:
        return read(trial)
    later = read(replace(trial, exception=None))
    return later if later.exception is not None else read(trial)


@in_read_trial.wrapped(clause="003-3.3-first-exception", invited_by="the exception is assigned again")
def selection_error_recorded_last(read: Callable[..., Any], trial: Any) -> Any:
    """An overflowing mean of steps replaces the exception that the trial had recorded.
    The field is assigned again."""
    if trial.steps is None:
        return read(trial)
    later = read(replace(trial, exception=None))
    return later if later.exception is not None else read(trial)


@in_read_trial.wrapped(clause="003-3.3-verification-off", invited_by="no reward file found")
def null_files_are_missing_files(reference: Variant, read: Callable[..., Any], trial: Any) -> Any:
    """A single-step trial that was not verified, and raised nothing, has RewardFileNotFoundError.
    There is no reward file."""
    if trial.steps is None and trial.files is None:
        return read(replace(trial, files={}))
    return read(trial)


@in_read_trial.wrapped(clause="003-3.3-exception-stats", invited_by="no file, no result")
def no_files_is_unverified(read: Callable[..., Any], trial: Any) -> Any:
    """A trial whose verifier left no file is unverified, without an exception. Nothing was there to read."""
    return read(replace(trial, files=None) if trial.files == {} else trial)


@in_read_trial.wrapped(clause="003-4.5-zero-steps", invited_by="`if trial.steps:`")
def empty_steps_are_single_step(read: Callable[..., Any], trial: Any) -> Any:
    """A trial with an empty list of steps is one without a reward file: RewardFileNotFoundError.
    An empty list is false."""
    return read(replace(trial, steps=None, files={}) if trial.steps == [] else trial)


@way("pipeline", clause="003-4.5-mean-per-key")
def steps_measured(reference: Variant, names: tuple[str, ...]) -> None:
    """Has parts of groups be made of the steps in place of the trials."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        whole, _ = original(job, unread)
        trials: Trials = []
        for raw in unread:
            read = reference.its(read_trial)(raw)
            if raw.steps is None:
                trials.append(read)
            else:
                trials += [
                    replace(read, verifier_result=step.verifier_result)
                    for step in reference.its(_executed)(raw.steps)
                    if step.verifier_result is not None
                ] or [read]
        metrics = job.metrics if "metrics" in names else {}
        other = reference.its(job_result)(replace(job, metrics=metrics), trials)
        return with_line(reference, groups_from(whole, other, names, []))

    pipeline_by(reference, answer)


@family("pipeline", clause="003-4.5-mean-per-key", invited_by="one flat list of verifier results").changed()
def steps_are_samples(reference: Variant) -> None:
    """Each verified step of a multi-step trial is a sample of its own in the metrics.
    Verifier results are gathered in one list."""
    steps_measured(reference, ("metrics",))


@family("pipeline", clause="003-3.3-reward-stats", invited_by="one flat list of verifier results").changed()
def steps_are_listed(reference: Variant) -> None:
    """reward_stats lists a multi-step trial under the reward of each of its verified steps.
    Verifier results are gathered in one list."""
    steps_measured(reference, ("reward_stats",))


@family("pipeline", clause="003-3.3-n-trials", invited_by="one flat list of verifier results").changed()
def steps_are_counted(reference: Variant) -> None:
    """n_trials counts the verified steps of multi-step trials. Verifier results are counted."""
    steps_measured(reference, ("n_trials",))


@in_select.wrapped(clause="003-4.5-final-no-result", invited_by="a fallback to the default strategy")
def final_falls_back_to_mean(
    reference: Variant, select: Callable[..., Any], strategy: Any, executed: Any
) -> Any:
    """Where the strategy final finds no result the mean of the steps is taken. The mean is the default."""
    got = select(strategy, executed)
    if got == (None, None):
        return select(reference.its(multi_step_rules.Strategy).MEAN, executed)
    return got


@in_select.wrapped(clause="003-4.5-no-keys-null", invited_by="{} and None taken for one")
def keyless_mean_is_verified(
    reference: Variant, select: Callable[..., Any], strategy: Any, executed: Any
) -> Any:
    """In a job a multi-step trial whose steps' results hold no key is verified, with an empty object.
    The mean of nothing by key is empty."""
    got = select(strategy, executed)
    if got == (None, None) and strategy.value == "mean" and any(s.verifier_result for s in executed):
        return verified_as(reference, {}), None
    return got


@in_select.wrapped(invited_by="except OverflowError: continue")
def overflowing_key_left_out(
    reference: Variant, select: Callable[..., Any], strategy: Any, executed: Any
) -> Any:
    """A key whose mean overflows is left out of the trial's rewards, and the others stay.
    Each key is worked out apart."""
    got = select(strategy, executed)
    if got[1] is None:
        return got
    measured = [s.verifier_result.rewards or {} for s in executed if s.verifier_result is not None]
    means = {}
    for key in dict.fromkeys(key for rewards in measured for key in rewards):
        with contextlib.suppress(OverflowError):
            means[key] = reference.its(multi_step_rules).mean([r.get(key, 0) for r in measured])
    return (verified_as(reference, means) if means else None), None


@in_select.wrapped(invited_by="the last good value")
def overflow_takes_last_step(
    reference: Variant, select: Callable[..., Any], strategy: Any, executed: Any
) -> Any:
    """Where the mean of the steps overflows the last step's result is taken. It is a result at least."""
    got = select(strategy, executed)
    return got if got[1] is None else select(reference.its(multi_step_rules.Strategy).FINAL, executed)


@read_first.made(clause="003-3.3-group-merges", invited_by="a cache by name")
def result_kept_by_name(unread: Trials, read: Trials) -> Trials:
    """Trials of one task that share a name share the first one's result. Results are kept by name."""
    kept: dict[Any, Any] = {}
    for one in read:
        kept.setdefault((one.task_name, one.trial_name), one.verifier_result)
    return [replace(one, verifier_result=kept[one.task_name, one.trial_name]) for one in read]


@read_first.made(clause="003-4.5-exception-stays-in-step", invited_by="a variable that outlives its round")
def exception_carried_to_unverified(unread: Trials, read: Trials) -> Trials:
    """A trial that has no result and no exception takes the exception of the trial before it.
    The variable keeps what it held."""
    made, before = [], None
    for one in read:
        if one.verifier_result is None and one.exception is None and before is not None:
            one = replace(one, exception=before)
        before = one.exception
        made.append(one)
    return made


@read_first.made(clause="003-3.3-unverified-counts-zero", invited_by="a variable that outlives its round")
def result_carried_to_unverified(unread: Trials, read: Trials) -> Trials:
    """A multi-step trial without a result takes that of the trial before it.
    The variable keeps what it held."""
    made: Trials = []
    for one in read:
        if one.step_results is not None and one.verifier_result is None and made:
            one = replace(one, verifier_result=made[-1].verifier_result)
        made.append(one)
    return made


@way("pipeline", clause="003-4.5-gate-stops")
def stopped_counted(reference: Variant, change: Callable[[dict[str, Any], int], dict[str, Any]]) -> None:
    """Changes counters by the number of trials that were stopped before their last step."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        whole, _ = original(job, unread)
        executed = reference.its(_executed)
        stopped = sum(t.steps is not None and len(executed(t.steps)) < len(t.steps) for t in unread)
        return with_line(reference, with_stats(whole, lambda stats: {**stats, **change(stats, stopped)}))

    pipeline_by(reference, answer)


@stopped_counted.made(invited_by="the words")
def stopped_not_completed(stats: dict[str, Any], stopped: int) -> dict[str, Any]:
    """A multi-step trial that was stopped before its last step is not counted as completed.
    It did not come to its end."""
    return {"n_completed_trials": stats["n_completed_trials"] - stopped}


@stopped_counted.made(invited_by="a minimum that is missed is an error")
def stopped_is_errored(stats: dict[str, Any], stopped: int) -> dict[str, Any]:
    """A multi-step trial that was stopped before its last step counts in n_errored_trials besides.
    It was aborted."""
    return {"n_errored_trials": stats["n_errored_trials"] + stopped}


@in_read_trial.wrapped(clause="003-4.5-gate-stops", invited_by="a minimum that is missed means no reward")
def stopped_has_no_result(reference: Variant, read: Callable[..., Any], trial: Any) -> Any:
    """In a job a multi-step trial that was stopped before its last step has no result. It was aborted."""
    got = read(trial)
    if trial.steps is not None and len(reference.its(_executed)(trial.steps)) < len(trial.steps):
        return replace(got, verifier_result=None)
    return got
