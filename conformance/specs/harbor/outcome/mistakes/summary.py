"""Mistakes in summing up a job's result: score, resolved, total, status, reason."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, outcome

mistakes = family("outcome", clause="003-5-resolved-half-even")

SUMMARISE = outcome._summarise
VALUES = outcome._metric_values
JUDGED = outcome.summarise


@way("outcome", clause="003-5-resolved-float-product")
def summary_family(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a result that could be read."""
    reference.wrap(SUMMARISE, lambda original: lambda result: change(original(result), result))


@way("outcome", clause="003-5-resolved-half-even")
def rounded(reference: Variant, rounding: Callable[[float], int]) -> None:
    """Rounds the number of resolved trials in another way."""

    def change(summary: Any, result: Any) -> Any:
        planned = reference.get(outcome._count)(result.get("n_total_trials"))
        return replace(summary, resolved=rounding(summary.score * planned))

    summary_family(reference, change)


def _counts(reference: Variant, result: Any) -> tuple[int, int, int]:
    count, stats = reference.get(outcome._count), result.get("stats", {})
    return (
        count(result.get("n_total_trials")),
        count(stats.get("n_completed_trials")),
        count(stats.get("n_errored_trials")),
    )


@rounded.made(invited_by="C, Rust, Go, PHP, SQL; ROUND_HALF_UP of decimals")
def resolved_half_away(number: float) -> int:
    """Resolved is rounded half away from zero.
    It is the rounding taught at school, and most languages' round."""
    whole = math.floor(abs(number))
    return int(math.copysign(1, number)) * (whole + (abs(number) - whole >= 0.5))


@rounded.made(invited_by="JavaScript's and Java's Math.round")
def resolved_half_up(number: float) -> int:
    """Resolved is rounded half up, towards positive infinity. It is the language's Math.round."""
    whole = math.floor(number)
    return whole + (number - whole >= 0.5)


@rounded.made(invited_by="C before C99, awk, Lua, old JavaScript engines and Java up to 6")
def resolved_floor_of_sum(number: float) -> int:
    """Resolved is floor(x + 0.5), computed in doubles.
    It is how rounding is written where there is no round."""
    return math.floor(number + 0.5)


@mistakes.changed(invited_by="Math.floor, //, integer division")
def resolved_floored(reference: Variant) -> None:
    """Resolved is rounded down. A trial is resolved whole or not at all."""
    rounded(reference, math.floor)


@mistakes.changed(invited_by="int(x), Go's and Rust's casts, Java's (int), shell's printf %d")
def resolved_truncated(reference: Variant) -> None:
    """Resolved is cut towards zero. Converting to an int does it."""
    rounded(reference, math.trunc)


@summary_family.made(invited_by="Decimal(score) * total, Fraction, BigDecimal")
def resolved_from_exact_product(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is rounded from the exact product of score and total. Decimals and fractions lose nothing."""
    planned, _, _ = _counts(reference, result)
    return replace(summary, resolved=round(Fraction(summary.score) * planned))


@summary_family.made(invited_by="Decimal(str(score)), bc, SQL's NUMERIC, spreadsheets")
def resolved_from_decimal_product(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is rounded from score and total multiplied as decimal numbers.
    The score is taken as it is printed."""
    planned, _, _ = _counts(reference, result)
    return replace(summary, resolved=round(Fraction(repr(summary.score)) * planned))


@summary_family.made(
    clause="003-5-resolved-uses-reported-total",
    invited_by="tidying up: `total = planned or completed + errored` at the top",
)
def resolved_from_printed_total(summary: Any, _: Any) -> Any:
    """Resolved is computed with the total that is printed, fallback included.
    The fallback is made first, so that there is one total."""
    return replace(summary, resolved=round(summary.score * summary.total))


@summary_family.made(clause="003-5-resolved-uses-reported-total", invited_by="the names of the counters")
def resolved_from_completed(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is computed with the completed trials. The score is a mean over what was completed."""
    _, completed, _ = _counts(reference, result)
    return replace(summary, resolved=round(summary.score * completed))


@summary_family.made(
    clause="003-5-total-fallback", invited_by="stats.get('n_total_trials', …), ?? in JavaScript, jq's .a"
)
def total_without_fallback(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is printed as it is. The field is there and has a value."""
    return replace(summary, total=_counts(reference, result)[0])


@summary_family.made(clause="003-5-total-fallback", invited_by="knowing what harbor counts")
def fallback_total_is_completed(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is replaced by the completed trials alone. They include the errored ones already."""
    planned, completed, _ = _counts(reference, result)
    return replace(summary, total=planned or completed)


@summary_family.made(clause="003-5-total-reported", invited_by="reading the fallback as the rule")
def total_always_added_up(reference: Variant, summary: Any, result: Any) -> Any:
    """The total is always the sum of completed and errored trials.
    It is taken for the number of trials that ran."""
    _, completed, errored = _counts(reference, result)
    return replace(summary, total=completed + errored)


@summary_family.made(clause="003-5-status-not-from-score", invited_by="test runners, CI badges")
def status_from_score(summary: Any, _: Any) -> Any:
    """The status is completed where the score is above 0, and failed otherwise.
    Status and success are taken for the same."""
    return replace(summary, status="completed" if summary.score > 0 else "failed")


@summary_family.made(clause="003-5-status-not-from-score", invited_by="`errored == 0 and score > 0`")
def status_needs_success(summary: Any, _: Any) -> Any:
    """The status is failed where a trial ended in an error or the score is 0.0.
    A run in which nothing passed looks like a failure."""
    return replace(summary, status=summary.status if summary.score > 0 else "failed")


@summary_family.made(clause="003-5-status-from-errored", invited_by="the name of the status")
def status_from_completed_count(reference: Variant, summary: Any, result: Any) -> Any:
    """The status is completed only where as many trials completed as were planned.
    A run with trials missing is not complete."""
    planned, completed, _ = _counts(reference, result)
    return replace(summary, status=summary.status if completed >= planned else "failed")


@summary_family.made(clause="003-5-status-from-errored", invited_by="`if errored > 0`")
def status_from_positive_errors(reference: Variant, summary: Any, result: Any) -> Any:
    """The status is failed only where n_errored_trials is above 0. A count is never negative."""
    return replace(summary, status="failed" if _counts(reference, result)[2] > 0 else "completed")


@summary_family.made(clause="003-5-flat-mean", invited_by="agreeing with the other end of the line")
def failed_scores_zero(summary: Any, _: Any) -> Any:
    """A failed run has the score 0.0 and resolves nothing.
    The reader of the line refuses a failed run with a score."""
    return replace(summary, score=0.0, resolved=0) if summary.status == "failed" else summary


@mistakes.changed(clause="003-5-score-division", invited_by="min(max(x, 0), 1), clamp")
def score_clamped(reference: Variant) -> None:
    """The score is clamped to 0 to 1. A score is a fraction."""
    mean = reference.get(aggregation.mean)

    def clamped(values: Any) -> float:
        score: float = mean(values)
        return min(max(score, 0.0), 1.0) if math.isfinite(score) else score

    reference.replace_use((outcome, aggregation.mean), clamped)
