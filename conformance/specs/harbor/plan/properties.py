"""Properties of every plan of trials (003 §6)."""

from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.plan.draw import listed

__all__: list[str] = []


def _plans(source: Source) -> tuple[int, list[str], list[str]]:
    return small_int(source), listed(source, 1), listed(source)


def _plan(asker: Asker, count: int, tasks: list[str], agents: list[str]) -> list[Any]:
    trials: list[Any] = asker.ok("plan_trials", {"n_attempts": count, "tasks": tasks, "agents": agents})[
        "trials"
    ]
    return trials


@holds("plan-trials-count", _plans)
def _count(asker: Asker, drawn: Any) -> None:
    count, tasks, agents = drawn
    expected = max(count, 0) * len(tasks) * len(agents)
    asker.equal(expected, len(_plan(asker, *drawn)), "the number of trials")


@holds("plan-trials-attempts-repeat", _plans)
def _attempts_repeat(asker: Asker, drawn: Any) -> None:
    count, tasks, agents = drawn
    once = _plan(asker, 1, tasks, agents)
    asker.equal(once * count, _plan(asker, count, tasks, agents), "the plan of several attempts")


@holds("plan-trials-task-by-task", lambda source: (listed(source, 1), listed(source)))
def _task_by_task(asker: Asker, drawn: Any) -> None:
    tasks, agents = drawn
    expected = [[task, agent] for task in tasks for agent in agents]
    asker.equal(expected, _plan(asker, 1, tasks, agents), "the plan of one attempt")


@holds("plan-trials-need-a-task", lambda source: (small_int(source), listed(source)))
def _need_a_task(asker: Asker, drawn: Any) -> None:
    asker.refused("plan_trials", {"n_attempts": drawn[0], "tasks": [], "agents": drawn[1]}, "ValueError")
