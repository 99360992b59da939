"""Mistakes in the choice of attempts, and in grouping them by task."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards
from conformance.mistakes.variant import Variant
from reference_impl.pass_at_k import GradedTrial, _success, pass_at_k

mistakes = family("pass_at_k")
Success = bool | None
Judge = Callable[[Rewards | None], Success]


@way("pass_at_k")
def judged(reference: Variant, judge: Callable[[Judge, Rewards | None], Success]) -> None:
    """Changes how an attempt is judged; None makes pass@k unavailable."""
    reference.wrap(_success, lambda success: lambda rewards: judge(success, rewards))


@way("pass_at_k", clause="003-4.1-fraction")
def binary(reference: Variant, is_pass: Callable[[Number], Success]) -> None:
    """Changes when the only reward of an attempt counts as a pass."""

    def judge(success: Judge, rewards: Rewards | None) -> Success:
        if rewards is None or len(rewards) != 1:
            return success(rewards)
        return is_pass(next(iter(rewards.values())))

    judged(reference, judge)


@way("pass_at_k", clause="003-4.1-any-trial-whole-group")
def trials_first(reference: Variant, change: Callable[[Sequence[Any]], Iterable[Any]]) -> None:
    """Changes a group's trials before pass@k is computed."""
    reference.wrap(pass_at_k, lambda compute: lambda trials: compute(list(change(trials))))


@binary.made(clause="003-4.1-zero-or-one", invited_by="`reward == 1.0` without a look at the other values")
def only_one_passes(value: Number) -> Success:
    """pass@k is computed for any reward: 1 is a pass, anything else a failure.
    Every attempt can be judged in this way."""
    return value == 1


@binary.made(clause="003-4.1-zero-or-one", invited_by="`reward >= 1`, other evaluation harnesses")
def pass_from_one_on(value: Number) -> Success:
    """pass@k is computed for any reward: 1 or more is a pass, anything else a failure.
    Every attempt can be judged in this way."""
    return value >= 1


@binary.made(invited_by="`reward > 0`, reinforcement learning")
def pass_above_zero(value: Number) -> Success:
    """pass@k is computed for any reward: anything above 0 is a pass. Any reward is a success of some kind."""
    return value > 0


@judged.made(clause="003-4.1-empty-object", invited_by="Python's truth tests, get('reward', 0)")
def empty_rewards_fail(success: Judge, rewards: Rewards | None) -> Success:
    """An attempt whose rewards are an empty object is a failure, and pass@k is still computed.
    `if not rewards` covers null and the empty object."""
    return success(rewards or None)


@binary.made(invited_by="round(reward), thresholds of 0.5")
def pass_above_half(value: Number) -> Success:
    """pass@k is computed for any reward: 0.5 or more is a pass. It is the usual threshold of a classifier."""
    return value >= 0.5


@binary.made(
    clause="003-4.1-signed-zero",
    invited_by="Object.is, to_bits(), comparing spellings, sets of boxed doubles in Java",
)
def minus_zero_is_not_binary(value: Number) -> Success:
    """-0.0 disables pass@k. It is neither of the two values when bits or texts are compared."""
    return value == 1 if str(value) in ("0", "1", "0.0", "1.0") else None


@trials_first.made(clause="003-4.1-none-is-failure", invited_by="dropna, filter(Boolean), SQL's aggregates")
def missing_reward_left_out(trials: Sequence[Any]) -> Iterable[Any]:
    """Attempts without rewards are left out of pass@k. There is nothing to judge."""
    return [one for one in trials if one.rewards is not None]


@trials_first.made(invited_by="filter before grouping, `continue`")
def odd_attempts_left_out(reference: Variant, trials: Sequence[Any]) -> Iterable[Any]:
    """An attempt that is neither 0 nor 1 is left out, and pass@k is still computed.
    The other attempts can still be judged."""
    success = reference.its(_success)
    return [one for one in trials if success(one.rewards) is not None]


@way("pass_at_k", clause="003-4.1-one-key")
def one_of_several(reference: Variant, choose: Callable[[Rewards], Rewards]) -> None:
    """Judges rewards with several keys by those that ``choose`` selects."""
    judged(
        reference,
        lambda success, rewards: success(choose(rewards) if rewards and len(rewards) > 1 else rewards),
    )


@one_of_several.made(invited_by="rewards['reward'], structs with that field")
def reward_among_keys_judged(rewards: Rewards) -> Rewards:
    """Rewards with several keys are judged by the key `reward`. reward.txt has this key."""
    return {"reward": rewards["reward"]} if "reward" in rewards else rewards


@judged.made(clause="003-4.1-key-name-free", invited_by="rewards.get('reward'), structs with that field")
def key_must_be_reward(success: Judge, rewards: Rewards | None) -> Success:
    """A single key that is not called `reward` disables pass@k. reward.txt has this key."""
    return None if rewards and "reward" not in rewards else success(rewards)


Compute = Callable[[Sequence[Any]], dict[int, float]]


@way("pass_at_k", clause="003-4.3-own-n")
def attempts(reference: Variant, change: Callable[[dict[str, list[Any]]], dict[str, list[Any]]]) -> None:
    """Changes the attempts by task before pass@k is computed."""

    def around(compute: Compute) -> Compute:
        trial = reference.its(GradedTrial)

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            tasks: dict[str, list[Any]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(one)
            changed = change(tasks)
            return compute([trial(task, one.rewards) for task, ones in changed.items() for one in ones])

        return computing

    reference.wrap(pass_at_k, around)


@attempts.made(invited_by="zip, numpy arrays, one n for all")
def attempts_cut_to_smallest(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Every task is estimated with as many attempts as the task with the fewest has.
    Attempts form a matrix of tasks by attempts."""
    fewest = min(map(len, tasks.values()), default=0)
    return {task: ones[:fewest] for task, ones in tasks.items()}


@attempts.made(invited_by="zip_longest, pivot tables with fillna(0)")
def attempts_filled_to_largest(reference: Variant, tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Tasks with fewer attempts than others are filled up with failures.
    Attempts form a matrix, and empty cells are 0."""
    trial = reference.get(GradedTrial)
    most = max(map(len, tasks.values()), default=0)
    return {task: ones + [trial(task, None)] * (most - len(ones)) for task, ones in tasks.items()}


@attempts.made(clause="003-4.3-no-success", invited_by="counters of successes, SQL joins, defaultdict")
def unsolved_tasks_left_out(reference: Variant, tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Tasks without a success are left out of pass@k. A table of successes has no row for them."""
    success = reference.its(_success)
    return {
        task: ones for task, ones in tasks.items() if any(success(one.rewards) is not False for one in ones)
    }


@mistakes.changed(clause="003-4.3-mean-over-tasks", invited_by="one pair of n and c for a whole benchmark")
def counts_pooled(reference: Variant) -> None:
    """N and c are counted over all tasks of a group, and pass@k is worked out once.
    The formula seems to need only one call."""

    def around(compute: Compute) -> Compute:
        module = reference.module_of(pass_at_k)

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            passed = sum(module._success(one.rewards) is True for one in trials)
            return {k: module.pass_at_k_for_task(len(trials), passed, k) for k in compute(trials)}

        return computing

    reference.wrap(pass_at_k, around)
