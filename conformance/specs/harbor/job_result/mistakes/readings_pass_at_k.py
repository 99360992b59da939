"""What readers of the document alone understood of pass@k in a job: which trials, tasks and limits count."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    Trials,
    answered_by,
    by_key,
    groups_from,
    json_object,
    members,
    parts_over,
    pipeline_by,
    rewards_of,
    verified_as,
    with_groups,
)
from reference_impl.job_result import job_result
from reference_impl.multi_step import _ends_trial
from reference_impl.pass_at_k import GradedTrial, _success, eligible_k_values, pass_at_k, pass_at_k_for_task
from reference_impl.pipeline import _executed, read_trial

Groups = dict[str, Trials]
Values = dict[str, dict[str, Any]]
PASS_AT_K = ("pass_at_k",)


@way("job_result", clause="003-4.1-any-trial-whole-group")
def estimated_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has pass@k, and nothing else, be that of other trials."""
    parts_over(reference, change, PASS_AT_K)


@way("job_result", clause="003-4-per-evals-group")
def estimates(reference: Variant, change: Callable[[Any, Groups, Values], dict[str, Any]]) -> None:
    """Changes the groups' pass@k: ``change`` is given the job, each group's trials and its pass@k."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        whole = original(job, trials)
        evals = members(members(whole.tree)["stats"])["evals"].members
        values = {key: members(members(group)["pass_at_k"]) for key, group in evals}
        changed = change(job, by_key(reference, trials), values)

        def stored(key: str, group: dict[str, Any]) -> dict[str, Any]:
            given = changed.get(key, {})
            return {**group, "pass_at_k": given if given is None else json_object(reference, given)}

        return with_groups(whole, stored)

    answered_by(reference, answer)


@way("pipeline", clause="003-4.5-mean-per-key")
def estimated_over_unread(reference: Variant, change: Callable[[Any, Any], list[Any]]) -> None:
    """Has pass@k, and nothing else, be that of what ``change`` makes of an unread and the read trial."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        whole, line = original(job, unread)
        read = reference.its(read_trial)
        trials = [one for trial in unread for one in change(trial, read(trial))]
        other = reference.its(job_result)(replace(job, metrics={}), trials)
        return groups_from(whole, other, PASS_AT_K), line

    pipeline_by(reference, answer)


def _judged(reference: Variant, trials: Trials) -> dict[str, list[bool]] | None:
    """The successes of each task; None where the group is not eligible."""
    tasks: dict[str, list[bool]] = {}
    for trial in trials:
        success = reference.its(_success)(rewards_of(trial))
        if success is None:
            return None
        tasks.setdefault(trial.task_name, []).append(success)
    return tasks


def _estimate(reference: Variant, successes: list[bool], k: int) -> float:
    """A task's estimate, also where it has fewer than k attempts."""
    n, c = len(successes), sum(successes)
    return 1.0 if n - c < k else float(reference.its(pass_at_k_for_task)(n, c, k))


def _of_task_name(trial: Any, task: str) -> Any:
    return replace(trial, task_name=task)


@estimates.made(clause="003-4-per-evals-group", invited_by="`return {}` inside compute_pass_at_k_by_evals")
def first_ineligible_group_ends_all(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """One ineligible group takes pass@k from every group of the job.
    The document's return stands in a function that answers for all of them."""
    return {} if any(_judged(reference, trials) is None for trials in groups.values()) else values


@estimates.made(invited_by="break where continue is meant, an early return from the loop over groups")
def groups_behind_ineligible_lost(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """The first ineligible group ends the loop over groups: those behind it have no pass@k.
    The return is taken for that of the loop."""
    kept = {}
    for key, trials in groups.items():
        if _judged(reference, trials) is None:
            break
        kept[key] = values[key]
    return kept


@estimates.made(clause="003-4.2-min-over-tasks", invited_by="one table of attempts for the job")
def limit_of_k_over_job(_: Any, groups: Groups, values: Values) -> Any:
    """The smallest number of attempts is taken over the tasks of all groups of the job.
    The minimum is named without its group."""
    counts: dict[tuple[str, str], int] = {}
    for key, trials in groups.items():
        for trial in trials:
            counts[key, trial.task_name] = counts.get((key, trial.task_name), 0) + 1
    limit = min(counts.values(), default=0)
    return {key: {k: one for k, one in each.items() if int(k) <= limit} for key, each in values.items()}


@estimates.made(clause="003-4.3-own-n", invited_by="a table of successes that outlives its group")
def tasks_shared_by_groups(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """A task that occurs in several groups is estimated in each with its attempts of all of them.
    Successes are kept by task name alone."""
    compute, graded = reference.its(pass_at_k), reference.its(GradedTrial)
    shared = {}
    for key, trials in groups.items():
        names = {trial.task_name for trial in trials}
        others = [t for k, each in groups.items() if k != key for t in each if t.task_name in names]
        every = [graded(t.task_name, rewards_of(t)) for t in [*trials, *others]]
        shared[key] = {str(k): value for k, value in compute(every).items()}
    return shared


@estimated_over.made(clause="003-4.3-task-by-name", invited_by="trial_name.split('__')[0]")
def task_from_trial_name(trials: Trials) -> Trials:
    """A trial's task is what stands before the first two underscores of the trial's name.
    Names of trials are made so, with the task's name in front."""
    return [_of_task_name(trial, trial.trial_name.split("__")[0]) for trial in trials]


@estimates.made(clause="003-4.2-min-over-tasks", invited_by="n_attempts from the configuration")
def limit_of_k_from_plan(reference: Variant, job: Any, groups: Groups, values: Values) -> Any:
    """The limit of k is n_total_trials divided by the number of tasks in the job.
    Every task is tried as often as was asked for."""
    tasks = {(key, trial.task_name) for key, trials in groups.items() for trial in trials}
    limit = min(job.n_total_trials // max(len(tasks), 1), 1000)
    made = {}
    for key, trials in groups.items():
        judged = _judged(reference, trials) or {}
        made[key] = {
            str(k): reference.module_of(pass_at_k).mean(
                [_estimate(reference, one, k) for one in judged.values()]
            )
            for k in (reference.its(eligible_k_values)(limit) if judged else [])
        }
    return made


@way("job_result", clause="003-4.1-reward-source")
def reward_for_estimate(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Changes the rewards of a trial for pass@k alone, given the trial and its rewards."""

    def changed(trials: Trials) -> Trials:
        return [
            replace(one, verifier_result=verified_as(reference, change(one, rewards_of(one))))
            for one in trials
        ]

    parts_over(reference, changed, PASS_AT_K)


@reward_for_estimate.made(invited_by="`success = exception is None and reward == 1`")
def errored_is_failed_attempt(trial: Any, rewards: Any) -> Any:
    """A trial with an exception is a failed attempt in pass@k, whatever its rewards.
    A trial that ended in an error has not passed."""
    return rewards if trial.exception is None else None


@estimated_over.made(clause="003-4.1-none-is-failure", invited_by="filters on the trial's state")
def errored_is_no_attempt(trials: Trials) -> Trials:
    """A trial with an exception is no attempt in pass@k. The trial did not take place as planned."""
    return [trial for trial in trials if trial.exception is None]


@estimated_over.made(clause="003-4.1-none-is-failure", invited_by="test runners with skipped tests")
def cancelled_is_no_attempt(trials: Trials) -> Trials:
    """A cancelled trial is no attempt in pass@k, though it counts in the metrics.
    Nobody let it try to its end."""
    return [trial for trial in trials if trial.exception != "CancelledError"]


@reward_for_estimate.made(clause="003-4.1-none-is-failure", invited_by="passed, failed, unknown")
def cancelled_makes_ineligible(trial: Any, rewards: Any) -> Any:
    """A cancelled trial without rewards makes its group ineligible for pass@k.
    What was cancelled neither passed nor failed."""
    return {} if trial.exception == "CancelledError" and rewards is None else rewards


@estimates.made(clause="003-4.1-none-is-failure", invited_by="dict of trials by name")
def attempts_by_trial_name(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """Trials of a group that share a name are one attempt in pass@k, the last of them.
    Trials are kept by name."""
    compute, graded = reference.its(pass_at_k), reference.its(GradedTrial)
    return {
        key: {
            str(k): value
            for k, value in compute(
                [
                    graded(t.task_name, rewards_of(t))
                    for t in {trial.trial_name: trial for trial in trials}.values()
                ]
            ).items()
        }
        for key, trials in groups.items()
    }


@reward_for_estimate.made(clause="003-4.1-one-key", invited_by="rewards.get('reward')")
def only_key_reward_judged(_: Any, rewards: Any) -> Any:
    """In a job pass@k judges the key reward where there is one, and other keys beside it play no part.
    reward is the key that the document names."""
    return {"reward": rewards["reward"]} if rewards and "reward" in rewards else rewards


@estimates.made(clause="003-4.1-key-name-free", invited_by="the union of reward keys of §3.2")
def keys_of_group_must_agree(_: Any, groups: Groups, values: Values) -> Any:
    """A group whose trials use different reward keys has no pass@k, though each trial has one key.
    One key is asked of the group, as for its metrics."""
    return {
        key: each if len({k for t in groups[key] for k in rewards_of(t) or {}}) <= 1 else {}
        for key, each in values.items()
    }


@estimated_over_unread.made(invited_by="a step called an attempt")
def steps_are_attempts(reference: Variant, unread: Any, read: Any) -> list[Any]:
    """The steps that ran of a multi-step trial are its attempts in pass@k.
    A step is verified like a trial."""
    if unread.steps is None:
        return [read]
    executed = reference.its(_executed)(unread.steps)
    return [replace(read, verifier_result=step.verifier_result) for step in executed]


@reward_for_estimate.made(invited_by="the heading of §4.5: separate from pass@k")
def multi_step_makes_ineligible(trial: Any, rewards: Any) -> Any:
    """A multi-step trial makes its group ineligible for pass@k.
    Steps and pass@k are said to be separate."""
    return rewards if trial.step_results is None else {}


@estimated_over.made(invited_by="the heading of §4.5: separate from pass@k", clause="003-4.1-reward-source")
def multi_step_is_no_attempt(trials: Trials) -> Trials:
    """A multi-step trial is no attempt in pass@k. Steps and pass@k are said to be separate."""
    return [trial for trial in trials if trial.step_results is None]


@estimated_over_unread.made(invited_by="all(step.passed for step in steps)")
def all_steps_must_pass(reference: Variant, unread: Any, read: Any) -> list[Any]:
    """A multi-step trial passes in pass@k where each step that ran gave a single 1, and else fails.
    Its mean is a fraction, which would leave nothing."""
    if unread.steps is None:
        return [read]
    success = reference.its(_success)
    executed = reference.its(_executed)(unread.steps)
    passed = [s.verifier_result is not None and bool(success(s.verifier_result.rewards)) for s in executed]
    return [
        replace(read, verifier_result=verified_as(reference, {"reward": int(bool(passed) and all(passed))}))
    ]


@estimated_over_unread.made(clause="003-4.5-gate-stops", invited_by="a minimum that is missed means failed")
def stopped_by_gate_is_failure(reference: Variant, unread: Any, read: Any) -> list[Any]:
    """A multi-step trial that a minimum has stopped is a failed attempt in pass@k.
    It has not reached what was asked for."""
    executed = reference.its(_executed)(unread.steps) if unread.steps else []
    if not executed or not reference.its(_ends_trial)(replace(executed[-1], exception=None)):
        return [read]
    return [replace(read, verifier_result=None)]


@estimates.made(clause="003-3.3-evals-key-collision", invited_by="a dict from the triple to its trials")
def colliding_estimates_overwrite(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """Where triples of agent, model and dataset give one key, its pass@k is that of the last of them alone.
    The triple is the group, and the key its name."""
    made = {}
    for key, trials in groups.items():
        triples: dict[Any, Trials] = {}
        for trial in trials:
            triples.setdefault((trial.agent, trial.model or None, trial.source or "adhoc"), []).append(trial)
        last = list(triples.values())[-1]
        graded = [reference.its(GradedTrial)(t.task_name, rewards_of(t)) for t in last]
        made[key] = {str(k): value for k, value in reference.its(pass_at_k)(graded).items()}
    return made


@estimated_over.made(clause="003-4.3-task-by-name", invited_by="a task's identity is dataset and name")
def tasks_apart_by_dataset(trials: Trials) -> Trials:
    """In one group tasks of one name and different datasets are two tasks.
    A task belongs to its dataset."""
    return [_of_task_name(trial, f"{trial.source or 'adhoc'}\0{trial.task_name}") for trial in trials]


@estimates.made(clause="003-4.3-mean-division", invited_by="the number of tasks of the job")
def divided_by_tasks_of_job(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """The sum of a group's estimates is divided by the number of tasks of the whole job.
    len(tasks) does not say whose tasks."""
    every = {trial.task_name for trials in groups.values() for trial in trials}
    made = {}
    for key, each in values.items():
        judged = _judged(reference, groups[key]) or {}
        missing = [0.0] * (len(every) - len(judged))
        made[key] = {
            k: reference.module_of(pass_at_k).mean(
                [*(_estimate(reference, one, int(k)) for one in judged.values()), *missing]
            )
            for k in each
        }
    return made


@estimates.made(invited_by="leaderboards of agents")
def estimated_over_all_models(reference: Variant, _: Any, groups: Groups, values: Values) -> Any:
    """pass@k is worked out per agent and dataset, over all models, and stored in each of their groups.
    The model is left out where there is none."""
    made = {}
    for key, trials in groups.items():
        own = {(t.agent, t.source or "adhoc") for t in trials}
        every = [t for each in groups.values() for t in each if (t.agent, t.source or "adhoc") in own]
        graded = [reference.its(GradedTrial)(t.task_name, rewards_of(t)) for t in every]
        made[key] = {str(k): value for k, value in reference.its(pass_at_k)(graded).items()}
    return made


@estimates.made(clause="003-4.2-ascending-order", invited_by="JSON objects with sorted keys")
def estimates_in_order_of_text(_: Any, groups: Groups, values: Values) -> Any:
    """In a job's file the values of k stand in the order of their texts, 10 before 2.
    The keys of a JSON object are texts, and are sorted."""
    return {key: dict(sorted(each.items())) for key, each in values.items()}


@estimates.made(clause="003-4.2-min-over-tasks", invited_by="n_total_trials as the number that is due")
def pending_are_failed_attempts(reference: Variant, job: Any, groups: Groups, values: Values) -> Any:
    """Trials that were planned and have not ended are failed attempts at the task of the last trial.
    Every planned attempt counts."""
    made = dict(values)
    count = sum(map(len, groups.values()))
    if groups and job.n_total_trials > count:
        last = next(reversed(groups))
        graded = reference.its(GradedTrial)
        trials = [graded(t.task_name, rewards_of(t)) for t in groups[last]]
        trials += [graded(trials[-1].task, None)] * min(job.n_total_trials - count, 1000)
        made[last] = {str(k): value for k, value in reference.its(pass_at_k)(trials).items()}
    return made


@estimates.made(clause="003-3.3-pass-at-k-stored", invited_by="final values are for finished jobs")
def no_estimates_while_pending(job: Any, groups: Groups, values: Values) -> Any:
    """A job in which planned trials have not ended has no pass@k. Attempts may be missing."""
    return {} if job.n_total_trials > sum(map(len, groups.values())) else values


@estimated_over.made(clause="003-4.3-mean-over-tasks", invited_by="DISTINCT over task and reward")
def equal_attempts_once(trials: Trials) -> Trials:
    """Attempts at a task with the same rewards in the same dataset and of one agent count once in pass@k.
    They are read back from reward_stats, where equal rewards share an entry."""
    kept: dict[Any, Any] = {}
    for trial in trials:
        rewards = rewards_of(trial)
        what = None if rewards is None else tuple(rewards.items())
        kept.setdefault((trial.agent, trial.model, trial.source, trial.task_name, what), trial)
    return list(kept.values())


@estimates.made(invited_by="assigning behind the loop, a variable that keeps its last value")
def last_estimates_for_all(_: Any, groups: Groups, values: Values) -> Any:
    """A group without pass@k of its own shows that of the group before it.
    The variable keeps what it held in the last round."""
    made: Values = {}
    before: dict[str, Any] = {}
    for key, each in values.items():
        before = each or before
        made[key] = before
    return made
