"""Random multi-step trials: the result that each step would have, and its minimum."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import alike
from conformance.drawing.rewards import key, rewards, rewards_or_none
from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.drawn import EXCEPTIONS, STRATEGIES, gate, limit

__all__ = ["INPUTS", "steps", "strategy"]

_SIZES = (3, 6, 8)


def strategy(source: Source) -> str | None:
    """A task's strategy for combining its steps' results."""
    return source.pick(STRATEGIES)


def steps(source: Source, value: Draw[Any] | None = None, least: Draw[Any] | None = None) -> list[Any]:
    """The steps of one trial, up to eight; usually a step lets the next one run, and has the same keys."""
    draw = value or alike(source)
    names = ["reward"]
    if source.below(2):
        names = [[key(source)], ["reward", key(source)], ["reward", key(source), key(source)]][
            source.below(3)
        ]

    def step(source: Source) -> dict[str, Any]:
        odd = source.below(100)
        values: Any
        if odd % 10 < 6:
            values = {name: draw(source) for name in names}
        elif odd % 10 == 8:
            values = None
        elif odd % 10 == 9:
            values = rewards_or_none(source, draw)
        else:
            values = rewards(source, draw)
        minimum = None
        if 50 <= odd < 72:
            minimum = gate(source, least or (limit, limit, draw)[odd % 3])
        return {
            "verifier_result": {"rewards": values} if odd < 86 else None,
            "exception": source.pick(EXCEPTIONS) if odd >= 96 or 30 <= odd < 35 else None,
            "min_reward": minimum,
        }

    return source.items(step, _SIZES)


def _multi_step_reward(source: Source) -> Any:
    return {"strategy": strategy(source), "steps": steps(source)}


INPUTS: Mapping[str, Draw[Any]] = {"multi_step_reward": _multi_step_reward}
"""An input for every op of the section."""
