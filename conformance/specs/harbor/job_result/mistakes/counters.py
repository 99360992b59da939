"""Mistakes in a job's counts: states of trials, exceptions, tokens and cost."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import agent_result as agent_result_rules
from reference_impl.job_result import JobStatistics, _Group
from reference_impl.runner import wire_trials


@way("job_result", clause="003-3.3-n-cancelled")
def after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Calls ``then`` to correct the statistics after each counted trial."""

    def around(original: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(JobStatistics.add, around)


@after_add.made(clause="003-3.3-n-completed", invited_by="the name of the counter")
def completed_without_errored(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials that ended in an error.
    "Completed" sounds like "succeeded"."""
    self._n_completed -= trial.exception is not None


@after_add.made(clause="003-3.3-n-completed", invited_by="counting rows of a table of rewards")
def completed_only_verified(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials without rewards.
    A trial seems complete when it has been graded."""
    self._n_completed -= trial.verifier_result is None or trial.verifier_result.rewards is None


@after_add.made(invited_by="match and switch statements, enums of final states")
def cancelled_not_errored(self: Any, trial: Any) -> None:
    """A cancelled trial is not counted as errored. Each trial seems to belong to exactly one counter."""
    self._n_errored -= trial.exception == "CancelledError"


@after_add.made(invited_by="endswith, qualified names of exceptions")
def cancelled_by_ending(self: Any, trial: Any) -> None:
    """An exception whose type ends in CancelledError counts as cancelled.
    A type's name may include its module."""
    if (trial.exception or "").endswith("CancelledError"):
        self._cancelled.add(trial.trial_name)


@way("job_result")
def graded_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    """Excludes trials from a group's metrics and pass@k."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            if not counts(trial):
                self.graded.pop()

        return add

    reference.wrap(_Group.add, around)
    reference.wrap(_Group.tree, lambda tree: lambda self, metrics: tree(self, metrics if self.graded else []))


@graded_where.made(clause="003-3.3-n-errors", invited_by="filters on status, dropna, Result types")
def errored_trials_left_out(trial: Any) -> bool:
    """Trials that ended in an error are left out of metrics and pass@k.
    They failed for reasons that are unrelated to the agent."""
    return trial.exception is None


@graded_where.made(
    clause="003-3.3-unverified-counts-zero",
    invited_by="pandas' and SQL's means, which skip NULL; compactMap, filter_map, flatMap",
)
def unverified_trials_left_out(trial: Any) -> bool:
    """Metrics and pass@k only use the trials that were verified.
    An unmeasured trial is not in the list of measurements."""
    return trial.verifier_result is not None and trial.verifier_result.rewards is not None


@family("job_result", of=_Group.add, clause="003-3.3-n-trials").wrapped(invited_by="len(trials)")
def n_trials_counts_all(add: Callable[..., None], self: Any, trial: Any) -> None:
    """A group's n_trials counts trials without rewards too. The name suggests that."""
    add(self, trial)
    self.n_trials = len(self.graded)


@family("job_result", of=_Group.add, clause="003-3.3-n-trials").wrapped(
    invited_by="filters on errors, Result types, `n_trials = len(trials) - n_errors`"
)
def n_trials_counts_error_free(add: Callable[..., None], self: Any, trial: Any) -> None:
    """A group's n_trials counts the trials without an exception, with rewards or without.
    A trial either ends well or in an error."""
    add(self, trial)
    self.n_trials = len(self.graded) - self.n_errors


class _Known(str):
    """The type of an exception, which also carries its message."""

    __slots__ = ("message",)
    message: str


@family("job_result", clause="003-3.3-exception-message-unused").changed(
    invited_by="`stats[error.message]` next to counters that know the type"
)
def exceptions_listed_by_message(reference: Variant) -> None:
    """Exceptions are listed by message, even an empty one, but recognised by type.
    People look for the message in a list, and a cancellation is still recognised by its type."""

    def around_read(read: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
        def reading(given: Any) -> str | None:
            kind = read(given)
            if kind is None:
                return None
            known = _Known(kind)
            known.message = given.get("exception_message", "")
            return known

        return reading

    def around_add(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            told = trial.exception
            original(self, trial if told is None else replace(trial, exception=getattr(told, "message", "")))

        return add

    reference.wrap(wire_trials._exception, around_read)
    reference.wrap(_Group.add, around_add)


mistakes = family("job_result", clause="003-3.3-token-totals")
changed_result = way("job_result", clause="003-3.3-cost-plain")(change_result)
COUNTS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")


@mistakes.changed(invited_by="sum(), fields of int type, Go's zero values, SQL's COALESCE")
def unknown_usage_as_zero(reference: Variant) -> None:
    """Totals of tokens and cost that nobody reported are 0, not null. A sum starts at 0."""
    for name in COUNTS:
        change_result(reference, lambda total: total or 0, ("stats", name))
    change_result(reference, lambda total: 0.0 if total is None else total, ("stats", "cost_usd"))


@family("job_result", of=agent_result_rules.trial_total, clause="003-3.3-token-totals").wrapped(
    invited_by="Anthropic's usage, where input_tokens leaves the cache out"
)
def cached_tokens_added(total: Callable[..., Any], *given: Any) -> Any:
    """Cached tokens are added to the input tokens, which contain them. Providers report both separately."""
    right = total(*given)
    known = right.n_input_tokens is not None and right.n_cache_tokens is not None
    return replace(right, n_input_tokens=right.n_input_tokens + right.n_cache_tokens) if known else right


@changed_result.made(("stats", "cost_usd"), invited_by="round(cost, 6), DECIMAL(18, 6) columns")
def cost_in_millionths(total: Any) -> Any:
    """cost_usd is rounded to six decimals. A token costs millionths of a dollar."""
    return None if total is None else round(total, 6)


@graded_where.made(
    clause="003-3.3-n-cancelled", invited_by="test runners that count skipped and failed separately"
)
def cancelled_trials_left_out(trial: Any) -> Any:
    """Cancelled trials are left out of metrics and pass@k. They were not finished, so they say nothing."""
    return trial.exception != "CancelledError"


@after_add.made(clause="003-3.3-cancelled-names", invited_by="n_cancelled += 1")
def cancelled_per_record(self: Any, trial: Any) -> None:
    """n_cancelled_trials counts cancelled trials, not their distinct names.
    Every other counter goes up by one for each trial."""
    if trial.exception == "CancelledError":
        self._cancelled.discard(trial.trial_name)
        self._cancelled.add((trial.trial_name, self._n_completed))


@family("job_result", of=_Group.add, clause="003-3.3-n-trials").wrapped(invited_by="`if rewards`, len(m) > 0")
def n_trials_skips_empty_rewards(add: Callable[..., None], self: Any, trial: Any) -> None:
    """A group's n_trials leaves out trials whose rewards are an empty object.
    `if rewards:` is false for an empty object."""
    add(self, trial)
    self.n_trials -= trial.verifier_result is not None and trial.verifier_result.rewards == {}


@family("job_result", of=agent_result_rules.trial_total, clause="003-3.3-agent-result-hides-steps").wrapped(
    invited_by="recursive walks over a trial's record"
)
def steps_added_to_agent(
    reference: Variant, total: Callable[..., Any], agent_result: Any, step_results: Any
) -> Any:
    """The usage of a trial's steps is added to the agent's own report.
    Both are reports, and all reports are added."""
    parts = [total(agent_result, None), total(None, step_results)]
    return reference.get(agent_result_rules.add_up)(parts)


@family("job_result", of=agent_result_rules.trial_total, clause="003-3.3-token-totals").wrapped(
    invited_by="trial.agent_result alone"
)
def usage_of_steps_ignored(total: Callable[..., Any], agent_result: Any, step_results: Any) -> Any:
    """The usage that steps report is not counted. Only the trial's own report is read."""
    return total(agent_result, None)
