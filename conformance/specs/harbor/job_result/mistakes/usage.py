"""Mistakes in adding up what agents used: tokens and cost."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import agent_result as agent_result_rules
from reference_impl.cpython312 import summation
from reference_impl.job_result import JobStatistics, job_result

mistakes = family("job_result", clause="003-3.3-token-totals")
in_plus_cost = family("job_result", of=agent_result_rules._plus_cost)
in_trial_total = family(
    "job_result", of=agent_result_rules.trial_total, clause="003-3.3-agent-result-hides-steps"
)
changed_result = way("job_result", clause="003-3.3-cost-plain")(change_result)
COUNTS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")


@mistakes.changed(invited_by="sum(), fields of int type, Go's zero values, SQL's COALESCE")
def unknown_usage_as_zero(reference: Variant) -> None:
    """Totals of tokens and cost that nobody reported are 0, not null. A sum begins at 0."""
    for name in COUNTS:
        change_result(reference, lambda total: total or 0, ("stats", name))
    change_result(reference, lambda total: 0.0 if total is None else total, ("stats", "cost_usd"))


@mistakes.changed(invited_by="Python, JavaScript, Ruby's presence, Go's omitempty with pointers")
def zero_usage_as_null(reference: Variant) -> None:
    """Totals of 0 are written as null. `total or None`, a test for truth."""
    for name in (*COUNTS, "cost_usd"):
        change_result(reference, lambda total: total or None, ("stats", name))


@mistakes.changed(
    invited_by="SQL's +, Rust's Option sums, pandas' skipna=False, jq's and Kotlin's null checks"
)
def unknown_usage_spreads(reference: Variant) -> None:
    """A total is null as soon as one report lacks the number.
    Adding something unknown gives something unknown."""
    # remembers which numbers a trial lacked; `trial_total` is asked once a trial
    trial_total = reference.get(agent_result_rules.trial_total)

    def around_add(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            report = trial_total(trial.agent_result, trial.step_results)
            lacking = {name for name in (*COUNTS, "cost_usd") if getattr(report, name) is None}
            self.lacking = getattr(self, "lacking", set()) | lacking

        return add

    def around_result(original: Callable[..., Any]) -> Callable[..., Any]:
        def result(self: Any, job: Any) -> Any:
            self._total = replace(self._total, **dict.fromkeys(getattr(self, "lacking", ())))
            return original(self, job)

        return result

    reference.wrap(JobStatistics.add, around_add)
    reference.wrap(JobStatistics.result, around_result)


@way("job_result", clause="003-3.3-cost-plain")
def costs_at_the_end(reference: Variant, add: Callable[[list[float]], float]) -> None:
    """Has ``add`` make a total of all costs, of a trial and then of the job, instead of a running sum."""

    def around_add(original: Callable[..., None]) -> Callable[..., None]:
        def counted(self: Any, trial: Any) -> None:
            original(self, trial)
            cost = reference.get(agent_result_rules.trial_total)(
                trial.agent_result, trial.step_results
            ).cost_usd
            self.costs = [*getattr(self, "costs", []), *([] if cost is None else [cost])]
            if self.costs:
                self._total = replace(self._total, cost_usd=add(self.costs))

        return counted

    def around_reports(original: Callable[..., Any]) -> Callable[..., Any]:
        def add_up(reports: Iterable[Any]) -> Any:
            total = original(listed := list(reports))
            costs = [report.cost_usd for report in listed if report.cost_usd is not None]
            return replace(total, cost_usd=add(costs) if costs else None)

        return add_up

    reference.wrap(agent_result_rules.add_up, around_reports)
    reference.wrap(JobStatistics.add, around_add)


@costs_at_the_end.made(invited_by="Python 3.12's sum()")
def cost_compensated(reference: Variant, costs: list[float]) -> float:
    """cost_usd is added up with compensation, as Python 3.12's sum adds floats.
    The function that adds rewards is used for costs too."""
    return reference.its(summation.compensated_sum)([0.0, *costs])


@costs_at_the_end.made(invited_by="math.fsum, Decimal, BigDecimal")
def cost_exact(costs: list[float]) -> float:
    """cost_usd is added up exactly and rounded once. Money wants an exact sum."""
    if all(map(math.isfinite, costs)):
        try:
            return float(sum(map(Fraction, costs)))
        except OverflowError:
            return math.inf
    return sum(costs)


@changed_result.made(("stats", "cost_usd"), invited_by="DECIMAL(10, 2) columns, toFixed(2), %.2f")
def cost_in_cents(total: Any) -> Any:
    """cost_usd is rounded to two decimals. Dollars have cents."""
    return None if total is None else round(total, 2)


@mistakes.changed(
    clause="003-3.3-cost-text", invited_by="dicts and dataclasses without validation, JavaScript, Ruby, Lua"
)
def cost_keeps_ints(reference: Variant) -> None:
    """Costs that were reported as ints give an int.
    A sum of ints is an int where nothing declares the field a float."""

    def around(validate: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *numbers: replace(validate(*numbers), cost_usd=numbers[-1])

    reference.wrap(agent_result_rules.validate_agent_result, around)
    reference.replace(
        agent_result_rules._plus_cost, lambda total, cost: total if cost is None else (total or 0) + cost
    )


@in_plus_cost.replaced(clause="003-3.3-cost-plain", invited_by="reduce and fold without a start value")
def first_cost_as_it_is(total: Any, cost: Any) -> Any:
    """The first cost is taken as it is, so a total of -0.0 keeps its sign.
    `cost if total is None else total + cost` needs no 0.0 to begin with."""
    return total if cost is None else cost if total is None else total + cost


@way("job_result", clause="003-3.3-token-totals")
def input_from(reference: Variant, change: Callable[[int, int], int]) -> None:
    """Has each trial's input tokens computed with its cached ones, where both are known."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def trial_total(agent_result: Any, step_results: Any) -> Any:
            total = original(agent_result, step_results)
            if total.n_input_tokens is None or total.n_cache_tokens is None:
                return total
            return replace(total, n_input_tokens=change(total.n_input_tokens, total.n_cache_tokens))

        return trial_total

    reference.wrap(agent_result_rules.trial_total, around)


@input_from.made(invited_by="Anthropic's usage, where input_tokens leaves the cache out")
def cached_tokens_added(given: int, cached: int) -> int:
    """Cached tokens are added to the input tokens, which hold them already. Providers report them apart."""
    return given + cached


@input_from.made(invited_by="dashboards of cost, OpenAI's cached_tokens")
def cached_tokens_subtracted(given: int, cached: int) -> int:
    """Cached tokens are subtracted from the input tokens.
    What was cached was not read again, or not paid for."""
    return given - cached


@in_trial_total.wrapped(invited_by="recursive walks over a trial's record")
def steps_added_to_agent(
    reference: Variant, original: Callable[..., Any], agent_result: Any, step_results: Any
) -> Any:
    """A trial's steps are added to what its agent reported. Both are reports, and all reports are added."""
    parts = [original(agent_result, None), original(None, step_results)]
    return reference.get(agent_result_rules.add_up)(parts)


@in_trial_total.wrapped(invited_by="?? in JavaScript, C# and Swift, SQL's COALESCE, Python's `or`")
def steps_fill_gaps(original: Callable[..., Any], agent_result: Any, step_results: Any) -> Any:
    """Numbers that the agent did not report are taken from the trial's steps.
    Null coalescing number by number, not report by report."""
    own, steps = original(agent_result, None), original(None, step_results)
    pairs = ((getattr(own, name), getattr(steps, name)) for name in (*COUNTS, "cost_usd"))
    return type(own)(*(mine if mine is not None else other for mine, other in pairs))


@in_trial_total.wrapped(
    clause="003-3.3-step-usage", invited_by="APIs that stream cumulative usage; overwriting in a loop"
)
def last_step_usage(original: Callable[..., Any], agent: Any, steps: Any) -> Any:
    """Only the last step's report counts for a trial. Each step is taken to report a running total."""
    return original(agent, None if not steps else steps[-1:])


@mistakes.changed(clause="003-3.3-step-usage", invited_by="flattened loops, SUM() over a table of steps")
def usage_in_one_sum(reference: Variant) -> None:
    """The costs of all steps of all trials go into one running sum.
    The order of the additions is the same, only the brackets differ."""
    add_up = reference.get(agent_result_rules.add_up)

    def reports(agent_result: Any, step_results: Any) -> list[Any]:
        given = [agent_result] if agent_result is not None else list(step_results or [])
        return [report for report in given if report is not None]

    reference.replace(agent_result_rules.trial_total, reports)
    reference.replace_use(
        (job_result, agent_result_rules.add_up), lambda parts: add_up([parts[0], *parts[1]])
    )


@way("job_result", clause="003-3.3-token-totals")
def usage_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    """Adds up the usage of some trials alone."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            before = self._total
            original(self, trial)
            if not counts(trial):
                self._total = before

        return add

    reference.wrap(JobStatistics.add, around)


@usage_where.made(invited_by="try/else blocks, Result types, early continue")
def usage_of_errored_left_out(trial: Any) -> bool:
    """Tokens and cost of trials that ended in an error are left out of the totals.
    The agent's result is read only where all went well."""
    return trial.exception is None


@usage_where.made(invited_by="inner joins of rewards and usage")
def usage_of_unverified_left_out(trial: Any) -> bool:
    """Tokens and cost of trials without rewards are left out of the totals.
    Totals are taken over the trials that are graded."""
    return trial.verifier_result is not None and trial.verifier_result.rewards is not None


@changed_result.made(("stats", "cost_usd"), invited_by="round(cost, 6), DECIMAL(18, 6) columns")
def cost_in_millionths(total: Any) -> Any:
    """cost_usd is rounded to six decimals. A token costs millionths of a dollar."""
    return None if total is None else round(total, 6)
