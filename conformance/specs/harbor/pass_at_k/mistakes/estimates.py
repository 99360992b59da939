"""Mistakes in the estimate of pass@k, and in the values of k."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.other_numbers import single_precision
from conformance.mistakes.variant import Variant
from reference_impl.pass_at_k import eligible_k_values, pass_at_k, pass_at_k_for_task

Estimate = Callable[[int, int, int], float]


@way("pass_at_k", clause="003-4.3-product-order")
def estimated(reference: Variant, estimate: Estimate, *, sure: bool = True) -> None:
    """Computes every value with ``estimate(n, c, k)``; with ``sure``, it is 1.0 if fewer than k attempts
    failed."""

    def value(n: int, c: int, k: int) -> float:
        return 1.0 if sure and n - c < k else estimate(n, c, k)

    reference.replace(pass_at_k_for_task, value)


def _product(factors: Sequence[float]) -> float:
    product = 1.0
    for factor in factors:
        product *= factor
    return product


@estimated.made(invited_by="math.comb, scipy.special.comb, BigInteger")
def binomials_divided(n: int, c: int, k: int) -> float:
    """pass@k is one minus a quotient of two binomial coefficients. This is the published formula."""
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


@estimated.made(invited_by="a function choose(n, k) in JavaScript, Go, Swift")
def binomials_of_doubles_divided(n: int, c: int, k: int) -> float:
    """pass@k is one minus a quotient of binomial coefficients that are doubles, made factor by factor.
    It needs no large ints."""

    def choose(m: int) -> float:
        found = 1.0
        for i in range(k):
            found = found * (m - i) / (i + 1)
        return found

    return 1.0 - choose(n - c) / choose(n)


@estimated.made(invited_by="HumanEval's estimator with numpy")
def humaneval_product(n: int, c: int, k: int) -> float:
    """pass@k is one minus the product of 1 - k/i over i from n-c+1 to n.
    It is the numerically stable form that everybody copies."""
    return 1.0 - _product([1.0 - k / i for i in range(n - c + 1, n + 1)])


@estimated.made(invited_by="p = p * (n - c - i) / (n - i) in any language")
def multiplied_then_divided(n: int, c: int, k: int) -> float:
    """The product of pass@k is multiplied by each numerator and then divided by its denominator.
    `p * a / b` groups from the left, and `p *= a / b` does not."""
    product = 1.0
    for i in range(k):
        product = product * (n - c - i) / (n - i)
    return 1.0 - product


@estimated.made(invited_by="math.prod, falling factorials, math.perm")
def numerators_and_denominators_apart(n: int, c: int, k: int) -> float:
    """The numerators and the denominators of pass@k are multiplied separately and divided once.
    One division is faster than many."""
    return 1.0 - _product([n - c - i for i in range(k)]) / _product([n - i for i in range(k)])


@estimated.made(invited_by="derivations by successive draws")
def factors_from_successes(n: int, c: int, k: int) -> float:
    """The factors of pass@k are 1 - c/(n-i) instead of (n-c-i)/(n-i). The two are equal on paper."""
    return 1.0 - _product([1.0 - c / (n - i) for i in range(k)])


@estimated.made(invited_by="Math.log, f64::ln, to keep products from becoming too small")
def logarithms_of_ratios_added(n: int, c: int, k: int) -> float:
    """The logarithms of the factors of pass@k are added. A sum of logarithms can't underflow."""
    return 1.0 - math.exp(sum(math.log((n - c - i) / (n - i)) for i in range(k)))


@estimated.made(invited_by="HumanEval's estimator with the difference written out")
def humaneval_quotients(n: int, c: int, k: int) -> float:
    """pass@k is one minus the product of (i-k)/i over i from n-c+1 to n.
    It is 1 - k/i on paper."""
    return 1.0 - _product([(i - k) / i for i in range(n - c + 1, n + 1)])


@estimated.made(invited_by="Math.log, f64::ln, to keep products from becoming too small")
def logarithms_of_both_added(n: int, c: int, k: int) -> float:
    """The logarithms of numerators and denominators of pass@k are added and subtracted.
    The logarithm of a quotient is a difference."""
    total = 0.0
    for i in range(k):
        total += math.log(n - c - i) - math.log(n - i)
    return 1.0 - math.exp(total)


@estimated.made(invited_by="math.lgamma, Java's Gamma.logGamma, torch.lgamma")
def log_gamma_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out with logarithms of factorials.
    Factorials overflow, but their logarithms do not."""
    log = math.lgamma
    return 1.0 - math.exp(log(n - c + 1) - log(n - c - k + 1) - log(n + 1) + log(n - k + 1))


@estimated.made(invited_by="Fraction, rational types, Mathematica")
def exact_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out exactly and rounded once. The exact number seems better."""
    return float(1 - Fraction(math.comb(n - c, k), math.comb(n, k)))


@estimated.made(sure=False, invited_by="the plug-in estimator, (1 - p)**k")
def estimate_with_replacement(n: int, c: int, k: int) -> float:
    """pass@k is 1 - (1 - c/n)**k, as if attempts were drawn with replacement.
    This is the probability for independent attempts at that rate."""
    return 1.0 - (1.0 - c / n) ** k


@estimated.made(sure=False, invited_by="tau-bench's pass^k, reliability metrics")
def all_k_must_pass(n: int, c: int, k: int) -> float:
    """pass@k is the chance that all k attempts pass. pass^k is another measure with a similar name."""
    return math.comb(c, k) / math.comb(n, k)


@estimated.made(sure=False, invited_by="any(), best-of-n, max over attempts")
def any_success_is_one(n: int, c: int, k: int) -> float:
    """A task with a success counts as 1.0 for every k. At least one attempt passed."""
    return 1.0 if c else 0.0


def _powers(limit: int) -> list[int]:
    return [2**exponent for exponent in range(1, limit.bit_length())]


@way("pass_at_k", clause="003-4.2-multiples-of-five")
def chosen_values(reference: Variant, choose: Callable[[list[int], int], Sequence[int]]) -> None:
    """Changes the values of k, given the right ones and their limit."""
    reference.wrap(eligible_k_values, lambda values: lambda limit: list(choose(values(limit), limit)))


@chosen_values.made(clause="003-4.2-never-pass-at-1", invited_by="other evaluation harnesses, 2**0")
def pass_at_1_included(values: list[int], limit: int) -> Sequence[int]:
    """pass@1 is included. 1 is the first power of two, and pass@1 is the value that everybody quotes."""
    return [1, *values] if limit else values


@chosen_values.made(invited_by="lists such as 1, 2, 4, 8")
def multiples_of_five_missing(_: list[int], limit: int) -> Sequence[int]:
    """K only takes powers of two. One of the two series is forgotten."""
    return _powers(limit)


@chosen_values.made(clause="003-4.2-powers-of-two", invited_by="range(2, n + 1), plots of pass@k")
def every_k(_: list[int], limit: int) -> Sequence[int]:
    """K takes every number from 2 on. A plot shows all of them."""
    return range(2, limit + 1)


@chosen_values.made(clause="003-4.2-k-at-most-min", invited_by="range(), `while k < n`, half-open intervals")
def k_below_limit(values: list[int], limit: int) -> Sequence[int]:
    """K stays below the smallest number of attempts. A range excludes its end."""
    return [k for k in values if k < limit]


@way("pass_at_k", clause="003-4.2-min-over-tasks")
def limited_by(reference: Variant, limit: Callable[[list[int]], int]) -> None:
    """Limits k by a number other than the smallest number of attempts; every task's k then stays below its
    own."""

    def around(compute: Callable[[Any], dict[int, float]]) -> Callable[[Any], dict[int, float]]:
        module = reference.module_of(pass_at_k)

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

    reference.wrap(pass_at_k, around)


@limited_by.made(invited_by="HumanEval's evaluation script, which drops tasks with too few samples")
def k_up_to_largest_count(counts: list[int]) -> int:
    """K goes up to the largest number of attempts, over the tasks that have enough of them.
    Tasks with more attempts allow larger values of k."""
    return max(counts)


@limited_by.made(invited_by="tasks[0], one n for the whole job")
def k_up_to_first_count(counts: list[int]) -> int:
    """The number of attempts of the first task limits k. All tasks are assumed to have the same number."""
    return counts[0]


@chosen_values.made(invited_by="`k = 10` where the second loop begins, lists such as 2, 4, 8, 10, 15")
def multiples_of_five_from_ten(values: list[int], _: int) -> Sequence[int]:
    """The multiples of five begin at 10. 5 is between 4 and 8, and seems superfluous."""
    return [k for k in values if k != 5]


@estimated.made(clause="003-6-pass-at-k-order", invited_by="torch, JAX, f32, C's float")
def single_precision_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out in single precision. Tensors have 32-bit floats by default."""
    product = 1.0
    for i in range(k):
        product = single_precision(product * single_precision((n - c - i) / (n - i)))
    return single_precision(1.0 - product)
