"""The tokens and cost that agents report, and the totals of a job (003 §3.3).

None means that an agent did not report a number, which is not the same as 0. A total stays None until a
report has a number. Costs are added one after the other, without the compensation of `sum`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .errors import ValidationError

__all__ = ["AgentResult", "add_up", "trial_total", "validate_agent_result"]


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The tokens and cost of one agent run; None for a number that the agent did not report."""

    n_input_tokens: int | None = None
    """Tokens read, those from a cache included."""
    n_cache_tokens: int | None = None
    """Tokens read from a cache."""
    n_output_tokens: int | None = None
    """Tokens written."""
    cost_usd: float | None = None
    """US dollars."""


def validate_agent_result(
    n_input_tokens: int | None,
    n_cache_tokens: int | None,
    n_output_tokens: int | None,
    cost_usd: int | float | None,
) -> AgentResult:
    """Convert the cost to a float, as harbor's data model does.

    Raises:
        ValidationError: the cost is an int beyond the double range.
    """
    return AgentResult(n_input_tokens, n_cache_tokens, n_output_tokens, _to_cost(cost_usd))


def _to_cost(value: int | float | None) -> float | None:
    """The nearest double; None stays None."""
    try:
        return None if value is None else float(value)
    except OverflowError as error:
        raise ValidationError("cost_usd", value) from error


def trial_total(
    agent_result: AgentResult | None, step_results: Sequence[AgentResult | None] | None
) -> AgentResult:
    """A trial's own totals: those of its agent, or else of all its steps (003 §3.3).

    `agent_result` is None for a multi-step trial. Otherwise the steps do not count.
    """
    if agent_result is not None:
        return add_up([agent_result])
    # A step whose agent reported nothing adds nothing, and None for the steps is no steps.
    return add_up(step for step in step_results or [] if step is not None)


def add_up(reports: Iterable[AgentResult]) -> AgentResult:
    """The totals of several reports, added in order, each of the four numbers by itself (003 §3.3)."""
    total = AgentResult()
    for report in reports:
        total = AgentResult(
            _plus(total.n_input_tokens, report.n_input_tokens),
            _plus(total.n_cache_tokens, report.n_cache_tokens),
            _plus(total.n_output_tokens, report.n_output_tokens),
            _plus_cost(total.cost_usd, report.cost_usd),
        )
    return total


def _plus(total: int | None, reported: int | None) -> int | None:
    """A number that is not reported leaves the total as it is, even None."""
    return total if reported is None else (total or 0) + reported


def _plus_cost(total: float | None, reported: float | None) -> float | None:
    """As `_plus`. A first cost is added to 0.0, so -0.0 comes out as 0.0."""
    return total if reported is None else (total or 0.0) + reported
