"""Reliability metrics: one score over several runs of the same case (004 §4.3).

Without runs the metric is not called at all. With one run it is: the metric itself must decide that fewer
than two are too few, and the expected number `k` has no effect.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from .evaluate import AnyScore, Metric
from .score import OWN_WORDS, Score

__all__ = ["majority", "measure_reliability"]


def measure_reliability(
    runs: Sequence[str] | None,
    measure_runs: Callable[[Metric], AnyScore],
) -> Callable[[Metric], AnyScore]:
    """The measure of a reliability metric: `measure_runs`, or a score of 0.0 if there are no runs."""

    def measure(metric: Metric) -> AnyScore:
        if runs:
            return measure_runs(metric)
        return Score(metric.name, 0.0, metric.threshold, reason=OWN_WORDS)

    return measure


def majority(runs: Sequence[str]) -> Callable[[Metric], Score]:
    """The built-in outcome_consistency: the share of the most frequent output; 0.0 for a single run."""

    def measure_runs(metric: Metric) -> Score:
        if len(runs) < 2:
            return Score(metric.name, 0.0, metric.threshold, reason=OWN_WORDS)
        counts = Counter(runs)
        metadata = {"k": len(runs), "unique_outputs": len(counts)}
        return Score(metric.name, max(counts.values()) / len(runs), metric.threshold, OWN_WORDS, metadata)

    return measure_runs
