"""Properties of every plan of trials since harbor 0.23.0."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.plan.draw import listed

__all__: list[str] = []

_OP = "plan_trials"


def _plans(source: Source) -> tuple[int, list[str], list[str]]:
    return source.between(1, 6), listed(source, 1), listed(source)


def _input(count: int, tasks: list[str], agents: list[str]) -> dict[str, Any]:
    return {"n_attempts": count, "tasks": tasks, "agents": agents}


@holds("plan-trials-attempts-repeat-from-one", _plans)
def _attempts_repeat(asker: Asker, drawn: Any) -> None:
    count, tasks, agents = drawn
    once = asker.ok(_OP, _input(1, tasks, agents))["trials"]
    several = asker.ok(_OP, _input(count, tasks, agents))["trials"]
    asker.equal(once * count, several, "the plan of several attempts")


@holds("plan-trials-need-an-attempt", lambda source: (-source.below(5), listed(source), listed(source)))
def _need_an_attempt(asker: Asker, drawn: Any) -> None:
    asker.refused(_OP, _input(*drawn), "ValidationError")
