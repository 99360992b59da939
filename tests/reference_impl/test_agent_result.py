import math

import pytest

from reference_impl.agent_result import AgentResult, add_up, trial_total, validate_agent_result
from reference_impl.errors import ValidationError

SILENT = AgentResult()


def cost(*values: float) -> str:
    return repr(add_up(AgentResult(cost_usd=value) for value in values).cost_usd)


def test_nothing_reported_is_not_0() -> None:
    assert add_up([]) == add_up([SILENT]) == SILENT
    assert add_up([SILENT, AgentResult(n_cache_tokens=0), SILENT]) == AgentResult(n_cache_tokens=0)


def test_tokens_are_exact() -> None:
    assert add_up([AgentResult(2**70, None, 1), AgentResult(1, 2, None)]) == AgentResult(2**70 + 1, 2, 1)


def test_costs_are_added_without_compensation() -> None:
    assert cost(0.1, 0.1, 0.1) == "0.30000000000000004"
    assert cost(1e16, 1.0, -1e16) == "0.0"
    assert cost(-0.0) == "0.0"
    assert cost(math.inf, -math.inf) == "nan"


def test_the_agents_own_report_hides_the_steps() -> None:
    own, step = AgentResult(1), AgentResult(2, cost_usd=0.5)
    assert trial_total(own, [step]) == own
    assert trial_total(SILENT, [step]) == SILENT
    assert trial_total(None, [step, None, step]) == AgentResult(4, cost_usd=1.0)
    assert trial_total(None, []) == trial_total(None, None) == trial_total(None, [None]) == SILENT


def test_a_cost_becomes_a_float() -> None:
    assert repr(validate_agent_result(1, 0, 2**80, 1)) == repr(AgentResult(1, 0, 2**80, 1.0))
    assert validate_agent_result(None, None, None, None) == SILENT


def test_no_cost() -> None:
    with pytest.raises(ValidationError, match="cost_usd"):
        validate_agent_result(None, None, None, 10**400)
