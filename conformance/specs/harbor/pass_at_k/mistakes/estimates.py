"""Mistakes in the estimate of a task's pass@k."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from conformance.mistakes.family import family, way
from conformance.mistakes.hooks import single_precision
from conformance.mistakes.variant import Variant
from reference_impl.pass_at_k import pass_at_k_for_task

in_pass_at_k_for_task = family("pass_at_k", of=pass_at_k_for_task)

Estimate = Callable[[int, int, int], float]


@way("pass_at_k", clause="003-4.3-product-order")
def estimated(reference: Variant, estimate: Estimate, *, sure: bool = True) -> None:
    """Works out every value by ``estimate`` of n, c and k; with ``sure``, 1.0 if fewer than k failed."""

    def values(n: int, c: int, k_values: Sequence[int]) -> list[float]:
        return [1.0 if sure and n - c < k else estimate(n, c, k) for k in k_values]

    reference.replace(pass_at_k_for_task, values)


def _product(factors: Sequence[float]) -> float:
    product = 1.0
    for factor in factors:
        product *= factor
    return product


@estimated.made(invited_by="math.comb, scipy.special.comb, BigInteger")
def binomials_divided(n: int, c: int, k: int) -> float:
    """pass@k is one minus a quotient of two binomial coefficients. That is the formula as it is published."""
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


@estimated.made(invited_by="HumanEval's estimator with numpy")
def humaneval_product(n: int, c: int, k: int) -> float:
    """pass@k is one minus the product of 1 - k/i over i from n-c+1 to n.
    It is the numerically stable form that everybody copies."""
    return 1.0 - _product([1.0 - k / i for i in range(n - c + 1, n + 1)])


@estimated.made(invited_by="p = p * (n - c - i) / (n - i) in any language")
def multiplied_then_divided(n: int, c: int, k: int) -> float:
    """The product of pass@k is multiplied by each numerator and then divided by its denominator.
    `p * a / b` groups from the left, `p *= a / b` does not."""
    product = 1.0
    for i in range(k):
        product = product * (n - c - i) / (n - i)
    return 1.0 - product


@estimated.made(invited_by="math.prod, falling factorials, math.perm")
def numerators_and_denominators_apart(n: int, c: int, k: int) -> float:
    """The numerators and the denominators of pass@k are multiplied apart and divided once.
    One division is faster than many."""
    return 1.0 - _product([n - c - i for i in range(k)]) / _product([n - i for i in range(k)])


@estimated.made(invited_by="recursive definitions, foldr")
def product_descending(n: int, c: int, k: int) -> float:
    """The product of pass@k is multiplied from the last factor to the first.
    A loop that counts down, or a recursion, gives the same on paper."""
    return 1.0 - _product([(n - c - i) / (n - i) for i in reversed(range(k))])


@estimated.made(invited_by="derivations by successive draws")
def factors_from_successes(n: int, c: int, k: int) -> float:
    """The factors of pass@k are 1 - c/(n-i), where (n-c-i)/(n-i) is due. The two are equal on paper."""
    return 1.0 - _product([1.0 - c / (n - i) for i in range(k)])


@estimated.made(invited_by="math.lgamma, Java's Gamma.logGamma, torch.lgamma")
def log_gamma_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out with logarithms of factorials. Factorials overflow, their logarithms do not."""
    log = math.lgamma
    return 1.0 - math.exp(log(n - c + 1) - log(n - c - k + 1) - log(n + 1) + log(n - k + 1))


@estimated.made(invited_by="Fraction, rational types, Mathematica")
def exact_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out exactly and rounded once. It is the better number."""
    return float(1 - Fraction(math.comb(n - c, k), math.comb(n, k)))


@estimated.made(sure=False, invited_by="the plug-in estimator, (1 - p)**k")
def estimate_with_replacement(n: int, c: int, k: int) -> float:
    """pass@k is 1 - (1 - c/n)**k, as if attempts were drawn with replacement.
    It is the probability for independent attempts of that rate."""
    return 1.0 - (1.0 - c / n) ** k


@estimated.made(sure=False, invited_by="tau-bench's pass^k, reliability metrics")
def all_k_must_pass(n: int, c: int, k: int) -> float:
    """pass@k is the chance that all k attempts pass. pass^k is another measure with nearly the same name."""
    return math.comb(c, k) / math.comb(n, k)


@estimated.made(sure=False, invited_by="any(), best-of-n, max over attempts")
def any_success_is_one(n: int, c: int, k: int) -> float:
    """A task with a success counts as 1.0 for every k. At least one attempt passed."""
    return 1.0 if c else 0.0


@in_pass_at_k_for_task.wrapped(clause="003-4.3-sure-success", invited_by="hand-written conditions")
def sure_success_too_soon(
    values: Callable[..., list[float]], n: int, c: int, k_values: Sequence[int]
) -> list[float]:
    """pass@k is 1.0 already where exactly k attempts failed and one passed. < and <= are easily confused."""
    right = values(n, c, k_values)
    return [1.0 if n - c <= k else value for k, value in zip(k_values, right, strict=True)]


@estimated.made(clause="003-6-pass-at-k-order", invited_by="torch, JAX, f32, C's float")
def single_precision_estimate(n: int, c: int, k: int) -> float:
    """pass@k is worked out in single precision. Tensors have 32-bit floats unless told otherwise."""
    product = 1.0
    for i in range(k):
        product = single_precision(product * single_precision((n - c - i) / (n - i)))
    return single_precision(1.0 - product)
