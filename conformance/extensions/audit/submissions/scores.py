"""Computes a group's score under each common denominator, with its standard error, and formats scores.

Let `s_t` be the sum of a task's rewards, `n_t` the number of its attempts that count, and `T` the number of
tasks. A mean over trials is `m = sum s_t / sum n_t`, and a mean over tasks is `m = (1/T) sum s_t/n_t`. The
standard errors treat the tasks as a random sample whose attempts are correlated: `sqrt(T/(T-1) sum (s_t - m
n_t)^2) / sum n_t`, and `sqrt(sum (s_t/n_t - m)^2 / (T-1) / T)`. Sums are exact, in ints and fractions, and
rounded once, which no database can do.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from conformance.extensions.audit.report import first_few
from conformance.extensions.audit.rows import TrialRow
from reference_impl.pass_at_k import GradedTrial, pass_at_k

Json = Mapping[str, Any]
HARBOR = "records"
"""The name of the denominator of harbor's mean."""
DENOMINATORS = {
    "records": "all records, unscored trials as zero (harbor's mean; from 0.26.0 on only valid rewards)",
    "planned": "all trials planned, missing and unscored ones as zero",
    "scored": "scored trials only",
    "task-records": "the mean of the tasks' means, unscored trials as zero",
    "task-attempts": "the mean of the tasks' means, missing attempts and unscored trials as zero",
    "task-scored": "the mean of the tasks' means, scored trials only",
    "errors-as-zero": "all records, trials with an exception as zero whatever their reward",
    "errors-left-out": "trials without an exception, unscored ones as zero",
    "best-attempt": "the mean of the tasks' best attempts",
    "first-attempt": "the mean of the tasks' first attempts, unscored ones as zero",
}
"""Descriptions of the denominators of scores."""
MIN_REPORTED_EFFECT = 0.01
"""The least reported effect of counting unscored trials as zero, unless the standard error is larger."""
_CLOSE = 1e-9
Z_95 = 1.959963984540054
"""The number of standard errors on each side of the mean in a 95 % interval."""

Exact = int | Fraction
"""An exact number; most rewards are 0 and 1, and sums of ints are fast."""
_BEYOND = 2**1024
_Values = Sequence[Sequence[Exact]]
"""The values that count, by task."""
MeanAndError = tuple[Fraction, int, float | None]
"""A mean, the number of its values, and its standard error, which is None if unknown."""


def exact(value: object) -> Exact | None:
    """Return the exact value of a reward; None if it is not a number in the range of doubles."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else Fraction(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, int) and abs(value) < _BEYOND else None


def rewards_for(rows: Iterable[TrialRow], key: str) -> list[Exact | None]:
    """Return each row's reward for a key; None if it has none that counts."""
    return [exact((row.rewards or {}).get(key)) for row in rows]


def exact_mean(values: Sequence[Exact]) -> Fraction:
    """Return the mean without rounding."""
    return Fraction(sum(values, 0)) / len(values)


def harbor_mean(rows: Sequence[TrialRow], key: str) -> float | None:
    """Return harbor's mean by the rules of the counting release; None if empty, or too large for a double."""
    values = [value or 0 for value in rewards_for((row for row in rows if not row.left_out), key)]
    return nearest_double(exact_mean(values)) if values else None


def main_scores(group: Json) -> Json:
    """Return the scores of a group for the key `reward`, or else for the first key."""
    scores: Sequence[Json] = group["scores"]
    return next((score for score in scores if score["key"] == "reward"), scores[0])


def nearest_double(value: float | Exact, function: Callable[[float | Exact], float] = float) -> float | None:
    """Return the nearest double to a number, or to a function of it; None if it is out of range."""
    try:
        return function(value)
    except OverflowError:
        return None


def _over_trials(tasks: _Values) -> MeanAndError | None:
    """Return the mean over trials, their number, and the standard error; None if there are none."""
    sums = Counter((sum(values, 0), len(values)) for values in tasks if values)  # usually few different ones
    if not sums:
        return None
    trials, over = sum(number * count for (_, number), count in sums.items()), sums.total()
    mean = Fraction(sum(total * count for (total, _), count in sums.items())) / trials
    error = None
    if over > 1:
        deviations = (count * (total - mean * number) ** 2 for (total, number), count in sums.items())
        squares = sum(deviations, Fraction(0))
        error = nearest_double(squares * Fraction(over, over - 1) / trials**2, math.sqrt)
    return mean, trials, error


def over_tasks(tasks: _Values) -> MeanAndError | None:
    """Return the mean of the tasks' means; tasks without a trial are excluded."""
    return _over_trials([[exact_mean(values)] for values in tasks if values])


def scores_of(tasks: Mapping[str, Sequence[TrialRow]], key: str, planned: int | None, usual: int) -> Json:
    """Return the scores for one reward key in the report's form; most tasks have `usual` attempts."""
    pairs = [list(zip(rewards_for(rows, key), rows, strict=True)) for rows in tasks.values()]
    zeros = [[value or 0 for value, _ in task] for task in pairs]
    ended_well = [[(value or 0, row.exception is None) for value, row in task] for task in pairs]
    scored = [[value for value, _ in task if value is not None] for task in pairs]
    known, records = list(chain(*scored)), sum(map(len, pairs))
    means = {
        HARBOR: _over_trials([[value or 0 for value, row in task if not row.left_out] for task in pairs]),
        "planned": None,
        "scored": _over_trials(scored),
        "task-records": over_tasks(zeros),
        "task-attempts": over_tasks([task + [0] * (usual - len(task)) for task in zeros]),
        "task-scored": over_tasks(scored),
        "errors-as-zero": _over_trials([[value * ended for value, ended in task] for task in ended_well]),
        "errors-left-out": _over_trials([[value for value, ended in task if ended] for task in ended_well]),
        "best-attempt": over_tasks([[max(task)] for task in zeros]),
        "first-attempt": over_tasks([task[:1] for task in zeros]),
    }
    if planned and planned >= records:  # with fewer planned trials than records, it would mean nothing
        means["planned"] = Fraction(sum(known, 0)) / planned, planned, None
    share = all(0 <= value <= 1 for value in known)
    all_scores = {name: score_of(mean, share=share) for name, mean in means.items() if mean is not None}
    by = {name: score for name, score in all_scores.items() if score["value"] is not None}
    graded = [GradedTrial(task, row.rewards) for task, rows in tasks.items() for row in rows]
    passes = {str(k): value for k, value in pass_at_k(graded).items()}
    counts = {"scored": len(known), "unscored": records - len(known)}
    return {"key": key, **counts, "by": by, "pass_at_k": passes}


def score_of(mean: MeanAndError, *, share: bool) -> Json:
    """Return a score with its 95 % interval, which is clipped to 0 and 1 if rewards are a `share`."""
    value, error = nearest_double(mean[0]), mean[2]
    ends = None
    if error is not None and value is not None:
        low, high = value - Z_95 * error, value + Z_95 * error
        ends = [max(low, 0.0), min(high, 1.0)] if share else [low, high]
        ends = ends if all(map(math.isfinite, ends)) else None
    error = error if error is not None and math.isfinite(error) else None
    return {"value": value, "over": mean[1], "standard_error": error, "interval": ends}


def by_denominator(scores: Json) -> dict[str, float]:
    """Return the values of a reward key's scores, by denominator."""
    return {name: score["value"] for name, score in scores["by"].items()}


def denominators_giving(value: float, by: Mapping[str, float]) -> list[str]:
    """Return the denominators whose score equals the value."""
    close = _CLOSE * max(1.0, abs(value))
    return [name for name, score in by.items() if abs(score - value) <= close]


def are_shares(*values: float | None) -> bool:
    """Return whether all scores are between 0 and 1, so that percentages make sense."""
    return all(0 <= value <= 1 for value in values if value is not None)


def is_share(scores: Json) -> bool:
    """Return whether a group's scores, with their intervals, are between 0 and 1."""
    return are_shares(
        *(end for score in scores["by"].values() for end in (score["value"], *(score["interval"] or ())))
    )


def format_score(value: float | None, share: bool) -> str:
    """Format a score: shares in percent with one decimal, other numbers with six significant digits."""
    return "-" if value is None else f"{100 * value:.1f} %" if share else f"{value:.6g}"


def format_difference(value: float, share: bool) -> str:
    """Format a difference of two scores: percentage points with one decimal, or six significant digits.

    A difference that would be shown as 0.0 gets two significant digits instead.
    """
    if not share:
        return f"{value:+.6g}"
    return f"{100 * value:+.1f}" if not 0 < abs(100 * value) < 0.05 else f"{100 * value:+.2g}"


def format_error(score: Json, share: bool, *, brief: bool = False) -> str:
    """Format a standard error as ± and, unless `brief`, the interval; empty if there is none."""
    error, ends = score["standard_error"], score["interval"]
    if error is None:
        return ""
    text = f"± {100 * error:.1f}" if share else f"± {error:.3g}"
    if brief or ends is None:
        return text
    low, high = (format_score(end, share) for end in ends)
    return f"{text} (95 %: {low.removesuffix(' %')} to {high})"


def stated_text(scores: Json) -> str:
    """Describe the score that the jobs state, and the denominator that gives it."""
    stated = scores["stated"]
    if stated["value"] is None:
        return f"not by {stated['unstated']:,} jobs" if stated["unstated"] else "none"
    by = DENOMINATORS[stated["by"][0]] if stated["by"] else "none of these scores"
    return f"{format_score(stated['value'], is_share(scores))}, {by}"


def stated_score(
    job_shares: Iterable[tuple[str, list[dict[str, Any]], list[TrialRow]]], scores: Json, *, several: bool
) -> Json:
    """Return the score that jobs state for one reward key, and the denominators that give it.

    In the report's form: `value` is the mean over the jobs, weighted by their records, or null if one of
    them states none; `odd` names the jobs whose stated value differs from harbor's mean.
    """
    key, names = scores["key"], (scores["key"],) if several else ("mean", scores["key"])
    values, records, odd, unstated = list[float](), 0, list[str](), 0
    for path, metrics, rows in job_shares:
        stated = (metric.get(name) for metric in metrics for name in names)
        numbers = (item for item in stated if isinstance(item, int | float) and not isinstance(item, bool))
        value = nearest_double(next(numbers, math.nan))
        if value is None or not math.isfinite(value):
            unstated += 1
            continue
        values.append(value * len(rows))
        records += len(rows)
        own = harbor_mean(rows, key)
        odd += [] if own is not None and denominators_giving(value, {HARBOR: own}) else [path]
    mean = math.fsum(values) / records if records and not unstated else math.nan
    whole = mean if math.isfinite(mean) else None
    by = [] if whole is None else denominators_giving(whole, by_denominator(scores))
    return {"value": whole, "by": by, "odd": odd, "unstated": unstated}


def remarks(group: Json) -> Iterator[str]:
    """Yield a sentence for anything unusual about the scores of a group."""
    for scores in group["scores"]:
        zero, left, share = scores["by"].get("records"), scores["by"].get("scored"), is_share(scores)
        if zero and left and zero["over"] == group["records"]:  # no record was excluded
            effect, scale = abs(zero["value"] - left["value"]), 1.0 if share else abs(left["value"])
            if 0 < effect >= MIN_REPORTED_EFFECT * scale and effect > (zero["standard_error"] or 0.0):
                left_out = " as zero, ".join(format_score(score["value"], share) for score in (zero, left))
                key = f"{scores['key']}: " if len(group["scores"]) > 1 else ""
                counts = f"({scores['unscored']} of {group['records']} unscored)"
                yield f"the score depends on how unscored trials count: {key}{left_out} left out {counts}"
        elif not left and group["records"]:
            yield f"no trial is scored: {group['records']} unscored"
    for scores in group["scores"]:
        if odd := scores["stated"]["odd"]:
            yield f"{jobs_that_do_not(len(odd))} state the mean of their trials: {first_few(sorted(odd))}"


def jobs_that_do_not(count: int) -> str:
    """Return the beginning of a sentence about that many jobs."""
    return "1 job does not" if count == 1 else f"{count} jobs do not"


def duplicate_trials(rows: Sequence[TrialRow]) -> list[dict[str, Any]]:
    """Return the trials that are in more than one job, by name."""
    by_name: dict[str, list[TrialRow]] = {}
    for row in rows:
        by_name.setdefault(row.trial, []).append(row)
    doubles = []
    for trial in sorted(trial for trial, copies in by_name.items() if copies[1:]):
        copies = by_name[trial]
        jobs, same = sorted({row.job for row in copies}), len({repr(row.rewards) for row in copies}) == 1
        doubles.append({"trial": trial, "task": copies[0].task, "jobs": jobs, "same": same})
    return doubles
