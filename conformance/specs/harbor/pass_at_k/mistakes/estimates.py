"""Mistakes in the estimate of a task's pass@k."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import single_precision
from conformance.mistakes.variant import Variant

Estimate = Callable[[int, int, int], float]


def _estimated(reference: Variant, estimate: Estimate, *, sure: bool = True) -> None:
    """Works out every value by ``estimate`` of n, c and k; with ``sure``, 1.0 if fewer than k failed."""

    def value(n: int, c: int, k: int) -> float:
        return 1.0 if sure and n - c < k else estimate(n, c, k)

    reference.replace("pass_at_k.pass_at_k_for_task", value)


def _product(factors: Sequence[float]) -> float:
    product = 1.0
    for factor in factors:
        product *= factor
    return product


@mistake(
    "binomials-divided",
    says="pass@k is one minus a quotient of two binomial coefficients",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="That is the formula as it is published.",
    invited_by="math.comb, scipy.special.comb, BigInteger",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 - math.comb(n - c, k) / math.comb(n, k))


@mistake(
    "humaneval-product",
    says="pass@k is one minus the product of 1 - k/i over i from n-c+1 to n",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="It is the numerically stable form that everybody copies.",
    invited_by="HumanEval's estimator with numpy",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 - _product([1.0 - k / i for i in range(n - c + 1, n + 1)]))


@mistake(
    "multiplied-then-divided",
    says="the product of pass@k is multiplied by each numerator and then divided by its denominator",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="`p * a / b` groups from the left, `p *= a / b` does not.",
    invited_by="p = p * (n - c - i) / (n - i) in any language",
)
def _(reference: Variant) -> None:
    def estimate(n: int, c: int, k: int) -> float:
        product = 1.0
        for i in range(k):
            product = product * (n - c - i) / (n - i)
        return 1.0 - product

    _estimated(reference, estimate)


@mistake(
    "numerators-and-denominators-apart",
    says="the numerators and the denominators of pass@k are multiplied apart and divided once",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="One division is faster than many.",
    invited_by="math.prod, falling factorials, math.perm",
)
def _(reference: Variant) -> None:
    _estimated(
        reference,
        lambda n, c, k: 1.0 - _product([n - c - i for i in range(k)]) / _product([n - i for i in range(k)]),
    )


@mistake(
    "product-descending",
    says="the product of pass@k is multiplied from the last factor to the first",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="A loop that counts down, or a recursion, gives the same on paper.",
    invited_by="recursive definitions, foldr",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 - _product([(n - c - i) / (n - i) for i in reversed(range(k))]))


@mistake(
    "factors-from-successes",
    says="the factors of pass@k are 1 - c/(n-i), where (n-c-i)/(n-i) is due",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="The two are equal on paper.",
    invited_by="derivations by successive draws",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 - _product([1.0 - c / (n - i) for i in range(k)]))


@mistake(
    "log-gamma-estimate",
    says="pass@k is worked out with logarithms of factorials",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="Factorials overflow, their logarithms do not.",
    invited_by="math.lgamma, Java's Gamma.logGamma, torch.lgamma",
)
def _(reference: Variant) -> None:
    def estimate(n: int, c: int, k: int) -> float:
        log = math.lgamma
        return 1.0 - math.exp(log(n - c + 1) - log(n - c - k + 1) - log(n + 1) + log(n - k + 1))

    _estimated(reference, estimate)


@mistake(
    "exact-estimate",
    says="pass@k is worked out exactly and rounded once",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="It is the better number.",
    invited_by="Fraction, rational types, Mathematica",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: float(1 - Fraction(math.comb(n - c, k), math.comb(n, k))))


@mistake(
    "estimate-with-replacement",
    says="pass@k is 1 - (1 - c/n)**k, as if attempts were drawn with replacement",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="It is the probability for independent attempts of that rate.",
    invited_by="the plug-in estimator, (1 - p)**k",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 - (1.0 - c / n) ** k, sure=False)


@mistake(
    "all-k-must-pass",
    says="pass@k is the chance that all k attempts pass",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="pass^k is another measure with nearly the same name.",
    invited_by="tau-bench's pass^k, reliability metrics",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: math.comb(c, k) / math.comb(n, k), sure=False)


@mistake(
    "any-success-is-one",
    says="a task with a success counts as 1.0 for every k",
    op="pass_at_k",
    clause="003-4.3-product-order",
    why="At least one attempt passed.",
    invited_by="any(), best-of-n, max over attempts",
)
def _(reference: Variant) -> None:
    _estimated(reference, lambda n, c, k: 1.0 if c else 0.0, sure=False)


@mistake(
    "sure-success-too-soon",
    says="pass@k is 1.0 already where exactly k attempts failed and one passed",
    op="pass_at_k",
    clause="003-4.3-sure-success",
    why="< and <= are easily confused.",
    invited_by="hand-written conditions",
)
def _(reference: Variant) -> None:
    def around(value: Estimate) -> Estimate:
        return lambda n, c, k: 1.0 if n - c <= k else value(n, c, k)

    reference.wrap("pass_at_k.pass_at_k_for_task", around)


@mistake(
    "single-precision-estimate",
    says="pass@k is worked out in single precision",
    op="pass_at_k",
    clause="003-6-pass-at-k-order",
    why="Tensors have 32-bit floats unless told otherwise.",
    invited_by="torch, JAX, f32, C's float",
)
def _(reference: Variant) -> None:
    def estimate(n: int, c: int, k: int) -> float:
        product = 1.0
        for i in range(k):
            product = single_precision(product * single_precision((n - c - i) / (n - i)))
        return single_precision(1.0 - product)

    _estimated(reference, estimate)
