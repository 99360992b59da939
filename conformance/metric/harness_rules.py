"""What a harness-evals metric is held to (document 004, and what harness-evals 0.25.5 does with it)."""

from conformance.metric.findings import Rule, table_of

__all__ = ["RULES"]

RULES = table_of(
    (
        Rule("cannot-be-made", "required", "004-1-extends-base", "The class can be made."),
        Rule("no-dimension", "required", "004-2-one-dimension", "The metric names its one dimension."),
        Rule(
            "odd-dimension",
            "required",
            "004-2-five-dimensions",
            "The dimension is a member of Dimension; evaluating fails on anything else.",
        ),
        Rule("no-score", "required", "004-1-returns-score", "measure returns a Score."),
        Rule("out-of-range", "required", "004-1-value-in-range", "The score is between 0.0 and 1.0."),
        Rule(
            "breaks-evaluation",
            "required",
            "004-8-not-caught",
            "Nothing of the metric escapes from evaluate.",
        ),
        Rule(
            "ends-process", "required", "004-8-not-caught", "measure returns, and leaves its process running."
        ),
        Rule("never-ends", "required", "004-8-never-raise", "measure ends."),
        Rule("too-much", "required", "004-8-never-raise", "measure prints and writes within reason."),
        Rule("base-class", "documented", "004-1-extends-base", "A metric extends BaseMetric."),
        Rule(
            "name", "documented", "004-1-name-and-threshold", "A metric has a name, and its scores have it."
        ),
        Rule(
            "threshold",
            "documented",
            "004-1-name-and-threshold",
            "The constructor takes the threshold, and the scores have it.",
        ),
        Rule("value-kind", "documented", "004-6-edge-case", "The score's value is a float."),
        Rule(
            "passed-by-hand",
            "documented",
            "004-1-passed-computed",
            "passed is computed, and never set by hand.",
        ),
        Rule("other-dimension", "documented", "004-2-one-dimension", "Scores have their metric's dimension."),
        Rule(
            "raises", "documented", "004-8-never-raise", "measure gives a failing score in place of raising."
        ),
        Rule(
            "missing-passes",
            "documented",
            "004-8-missing-data",
            "Missing data that a metric cannot do without give a failing score.",
        ),
        Rule("missing-reason", "documented", "004-8-missing-data", "A score for missing data has a reason."),
        Rule(
            "state",
            "documented",
            "004-8-no-state",
            "The same case gives the same score, whatever was measured before.",
        ),
        Rule(
            "changes-input", "documented", "004-8-no-state", "The case is left as it is, for other metrics."
        ),
        Rule(
            "hash-order",
            "documented",
            "004-8-no-state",
            "The same case gives the same score, in whatever order sets come.",
        ),
        Rule(
            "environment",
            "documented",
            "004-8-no-state",
            "All configuration goes through the constructor: no environment variable decides a score.",
        ),
        Rule("imports-metric", "documented", "004-8-no-cross-imports", "A metric imports no other metric."),
        Rule("async-differs", "documented", "004-4.4-a-measure", "a_measure gives what measure gives."),
        Rule("running-loop", "documented", "004-4.4-run-async", "measure works while an event loop runs."),
        Rule("several-in-a-file", "advice", "004-8-one-per-file", "One metric stands in one file."),
        Rule(
            "keywords",
            "advice",
            "004-1-arguments-swallowed",
            "Further keyword arguments reach the base class.",
        ),
        Rule(
            "unreachable",
            "advice",
            "004-8-never-raise",
            "A judge, service or package that is not at hand gives a failing score in place of raising.",
        ),
        Rule(
            "judge-answers",
            "advice",
            "004-4.4-judge-odd",
            "An answer that the judge's schema does not allow gives a failing score in place of raising.",
        ),
        Rule("constant", "advice", "004-6-failure", "Some cases score otherwise than others."),
        Rule("drops-runs", "advice", "004-4.3-k-not-enforced", "Every run counts."),
        Rule(
            "none-is-text",
            "advice",
            "004-4.1-missing-expected",
            "A missing expectation is not compared as the text None.",
        ),
        Rule("no-reason", "advice", "004-8-failing-score", "A failing score for missing data tells why."),
        Rule("skips", "advice", "004-8-skipped", "A metric that returns None is left out of every rate."),
        Rule(
            "odd-values", "advice", "004-8-never-raise", "Values of other types than a case's raise nothing."
        ),
        Rule("nan-is-perfect", "advice", "004-1-clamped-nan", "NaN is not clamped to the full score."),
        Rule("prints", "advice", "004-8-no-state", "A metric prints nothing."),
    )
)
"""By name."""
