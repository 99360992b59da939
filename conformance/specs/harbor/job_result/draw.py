"""Random jobs: finished trials with rewards, or with verifiers' files."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.files import reward_files
from conformance.drawing.numbers import EDGE_FLOATS, alike, double, number, ordinary, tenth
from conformance.drawing.rewards import key, rewards_or_none
from conformance.drawing.source import Draw, Source
from conformance.drawing.texts import as_content
from conformance.specs.harbor.drawn import EXCEPTIONS, STRATEGIES, gate, job, usage
from conformance.wire.numbers import spell

__all__ = ["INPUTS", "binary", "job_result", "pipeline"]

_BINARY = (1, 0, 1.0, 0.0, -0.0)
_EDGES = (*EDGE_FLOATS, 0, 1, 1, 2**53 + 1, 2**63, 10**20, "NaN", "Infinity", "-Infinity")
_TEXTS = ("1\n", "0\n", "1", "0")
_MANY = 50
"""One in this many jobs has more than twenty attempts at a task."""


def binary(source: Source) -> int | float:
    """A pass or a failure, in one of its spellings."""
    return source.pick(_BINARY)


def _edge(source: Source) -> Any:
    return source.pick(_EDGES)


def _no_overflow(values: list[Any]) -> list[Any]:
    """The values without those that make metrics overflow."""
    return [value if isinstance(value, str) or abs(value) < 10**300 else 1 for value in values]


def _values(source: Source) -> Draw[Any]:
    """The kind of all rewards in one job: usually values that a few trials share."""
    kind = source.below(20)
    if kind < 9:
        return (binary, binary, binary, binary, tenth, tenth, ordinary, ordinary, _edge)[kind]
    if kind < 12:
        few = [double(source) for _ in range(5)] + [0, 1]
    elif kind < 16:
        draw = alike(source)
        few = [draw(source) for _ in range(3 + 5 * source.below(2))]
    elif kind == 16:
        return number
    else:
        few = [number(source) for _ in range(2 + 4 * source.below(2))]
        few = few if kind == 17 else _no_overflow(few)  # otherwise most jobs would end with an OverflowError
    return lambda source: source.pick(few)


def _attempt(source: Source) -> dict[str, Any]:
    """The result of one of many attempts: a pass or a failure."""
    kind = source.below(40)
    rewards = {"reward": binary(source)} if kind < 39 else None
    return {"step_results": None, "verifier_result": {"rewards": rewards}}


def job_result(source: Source, value: Draw[Any] | None = None) -> dict[str, Any]:
    """A job whose rewards are already read."""
    if source.below(_MANY) == _MANY - 1:
        return job(source, _attempt, attempts=True)
    draw = value or _values(source)
    names = ["reward"]
    style = source.below(8)
    if style >= 3:
        names = [key(source) for _ in range((1, 1, 1, 2, 4)[style - 3])]

    def complete(source: Source) -> dict[str, Any]:
        odd = source.below(50)
        rewards: dict[str, Any] | None
        if odd < 38:
            rewards = {name: draw(source) for name in names if len(names) == 1 or source.below(10) < 7}
        else:
            rewards = rewards_or_none(source, draw) if odd < 42 else ({}, {}, None, None)[odd % 4]
        steps = None
        if source.chance(15):
            steps = [{"agent_result": usage(source)} for _ in range(source.below(4))]
        return {"step_results": steps, "verifier_result": None if odd >= 46 else {"rewards": rewards}}

    return job(source, complete)


def _attempt_in_files(source: Source) -> dict[str, Any]:
    """The files of one of many attempts: a pass, a failure, or no file."""
    kind = source.below(40)
    files = {"reward.txt": as_content(source.pick(_TEXTS))} if kind < 38 else {} if kind < 39 else None
    return {"files": files, "steps": None, "strategy": None}


def pipeline(source: Source, with_steps: bool = True) -> dict[str, Any]:
    """A job whose rewards are still in files."""
    if source.below(_MANY) == _MANY - 1:
        return job(source, _attempt_in_files, attempts=True)
    kind, number_of_job = source.below(100), alike(source)
    stepwise = 100 if with_steps and source.chance(8) else 20

    def files(source: Source) -> dict[str, Any] | None:
        style = source.below(20)
        if style == 19 or (style == 18 and kind >= 35):
            return None
        if kind < 35 or (kind < 60 and style < 7):
            return {"reward.txt": as_content(source.pick(_TEXTS))}
        if kind < 80 and style < 17:
            value = str(spell(number_of_job(source)))
            if style % 3 == 0:
                return {"reward.txt": as_content(value + "\n")}
            return {"reward.json": as_content(f'{{"reward": {value}}}')}
        return reward_files(source)

    def step(source: Source) -> dict[str, Any]:
        odd = source.below(40)
        return {
            "files": files(source),
            "exception": source.pick(EXCEPTIONS) if odd >= 35 else None,
            "min_reward": gate(source) if odd % 4 == 3 else 1 if odd % 8 == 2 else None,
            "agent_result": usage(source),
        }

    def complete(source: Source) -> dict[str, Any]:
        if not (with_steps and source.chance(stepwise)):
            return {"files": files(source), "steps": None, "strategy": None}
        # The agent of a multi-step trial reports by step.
        steps = source.times(3, step)
        return {"agent_result": None, "files": None, "steps": steps, "strategy": source.pick(STRATEGIES)}

    return job(source, complete)


INPUTS: Mapping[str, Draw[Any]] = {"job_result": job_result, "pipeline": pipeline}
"""An input for every op of the section."""
