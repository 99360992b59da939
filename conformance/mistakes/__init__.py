"""Known mistakes: small, named deviations from the reference, each as somebody would really make it.

An entry is a decorated function, in a family of those that change the same thing of a private copy of the
reference (``mistakes.family``, ``mistakes.variant``)::

    sums = family("aggregate", of=summation.compensated_sum, clause="003-6-sum-compensated")

    @sums.replaced(invited_by="Python before 3.12, Rust, Go, JavaScript, Java")
    def naive_sum(values: Iterable[Number]) -> Number:
        \"\"\"Sums are added left to right without compensation.
        The document says that sum is naive, and every language's loop is.\"\"\"
        return functools.reduce(operator.add, values, 0)

Its name is ``naive-sum``, the first sentence is what it ``says``, the second ``why`` people make it. It is a
test of the vectors (one of its class must catch it), an explanation of failures (``conformance.diagnosis``)
and a runner (``--runner mistake:naive-sum``). Entries are in the modules ``mistakes`` of the sections of
``conformance.specs``; each is found by importing it.
"""

from conformance.mistakes.catalogue import Mistake, MistakeError, all_mistakes, find_mistakes

__all__ = ["Mistake", "MistakeError", "all_mistakes", "find_mistakes"]
