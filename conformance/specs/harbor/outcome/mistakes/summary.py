"""Mistakes in summing up a job's result: score, resolved, total, status, reason."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

SUMMARISE = "outcome._summarise"
VALUES = "outcome._metric_values"
JUDGED = "outcome.summarise"


def _summary(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a result that could be read."""
    reference.wrap(SUMMARISE, lambda original: lambda result: change(original(result), result))


def _rounded(reference: Variant, rounding: Callable[[float], int]) -> None:
    def change(summary: Any, result: Any) -> Any:
        planned = reference.get("outcome._count")(result.get("n_total_trials"))
        return replace(summary, resolved=rounding(summary.score * planned))

    _summary(reference, change)


def _counts(reference: Variant, result: Any) -> tuple[int, int, int]:
    count, stats = reference.get("outcome._count"), result.get("stats", {})
    return (
        count(result.get("n_total_trials")),
        count(stats.get("n_completed_trials")),
        count(stats.get("n_errored_trials")),
    )


@mistake(
    "resolved-half-away",
    says="resolved is rounded half away from zero",
    op="outcome",
    clause="003-5-resolved-half-even",
    why="It is the rounding taught at school, and most languages' round.",
    invited_by="C, Rust, Go, PHP, SQL; ROUND_HALF_UP of decimals",
)
def _(reference: Variant) -> None:
    def half_away(number: float) -> int:
        whole = math.floor(abs(number))
        return int(math.copysign(1, number)) * (whole + (abs(number) - whole >= 0.5))

    _rounded(reference, half_away)


@mistake(
    "resolved-half-up",
    says="resolved is rounded half up, towards positive infinity",
    op="outcome",
    clause="003-5-resolved-half-even",
    why="It is the language's Math.round.",
    invited_by="JavaScript's and Java's Math.round",
)
def _(reference: Variant) -> None:
    def half_up(number: float) -> int:
        whole = math.floor(number)
        return whole + (number - whole >= 0.5)

    _rounded(reference, half_up)


@mistake(
    "resolved-floor-of-sum",
    says="resolved is floor(x + 0.5), computed in doubles",
    op="outcome",
    clause="003-5-resolved-half-even",
    why="It is how rounding is written where there is no round.",
    invited_by="C before C99, awk, Lua, old JavaScript engines and Java up to 6",
)
def _(reference: Variant) -> None:
    _rounded(reference, lambda number: math.floor(number + 0.5))


@mistake(
    "resolved-floored",
    says="resolved is rounded down",
    op="outcome",
    clause="003-5-resolved-half-even",
    why="A trial is resolved whole or not at all.",
    invited_by="Math.floor, //, integer division",
)
def _(reference: Variant) -> None:
    _rounded(reference, math.floor)


@mistake(
    "resolved-truncated",
    says="resolved is cut towards zero",
    op="outcome",
    clause="003-5-resolved-half-even",
    why="Converting to an int does it.",
    invited_by="int(x), Go's and Rust's casts, Java's (int), shell's printf %d",
)
def _(reference: Variant) -> None:
    _rounded(reference, math.trunc)


@mistake(
    "resolved-from-exact-product",
    says="resolved is rounded from the exact product of score and total",
    op="outcome",
    clause="003-5-resolved-float-product",
    why="Decimals and fractions lose nothing.",
    invited_by="Decimal(score) * total, Fraction, BigDecimal",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        planned, _, _ = _counts(reference, result)
        return replace(summary, resolved=round(Fraction(summary.score) * planned))

    _summary(reference, change)


@mistake(
    "resolved-from-decimal-product",
    says="resolved is rounded from score and total multiplied as decimal numbers",
    op="outcome",
    clause="003-5-resolved-float-product",
    why="The score is taken as it is printed.",
    invited_by="Decimal(str(score)), bc, SQL's NUMERIC, spreadsheets",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        planned, _, _ = _counts(reference, result)
        return replace(summary, resolved=round(Fraction(repr(summary.score)) * planned))

    _summary(reference, change)


@mistake(
    "resolved-from-printed-total",
    says="resolved is computed with the total that is printed, fallback included",
    op="outcome",
    clause="003-5-resolved-uses-reported-total",
    why="The fallback is made first, so that there is one total.",
    invited_by="tidying up: `total = planned or completed + errored` at the top",
)
def _(reference: Variant) -> None:
    _summary(reference, lambda summary, _: replace(summary, resolved=round(summary.score * summary.total)))


@mistake(
    "resolved-from-completed",
    says="resolved is computed with the completed trials",
    op="outcome",
    clause="003-5-resolved-uses-reported-total",
    why="The score is a mean over what was completed.",
    invited_by="the names of the counters",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        _, completed, _ = _counts(reference, result)
        return replace(summary, resolved=round(summary.score * completed))

    _summary(reference, change)


@mistake(
    "total-without-fallback",
    says="a total of 0 is printed as it is",
    op="outcome",
    clause="003-5-total-fallback",
    why="The field is there and has a value.",
    invited_by="stats.get('n_total_trials', …), ?? in JavaScript, jq's .a",
)
def _(reference: Variant) -> None:
    _summary(reference, lambda summary, result: replace(summary, total=_counts(reference, result)[0]))


@mistake(
    "fallback-total-is-completed",
    says="a total of 0 is replaced by the completed trials alone",
    op="outcome",
    clause="003-5-total-fallback",
    why="They include the errored ones already.",
    invited_by="knowing what harbor counts",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        planned, completed, _ = _counts(reference, result)
        return replace(summary, total=planned or completed)

    _summary(reference, change)


@mistake(
    "total-always-added-up",
    says="the total is always the sum of completed and errored trials",
    op="outcome",
    clause="003-5-total-reported",
    why="It is taken for the number of trials that ran.",
    invited_by="reading the fallback as the rule",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        _, completed, errored = _counts(reference, result)
        return replace(summary, total=completed + errored)

    _summary(reference, change)


@mistake(
    "status-from-score",
    says="the status is completed where the score is above 0, and failed otherwise",
    op="outcome",
    clause="003-5-status-not-from-score",
    why="Status and success are taken for the same.",
    invited_by="test runners, CI badges",
)
def _(reference: Variant) -> None:
    _summary(
        reference,
        lambda summary, _: replace(summary, status="completed" if summary.score > 0 else "failed"),
    )


@mistake(
    "status-needs-success",
    says="the status is failed where a trial ended in an error or the score is 0.0",
    op="outcome",
    clause="003-5-status-not-from-score",
    why="A run in which nothing passed looks like a failure.",
    invited_by="`errored == 0 and score > 0`",
)
def _(reference: Variant) -> None:
    _summary(
        reference,
        lambda summary, _: replace(summary, status=summary.status if summary.score > 0 else "failed"),
    )


@mistake(
    "status-from-completed-count",
    says="the status is completed only where as many trials completed as were planned",
    op="outcome",
    clause="003-5-status-from-errored",
    why="A run with trials missing is not complete.",
    invited_by="the name of the status",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        planned, completed, _ = _counts(reference, result)
        return replace(summary, status=summary.status if completed >= planned else "failed")

    _summary(reference, change)


@mistake(
    "status-from-positive-errors",
    says="the status is failed only where n_errored_trials is above 0",
    op="outcome",
    clause="003-5-status-from-errored",
    why="A count is never negative.",
    invited_by="`if errored > 0`",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        return replace(summary, status="failed" if _counts(reference, result)[2] > 0 else "completed")

    _summary(reference, change)


@mistake(
    "failed-scores-zero",
    says="a failed run has the score 0.0 and resolves nothing",
    op="outcome",
    clause="003-5-flat-mean",
    why="The reader of the line refuses a failed run with a score.",
    invited_by="agreeing with the other end of the line",
)
def _(reference: Variant) -> None:
    def change(summary: Any, _: Any) -> Any:
        return replace(summary, score=0.0, resolved=0) if summary.status == "failed" else summary

    _summary(reference, change)


@mistake(
    "score-clamped",
    says="the score is clamped to 0 to 1",
    op="outcome",
    clause="003-5-score-division",
    why="A score is a fraction.",
    invited_by="min(max(x, 0), 1), clamp",
)
def _(reference: Variant) -> None:
    mean = reference.get("aggregation.mean")

    def clamped(values: Any) -> float:
        score: float = mean(values)
        return min(max(score, 0.0), 1.0) if math.isfinite(score) else score

    reference.replace_use("outcome.mean", clamped)
