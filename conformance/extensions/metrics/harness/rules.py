"""What a harness-evals metric is held to (document 004, and what harness-evals 0.25.5 does with it)."""

from conformance.extensions.metrics.findings import rules_of

__all__ = ["RULES"]

RULES = rules_of("""
cannot-be-made | required | 004-1-extends-base | The class can be made.
no-dimension | required | 004-2-one-dimension | The metric names its one dimension.
odd-dimension | required | 004-2-five-dimensions | The dimension is a member of Dimension: evaluating fails on others.
no-score | required | 004-1-returns-score | measure returns a Score.
out-of-range | required | 004-1-value-in-range | The score is between 0.0 and 1.0.
breaks-evaluation | required | 004-8-not-caught | Nothing of the metric escapes from evaluate.
ends-process | required | 004-8-not-caught | measure returns, and leaves its process running.
never-ends | required | 004-8-never-raise | measure ends.
too-much | required | 004-8-never-raise | measure prints and writes within reason.
base-class | documented | 004-1-extends-base | A metric extends BaseMetric.
name | documented | 004-1-name-and-threshold | A metric has a name, and its scores have it.
threshold | documented | 004-1-name-and-threshold | The constructor takes the threshold, and the scores have it.
value-kind | documented | 004-6-edge-case | The score's value is a float.
passed-by-hand | documented | 004-1-passed-computed | passed is computed, and never set by hand.
other-dimension | documented | 004-2-one-dimension | Scores have their metric's dimension.
raises | documented | 004-8-never-raise | measure gives a failing score instead of raising.
missing-passes | documented | 004-8-missing-data | Missing data that a metric cannot do without give a failing score.
missing-reason | documented | 004-8-missing-data | A score for missing data has a reason.
repeats | documented | 004-8-no-state | The same case gives the same score: neither chance nor the time of day changes it.
state | documented | 004-8-no-state | The same case gives the same score, whatever was measured before.
changes-input | documented | 004-8-no-state | The case stays as it is, for other metrics.
hash-order | documented | 004-8-no-state | The same case gives the same score, whatever the order of sets.
environment | documented | 004-8-no-state | The constructor configures a metric: nothing around it changes a score.
imports-metric | documented | 004-8-no-cross-imports | A metric imports no other metric.
async-differs | documented | 004-4.4-a-measure | a_measure gives what measure gives.
running-loop | documented | 004-4.4-run-async | measure works while an event loop runs.
several-in-a-file | advice | 004-8-one-per-file | A file has one metric.
stale-details | advice | 004-8-no-state | A score's reason and metadata are of its own case.
global-state | advice | 004-8-no-state | Measuring leaves the process as it was.
keywords | advice | 004-1-arguments-swallowed | Further keyword arguments reach the base class.
unreachable | advice | 004-8-never-raise | Without its judge, service or package a metric gives a failing score.
judge-answers | advice | 004-4.4-judge-odd | An answer that breaks the judge's schema gives a failing score.
constant | advice | 004-6-failure | Some cases score otherwise than others.
drops-runs | advice | 004-4.3-k-not-enforced | Every run counts.
none-is-text | advice | 004-4.1-missing-expected | A missing expectation is not compared as the text None.
no-reason | advice | 004-8-failing-score | A failing score for missing data has a reason.
skips | advice | 004-8-skipped | A metric that returns None is left out of every rate.
odd-values | advice | 004-8-never-raise | Values of other types than a case's raise nothing.
metadata | advice | 004-8-normalised | A score's metadata are what JSON can hold: a baseline is saved as JSON.
nan-is-perfect | advice | 004-1-clamped-nan | NaN is not clamped to the full score.
prints | advice | 004-8-no-state | A metric prints nothing.
""")  # noqa: E501 - a table
"""By name."""
