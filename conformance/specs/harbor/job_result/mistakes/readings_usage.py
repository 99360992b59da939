"""What readers of the document alone understood of tokens and cost: whose, in which order, null or 0."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    TOTALS,
    Trials,
    answered_by,
    by_key,
    pipeline_by,
    totals_over,
    with_line,
    with_stats,
)
from reference_impl import agent_result as agent_result_rules
from reference_impl.job_result import job_result
from reference_impl.multi_step import _ends_trial
from reference_impl.pipeline import _executed, read_trial

in_trial_total = family(
    "job_result", of=agent_result_rules.trial_total, clause="003-3.3-agent-result-hides-steps"
)


@way("job_result", clause="003-3.3-token-totals")
def totals_of(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has the totals, and nothing else, be those of other trials."""
    totals_over(reference, change)


@way("job_result", clause="003-3.3-token-totals")
def totals(reference: Variant, change: Callable[[dict[str, Any], Trials], dict[str, Any]]) -> None:
    """Changes the totals, given them and the trials."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        def changed(stats: dict[str, Any]) -> dict[str, Any]:
            return {**stats, **change({name: stats[name] for name in TOTALS}, trials)}

        return with_stats(original(job, trials), changed)

    answered_by(reference, answer)


@way("pipeline", clause="003-3.3-step-usage")
def step_results(reference: Variant, change: Callable[[Any, list[Any], Any], Any]) -> None:
    """Changes the reports of the steps that ran, given the unread trial and its executed steps."""

    def around(read_trial: Callable[..., Any]) -> Callable[..., Any]:
        def reading(trial: Any) -> Any:
            read = read_trial(trial)
            if trial.steps is None:
                return read
            executed = reference.its(_executed)(trial.steps)
            return replace(read, step_results=change(trial, executed, read.step_results))

        return reading

    reference.wrap(read_trial, around)


@in_trial_total.wrapped(invited_by="`if not any(report): use the steps`")
def blank_report_hides_nothing(original: Callable[..., Any], agent_result: Any, steps: Any) -> Any:
    """A trial's report without any figure does not hide its steps' reports. It says nothing at all."""
    own = original(agent_result, None)
    return own if any(getattr(own, name) is not None for name in TOTALS) else original(None, steps)


@step_results.made(clause="003-4.5-final-verbatim", invited_by="final means the last step alone")
def final_uses_last_report(trial: Any, executed: list[Any], reports: Any) -> Any:
    """With the strategy final only the last step's report counts. The last step is taken for the trial."""
    return reports[-1:] if trial.strategy.value == "final" else reports


@step_results.made(clause="003-4.5-gate-stops", invited_by="break in front of the sum")
def stopping_report_lost(reference: Variant, trial: Any, executed: list[Any], reports: Any) -> Any:
    """The report of the step that ended the trial does not count. The loop is left before it is added."""
    stopped = bool(executed) and reference.its(_ends_trial)(executed[-1])
    return reports[:-1] if stopped else reports


@step_results.made(invited_by="steps without a result left out altogether")
def unverified_report_lost(trial: Any, executed: list[Any], reports: Any) -> Any:
    """The report of a step without a verifier result does not count. Such steps are excluded."""
    return [one for one, step in zip(reports, executed, strict=True) if step.verifier_result is not None]


@step_results.made(invited_by="except: continue")
def raising_report_lost(trial: Any, executed: list[Any], reports: Any) -> Any:
    """The report of a step with an exception does not count. The agent did not come to its end."""
    return [one for one, step in zip(reports, executed, strict=True) if step.exception is None]


@way("pipeline", clause="003-3.3-step-usage")
def last_report_goes_on(reference: Variant, take: Callable[[list[Any]], list[Any]]) -> None:
    """Has the reports of a trial's steps be made of those of the trials so far."""

    def answer(original: Callable[..., Any], job: Any, unread: Trials) -> Any:
        before: list[Any] = []
        trials = []
        for trial in map(reference.its(read_trial), unread):
            if trial.step_results is not None:
                before = [*before, *trial.step_results]
                trials.append(replace(trial, step_results=take(before)))
            else:
                trials.append(trial)
        return with_line(reference, reference.its(job_result)(job, trials))

    pipeline_by(reference, answer)


@last_report_goes_on.made(invited_by="a list that is made outside of the loop")
def steps_of_earlier_trials_again(reports: list[Any]) -> list[Any]:
    """The reports of a trial's steps come with those of all multi-step trials before it.
    The list is not made anew for each trial."""
    return reports


@totals_of.made(clause="003-3.3-n-cancelled", invited_by="cancelled trials left out")
def cancelled_usage_lost(trials: Trials) -> Trials:
    """What a cancelled trial used does not count. It did not come to its end."""
    return [trial for trial in trials if trial.exception != "CancelledError"]


@totals_of.made(clause="003-3.3-cost-plain", invited_by="iterating over groups of trials")
def usage_added_group_by_group(reference: Variant, trials: Trials) -> Trials:
    """Costs are added in the order of the groups, not of the trials. The trials are kept in their groups."""
    return [trial for each in by_key(reference, trials).values() for trial in each]


@way("job_result", clause="003-3.3-cost-plain")
def cost_of_groups(reference: Variant, add: Callable[[list[list[float]]], float]) -> None:
    """Has ``add`` make the cost of the costs of each group's trials."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        total = reference.its(agent_result_rules.trial_total)
        groups = [
            [c for t in each if (c := total(t.agent_result, t.step_results).cost_usd) is not None]
            for each in by_key(reference, trials).values()
        ]

        def changed(stats: dict[str, Any]) -> dict[str, Any]:
            return stats if stats["cost_usd"] is None else {**stats, "cost_usd": add(groups)}

        return with_stats(original(job, trials), changed)

    answered_by(reference, answer)


@cost_of_groups.made(invited_by="subtotals per group")
def cost_by_subtotals(groups: list[list[float]]) -> float:
    """Costs are added up within each group, and then over the groups. Each group has its subtotal."""
    whole = 0.0
    for costs in groups:
        subtotal = 0.0
        for cost in costs:
            subtotal += cost
        whole += subtotal
    return whole


@totals.made(invited_by="NULL in SQL's +, Option::zip")
def null_where_a_report_lacks(reference: Variant, given: dict[str, Any], trials: Trials) -> dict[str, Any]:
    """A total is null where a trial that reports something lacks the figure, not where one reports nothing.
    A known and an unknown number make an unknown one."""
    total = reference.its(agent_result_rules.trial_total)
    reports = [total(t.agent_result, t.step_results) for t in trials]
    reports = [one for one in reports if any(getattr(one, name) is not None for name in TOTALS)]
    return {
        name: None if any(getattr(one, name) is None for one in reports) else given[name] for name in TOTALS
    }


@totals.made(invited_by="a struct of four numbers")
def figures_known_together(given: dict[str, Any], trials: Trials) -> dict[str, Any]:
    """Once one total is a number the others are 0 where nothing was reported. The four are one record."""
    if all(value is None for value in given.values()):
        return given
    return {
        name: (0.0 if name == "cost_usd" else 0) if value is None else value for name, value in given.items()
    }


@totals.made(invited_by="`total or None`")
def counts_of_zero_are_null(given: dict[str, Any], trials: Trials) -> dict[str, Any]:
    """Totals of tokens that are 0 are null, and a cost of 0 is 0. Zero tokens look like none counted."""
    return {name: value if name == "cost_usd" else value or None for name, value in given.items()}


@totals.made(invited_by="`total or None`")
def cost_of_zero_is_null(given: dict[str, Any], trials: Trials) -> dict[str, Any]:
    """A cost of 0 is null, and token totals of 0 are 0. A cost of zero looks like an unknown price."""
    return {name: value or None if name == "cost_usd" else value for name, value in given.items()}


@in_trial_total.wrapped(clause="003-3.3-token-totals", invited_by="sum of an empty list")
def no_steps_report_zero(original: Callable[..., Any], agent_result: Any, steps: Any) -> Any:
    """A trial whose list of steps is empty reports zeros. The sum of nothing is 0."""
    total = original(agent_result, steps)
    if agent_result is None and steps == []:
        return replace(total, n_input_tokens=0, n_cache_tokens=0, n_output_tokens=0, cost_usd=0.0)
    return total


@in_trial_total.wrapped(clause="003-3.3-step-usage", invited_by="a sum over steps that begins at 0")
def silent_steps_report_zero(original: Callable[..., Any], agent_result: Any, steps: Any) -> Any:
    """A trial whose steps all report nothing reports zeros. The sum over its steps begins at 0."""
    total = original(agent_result, steps)
    if agent_result is None and steps and all(one is None for one in steps):
        return replace(total, n_input_tokens=0, n_cache_tokens=0, n_output_tokens=0, cost_usd=0.0)
    return total


@totals_of.made(clause="003-3.3-cost-plain", invited_by="sorting by name for a stable order")
def usage_added_in_order_of_names(trials: Trials) -> Trials:
    """Costs are added in the order of the trials' names. Sorting makes the order deterministic."""
    return sorted(trials, key=lambda trial: trial.trial_name)


@totals_of.made(invited_by="dict of trials by name")
def usage_of_last_of_name(trials: Trials) -> Trials:
    """Of trials that share a name only the last one's usage counts. Trials are kept by name."""
    return list({trial.trial_name: trial for trial in trials}.values())


@totals_of.made(clause="003-3.3-step-usage", invited_by="dividing as for the reward")
def last_silent_step_hides_others(trials: Trials) -> Trials:
    """A trial whose last step reports nothing reports nothing. The last step speaks for the trial."""
    return [
        replace(t, step_results=[]) if t.step_results and t.step_results[-1] is None else t for t in trials
    ]
