"""Mistakes in reliability metrics of harness-evals."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import reliability
from reference_impl.harness_evals import score as score_rules

in_measure_reliability = family("harness.reliability", of=reliability.measure_reliability)
mistakes = family("harness.reliability")
in_majority = family("harness.reliability", of=reliability.majority, clause="004-4.3-majority")


@in_measure_reliability.replaced(clause="004-4.3-no-runs", invited_by="the document's template")
def harness_measured_without_runs(runs: Any, measure_runs: Any) -> Any:
    """measure_runs is called without runs too. The template checks for itself whether there are enough."""
    return measure_runs


@in_measure_reliability.wrapped(clause="004-4.3-runs-asked", invited_by="the document's template")
def harness_two_runs_demanded(make: Callable[..., Any], runs: Any, measure: Any) -> Any:
    """measure_runs is not called with a single run. The template asks for two."""
    return make(runs if len(runs or ()) > 1 else None, measure)


@in_measure_reliability.wrapped(clause="004-4.3-k-not-enforced", invited_by="if len(runs) < self.k")
def harness_k_runs_demanded(make: Callable[..., Any], runs: Any, measure: Any) -> Any:
    """measure_runs is not called with fewer than five runs. k is the number of runs that are expected."""
    return make(runs if len(runs or ()) > 4 else None, measure)


@mistakes.changed(clause="004-4.3-two-needed", invited_by="max(counts) / len(runs)")
def harness_single_run_agrees(reference: Variant) -> None:
    """A single run is consistent with itself and scores 1.0.
    The share of the most frequent output is 1 there."""
    majority = reference.get(reliability.majority)
    score = reference.get(score_rules.Score)

    def agreeing(runs: Sequence[str]) -> Callable[[Any], Any]:
        metadata = {"k": 1, "unique_outputs": 1}
        single = lambda metric: score(metric.name, 1.0, metric.threshold, "<reason>", metadata)  # noqa: E731
        return single if len(runs) == 1 else majority(runs)

    reference.replace(reliability.majority, agreeing)


@in_majority.wrapped(invited_by="count / self.k")
def harness_majority_of_k(majority: Callable[..., Any], runs: Sequence[str]) -> Callable[[Any], Any]:
    """The majority's share is taken of the five runs that are expected. k is the number of runs."""

    def measure(metric: Any) -> Any:
        made = majority(runs)(metric)
        return type(made)(made.name, made.value * len(runs) / 5, made.threshold, made.reason, made.metadata)

    return measure


@in_majority.wrapped(invited_by="strip().lower()")
def harness_runs_normalised(make: Callable[..., Any], runs: Any) -> Any:
    """Runs are compared without regard to case and white space. Answers of models differ in such things."""
    return make([run.strip().lower() for run in runs])
