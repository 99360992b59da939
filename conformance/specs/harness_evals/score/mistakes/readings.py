"""What readers of the document alone understood of a score: its value, its threshold, whether it passed."""

import math
import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described
from reference_impl.harness_evals import score as score_rules

mistakes = family("harness.score")
in_decode_score = family("harness.score", of=described.decode_score, clause="004-1-passed-not-given")
in_post_init = family("harness.score", of=score_rules.Score.__post_init__, clause="004-1-tolerance")
in_clamp = family("harness.score", of=score_rules.clamp, clause="004-1-clamped")
_Made = Callable[[Any], None]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


@way("harness.score", clause="004-1-clamped")
def clamped_scores(reference: Variant, change: Callable[[Any, Any], None]) -> None:
    """Changes scores that are made by ``clamped``: ``change`` has the score and its value before."""
    decode_given = reference.get(described.decode_given)
    decode_score, scores = reference.get(described.decode_score), reference.get(described._scores)

    def decoded(given: Any) -> Any:
        score = decode_score(given)
        if given.get("clamped"):
            change(score, decode_given(given["value"]))
        return score

    def described_scores(given: Any) -> Callable[[Any], Any]:
        measure = scores(given)

        def measured(metric: Any) -> Any:
            score = measure(metric)
            if given["clamped"] and given["passed"] is None:
                change(score, decode_given(given["value"]))
            return score

        return measured

    reference.replace(described.decode_score, decoded)
    reference.replace(described._scores, described_scores)


@way("harness.score", clause="004-1-dict-time")
def timed(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes how a score's time is written."""
    decode_score = reference.get(described.decode_score)

    def decoded(given: Any) -> Any:
        score = decode_score(given)
        score.created_at = change(score.created_at)
        return score

    reference.replace(described.decode_score, decoded)


@way("harness.score", clause="004-1-dict-none-dropped")
def left_out(reference: Variant, leaves_out: Callable[[str, Any], bool]) -> None:
    """Leaves some more of a score's members out."""
    as_dict = reference.get(score_rules.Score.as_dict)

    def fewer(score: Any) -> dict[str, Any]:
        return {name: it for name, it in as_dict(score).items() if not leaves_out(name, it)}

    reference.replace(score_rules.Score.as_dict, fewer)


@in_post_init.wrapped(invited_by="math.fsum above 1")
def harness_tolerance_only_above(made: _Made, score: Any) -> None:
    """A value barely below 0 is refused, one barely above 1 is moved. Sums of parts overshoot 1, not 0."""
    if _is_number(score.value) and score.value < 0:
        raise ValueError("a value is at least 0")
    made(score)


@in_post_init.wrapped(invited_by="noise around -0.0")
def harness_tolerance_only_below(made: _Made, score: Any) -> None:
    """A value barely above 1 is refused, one barely below 0 is moved. Differences undershoot 0, not 1."""
    if _is_number(score.value) and score.value > 1:
        raise ValueError("a value is at most 1")
    made(score)


@mistakes.changed(clause="004-1-tolerance", invited_by="math.isclose")
def harness_tolerance_of_nanos(reference: Variant) -> None:
    """A value further than 1e-9 outside of 0 to 1 is refused.
    That is the tolerance that floats usually get."""
    reference.replace_use((score_rules, "TOLERANCE"), 1e-9)


@in_post_init.wrapped(invited_by="abs(value - border) <= 1e-6")
def harness_near_border_snapped(made: _Made, score: Any) -> None:
    """A value inside of 0 to 1, but within 1e-6 of a border, is moved there too. The distance has no sign."""
    made(score)
    border = 0.0 if score.value < 0.5 else 1.0
    if isinstance(score.value, float) and 0 < abs(score.value - border) <= 1e-6:
        score.value = border
        score.passed = bool(border >= score.threshold)


@in_clamp.wrapped(invited_by="if value < 0, if value > 1")
def harness_clamped_negative_zero(clamp: Callable[..., Any], value: Any) -> Any:
    """Clamping -0.0 leaves it as it is. It is not below 0."""
    return value if isinstance(value, float) and value == 0.0 else clamp(value)


@in_post_init.wrapped(clause="004-1-value-as-given", invited_by="value + 0.0, JSON.stringify")
def harness_negative_zero_made_plain(made: _Made, score: Any) -> None:
    """A value of -0.0 becomes 0.0. A zero is thought to have no sign."""
    made(score)
    if isinstance(score.value, float) and score.value == 0.0:
        score.value = 0.0


@clamped_scores.made(invited_by="clamping all of the score")
def harness_clamp_moves_threshold(reference: Variant, score: Any, _: Any) -> None:
    """Score.clamped moves the threshold into 0 to 1 too. The whole score is thought to be clamped."""
    if not 0.0 <= score.threshold <= 1.0:
        score.threshold = reference.its(score_rules.clamp)(score.threshold)
    score.passed = bool(score.value >= score.threshold)


@clamped_scores.made(clause="004-1-passed-computed", invited_by="the argument in place of the field")
def harness_clamp_passes_by_raw(score: Any, value: Any) -> None:
    """A clamped score passes by its value before it was clamped. The comparison uses what was given."""
    score.passed = bool(value >= score.threshold)


@in_clamp.wrapped(invited_by="is_finite before the clamp")
def harness_clamp_takes_finite_only(clamp: Callable[..., Any], value: Any) -> Any:
    """Clamping an infinite value is a ValueError. What is infinite is taken for a fault."""
    if isinstance(value, float) and math.isinf(value):
        raise ValueError("an infinite value")
    return clamp(value)


@in_post_init.wrapped(clause="004-1-name-and-threshold", invited_by="typed fields, float(threshold)")
def harness_threshold_as_float(made: _Made, score: Any) -> None:
    """A threshold that is an int or a bool becomes a float. It is declared as one."""
    made(score)
    if isinstance(score.threshold, int) and abs(score.threshold) < 2**1023:
        score.threshold = float(score.threshold)


@in_post_init.wrapped(clause="004-1-threshold-number", invited_by="threshold or 1.0, Option::unwrap_or")
def harness_threshold_null_is_default(made: _Made, score: Any) -> None:
    """A score whose threshold is null has the default of 1.0. Every base class has this default."""
    if score.threshold is None:
        score.threshold = 1.0
    made(score)


@in_post_init.wrapped(clause="004-1-threshold-number", invited_by="strict types")
def harness_threshold_bool_refused(made: _Made, score: Any) -> None:
    """A threshold that is a bool is refused. A bool is no number in most languages."""
    made(score)
    if isinstance(score.threshold, bool):
        raise TypeError("a bool")


@in_post_init.wrapped(clause="004-1-threshold-unbounded", invited_by="is_finite")
def harness_threshold_infinite_refused(made: _Made, score: Any) -> None:
    """An infinite threshold is refused. Numbers are thought to be finite."""
    made(score)
    if isinstance(score.threshold, float) and math.isinf(score.threshold):
        raise ValueError("an infinite threshold")


@in_post_init.wrapped(clause="004-1-threshold-unbounded", invited_by="float(threshold)")
def harness_threshold_int_overflows(made: _Made, score: Any) -> None:
    """A threshold that is an int beyond the double range is an OverflowError. It is converted first."""
    made(score)
    float(score.threshold)


@in_post_init.wrapped(clause="004-1-value-in-range", invited_by="float(value)")
def harness_huge_int_overflows(made: _Made, score: Any) -> None:
    """A value that is an int beyond the double range is an OverflowError. It is converted first."""
    if isinstance(score.value, int):
        float(score.value)
    made(score)


@in_decode_score.wrapped(invited_by="assert passed == (value >= threshold)")
def harness_passed_told_right_accepted(decode: Callable[[Any], Any], given: Any) -> Any:
    """A score that is told rightly whether it passed is accepted.
    Only a contradiction seems to be a fault."""
    score = decode({**given, "passed": None})
    if given.get("passed") not in (None, score.passed):
        raise TypeError("passed is computed")
    return score


@in_decode_score.wrapped(invited_by="checks in the constructor's body")
def harness_passed_told_last(decode: Callable[[Any], Any], given: Any) -> Any:
    """The other fields are looked at before passed is refused. Which fault is told seems not to matter."""
    decode({**given, "passed": None})
    return decode(given)


@in_decode_score.wrapped(invited_by="clamped(name, value, threshold, **others)")
def harness_clamp_forgets_passed(decode: Callable[[Any], Any], given: Any) -> Any:
    """Score.clamped accepts and forgets what it is told of passed. Other arguments are swallowed too."""
    return decode({**given, "passed": None} if given.get("clamped") else given)


@left_out.made(invited_by="if score.metadata")
def harness_empty_metadata_dropped(name: str, it: Any) -> bool:
    """Empty metadata of a score are left out. What is empty is taken for missing."""
    return name == "metadata" and it == {}


@left_out.made(invited_by="if score.reason, omitempty in Go")
def harness_empty_reason_dropped(name: str, it: Any) -> bool:
    """An empty reason of a score is left out. It tells nothing."""
    return name == "reason" and it == ""


@left_out.made(invited_by="omitempty in Go")
def harness_zero_duration_dropped(name: str, it: Any) -> bool:
    """A duration of 0 is left out of a score. It is taken for not measured."""
    return name == "scoring_duration_ms" and it == 0


@left_out.made(invited_by="omitempty in Go")
def harness_failed_dropped(name: str, it: Any) -> bool:
    """Whether it passed is left out of a score that failed. A flag is thought to stand or to be missing."""
    return name == "passed" and not it


@timed.made(invited_by="RFC 3339 writers, toISOString")
def harness_utc_as_z(text: str) -> str:
    """A time in UTC is written with Z. ISO 8601 allows both."""
    return re.sub(r"\+00:00$", "Z", text)


@in_decode_score.wrapped(clause="004-1-dict-time", invited_by="%f, fixed formats")
def harness_time_always_six(decode: Callable[[Any], Any], given: Any) -> Any:
    """A time has six digits of a fraction even where they are zeros. A fixed format is easy to read."""
    score = decode(given)
    score.created_at = given["created_at"]
    return score


@timed.made(invited_by="RFC3339Nano of Go, java.time")
def harness_time_zeros_trimmed(text: str) -> str:
    """Zeros at the end of a time's fraction are left out. They tell nothing."""
    return re.sub(r"(\.\d*[1-9])0+(?=[+-]|$)", r"\1", text)


@timed.made(invited_by="chrono's AutoSi, toISOString")
def harness_time_in_milliseconds(text: str) -> str:
    """A time of whole milliseconds has three digits of a fraction. They are enough."""
    return re.sub(r"(\.\d{3})000(?=[+-]|$)", r"\1", text)


@timed.made(invited_by="astimezone(utc), toISOString")
def harness_time_to_utc(text: str) -> str:
    """A time with another offset is written in UTC. Files are thought to be easy to compare so."""
    try:
        moment = datetime.fromisoformat(text)
        return text if moment.tzinfo is None else moment.astimezone(timezone.utc).isoformat()
    except (ValueError, OverflowError):
        return text


@timed.made(invited_by="DateTime<Utc>")
def harness_time_naive_is_utc(text: str) -> str:
    """A time without an offset gets that of UTC. A time has to have one."""
    return text if re.search(r"[+-]\d\d:\d\d$", text) else f"{text}+00:00"
