"""Mistakes in reliability metrics of harness-evals."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_RELIABLE = "harness_evals.reliability.measure_reliability"
_MAJORITY = "harness_evals.reliability.majority"


@mistake(
    "harness-measured-without-runs",
    says="measure_runs is called without runs too",
    op="harness.reliability",
    clause="004-4.3-no-runs",
    why="The template checks for itself whether there are enough.",
    invited_by="the document's template",
)
def _(reference: Variant) -> None:
    reference.replace(_RELIABLE, lambda runs, measure_runs: measure_runs)


@mistake(
    "harness-two-runs-demanded",
    says="measure_runs is not called with a single run",
    op="harness.reliability",
    clause="004-4.3-runs-asked",
    why="The template asks for two.",
    invited_by="the document's template",
)
def _(reference: Variant) -> None:
    reference.wrap(
        _RELIABLE, lambda make: lambda runs, measure: make(runs if len(runs or ()) > 1 else None, measure)
    )


@mistake(
    "harness-k-runs-demanded",
    says="measure_runs is not called with fewer than five runs",
    op="harness.reliability",
    clause="004-4.3-k-not-enforced",
    why="k is the number of runs that are expected.",
    invited_by="if len(runs) < self.k",
)
def _(reference: Variant) -> None:
    reference.wrap(
        _RELIABLE, lambda make: lambda runs, measure: make(runs if len(runs or ()) > 4 else None, measure)
    )


@mistake(
    "harness-single-run-agrees",
    says="a single run is consistent with itself and scores 1.0",
    op="harness.reliability",
    clause="004-4.3-two-needed",
    why="The share of the most frequent output is 1 there.",
    invited_by="max(counts) / len(runs)",
)
def _(reference: Variant) -> None:
    majority = reference.get(_MAJORITY)
    score = reference.get("harness_evals.score.Score")

    def agreeing(runs: Sequence[str]) -> Callable[[Any], Any]:
        metadata = {"k": 1, "unique_outputs": 1}
        single = lambda metric: score(metric.name, 1.0, metric.threshold, "<reason>", metadata)  # noqa: E731
        return single if len(runs) == 1 else majority(runs)

    reference.replace(_MAJORITY, agreeing)


@mistake(
    "harness-majority-of-k",
    says="the majority's share is taken of the five runs that are expected",
    op="harness.reliability",
    clause="004-4.3-majority",
    why="k is the number of runs.",
    invited_by="count / self.k",
)
def _(reference: Variant) -> None:
    majority = reference.get(_MAJORITY)

    def shared(runs: Sequence[str]) -> Callable[[Any], Any]:
        def measure(metric: Any) -> Any:
            made = majority(runs)(metric)
            return type(made)(
                made.name, made.value * len(runs) / 5, made.threshold, made.reason, made.metadata
            )

        return measure

    reference.replace(_MAJORITY, shared)


@mistake(
    "harness-runs-normalised",
    says="runs are compared without regard to case and white space",
    op="harness.reliability",
    clause="004-4.3-majority",
    why="Answers of models differ in such things.",
    invited_by="strip().lower()",
)
def _(reference: Variant) -> None:
    reference.wrap(_MAJORITY, lambda make: lambda runs: make([run.strip().lower() for run in runs]))
