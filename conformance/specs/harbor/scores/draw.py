"""Random records of trials, as leaderboards store them: groups, tasks, attempts, exceptions with messages."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import moderate
from conformance.drawing.rewards import reward_list, rewards_or_none
from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.drawn import EXCEPTIONS

__all__ = [
    "GROUPS",
    "INPUTS",
    "TASKS",
    "binary",
    "exception",
    "recorded",
    "records",
    "records_without_overflow",
]

GROUPS: tuple[str, ...] = ("g", "h", "G", "", " ", "g ", "__", "a__b", "b", "a/b", "é", "e\u0301", "10", "9")
GROUPS += ("__proto__", "constructor", "mean", "null", "~1", "*", "名前", "\U0001f600", "adhoc")
"""Names of groups: some differ only slightly, others mean something elsewhere."""
TASKS: tuple[str, ...] = (
    "t",
    "u",
    "org/a",
    "x/a",
    "a",
    "A",
    "a ",
    "",
    "10",
    "9",
    "t-1",
    "é",
    "e\u0301",
    "a:1",
)
TASKS += ("x/y/a", "a__1", "__proto__")
"""Names of tasks: several have one base name."""
_TYPES = ("", *EXCEPTIONS, "EnvironmentStartTimeoutError")
_MESSAGES: tuple[str, ...] = (
    "",
    "Agent execution timed out after 900.0 seconds",
    "CancelledError",
    "Reward file is empty",
    "connection refused",
    "exit code 137\nKilled",
    "null",
    "reward: 0.0",
    "é\u2028",
)
_COUNTS = (2, 1, 3, 4, 2, 5, 8, 10, 16, 21, 25, 33)
_ONE = (1, 1.0)
_ZERO = (0, 0.0, -0.0)

Graded = tuple[str, Any]
"""A task and the rewards of one attempt at it."""


def exception(source: Source) -> dict[str, str]:
    """A trial's exception."""
    return {"type": source.pick(_TYPES), "message": source.pick(_MESSAGES)}


def binary(source: Source) -> list[Graded]:
    """The attempts in one group, passes and failures, up to thirty-three; often equally many per task."""
    count = source.pick(_COUNTS)
    tasks = source.sample(TASKS, 4 if count <= 5 else 2, 1)
    share = source.below(11)
    uneven = source.below(3) == 0
    counts = [max(1, count - source.below(4)) if uneven else count for _ in tasks]
    graded = [
        (task, _passed_or_failed(source, share))
        for attempt in range(max(counts))
        for task, limit in zip(tasks, counts, strict=True)
        if attempt < limit
    ]
    return source.shuffled(graded) if source.below(4) == 0 else graded


def _passed_or_failed(source: Source, share: int) -> Any:
    drawn = source.below(100)
    if drawn >= 95:
        return None
    return {"reward": source.pick(_ONE if drawn % 11 < share else _ZERO)}


def _one_arbitrary(source: Source) -> list[Graded]:
    """One attempt gets arbitrary rewards."""
    graded = binary(source)
    index = source.below(len(graded))
    graded[index] = (graded[index][0], rewards_or_none(source))
    return graded


def _arbitrary(source: Source) -> list[Graded]:
    tasks = source.sample(TASKS, 4, 1)
    return [(source.pick(tasks), rewards) for rewards in reward_list(source)]


def _no_overflow(source: Source) -> list[Graded]:
    """Rewards whose mean does not overflow."""
    tasks, names = (
        source.sample(TASKS, 4, 1),
        source.pick((("reward",), ("reward", "speed"), ("é", "Z", "a"))),
    )
    return source.items(
        lambda source: (
            source.pick(tasks),
            None
            if source.chance(10)
            else {name: moderate(source) for name in names if not source.chance(10)},
        ),
        (3, 6, 12),
    )


def recorded(source: Source, graded: list[tuple[str, Graded]]) -> list[dict[str, Any]]:
    """The records of trials, each with a number and some with an exception."""
    kind = source.below(5)
    share = source.pick((10, 0, 40))
    counted: dict[tuple[str, str], int] = {}
    rows = []
    for index, (group, (task, rewards)) in enumerate(graded):
        counted[group, task] = counted.get((group, task), 0) + 1
        numbers = (counted[group, task], counted[group, task], len(graded) - index, 1, source.below(9) + 1)
        errored = source.chance(60 if rewards is None else share)
        rows.append(
            {
                "group": group,
                "task": task,
                "attempt": numbers[kind],
                "rewards": rewards,
                "exception": exception(source) if errored else None,
            }
        )
    return rows


def _records(source: Source, kinds: tuple[Draw[list[Graded]], ...]) -> list[dict[str, Any]]:
    drawn = [
        [(group, attempt) for attempt in source.pick(kinds)(source)]
        for group in source.sample(GROUPS, source.pick((1, 1, 2, 4)), 0 if source.chance(3) else 1)
    ]
    if source.below(2):  # one group after the other, or interleaved
        graded = [attempt for group in drawn for attempt in group]
    else:
        longest = max(map(len, drawn), default=0)
        graded = [group[index] for index in range(longest) for group in drawn if index < len(group)]
    return recorded(source, graded)


def records(source: Source) -> list[dict[str, Any]]:
    """The records of some groups, with rewards of every kind."""
    return _records(source, (binary, binary, _one_arbitrary, _no_overflow, _no_overflow, _arbitrary))


def records_without_overflow(source: Source) -> list[dict[str, Any]]:
    """The records of some groups, none of which overflows."""
    return _records(source, (binary, _no_overflow))


def _scores(source: Source) -> Any:
    return {"trials": records(source)}


INPUTS: Mapping[str, Draw[Any]] = {"scores": _scores}
"""An input for every op of the section."""
