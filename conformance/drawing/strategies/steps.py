"""The steps of multi-step trials: what each would give, and what it has to reach."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.numbers import numbers
from conformance.drawing.strategies.rewards import POOLS, keys, lists_of, rewards, rewards_or_none

__all__ = ["EXCEPTIONS", "gates", "step_lists", "steps", "strategies"]

EXCEPTIONS = (
    "RuntimeError",
    "AgentTimeoutError",
    "CancelledError",
    "VerifierTimeoutError",
    "É",
    "cancellederror",
    "10",
)
_LIMITS: tuple[Any, ...] = (0, 1, 0.5, 0.1, -0.0, 1.0, "NaN", "-Infinity", "Infinity", 2**53 + 1, 10**400)

strategies: SearchStrategy[Any] = st.sampled_from(("mean", "final", None))
"""What a task says of how its steps make one result."""


def gates(limits: SearchStrategy[Any] | None = None) -> SearchStrategy[Any]:
    """Minimums: a number, or numbers by key."""
    limits = st.sampled_from(_LIMITS) if limits is None else limits
    return st.one_of(limits, st.dictionaries(keys, limits, max_size=2))


@st.composite
def steps(
    draw: Any,
    values: SearchStrategy[Any] = numbers,
    limits: SearchStrategy[Any] | None = None,
    one_key: bool = False,
) -> dict[str, Any]:
    """One step; most of them let the next one run."""
    odd = draw(st.integers(0, 99))
    if one_key and odd % 10 < 9:
        rewards_here: Any = {"reward": draw(values)}
    else:
        rewards_here = draw(rewards(values) if odd % 2 else rewards_or_none(values))
    return {
        "verifier_result": {"rewards": rewards_here} if odd < 85 else None,
        "exception": EXCEPTIONS[odd % len(EXCEPTIONS)] if odd >= 97 or 30 <= odd < 35 else None,
        "min_reward": draw(gates(limits)) if 50 <= odd < 65 else None,
    }


@st.composite
def step_lists(
    draw: Any, values: SearchStrategy[Any] | None = None, limits: SearchStrategy[Any] | None = None
) -> list[Any]:
    """The steps of one trial, up to eight; in half of the trials all rewards have one key."""
    values = draw(st.sampled_from(POOLS)) if values is None else values
    return draw(lists_of(steps(values, limits, draw(st.booleans())), 8))  # type: ignore[no-any-return]
