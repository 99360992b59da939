"""Mistakes in the values of k."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

Values = Callable[[int], list[int]]


def _powers(limit: int) -> list[int]:
    return [2**exponent for exponent in range(1, limit.bit_length())]


def _values(reference: Variant, choose: Callable[[list[int], int], Sequence[int]]) -> None:
    """Changes the values of k, given the right ones and their limit."""
    reference.wrap(
        "pass_at_k.eligible_k_values", lambda values: lambda limit: list(choose(values(limit), limit))
    )


@mistake(
    "pass-at-1-included",
    says="pass@1 is included",
    op="pass_at_k",
    clause="003-4.2-never-pass-at-1",
    why="It is the first power of two, and the value that everybody quotes.",
    invited_by="other evaluation harnesses, 2**0",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, limit: [1, *values] if limit else values)


@mistake(
    "powers-of-two-missing",
    says="k takes multiples of five only",
    op="pass_at_k",
    clause="003-4.2-powers-of-two",
    why="One of the two series is overlooked.",
    invited_by="lists such as 5, 10, 15",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, _: [k for k in values if k % 5 == 0])


@mistake(
    "multiples-of-five-missing",
    says="k takes powers of two only",
    op="pass_at_k",
    clause="003-4.2-multiples-of-five",
    why="One of the two series is overlooked.",
    invited_by="lists such as 1, 2, 4, 8",
)
def _(reference: Variant) -> None:
    _values(reference, lambda _, limit: _powers(limit))


@mistake(
    "powers-of-five",
    says="k takes powers of five where multiples of five are due",
    op="pass_at_k",
    clause="003-4.2-multiples-of-five",
    why="It matches the powers of two.",
    invited_by="one loop for both bases",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, _: [k for k in values if k % 5 or k in (5, 25, 125, 625)])


@mistake(
    "multiples-of-ten",
    says="k takes 5, 10 and then multiples of ten only",
    op="pass_at_k",
    clause="003-4.2-multiples-of-five",
    why="Tables are printed so.",
    invited_by="lists such as 1, 5, 10, 20, 50",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, _: [k for k in values if k % 10 != 5 or k == 5])


@mistake(
    "fixed-k-values",
    says="k takes 10 and 100 only",
    op="pass_at_k",
    clause="003-4.2-powers-of-two",
    why="The first paper on pass@k reports 1, 10 and 100.",
    invited_by="HumanEval's evaluation script",
)
def _(reference: Variant) -> None:
    _values(reference, lambda _, limit: [k for k in (10, 100) if k <= limit])


@mistake(
    "every-k",
    says="k takes every number from 2 on",
    op="pass_at_k",
    clause="003-4.2-powers-of-two",
    why="A curve is drawn over all of them.",
    invited_by="range(2, n + 1), plots of pass@k",
)
def _(reference: Variant) -> None:
    _values(reference, lambda _, limit: range(2, limit + 1))


@mistake(
    "k-below-limit",
    says="k stays below the smallest number of attempts",
    op="pass_at_k",
    clause="003-4.2-k-at-most-min",
    why="A range leaves out its end.",
    invited_by="range(), `while k < n`, half-open intervals",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, limit: [k for k in values if k < limit])


@mistake(
    "smallest-count-added",
    says="the smallest number of attempts is always a k",
    op="pass_at_k",
    clause="003-4.2-k-at-most-min",
    why="The last point of the curve is the most interesting.",
    invited_by="plots of pass@k, {*values, n}",
)
def _(reference: Variant) -> None:
    _values(reference, lambda values, limit: sorted({*values, limit} - {0, 1}))


@mistake(
    "k-values-as-two-lists",
    says="the powers of two come first, then the multiples of five",
    op="pass_at_k",
    clause="003-4.2-ascending-order",
    why="The two series are put one behind the other.",
    invited_by="list concatenation, dict.fromkeys",
)
def _(reference: Variant) -> None:
    def around(compute: Callable[[Any], dict[int, float]]) -> Callable[[Any], dict[int, float]]:
        def ordered(trials: Any) -> dict[int, float]:
            values = compute(trials)
            powers = [k for k in values if k % 5]
            return {k: values[k] for k in [*powers, *(k for k in values if k % 5 == 0)]}

        return ordered

    reference.wrap("pass_at_k.pass_at_k", around)


@mistake(
    "k-values-sorted-as-text",
    says="the values of k are sorted as text, 10 before 2",
    op="pass_at_k",
    clause="003-4.2-ascending-order",
    why="Keys of a JSON object are strings.",
    invited_by="Go's maps, BTreeMap<String, f64>, sort_keys=True",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "pass_at_k.pass_at_k",
        lambda compute: lambda trials: dict(sorted(compute(trials).items(), key=lambda item: str(item[0]))),
    )


def _limited_by(reference: Variant, limit: Callable[[list[int]], int]) -> None:
    """Takes another limit than the smallest number of attempts, which every task's k then stays below."""

    def around(compute: Callable[[Any], dict[int, float]]) -> Callable[[Any], dict[int, float]]:
        module = reference.module("pass_at_k")

        def computing(trials: Any) -> dict[int, float]:
            if any(module._success(one.rewards) is None for one in trials):
                return compute(trials)
            tasks: dict[str, list[bool]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(module._success(one.rewards))
            values: dict[int, float] = {}
            for k in module.eligible_k_values(limit([len(attempts) for attempts in tasks.values()] or [0])):
                enough = [attempts for attempts in tasks.values() if len(attempts) >= k]
                values[k] = module.mean(
                    [module.pass_at_k_for_task(len(attempts), sum(attempts), k) for attempts in enough]
                )
            return values

        return computing

    reference.wrap("pass_at_k.pass_at_k", around)


@mistake(
    "k-up-to-largest-count",
    says="k goes up to the largest number of attempts, over the tasks that have enough of them",
    op="pass_at_k",
    clause="003-4.2-min-over-tasks",
    why="Tasks that were tried more often have more to say.",
    invited_by="HumanEval's evaluation script, which drops tasks with too few samples",
)
def _(reference: Variant) -> None:
    _limited_by(reference, max)


@mistake(
    "k-up-to-first-count",
    says="the number of attempts of the first task limits k",
    op="pass_at_k",
    clause="003-4.2-min-over-tasks",
    why="All tasks are thought to have the same number.",
    invited_by="tasks[0], one n for the whole job",
)
def _(reference: Variant) -> None:
    _limited_by(reference, lambda counts: counts[0])
