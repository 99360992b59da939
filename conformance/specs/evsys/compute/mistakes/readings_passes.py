"""What readers of document 002 alone understood of passing: which samples do, and which of them count."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.other_numbers import Number, as_double, single_precision
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.compute.mistakes.passes import of_tasks
from reference_impl.evsys import metrics
from reference_impl.evsys.metrics import PassAt1, PassAt3, PassHat3, PassRate

thresholds = family("evsys.compute", clause="002-pass-threshold")
rates = family("evsys.compute", clause="002-pass-rate")
firsts = family("evsys.compute", clause="002-pass-at-1")
anys = family("evsys.compute", clause="002-pass-at-3")
alls = family("evsys.compute", clause="002-pass-hat-3")
_Tasks = Sequence[Sequence[Number]]


@thresholds.each(
    Case(
        "evsys-rounded-rewards-pass",
        "a sample passes whose reward rounds to 1",
        "Rewards are mostly 0 or 1.",
        "round(reward) >= 1",
        lambda reward: reward >= 0.5 and (reward > 0.5 or round(reward) >= 1),
    ),
    Case(
        "evsys-passes-by-magnitude",
        "a sample passes whose reward is -1 or less, too",
        "The threshold is compared with the size of a reward.",
        "abs(reward)",
        lambda reward: abs(reward) >= 1.0,
    ),
    Case(
        "evsys-passes-in-single-precision",
        "a sample passes whose reward is 1 in single precision",
        "Tensors of rewards are mostly float32.",
        "torch.tensor, np.float32",
        lambda reward: single_precision(reward) >= 1.0,
    ),
    Case(
        "evsys-passes-within-ulp",
        "a sample passes that lacks no more than the last bit of 1",
        "Sums that should be 1 are off by so much.",
        "reward + epsilon >= 1",
        lambda reward: as_double(reward) + 2.3e-16 >= 1.0,
    ),
    Case(
        "evsys-infinite-rewards-fail",
        "a sample whose reward is infinite fails",
        "An infinite reward is thought to be broken.",
        "isfinite(reward) and reward >= 1",
        lambda reward: 1.0 <= reward < math.inf,
    ),
    Case(
        "evsys-too-large-ints-fail",
        "a sample whose reward is an int too large for a double fails",
        "It cannot be compared as a float.",
        "try: float(reward)",
        lambda reward: reward >= 1.0 and (isinstance(reward, float) or not math.isinf(as_double(reward))),
    ),
    Case(
        "evsys-too-large-ints-raise",
        "a sample whose reward is an int too large for a double is an OverflowError",
        "It cannot be made a float.",
        "float(reward) >= 1",
        lambda reward: float(reward) >= 1.0,
    ),
    Case(
        "evsys-int-rewards-fail",
        "a sample passes only if its reward is a float",
        "Rewards are declared as floats.",
        "isinstance(reward, float), typed unions",
        lambda reward: isinstance(reward, float) and reward >= 1.0,
    ),
    Case(
        "evsys-up-to-one-passes-at-one",
        "a sample passes whose reward lies between 1 and 2",
        "Whole parts are compared.",
        "int(reward) == 1",
        lambda reward: 1.0 <= reward < 2.0,
    ),
    Case(
        "evsys-best-reward-passes",
        "a sample passes from 0.999999 on",
        "Rewards of 1 are often off by rounding.",
        "round(reward, 6) >= 1",
        lambda reward: reward >= 0.9999995,
    ),
    Case(
        "evsys-passes-by-binary-fraction",
        "a sample passes whose reward is written 1.0 at one digit",
        "Rewards are shown with one digit.",
        "f'{reward:.1f}'",
        lambda reward: reward >= 0.95,
    ),
)
def passing(reference: Variant, passes: Callable[[Any], Any]) -> None:
    """Lets other samples pass."""
    reference.replace(metrics._passes, passes)


def _of(samples: Callable[[_Tasks], Sequence[Any]]) -> Callable[..., Any]:
    return lambda mean, passes, tasks: mean([passes(reward) for reward in samples(tasks)])


def _flat(tasks: _Tasks) -> list[Number]:
    return [reward for task in tasks for reward in task]


def _expected(mean: Any, passes: Any, tasks: _Tasks) -> Any:
    longest = max(map(len, tasks), default=0)
    missing = sum(longest - len(task) for task in tasks)
    return mean([*(passes(reward) for reward in _flat(tasks)), *[False] * missing])


@rates.each(
    Case(
        "evsys-pass-rate-any-positive",
        "pass_rate counts every reward above 0 as passing",
        "The threshold is said of pass@k alone, it seems.",
        "reward > 0",
        lambda mean, _, tasks: mean([reward > 0 for reward in _flat(tasks)]),
        clause="002-pass-threshold",
    ),
    Case(
        "evsys-pass-rate-sums-rewards",
        "pass_rate is the mean of all rewards",
        "A passing sample has reward 1.",
        "sum(rewards) / n",
        lambda mean, _, tasks: mean(_flat(tasks)),
        clause="002-pass-threshold",
    ),
    Case(
        "evsys-pass-rate-nan-not-counted",
        "pass_rate leaves rewards that are NaN out of the samples",
        "NaN stands for a missing value in data frames.",
        "dropna",
        _of(lambda tasks: [reward for reward in _flat(tasks) if reward == reward]),
    ),
    Case(
        "evsys-pass-rate-of-tasks",
        "pass_rate is the share of tasks with a sample that passes",
        "A task that was solved once is solved.",
        "SWE-bench's resolved rate",
        lambda mean, passes, tasks: mean([any(map(passes, task)) for task in tasks if task]),
        clause="002-pooled",
    ),
    Case(
        "evsys-pass-rate-of-solid-tasks",
        "pass_rate is the share of tasks whose samples all pass",
        "A task passes when it always does.",
        "all(rewards)",
        lambda mean, passes, tasks: mean([all(map(passes, task)) for task in tasks if task]),
        clause="002-pooled",
    ),
    Case(
        "evsys-pass-rate-of-first-three",
        "pass_rate looks at the first three samples of a task",
        "pass@3 and pass^3 do.",
        "one helper for all metrics",
        _of(lambda tasks: _flat([task[:3] for task in tasks])),
        clause="002-pooled",
    ),
    Case(
        "evsys-pass-rate-of-expected-samples",
        "pass_rate divides by the tasks times the greatest number of samples",
        "Every task is thought to have num_samples.",
        "n_tasks * num_samples",
        _expected,
        clause="002-pooled",
    ),
    Case(
        "evsys-pass-rate-empty-task-fails",
        "pass_rate counts a task without samples as one failing sample",
        "A task that gave nothing has failed.",
        "rewards or [0.0]",
        _of(lambda tasks: _flat([task or [0.0] for task in tasks])),
        clause="002-pooled",
    ),
    Case(
        "evsys-pass-rate-of-tasks-count",
        "pass_rate divides by the number of tasks",
        "All other metrics do.",
        "len(task_rewards)",
        lambda mean, passes, tasks: sum(map(passes, _flat(tasks))) / len(tasks) if tasks else 0.0,
        clause="002-pooled",
    ),
)
def other_pass_rate(reference: Variant, compute: Callable[..., Any]) -> None:
    """Lets pass_rate be computed in another way."""
    reference.replace(
        PassRate.compute,
        lambda _, tasks: compute(reference.its(metrics._mean), reference.its(metrics._passes), tasks),
    )


@alls.each(
    Case(
        "evsys-pass-hat-3-of-two-needs-three",
        "a task with one sample fails pass^3, one with two may pass",
        "One sample shows no consistency.",
        "len(rewards) > 1",
        PassHat3,
        lambda passed: len(passed) > 1 and all(passed[:3]),
        clause="002-fewer-samples",
    ),
    Case(
        "evsys-pass-hat-3-run-anywhere",
        "pass^3 asks for three samples in a row that pass, anywhere",
        "Consistency is a matter of a streak.",
        "longest streaks",
        PassHat3,
        lambda passed: (
            all(passed) if len(passed) < 3 else any(all(passed[i : i + 3]) for i in range(len(passed) - 2))
        ),
    ),
    Case(
        "evsys-pass-hat-3-any-three",
        "pass^3 asks for three samples that pass, anywhere",
        "Three of them pass.",
        "sum(passed) >= 3",
        PassHat3,
        lambda passed: sum(passed) >= min(3, len(passed)),
    ),
    Case(
        "evsys-pass-hat-3-estimated",
        "pass^3 is the unbiased estimate from all samples",
        "That is what pass^k means elsewhere.",
        "tau-bench",
        PassHat3,
        lambda passed: (
            math.comb(sum(passed), min(3, len(passed))) / math.comb(len(passed), min(3, len(passed)))
        ),
    ),
    Case(
        "evsys-pass-hat-3-majority",
        "pass^3 asks for two of the first three samples",
        "A majority is thought to be consistent.",
        "maj@3",
        PassHat3,
        lambda passed: 2 * sum(passed[:3]) > len(passed[:3]),
    ),
    Case(
        "evsys-pass-hat-3-last-three",
        "pass^3 looks at the last three samples of a task",
        "A slice counts from either end.",
        "rewards[-3:]",
        PassHat3,
        lambda passed: all(passed[-3:]),
    ),
    Case(
        "evsys-pass-at-3-last-three",
        "pass@3 looks at the last three samples of a task",
        "A slice counts from either end.",
        "rewards[-3:]",
        PassAt3,
        lambda passed: any(passed[-3:]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-at-3-of-four",
        "pass@3 looks at four samples of a task",
        "A range's end is easily off by one.",
        "inclusive ranges",
        PassAt3,
        lambda passed: any(passed[:4]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-hat-3-of-four",
        "pass^3 looks at four samples of a task",
        "A range's end is easily off by one.",
        "inclusive ranges",
        PassHat3,
        lambda passed: all(passed[:4]),
    ),
    Case(
        "evsys-pass-hat-3-of-two",
        "pass^3 looks at two samples of a task",
        "A range's end is easily off by one.",
        "exclusive ranges",
        PassHat3,
        lambda passed: all(passed[:2]),
    ),
    Case(
        "evsys-pass-at-3-fewer-fail",
        "a task with fewer than three samples fails pass@3",
        "Three samples are asked for.",
        "n < k: False",
        PassAt3,
        lambda passed: len(passed) >= 3 and any(passed[:3]),
        clause="002-fewer-samples",
    ),
    Case(
        "evsys-pass-at-3-single-sample-fails",
        "a task with one sample fails pass@3, one with two may pass",
        "One sample is no choice.",
        "len(rewards) > 1",
        PassAt3,
        lambda passed: len(passed) > 1 and any(passed[:3]),
        clause="002-fewer-samples",
    ),
    Case(
        "evsys-pass-at-1-last-sample",
        "pass@1 looks at the last sample of a task",
        "The last one stands where a map is filled by task.",
        "rewards[-1]",
        PassAt1,
        lambda passed: passed[-1],
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-at-1-single-sample-only",
        "pass@1 counts only tasks with exactly one sample as passing",
        "It is thought to be about one sample.",
        "rewards == [1.0]",
        PassAt1,
        lambda passed: passed == [True],
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-at-3-of-passing-first",
        "pass@3 sums how many of the first three samples pass",
        "A sum of passing samples is close to any().",
        "sum() for any()",
        PassAt3,
        lambda passed: sum(passed[:3]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-at-3-share",
        "pass@3 is the mean share of the first three samples that pass",
        "pass@1 and pass_rate are shares, too.",
        "mean(passed[:3])",
        PassAt3,
        lambda passed: sum(passed[:3]) / len(passed[:3]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-hat-3-share",
        "pass^3 is the mean share of the first three samples that pass",
        "pass@1 and pass_rate are shares, too.",
        "mean(passed[:3])",
        PassHat3,
        lambda passed: sum(passed[:3]) / len(passed[:3]),
    ),
    Case(
        "evsys-pass-at-3-independent",
        "pass@3 is 1 minus the third power of a task's share of failing samples",
        "Three independent samples fail with that chance.",
        "1 - (1 - p) ** k",
        PassAt3,
        lambda passed: 1 - (passed.count(False) / len(passed)) ** 3,
        clause="002-pass-at-3",
    ),
)
def other_share(reference: Variant, metric: type, share: Callable[[list[bool]], Any]) -> None:
    """Makes a metric the mean of what ``share`` says of each task."""
    of_tasks(reference, share, metric)


@alls.each(
    Case(
        "evsys-pass-at-1-empty-task-fails",
        "pass@1 counts a task without samples as failed",
        "It is a fraction of tasks.",
        "bool(rewards) and rewards[0] >= 1",
        PassAt1,
        any,
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-pass-at-3-empty-task-fails",
        "pass@3 counts a task without samples as failed",
        "It is a fraction of tasks, and any() of nothing is false.",
        "any(rewards[:3])",
        PassAt3,
        lambda passed: any(passed[:3]),
        clause="002-empty-tasks-skipped",
    ),
    Case(
        "evsys-pass-hat-3-empty-task-fails",
        "pass^3 counts a task without samples as failed",
        "It is a fraction of tasks.",
        "bool(rewards) and all(rewards[:3])",
        PassHat3,
        lambda passed: bool(passed) and all(passed[:3]),
        clause="002-empty-tasks-skipped",
    ),
)
def counting_empty(reference: Variant, metric: type, share: Callable[[list[bool]], Any]) -> None:
    """As ``other_share``, of tasks without samples as well."""
    first = metric is PassAt1
    of_tasks(reference, (lambda passed: share(passed[:1])) if first else share, metric, 0)


def _shortest(tasks: _Tasks) -> int:
    return min((len(task) for task in tasks if task), default=0)


@alls.each(
    Case(
        "evsys-pass-at-3-by-maximum",
        "pass@3 compares the greatest of the first three rewards, which a NaN before it hides",
        "Any passes where the best does.",
        "max(rewards[:3]) >= 1",
        PassAt3,
        lambda mean, tasks: mean([max(task[:3]) >= 1.0 for task in tasks if task]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-hat-3-by-minimum",
        "pass^3 compares the least of the first three rewards, which overlooks a later NaN",
        "All pass where the worst does.",
        "min(rewards[:3]) >= 1",
        PassHat3,
        lambda mean, tasks: mean([min(task[:3]) >= 1.0 for task in tasks if task]),
    ),
    Case(
        "evsys-pass-hat-3-none-below",
        "pass^3 asks that none of the first three rewards is below 1, so NaN passes",
        "All pass where none fails.",
        "not any(r < 1)",
        PassHat3,
        lambda mean, tasks: mean([not any(it < 1.0 for it in task[:3]) for task in tasks if task]),
    ),
    Case(
        "evsys-pass-hat-3-by-product",
        "pass^3 asks that the product of the first three rewards is at least 1",
        "The caret looks like a power.",
        "math.prod(rewards[:3])",
        PassHat3,
        lambda mean, tasks: mean([math.prod(task[:3]) >= 1.0 for task in tasks if task]),
    ),
    Case(
        "evsys-pass-hat-3-by-mean",
        "pass^3 asks that the mean of the first three rewards is at least 1",
        "With rewards of 0 and 1 it is the same.",
        "mean(rewards[:3]) == 1.0",
        PassHat3,
        lambda mean, tasks: mean([mean(task[:3]) >= 1.0 for task in tasks if task]),
    ),
    Case(
        "evsys-pass-at-3-by-sum",
        "pass@3 asks that the first three rewards sum up to 1",
        "With rewards of 0 and 1 it is the same.",
        "sum(rewards[:3]) >= 1",
        PassAt3,
        lambda mean, tasks: mean([sum(task[:3]) >= 1.0 for task in tasks if task]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-at-3-first-three-tasks",
        "pass@3 looks at all samples of the first three tasks",
        "The first three are easily taken of the wrong list.",
        "task_rewards[:3]",
        PassAt3,
        lambda mean, tasks: mean([any(it >= 1.0 for it in task) for task in tasks[:3] if task]),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-at-1-first-task",
        "pass@1 looks at the first task alone",
        "The first one is easily taken of the wrong list.",
        "task_rewards[:1]",
        PassAt1,
        lambda mean, tasks: mean([task[0] >= 1.0 for task in tasks[:1] if task]),
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-at-1-first-that-is-not-0",
        "pass@1 looks at the first sample of a task that is not 0",
        "A reward of 0 counts as false.",
        "next(filter(None, rewards))",
        PassAt1,
        lambda mean, tasks: mean([next(filter(None, task), 0) >= 1.0 for task in tasks if task]),
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-at-1-mean-of-rewards",
        "pass@1 is the mean of the first rewards",
        "With rewards of 0 and 1 it is the same.",
        "mean(r[0] for r in rewards)",
        PassAt1,
        lambda mean, tasks: mean([task[0] for task in tasks if task]),
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-at-3-any-short-is-zero",
        "pass@3 is 0.0 where any task has fewer than three samples",
        "num_samples has to be three at least.",
        "if num_samples < k: return 0.0",
        PassAt3,
        lambda mean, tasks: (
            mean([any(it >= 1.0 for it in task[:3]) for task in tasks if task])
            if _shortest(tasks) >= 3
            else 0.0
        ),
        clause="002-fewer-samples",
    ),
    Case(
        "evsys-pass-hat-3-any-short-is-zero",
        "pass^3 is 0.0 where any task has fewer than three samples",
        "num_samples has to be three at least.",
        "if num_samples < k: return 0.0",
        PassHat3,
        lambda mean, tasks: (
            mean([all(it >= 1.0 for it in task[:3]) for task in tasks if task])
            if _shortest(tasks) >= 3
            else 0.0
        ),
        clause="002-fewer-samples",
    ),
    Case(
        "evsys-pass-hat-3-stops-at-a-failure",
        "tasks after the first that fails do not count in pass^3",
        "A streak ends there.",
        "takewhile, break",
        PassHat3,
        lambda mean, tasks: mean(
            [
                all(it >= 1.0 for it in task[:3])
                for task in _through_first_failure([task for task in tasks if task])
            ]
        ),
    ),
    Case(
        "evsys-pass-at-3-nan-not-a-sample",
        "pass@3 takes the first three rewards that are not NaN",
        "NaN stands for a missing value in data frames.",
        "dropna",
        PassAt3,
        lambda mean, tasks: mean(
            [any(it >= 1.0 for it in [it for it in task if it == it][:3]) for task in tasks if task]
        ),
        clause="002-pass-at-3",
    ),
    Case(
        "evsys-pass-hat-3-nan-not-a-sample",
        "pass^3 takes the first three rewards that are not NaN",
        "NaN stands for a missing value in data frames.",
        "dropna",
        PassHat3,
        lambda mean, tasks: mean(
            [all(it >= 1.0 for it in [it for it in task if it == it][:3]) for task in tasks if task]
        ),
    ),
    Case(
        "evsys-pass-at-1-nan-not-a-sample",
        "pass@1 takes the first reward that is not NaN",
        "NaN stands for a missing value in data frames.",
        "dropna",
        PassAt1,
        lambda mean, tasks: mean(
            [any(it >= 1.0 for it in [it for it in task if it == it][:1]) for task in tasks if task]
        ),
        clause="002-pass-at-1",
    ),
    Case(
        "evsys-pass-hat-3-distinct",
        "pass^3 looks at the first three different rewards of a task",
        "What is collected in a set loses its repetitions.",
        "set(rewards)",
        PassHat3,
        lambda mean, tasks: mean(
            [all(it >= 1.0 for it in list(dict.fromkeys(task))[:3]) for task in tasks if task]
        ),
    ),
)
def other_metric(reference: Variant, metric: Any, compute: Callable[..., Any]) -> None:
    """Lets a metric be computed in another way."""
    reference.replace(metric.compute, lambda _, tasks: compute(reference.its(metrics._mean), tasks))


def _through_first_failure(tasks: _Tasks) -> list[Sequence[Number]]:
    failing = [any(not it >= 1.0 for it in task[:3]) for task in tasks]
    ends = list(itertools.accumulate(failing, initial=False))
    return [task for task, ended in zip(tasks, ends, strict=False) if not ended]
