"""Mistakes in which samples pass, and which of a task's samples count."""

import math
from collections.abc import Callable, Sequence

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number
from conformance.mistakes.variant import Variant

_PASSES = "evsys.metrics._passes"


def _of_tasks(reference: Variant, metric: str, share: Callable[[list[bool]], float], least: int = 1) -> None:
    """Makes a metric the mean of what ``share`` says of each task of at least so many samples."""
    mean, passes = reference.get("evsys.metrics._mean"), reference.get(_PASSES)

    def compute(_: object, tasks: Sequence[Sequence[Number]]) -> Number:
        shares = [share([passes(reward) for reward in task]) for task in tasks if len(task) >= least]
        value: Number = mean(shares)
        return value

    reference.replace(f"evsys.metrics.{metric}.compute", compute)


@mistake(
    "evsys-passes-at-one-only",
    says="a sample passes only if its reward is exactly 1",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="Rewards are mostly 0 or 1.",
    invited_by="reward == 1.0",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, lambda reward: reward == 1.0)


@mistake(
    "evsys-passes-above-one",
    says="a sample passes only if its reward is greater than 1",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="Thresholds are often to be exceeded.",
    invited_by="> for >=",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, lambda reward: reward > 1.0)


@mistake(
    "evsys-passes-with-tolerance",
    says="a sample passes that lacks less than a billionth of 1",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="Floats are thought to be compared with a tolerance.",
    invited_by="math.isclose, pytest.approx",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, lambda reward: reward >= 1.0 - 1e-9)


@mistake(
    "evsys-passes-at-half",
    says="a sample passes from a reward of 0.5 on",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="Half is the usual threshold of a classifier.",
    invited_by="scikit-learn, rounding to 0 or 1",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, lambda reward: reward >= 0.5)


@mistake(
    "evsys-true-rewards-pass",
    says="a sample passes if its reward counts as true",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="Rewards are mostly 0 or 1.",
    invited_by="any(rewards), all(rewards)",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, bool)


@mistake(
    "evsys-nan-passes",
    says="a sample whose reward is NaN passes",
    op="evsys.compute",
    clause="002-pass-threshold",
    why="A NaN is not below the threshold either.",
    invited_by="not reward < 1.0",
)
def _(reference: Variant) -> None:
    reference.replace(_PASSES, lambda reward: not reward < 1.0)


@mistake(
    "evsys-empty-task-passes-all",
    says="pass^3 counts a task without samples as passed",
    op="evsys.compute",
    clause="002-empty-tasks-skipped",
    why="all() of nothing is true.",
    invited_by="all, every, Iterator::all",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassHat3", lambda passed: all(passed[:3]), least=0)


@mistake(
    "evsys-pass-at-1-any",
    says="pass@1 asks whether any sample passes",
    op="evsys.compute",
    clause="002-pass-at-1",
    why="A task seems solved if it was solved once.",
    invited_by="any(rewards)",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassAt1", any)


@mistake(
    "evsys-pass-at-1-estimated",
    says="pass@1 is the mean share of passing samples",
    op="evsys.compute",
    clause="002-pass-at-1",
    why="The unbiased estimator of pass@k gives that for 1.",
    invited_by="the estimator of the paper on Codex",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassAt1", lambda passed: sum(passed) / len(passed))


@mistake(
    "evsys-pass-at-3-any-of-all",
    says="pass@3 looks at all samples of a task",
    op="evsys.compute",
    clause="002-pass-at-3",
    why="There are mostly three of them.",
    invited_by="any(rewards)",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassAt3", any)


@mistake(
    "evsys-pass-at-3-of-two",
    says="pass@3 looks at two samples of a task",
    op="evsys.compute",
    clause="002-pass-at-3",
    why="A slice's end is easily off by one.",
    invited_by="rewards[: k - 1], ranges without their end",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassAt3", lambda passed: any(passed[:2]))


@mistake(
    "evsys-pass-at-3-estimated",
    says="pass@3 is the unbiased estimate from all samples",
    op="evsys.compute",
    clause="002-pass-at-3",
    why="That is what pass@k means elsewhere.",
    invited_by="the estimator of the paper on Codex",
)
def _(reference: Variant) -> None:
    def estimate(passed: list[bool]) -> float:
        k = min(3, len(passed))
        return 1.0 - math.comb(passed.count(False), k) / math.comb(len(passed), k)

    _of_tasks(reference, "PassAt3", estimate)


@mistake(
    "evsys-pass-at-3-needs-three",
    says="pass@3 leaves out tasks with fewer than three samples",
    op="evsys.compute",
    clause="002-fewer-samples",
    why="Elsewhere pass@k is undefined with fewer than k samples.",
    invited_by="estimators that demand n >= k",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassAt3", lambda passed: any(passed[:3]), least=3)


@mistake(
    "evsys-pass-hat-3-all-of-all",
    says="pass^3 looks at all samples of a task",
    op="evsys.compute",
    clause="002-pass-hat-3",
    why="There are mostly three of them.",
    invited_by="all(rewards)",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassHat3", all)


@mistake(
    "evsys-pass-hat-3-cubed",
    says="pass^3 is the third power of a task's share of passing samples",
    op="evsys.compute",
    clause="002-pass-hat-3",
    why="The caret looks like a power, and three independent samples pass with that chance.",
    invited_by="estimates of pass^k",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassHat3", lambda passed: (sum(passed) / len(passed)) ** 3)


@mistake(
    "evsys-pass-hat-3-needs-three",
    says="pass^3 leaves out tasks with fewer than three samples",
    op="evsys.compute",
    clause="002-fewer-samples",
    why="Fewer samples cannot show that three pass.",
    invited_by="estimators that demand n >= k",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassHat3", lambda passed: all(passed[:3]), least=3)


@mistake(
    "evsys-missing-samples-fail",
    says="pass^3 takes a sample that is not there for a failed one",
    op="evsys.compute",
    clause="002-fewer-samples",
    why="All three have to pass, and two are not three.",
    invited_by="sum(passed[:3]) == 3",
)
def _(reference: Variant) -> None:
    _of_tasks(reference, "PassHat3", lambda passed: float(sum(passed[:3]) == 3))
