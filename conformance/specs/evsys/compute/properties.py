"""Properties of every benchmark's score (002, Use a built-in)."""

from typing import Any

from conformance.drawing.numbers import double, fraction, tenth
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.evsys.drawn import BUILT_INS, SHARES, benchmark, grade

__all__: list[str] = []

_OP = "evsys.compute"
_THREE = ("pass@3", "pass^3")


def _rewards(source: Source) -> list[list[Any]]:
    return benchmark(source, fraction if source.below(2) else grade)


def _share(source: Source) -> str:
    return source.pick(SHARES)


def _metric(source: Source) -> str:
    return source.pick(BUILT_INS)


def _later_samples(source: Source) -> list[Any]:
    return source.several(3, grade)


def _input(metric: str, task_rewards: Any) -> dict[str, Any]:
    return {"metric": metric, "task_rewards": task_rewards}


def _value(asker: Asker, metric: str, task_rewards: Any) -> Any:
    return asker.ok(_OP, _input(metric, task_rewards))["value"]


def _passes(reward: Any) -> bool:
    return bool(reward != "NaN" and reward >= 1)


@holds(
    "evsys-compute-avg-is-mean-reward",
    lambda source: benchmark(source, (grade, fraction, double)[source.below(3)]),
)
def _avg_is_mean_reward(asker: Asker, tasks: Any) -> None:
    asker.same(_OP, _input("avg", tasks), _input("mean_reward", tasks), "avg is not mean_reward")


@holds("evsys-compute-shares-in-range", lambda source: (_share(source), _rewards(source)))
def _shares_in_range(asker: Asker, drawn: Any) -> None:
    metric, task_rewards = drawn
    value = _value(asker, metric, task_rewards)
    asker.holds(0 <= value <= 1, f"{metric} is {value!r}")


@holds("evsys-compute-all-below-first-below-any", _rewards)
def _all_below_first_below_any(asker: Asker, tasks: Any) -> None:
    all_3, first, any_3 = (_value(asker, metric, tasks) for metric in ("pass^3", "pass@1", "pass@3"))
    asker.holds(all_3 <= first, f"pass^3 is {all_3!r}, pass@1 only {first!r}")
    asker.holds(first <= any_3, f"pass@1 is {first!r}, pass@3 only {any_3!r}")


def _permuted(source: Source) -> tuple[str, tuple[list[Any], list[Any]]]:
    metric, task_rewards = _share(source), _rewards(source)
    return metric, (task_rewards, source.shuffled(task_rewards))


@holds("evsys-compute-tasks-in-any-order", _permuted)
def _tasks_in_any_order(asker: Asker, drawn: Any) -> None:
    metric, (left, right) = drawn
    asker.same(_OP, _input(metric, left), _input(metric, right), f"the order of tasks changes {metric}")


@holds(
    "evsys-compute-empty-tasks-skipped",
    lambda source: (_metric(source), _rewards(source), source.several(3, lambda source: source.below(7))),
)
def _empty_tasks_skipped(asker: Asker, drawn: Any) -> None:
    metric, task_rewards, indices = drawn
    longer = list(task_rewards)
    for index in indices:
        longer.insert(index, [])
    asker.same(_OP, _input(metric, task_rewards), _input(metric, longer), f"empty tasks change {metric}")


@holds("evsys-compute-nothing-is-zero", lambda source: (_metric(source), source.below(6)), examples=20)
def _nothing_is_zero(asker: Asker, drawn: Any) -> None:
    metric, empty = drawn
    asker.equal(0.0, _value(asker, metric, [[]] * empty), f"{metric} of no samples")


@holds("evsys-compute-passing-alone-counts", lambda source: (_share(source), _rewards(source)))
def _passing_alone_counts(asker: Asker, drawn: Any) -> None:
    metric, task_rewards = drawn
    plain = [[1 if _passes(reward) else 0 for reward in rewards] for rewards in task_rewards]
    asker.same(
        _OP, _input(metric, task_rewards), _input(metric, plain), f"{metric} depends on the size of rewards"
    )


@holds(
    "evsys-compute-raised-reward-never-lowers",
    lambda source: (
        _share(source),
        benchmark(source, least=1) or [[grade(source)]],
        source.below(6),
        source.below(5),
        source.pick((1, 1.0, 2, "Infinity")),
    ),
)
def _raised_reward_never_lowers(asker: Asker, drawn: Any) -> None:
    metric, task_rewards, task, sample, reward = drawn
    raised = [list(rewards) for rewards in task_rewards]
    samples = raised[task % len(raised)]
    samples[sample % len(samples)] = reward
    before, after = (_value(asker, metric, rewards) for rewards in (task_rewards, raised))
    asker.holds(before <= after, f"{metric} falls from {before!r} to {after!r} when one more sample passes")


@holds("evsys-compute-pass-rate-pools", _rewards)
def _pass_rate_pools(asker: Asker, task_rewards: Any) -> None:
    pooled = [[reward for rewards in task_rewards for reward in rewards]]
    separate, together = _input("pass_rate", task_rewards), _input("pass_rate", pooled)
    asker.same(_OP, separate, together, "which task a sample belongs to changes pass_rate")


@holds(
    "evsys-compute-first-sample-alone", lambda source: (benchmark(source, least=1), _later_samples(source))
)
def _first_sample_alone(asker: Asker, drawn: Any) -> None:
    task_rewards, later = drawn
    longer = [[*rewards, *later] for rewards in task_rewards]
    asker.same(_OP, _input("pass@1", task_rewards), _input("pass@1", longer), "later samples change pass@1")


@holds(
    "evsys-compute-first-three-alone",
    lambda source: (source.pick(_THREE), benchmark(source, least=3), _later_samples(source)),
)
def _first_three_alone(asker: Asker, drawn: Any) -> None:
    metric, task_rewards, later = drawn
    longer = [[*rewards, *later] for rewards in task_rewards]
    asker.same(_OP, _input(metric, task_rewards), _input(metric, longer), f"a fourth sample changes {metric}")


@holds(
    "evsys-compute-first-three-in-any-order",
    lambda source: (source.pick(_THREE), _rewards(source), source.between(1, 2)),
)
def _first_three_in_any_order(asker: Asker, drawn: Any) -> None:
    metric, task_rewards, turn = drawn
    turned = [[*rewards[:3][turn:], *rewards[:3][:turn], *rewards[3:]] for rewards in task_rewards]
    asker.same(
        _OP,
        _input(metric, task_rewards),
        _input(metric, turned),
        f"the first three samples' order changes {metric}",
    )


@holds(
    "evsys-compute-single-samples-are-one-task",
    lambda source: source.items(fraction if source.below(2) else tenth, (6, 12)),
)
def _single_samples_are_one_task(asker: Asker, rewards: Any) -> None:
    single, pooled = _input("mean_reward", [[reward] for reward in rewards]), _input("mean_reward", [rewards])
    asker.same(_OP, single, pooled, "the mean over tasks of one sample is not the mean over their samples")


@holds("evsys-compute-tasks-weigh-alike", lambda source: (benchmark(source, tenth), source.between(2, 4)))
def _tasks_weigh_alike(asker: Asker, drawn: Any) -> None:
    """Only single samples are repeated, since the mean of several would be rounded again."""
    task_rewards, times = drawn
    single = [rewards[:1] for rewards in task_rewards]
    left, right = (
        _value(asker, "mean_reward", [[1.0, 0.0], *(rewards * count for rewards in single)])
        for count in (1, times)
    )
    asker.holds(abs(left - right) < 1e-9, f"repeating a task's samples turns {left!r} into {right!r}")


@holds(
    "evsys-compute-certainty",
    lambda source: (
        _share(source),
        bool(source.below(2)),
        source.several(6, lambda source: source.between(1, 5)),
    ),
)
def _certainty(asker: Asker, drawn: Any) -> None:
    metric, passing, counts = drawn
    task_rewards = [[1.0 if passing else 0.0] * count for count in counts]
    which = "all" if passing else "no"
    asker.equal(float(passing), _value(asker, metric, task_rewards), f"{metric} where {which} samples pass")


@holds(
    "evsys-compute-unknown-refused",
    lambda source: (source.pick(("pass@2", "Avg", "", "mean", " avg")), _rewards(source)),
)
def _unknown_refused(asker: Asker, drawn: Any) -> None:
    asker.refused(_OP, _input(*drawn), "KeyError")
