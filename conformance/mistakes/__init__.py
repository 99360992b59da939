"""Known mistakes: small, named deviations from the reference that people really make.

An entry is a decorated function. Entries that change the same part of a private copy of the reference form
a family (``mistakes.family``, ``mistakes.variant``)::

    sums = family("aggregate", of=summation.compensated_sum, clause="003-6-sum-compensated")

    @sums.replaced(invited_by="Python before 3.12, Rust, Go, JavaScript, Java")
    def naive_sum(values: Iterable[Number]) -> Number:
        \"\"\"Sums are added left to right without compensation.
        The document says that sum is naive, and every language's loop is.\"\"\"
        return functools.reduce(operator.add, values, 0)

Its name is ``naive-sum``; the first sentence is what it ``says``, and the second is ``why`` people make it.
A mistake tests the vectors (one of its class must catch it), explains failures (``conformance.diagnosis``)
and is a runner (``--runner mistake:naive-sum``). Entries are in the modules ``mistakes`` of the sections in
``conformance.specs``; importing such a module adds its entries.
"""

from conformance.mistakes.catalogue import Mistake, MistakeError, all_mistakes, find_mistakes

__all__ = ["Mistake", "MistakeError", "all_mistakes", "find_mistakes"]
