"""What readers of document 002 alone understood of means: what is averaged, and how it is added."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.other_numbers import Number, as_double, naive_sum, single_precision
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.compute.mistakes.means import changed_value, samples
from reference_impl.cpython312 import summation
from reference_impl.evsys import metrics

averages = family("evsys.compute", clause="002-mean-reward")
sums = family("evsys.compute", clause="002-sum")
values = family("evsys.compute", clause="002-returns-float")
_SUM = (metrics, summation.compensated_sum)
_Tasks = Sequence[Sequence[Number]]
_Numbers = Sequence[Number]


def _nan(value: Number) -> bool:
    return value != value


@averages.each(
    Case(
        "evsys-nan-counts-zero",
        "mean_reward counts a reward that is NaN as 0",
        "A missing reward is a failed one.",
        "fillna(0), nan_to_num",
        lambda task: [0.0 if _nan(reward) else reward for reward in task],
    ),
    Case(
        "evsys-infinite-skipped",
        "mean_reward skips rewards that are infinite",
        "They would drown all others.",
        "isfinite filters, outlier removal",
        lambda task: [reward for reward in task if _nan(reward) or not math.isinf(as_double(reward))],
    ),
    Case(
        "evsys-zero-samples-skipped",
        "mean_reward skips rewards of 0",
        "A reward of 0 counts as false.",
        "filter(None, rewards)",
        lambda task: [reward for reward in task if reward],
    ),
    Case(
        "evsys-negative-rewards-zero",
        "mean_reward counts rewards below 0 as 0",
        "Rewards are mostly shares.",
        "max(0, reward), relu",
        lambda task: [reward if _nan(reward) else max(reward, 0) for reward in task],
    ),
    Case(
        "evsys-best-sample-of-a-task",
        "mean_reward is the mean of each task's best sample",
        "A task is thought to be worth its best rollout.",
        "best-of-n",
        lambda task: [max(task)] if task else [],
    ),
    Case(
        "evsys-last-sample-of-a-task",
        "mean_reward is the mean of each task's last sample",
        "The last one stands where a map is filled by task.",
        "dicts by task",
        lambda task: task[-1:],
    ),
    Case(
        "evsys-equal-samples-once",
        "mean_reward counts equal samples of a task once",
        "What is collected in a set loses its repetitions.",
        "set(rewards)",
        lambda task: list(dict.fromkeys(task)),
    ),
    Case(
        "evsys-rewards-in-single-precision",
        "mean_reward takes rewards in single precision",
        "Tensors of rewards are mostly float32.",
        "torch.tensor, np.float32",
        lambda task: [single_precision(reward) for reward in task],
    ),
)
def other_samples(reference: Variant, change: Callable[[_Numbers], _Numbers]) -> None:
    """Lets mean_reward be computed of other samples of each task."""
    samples(reference, change)


def _until_empty(tasks: _Tasks) -> _Tasks:
    kept: list[_Numbers] = []
    for task in tasks:
        if not task:
            break
        kept.append(task)
    return kept


def _zip_cut(tasks: _Tasks) -> _Tasks:
    shortest = min((len(task) for task in tasks if task), default=0)
    return [task[:shortest] for task in tasks]


def _transposed(tasks: _Tasks) -> _Tasks:
    longest = max(map(len, tasks), default=0)
    return [[task[j] for task in tasks if j < len(task)] for j in range(longest)]


def _unique(tasks: _Tasks) -> _Tasks:
    return list({repr(task): task for task in tasks}.values())


def _filled(tasks: _Tasks) -> _Tasks:
    longest = max(map(len, tasks), default=0)
    return [[*task, *[0.0] * (longest - len(task))] if task else task for task in tasks]


@averages.each(
    Case(
        "evsys-stops-at-an-empty-task",
        "tasks after the first one without samples are not looked at",
        "An empty list marks the end of others.",
        "break for continue, takewhile",
        _until_empty,
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-any-empty-task-is-zero",
        "a benchmark is 0.0 as soon as one task has no samples",
        "The document says 0.0 where there are none.",
        "if not all(task_rewards): return 0.0",
        lambda tasks: tasks if all(tasks) else [],
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-first-empty-task-is-zero",
        "a benchmark is 0.0 where its first task has no samples",
        "The first task shows whether there are samples.",
        "if not task_rewards or not task_rewards[0]",
        lambda tasks: tasks if tasks and tasks[0] else [],
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-samples-cut-to-the-shortest-task",
        "of each task only as many samples count as the shortest task has",
        "Every task is thought to have num_samples.",
        "zip, rectangular arrays",
        _zip_cut,
        clause="002-sequences",
    ),
    Case(
        "evsys-samples-cut-to-the-first-task",
        "of each task only as many samples count as the first task with any has",
        "Every task is thought to have num_samples.",
        "len(task_rewards[0])",
        lambda tasks: [task[: len(next(filter(None, tasks), []))] for task in tasks],
        clause="002-sequences",
    ),
    Case(
        "evsys-samples-filled-with-zero",
        "a task with fewer samples than others is filled with 0.0",
        "Every task is thought to have num_samples, and a missing one has failed.",
        "rectangular arrays, zip_longest(fillvalue=0)",
        _filled,
        clause="002-sequences",
    ),
    Case(
        "evsys-rewards-transposed",
        "task_rewards[i][j] is taken for sample i of task j",
        "Rollouts are often made round by round.",
        "(samples, tasks) arrays",
        _transposed,
        clause="002-sequences",
    ),
    Case(
        "evsys-equal-tasks-once",
        "tasks with equal rewards count once",
        "What is collected in a set loses its repetitions.",
        "set(map(tuple, task_rewards))",
        _unique,
        clause="002-sequences",
    ),
    Case(
        "evsys-first-hundred-tasks",
        "only the first hundred tasks count",
        "Pages of results have so many.",
        "paged queries",
        lambda tasks: tasks[:100],
        clause="002-sequences",
    ),
    Case(
        "evsys-tasks-sorted",
        "tasks are averaged in the order of their rewards",
        "A mean is thought not to depend on the order.",
        "sorted(task_rewards)",
        lambda tasks: sorted(tasks, key=lambda task: [as_double(reward) for reward in task]),
        clause="002-sum",
    ),
)
def other_tasks(reference: Variant, change: Callable[[_Tasks], _Tasks]) -> None:
    """Lets every built-in be computed of other tasks."""
    for metric in (metrics.MeanReward, metrics.PassRate, metrics.PassAt1, metrics.PassAt3, metrics.PassHat3):
        reference.wrap(metric.compute, _of_changed(change))


def _of_changed(change: Callable[[_Tasks], _Tasks]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda compute: lambda metric, tasks: compute(metric, change(tasks))


@averages.each(
    Case(
        "evsys-mean-reward-counts-empty-tasks",
        "mean_reward alone counts a task without samples as 0",
        "Only the others are said to be fractions of tasks.",
        "mean of means with a default",
        lambda mean, tasks: mean([mean(task) for task in tasks]),
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-zero-tasks-skipped",
        "mean_reward skips tasks whose mean is 0",
        "A mean of 0.0 is what an empty task has.",
        "filter(None, means)",
        lambda mean, tasks: mean([it for it in (mean(task) for task in tasks if task) if it]),
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-nan-tasks-skipped",
        "mean_reward skips tasks whose mean is NaN",
        "NaN stands for a missing value in data frames.",
        "numpy.nanmean, DataFrame.mean",
        lambda mean, tasks: mean([it for it in (mean(task) for task in tasks if task) if not _nan(it)]),
    ),
    Case(
        "evsys-pooled-where-counts-are-equal",
        "mean_reward pools all samples where every task has the same number of them",
        "It is the same on paper.",
        "numpy's mean of a matrix",
        lambda mean, tasks: (
            mean([reward for task in tasks for reward in task])
            if len({len(task) for task in tasks}) == 1
            else mean([mean(task) for task in tasks if task])
        ),
    ),
    Case(
        "evsys-task-means-rounded",
        "the tasks' means are rounded to ten digits before mean_reward averages them",
        "Means are shown and stored rounded.",
        "round() in a record of each task",
        lambda mean, tasks: mean([_rounded(mean(task), 10) for task in tasks if task]),
    ),
    Case(
        "evsys-tasks-weighted-by-samples",
        "mean_reward weighs each task's mean by the number of its samples",
        "A mean of many samples is surer.",
        "np.average(weights=counts)",
        lambda mean, tasks: _weighted(mean, tasks),
    ),
    Case(
        "evsys-median-of-tasks",
        "mean_reward is the median of the tasks' means where there are more than two",
        "A typical task is looked for.",
        "statistics.median, robust aggregates",
        lambda mean, tasks: _middle(mean, [mean(task) for task in tasks if task]),
    ),
)
def other_mean_reward(reference: Variant, compute: Callable[..., Any]) -> None:
    """Lets mean_reward, and with it avg, be computed in another way."""
    reference.replace(
        metrics.MeanReward.compute, lambda _, tasks: compute(reference.its(metrics._mean), tasks)
    )


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) if math.isfinite(value) else value


def _weighted(mean: Callable[[Any], float], tasks: _Tasks) -> float:
    counts = [len(task) for task in tasks if task]
    means = [mean(task) for task in tasks if task]
    return math.fsum(n * m for n, m in zip(counts, means, strict=True)) / sum(counts) if counts else 0.0


def _middle(mean: Callable[[Any], float], means: list[float]) -> float:
    if len(means) < 3 or any(map(_nan, means)):
        return mean(means)
    ordered = sorted(means)
    return mean(ordered[(len(means) - 1) // 2 : len(means) // 2 + 1])


@averages.each(
    Case(
        "evsys-avg-pools",
        "avg is the mean of all samples, mean_reward is not",
        "Two names seem to stand for two means.",
        "micro and macro averages",
        lambda mean, tasks: mean([reward for task in tasks for reward in task]),
        clause="002-avg",
    ),
    Case(
        "evsys-avg-counts-empty-tasks",
        "avg counts a task without samples as 0, mean_reward skips it",
        "What is said of one name is not said of the other.",
        "aliases with code of their own",
        lambda mean, tasks: mean([mean(task) for task in tasks]),
        clause="002-avg",
    ),
    Case(
        "evsys-avg-of-three",
        "avg looks at the first three samples of a task",
        "pass@3 does.",
        "avg@k",
        lambda mean, tasks: mean([mean(task[:3]) for task in tasks if task]),
        clause="002-avg",
    ),
    Case(
        "evsys-avg-of-first",
        "avg looks at the first sample of a task",
        "pass@1 does.",
        "avg@1",
        lambda mean, tasks: mean([task[0] for task in tasks if task]),
        clause="002-avg",
    ),
    Case(
        "evsys-avg-of-passes",
        "avg averages which samples pass, not their rewards",
        "The samples are said to be passing or not.",
        "avg@k of papers",
        lambda mean, tasks: mean([mean([reward >= 1.0 for reward in task]) for task in tasks if task]),
        clause="002-avg",
    ),
)
def other_avg(reference: Variant, compute: Callable[..., Any]) -> None:
    """Lets avg alone be computed in another way."""
    mean = reference.get(metrics._mean)
    plain = reference.its(metrics.MeanReward)
    avg = reference.its(metrics.Avg)
    original = plain.compute

    def answer(metric: Any, tasks: _Tasks) -> Any:
        return compute(mean, tasks) if isinstance(metric, avg) else original(metric, tasks)

    reference.replace(metrics.MeanReward.compute, answer)


def _kahan(given: _Numbers) -> Number:
    if all(isinstance(value, int) for value in given):
        return sum(given)
    total = compensation = 0.0
    for value in map(float, given):
        part = value - compensation
        grown = total + part
        compensation = (grown - total) - part
        total = grown
    return total


def _neumaier_unguarded(given: _Numbers) -> Number:
    if all(isinstance(value, int) for value in given):
        return sum(given)
    total = compensation = 0.0
    for value in map(float, given):
        grown = total + value
        larger, smaller = (total, value) if abs(total) >= abs(value) else (value, total)
        compensation += (larger - grown) + smaller
        total = grown
    return total + compensation


def _pairwise(given: _Numbers) -> Number:
    if len(given) < 9:
        return summation.compensated_sum(given)
    if all(isinstance(value, int) for value in given):
        return sum(given)
    half = len(given) // 2
    return _pairs(given[:half]) + _pairs(given[half:])


def _pairs(given: _Numbers) -> Number:
    """The sum of both halves' sums."""
    half = len(given) // 2
    return _pairs(given[:half]) + _pairs(given[half:]) if half else sum(given)


def _ints_apart(given: _Numbers) -> Number:
    ints = [value for value in given if isinstance(value, int)]
    floats = [value for value in given if isinstance(value, float)]
    return sum(ints) + summation.compensated_sum(floats) if floats else sum(ints)


def _int_compensated(given: _Numbers) -> Number:
    if all(isinstance(value, int) for value in given):
        return sum(given)
    return summation.compensated_sum([float(value) for value in given])


def _floats_from_the_first(given: _Numbers) -> Number:
    """As `_int_compensated`, but for leading ints, which are added exactly."""
    for i, value in enumerate(given):
        if isinstance(value, float):
            return summation.compensated_sum([float(sum(given[:i])), *map(float, given[i:])])
    return sum(given)


def _saturating(given: _Numbers) -> Number:
    if all(isinstance(value, int) for value in given):
        return sum(given)
    return summation.compensated_sum([as_double(value) for value in given])


def _wrapping(given: _Numbers) -> Number:
    total = summation.compensated_sum(given)
    return (total + 2**63) % 2**64 - 2**63 if isinstance(total, int) else total


def _from_the_first(given: _Numbers) -> Number:
    return summation.compensated_sum(given) or (given[0] if all(str(it) == "-0.0" for it in given) else 0.0)


def _overflow_mended(given: _Numbers) -> Number:
    total = summation.compensated_sum(given)
    if isinstance(total, float) and math.isinf(total) and all(math.isfinite(value) for value in given):
        try:
            return float(sum(map(Fraction, given), Fraction(0)))
        except OverflowError:
            return total
    return total
    return total


def _cancelled(given: _Numbers) -> Number:
    infinite = [value for value in given if isinstance(value, float) and math.isinf(value)]
    return 0.0 if len(set(infinite)) == 2 else summation.compensated_sum(given)


@sums.each(
    Case(
        "evsys-sums-as-kahan",
        "sums of rewards are compensated as Kahan did, not as Neumaier",
        "It is the compensated sum that everyone knows.",
        "Kahan summation",
        _kahan,
    ),
    Case(
        "evsys-compensation-not-finite",
        "a sum with an infinite reward is NaN",
        "The compensation of an infinity is NaN, and is added without a look.",
        "Neumaier's sum from a textbook",
        _neumaier_unguarded,
    ),
    Case(
        "evsys-sums-in-halves",
        "sums of nine and more rewards are those of their halves",
        "It is fast, and quite exact.",
        "numpy.sum, Julia's sum",
        _pairwise,
    ),
    Case(
        "evsys-sums-from-the-least",
        "rewards are added from the least up",
        "Small numbers are not lost so.",
        "sorted(rewards)",
        lambda given: summation.compensated_sum(sorted(given)),
    ),
    Case(
        "evsys-sums-from-the-last",
        "rewards are added from the last to the first",
        "Lists are folded from their end.",
        "foldr, reduceRight, stacks",
        lambda given: summation.compensated_sum(list(reversed(given))),
    ),
    Case(
        "evsys-ints-added-apart",
        "ints among rewards are added apart from the floats, exactly",
        "Each kind of number is added best by itself.",
        "multiple dispatch, sums by type",
        _ints_apart,
    ),
    Case(
        "evsys-ints-compensated",
        "ints among floats are floats before they are added, with compensation",
        "Python 3.14 does so, and any float makes a list of floats.",
        "list[float], CPython 3.14",
        _int_compensated,
    ),
    Case(
        "evsys-ints-after-floats-compensated",
        "ints after the first float are added with compensation",
        "Python 3.14 does so.",
        "CPython 3.14",
        _floats_from_the_first,
    ),
    Case(
        "evsys-too-large-ints-infinite",
        "an int too large for a double counts as infinite among floats",
        "A conversion that saturates raises nothing.",
        "JavaScript, Go, Rust",
        _saturating,
    ),
    Case(
        "evsys-int-sums-wrap",
        "a sum of rewards that are ints wraps around at 64 bits",
        "An int has 64 bits elsewhere.",
        "numpy, Go, Rust in release builds, Java",
        _wrapping,
    ),
    Case(
        "evsys-negative-zero-sums",
        "a sum of -0.0 alone is -0.0",
        "A sum begins with its first value, or with -0.0.",
        "reduce, Rust's Iterator::sum",
        _from_the_first,
    ),
    Case(
        "evsys-overflow-mended",
        "a sum that is infinite on its way and not in the end is finite",
        "An exact sum knows no way.",
        "math.fsum, scaled sums",
        _overflow_mended,
    ),
    Case(
        "evsys-infinities-cancel",
        "Infinity and -Infinity among rewards make a sum of 0.0",
        "Opposite numbers cancel.",
        "sign times count of infinities",
        _cancelled,
    ),
)
def other_sum(reference: Variant, add: Callable[[_Numbers], Number]) -> None:
    """Lets rewards be added in another way."""
    reference.replace_use(_SUM, add)


def _running(given: _Numbers) -> float:
    mean = 0.0
    for n, value in enumerate(given, 1):
        mean += (value - mean) / n
    return mean


def _floored(total: Number, n: int) -> float:
    return float(total // n) if isinstance(total, int) else total / n


def _rational(given: _Numbers) -> float:
    if not all(map(math.isfinite, given)):
        return summation.compensated_sum(given) / len(given)
    return float(sum(map(Fraction, given), Fraction(0)) / len(given))


@sums.each(
    Case(
        "evsys-running-mean",
        "a mean is updated reward by reward",
        "Nothing needs to be kept so.",
        "Welford's update, streaming statistics",
        lambda given: _running(given) if any(isinstance(it, float) for it in given) else _plain(given),
    ),
    Case(
        "evsys-shares-summed",
        "each reward is divided by their number before they are added",
        "A mean is a sum of weighted values.",
        "weights of 1/n",
        lambda given: summation.compensated_sum([value / len(given) for value in given]),
    ),
    Case(
        "evsys-times-the-inverse",
        "a sum is multiplied by the inverse of the number of rewards",
        "A multiplication is faster than a division.",
        "-freciprocal-math, 1.0 / n kept",
        lambda given: summation.compensated_sum(given) * (1 / len(given)),
    ),
    Case(
        "evsys-int-means-floored",
        "the mean of ints is their integer quotient, as a float",
        "An int divided by an int is an int there.",
        "Python 2, Go, Java, C",
        lambda given: _floored(summation.compensated_sum(given), len(given)),
    ),
    Case(
        "evsys-int-sums-as-floats",
        "a sum of ints is made a float before it is divided",
        "A mean divides floats.",
        "float(total) / n, f64 casts",
        lambda given: float(summation.compensated_sum(given)) / len(given),
    ),
    Case(
        "evsys-means-exact",
        "a mean is rounded once, after the division",
        "Fractions are exact.",
        "statistics.mean, Fraction, Decimal",
        _rational,
    ),
    Case(
        "evsys-means-clamped",
        "a mean is cut to 0 up to 1",
        "A share lies between 0 and 1.",
        "np.clip, min(1.0, mean)",
        lambda given: (
            _plain(given)
            if _nan(_plain(given))
            else min(max(summation.compensated_sum(given) / len(given), 0.0), 1.0)
        ),
    ),
)
def other_mean(reference: Variant, mean: Callable[[_Numbers], float]) -> None:
    """Lets every mean of something be computed in another way."""
    reference.replace(metrics._mean, lambda given: mean(given) if given else 0.0)


def _plain(given: _Numbers) -> float:
    return summation.compensated_sum(given) / len(given)


@sums.each(
    Case(
        "evsys-naive-across-tasks",
        "the tasks' means are added without compensation, a task's samples with it",
        "The two sums are written at two places.",
        "two code paths",
        False,
    ),
    Case(
        "evsys-naive-within-tasks",
        "a task's samples are added without compensation, the tasks' means with it",
        "The two sums are written at two places.",
        "two code paths",
        True,
    ),
)
def half_naive(reference: Variant, within: bool) -> None:
    """Leaves compensation away at one of mean_reward's two sums."""
    mean = reference.get(metrics._mean)

    def naive(given: _Numbers) -> float:
        return naive_sum(given) / len(given) if given else 0.0

    inner, outer = (naive, mean) if within else (mean, naive)
    reference.replace(
        metrics.MeanReward.compute, lambda _, tasks: outer([inner(task) for task in tasks if task])
    )


@values.each(
    Case(
        "evsys-values-to-six-digits",
        "a value is rounded to six decimals",
        "Records show no more.",
        "round(value, 6), %f",
        lambda value: round(value, 6),
    ),
    Case(
        "evsys-values-to-twelve-digits",
        "a value is rounded to twelve decimals",
        "What lies behind is taken for noise.",
        "round(value, 12)",
        lambda value: round(value, 12),
    ),
    Case(
        "evsys-values-in-percent",
        "a value is given in percent",
        "Shares are shown so.",
        "leaderboards",
        lambda value: value * 100,
    ),
    Case(
        "evsys-values-in-single-precision",
        "a value is given in single precision",
        "Numbers of models are float32.",
        "torch.mean().item()",
        single_precision,
    ),
    Case(
        "evsys-zero-as-int",
        "a value of 0 is the int 0",
        "0 is what is returned where nothing is there.",
        "if not tasks: return 0",
        lambda value: value or 0,
    ),
)
def other_value(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the value as it is answered."""
    changed_value(reference, change)


@values.each(
    Case(
        "evsys-no-samples-nan",
        "a benchmark without samples is NaN",
        "A mean of nothing is 0 divided by 0.",
        "numpy.mean, Rust, JavaScript",
        math.nan,
        clause="002-empty-is-zero",
    ),
    Case(
        "evsys-no-samples-int-zero",
        "a benchmark without samples is the int 0",
        "The sum of nothing is an int.",
        "if not tasks: return 0",
        0,
        clause="002-empty-is-zero",
    ),
)
def without_samples(reference: Variant, value: float) -> None:
    """Answers another value where there is nothing to average."""
    mean = reference.get(metrics._mean)
    reference.replace(metrics._mean, lambda given: mean(given) if given else value)
