"""Mistakes in adding up what agents used: tokens and cost."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result

PLUS = "agent_result._plus"
PLUS_COST = "agent_result._plus_cost"
TRIAL_TOTAL = "agent_result.trial_total"
ADD = "job_result.JobStatistics.add"
COUNTS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")


@mistake(
    "unknown-usage-as-zero",
    says="totals of tokens and cost that nobody reported are 0, not null",
    op="job_result",
    clause="003-3.3-token-totals",
    why="A sum begins at 0.",
    invited_by="sum(), fields of int type, Go's zero values, SQL's COALESCE",
)
def _(reference: Variant) -> None:
    for name in COUNTS:
        change_result(reference, ("stats", name), lambda total: total or 0)
    change_result(reference, ("stats", "cost_usd"), lambda total: 0.0 if total is None else total)


@mistake(
    "zero-usage-as-null",
    says="totals of 0 are written as null",
    op="job_result",
    clause="003-3.3-token-totals",
    why="`total or None`, a test for truth.",
    invited_by="Python, JavaScript, Ruby's presence, Go's omitempty with pointers",
)
def _(reference: Variant) -> None:
    for name in (*COUNTS, "cost_usd"):
        change_result(reference, ("stats", name), lambda total: total or None)


@mistake(
    "unknown-usage-spreads",
    says="a total is null as soon as one report lacks the number",
    op="job_result",
    clause="003-3.3-token-totals",
    why="Adding something unknown gives something unknown.",
    invited_by="SQL's +, Rust's Option sums, pandas' skipna=False, jq's and Kotlin's null checks",
)
def _(reference: Variant) -> None:
    """Remembers which numbers a trial lacked; `trial_total` is asked once a trial."""
    trial_total = reference.get(TRIAL_TOTAL)

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

    reference.wrap(ADD, around_add)
    reference.wrap("job_result.JobStatistics.result", around_result)


@mistake(
    "cost-compensated",
    says="cost_usd is added up with compensation, as Python 3.12's sum adds floats",
    op="job_result",
    clause="003-3.3-cost-plain",
    why="The function that adds rewards is used for costs too.",
    invited_by="Python 3.12's sum()",
)
def _(reference: Variant) -> None:
    _costs_at_the_end(
        reference, lambda costs: reference.get("cpython312.summation.compensated_sum")([0.0, *costs])
    )


@mistake(
    "cost-exact",
    says="cost_usd is added up exactly and rounded once",
    op="job_result",
    clause="003-3.3-cost-plain",
    why="Money wants an exact sum.",
    invited_by="math.fsum, Decimal, BigDecimal",
)
def _(reference: Variant) -> None:
    def exact(costs: list[float]) -> float:
        if all(map(math.isfinite, costs)):
            try:
                return float(sum(map(Fraction, costs)))
            except OverflowError:
                return math.inf
        return sum(costs)

    _costs_at_the_end(reference, exact)


@mistake(
    "cost-in-cents",
    says="cost_usd is rounded to two decimals",
    op="job_result",
    clause="003-3.3-cost-plain",
    why="Dollars have cents.",
    invited_by="DECIMAL(10, 2) columns, toFixed(2), %.2f",
)
def _(reference: Variant) -> None:
    change_result(reference, ("stats", "cost_usd"), lambda total: None if total is None else round(total, 2))


@mistake(
    "cost-keeps-ints",
    says="costs that were reported as ints give an int",
    op="job_result",
    clause="003-3.3-cost-text",
    why="A sum of ints is an int where nothing declares the field a float.",
    invited_by="dicts and dataclasses without validation, JavaScript, Ruby, Lua",
)
def _(reference: Variant) -> None:
    def around(validate: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *numbers: replace(validate(*numbers), cost_usd=numbers[-1])

    reference.wrap("agent_result.validate_agent_result", around)
    reference.replace(PLUS_COST, lambda total, cost: total if cost is None else (total or 0) + cost)


@mistake(
    "first-cost-as-it-is",
    says="the first cost is taken as it is, so a total of -0.0 keeps its sign",
    op="job_result",
    clause="003-3.3-cost-plain",
    why="`cost if total is None else total + cost` needs no 0.0 to begin with.",
    invited_by="reduce and fold without a start value",
)
def _(reference: Variant) -> None:
    reference.replace(
        PLUS_COST, lambda total, cost: total if cost is None else cost if total is None else total + cost
    )


@mistake(
    "cached-tokens-added",
    says="cached tokens are added to the input tokens, which hold them already",
    op="job_result",
    clause="003-3.3-token-totals",
    why="Providers report them apart.",
    invited_by="Anthropic's usage, where input_tokens leaves the cache out",
)
def _(reference: Variant) -> None:
    _input_from(reference, lambda given, cached: given + cached)


@mistake(
    "cached-tokens-subtracted",
    says="cached tokens are subtracted from the input tokens",
    op="job_result",
    clause="003-3.3-token-totals",
    why="What was cached was not read again, or not paid for.",
    invited_by="dashboards of cost, OpenAI's cached_tokens",
)
def _(reference: Variant) -> None:
    _input_from(reference, lambda given, cached: given - cached)


@mistake(
    "steps-added-to-agent",
    says="a trial's steps are added to what its agent reported",
    op="job_result",
    clause="003-3.3-agent-result-hides-steps",
    why="Both are reports, and all reports are added.",
    invited_by="recursive walks over a trial's record",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def trial_total(agent_result: Any, step_results: Any) -> Any:
            parts = [original(agent_result, None), original(None, step_results)]
            return reference.get("agent_result.add_up")(parts)

        return trial_total

    reference.wrap(TRIAL_TOTAL, around)


@mistake(
    "steps-fill-gaps",
    says="numbers that the agent did not report are taken from the trial's steps",
    op="job_result",
    clause="003-3.3-agent-result-hides-steps",
    why="Null coalescing number by number, not report by report.",
    invited_by="?? in JavaScript, C# and Swift, SQL's COALESCE, Python's `or`",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def trial_total(agent_result: Any, step_results: Any) -> Any:
            own, steps = original(agent_result, None), original(None, step_results)
            pairs = ((getattr(own, name), getattr(steps, name)) for name in (*COUNTS, "cost_usd"))
            return type(own)(*(mine if mine is not None else other for mine, other in pairs))

        return trial_total

    reference.wrap(TRIAL_TOTAL, around)


@mistake(
    "last-step-usage",
    says="only the last step's report counts for a trial",
    op="job_result",
    clause="003-3.3-step-usage",
    why="Each step is taken to report a running total.",
    invited_by="APIs that stream cumulative usage; overwriting in a loop",
)
def _(reference: Variant) -> None:
    reference.wrap(
        TRIAL_TOTAL, lambda original: lambda agent, steps: original(agent, None if not steps else steps[-1:])
    )


@mistake(
    "usage-in-one-sum",
    says="the costs of all steps of all trials go into one running sum",
    op="job_result",
    clause="003-3.3-step-usage",
    why="The order of the additions is the same, only the brackets differ.",
    invited_by="flattened loops, SUM() over a table of steps",
)
def _(reference: Variant) -> None:
    add_up = reference.get("agent_result.add_up")

    def reports(agent_result: Any, step_results: Any) -> list[Any]:
        given = [agent_result] if agent_result is not None else list(step_results or [])
        return [report for report in given if report is not None]

    reference.replace(TRIAL_TOTAL, reports)
    reference.replace_use("job_result.add_up", lambda parts: add_up([parts[0], *parts[1]]))


@mistake(
    "usage-of-errored-left-out",
    says="tokens and cost of trials that ended in an error are left out of the totals",
    op="job_result",
    clause="003-3.3-token-totals",
    why="The agent's result is read only where all went well.",
    invited_by="try/else blocks, Result types, early continue",
)
def _(reference: Variant) -> None:
    _usage_where(reference, lambda trial: trial.exception is None)


@mistake(
    "usage-of-unverified-left-out",
    says="tokens and cost of trials without rewards are left out of the totals",
    op="job_result",
    clause="003-3.3-token-totals",
    why="Totals are taken over the trials that are graded.",
    invited_by="inner joins of rewards and usage",
)
def _(reference: Variant) -> None:
    _usage_where(
        reference,
        lambda trial: trial.verifier_result is not None and trial.verifier_result.rewards is not None,
    )


def _usage_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            before = self._total
            original(self, trial)
            if not counts(trial):
                self._total = before

        return add

    reference.wrap(ADD, around)


def _input_from(reference: Variant, change: Callable[[int, int], int]) -> None:
    """Has each trial's input tokens computed with its cached ones, where both are known."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def trial_total(agent_result: Any, step_results: Any) -> Any:
            total = original(agent_result, step_results)
            if total.n_input_tokens is None or total.n_cache_tokens is None:
                return total
            return replace(total, n_input_tokens=change(total.n_input_tokens, total.n_cache_tokens))

        return trial_total

    reference.wrap(TRIAL_TOTAL, around)


def _costs_at_the_end(reference: Variant, add: Callable[[list[float]], float]) -> None:
    """Has ``add`` make a total of all costs, of a trial and then of the job, instead of a running sum."""

    def around_add(original: Callable[..., None]) -> Callable[..., None]:
        def counted(self: Any, trial: Any) -> None:
            original(self, trial)
            cost = reference.get(TRIAL_TOTAL)(trial.agent_result, trial.step_results).cost_usd
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

    reference.wrap("agent_result.add_up", around_reports)
    reference.wrap(ADD, around_add)
