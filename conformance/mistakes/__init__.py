"""Known mistakes: small, named deviations from the reference, each as somebody would really make it.

An entry is a decorated function that changes a private copy of the reference (``mistakes.variant``)::

    @mistake(
        "naive-sum",
        says="sums are added left to right without compensation",
        op="aggregate",
        clause="003-6-sum",
        why="harbor's document says so itself, and every language's loop does it.",
        invited_by="Python before 3.12, Rust, Go, JavaScript, Java",
    )
    def _(reference: Variant) -> None:
        reference.replace("cpython312.summation.compensated_sum", naive_sum)

The same entry is a test of the vectors (one of its class must catch it), an explanation of failures
(``conformance.diagnosis``) and a runner (``--runner mistake:naive-sum``). Entries stand in the modules of
this package, a module per section of the spec; each is found by importing it.
"""

from conformance.mistakes.catalogue import Mistake, MistakeError, all_mistakes, find_mistakes, mistake

__all__ = ["Mistake", "MistakeError", "all_mistakes", "find_mistakes", "mistake"]
