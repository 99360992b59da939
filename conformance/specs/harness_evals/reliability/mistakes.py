"""Mistakes in reliability metrics of harness-evals."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harness_evals import reliability

in_measure_reliability = family("harness.reliability", of=reliability.measure_reliability)


@in_measure_reliability.replaced(clause="004-4.3-no-runs", invited_by="the document's template")
def harness_measured_without_runs(runs: Any, measure_runs: Any) -> Any:
    """measure_runs is called without runs too. The template itself checks whether there are enough."""
    return measure_runs


@in_measure_reliability.wrapped(clause="004-4.3-k-not-enforced", invited_by="if len(runs) < self.k")
def harness_k_runs_demanded(make: Callable[..., Any], runs: Any, measure: Any) -> Any:
    """measure_runs is not called with fewer than five runs. k is the expected number of runs."""
    return make(runs if len(runs or ()) > 4 else None, measure)
