"""Mistakes in judging what an outcome line says: status, score, reason."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import outcome as outcome_rules

in_judge = family("read_outcome", of=outcome_rules._judge)
in_reason = family("read_outcome", of=outcome_rules._reason)
in_read_outcome = family("read_outcome", of=outcome_rules.read_outcome, clause="003-5-read-timed-out-first")
Payload = dict[str, Any]


@way("read_outcome")
def changed_judgement(reference: Variant, change: Callable[[Payload, Any], Any]) -> None:
    """Has ``change(payload, outcome)`` correct the judgement on a payload."""
    reference.wrap(outcome_rules._judge, lambda judge: lambda payload: change(payload, judge(payload)))


@way("read_outcome")
def changed_payload(reference: Variant, change: Callable[[Payload], Payload]) -> None:
    """Has the payload pass through ``change`` before it is judged."""
    reference.wrap(outcome_rules._judge, lambda judge: lambda payload: judge(change(payload)))


@way("read_outcome", clause="003-5-read-score-number")
def scored(reference: Variant, score: Callable[[Any], Any]) -> None:
    """Has a score that is there pass through ``score`` before it is judged."""
    changed_payload(reference, lambda p: {**p, "score": score(p["score"])} if "score" in p else p)


@scored.made(clause="003-5-read-score-range", invited_by="min(max(x, 0), 1), clamp")
def read_score_clamped(s: Any) -> Any:
    """A score outside 0 to 1 is clamped. A score is a fraction."""
    return min(max(s, 0), 1) if type(s) in (int, float) and s == s else s


@scored.made(clause="003-5-read-score-range", invited_by="math.isclose, epsilons")
def read_score_tolerant(s: Any) -> Any:
    """A score that leaves 0 to 1 by no more than 1e-9 is accepted. Sums of floats are not exact."""
    return min(max(s, 0.0), 1.0) if type(s) is float and -1e-9 <= s <= 1 + 1e-9 else s


@in_judge.wrapped(clause="003-5-read-score-range", invited_by="`if score < 0 or score > 1`")
def read_nan_in_range(judge: Callable[[Payload], Any], payload: Payload) -> Any:
    """A NaN score is accepted. NaN is neither below 0 nor above 1."""
    score = payload.get("score")
    if not (isinstance(score, float) and math.isnan(score)):
        return judge(payload)
    outcome = judge({**payload, "score": 0.0})
    return replace(outcome, score=score) if outcome.status == "completed" else outcome


@scored.made(invited_by="Python, C, JavaScript's Number, PHP")
def bools_as_scores(score: Any) -> Any:
    """A score of true or false counts as 1.0 or 0.0. isinstance(True, int) holds."""
    return float(score) if isinstance(score, bool) else score


@scored.made(invited_by="Python's float, JavaScript's Number, shell, PHP, jq's tonumber")
def strings_as_scores(value: Any) -> Any:
    """A score that is a number in a string counts. float() takes it."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


@changed_payload.made(
    clause="003-5-read-score-number", invited_by="dict.get, Go's pointers, Option in serde, jq"
)
def null_score_as_absent(p: Payload) -> Payload:
    """A score that is null counts as absent and gives harbor_result_partial.
    A look-up gives null for both."""
    return {k: v for k, v in p.items() if k != "score" or v is not None}


@changed_payload.made(
    clause="003-5-read-partial", invited_by="Go's zero values, serde(default), dict.get('score', 0.0)"
)
def absent_score_as_zero(p: Payload) -> Payload:
    """An absent score counts as 0.0. It is the default of the field."""
    return {"score": 0.0, **p}


@changed_judgement.made(
    clause="003-5-read-failed-positive", invited_by="reading the writer of the line as its specification"
)
def failed_keeps_its_score(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """The status failed with a score above 0 is accepted, and keeps the score.
    harbor's summary has such lines."""
    score: Any = payload.get("score")
    if payload.get("status") == "failed" and type(score) in (int, float) and 0 < score <= 1:
        return replace(outcome, score=float(score), reason_code=reference.get(outcome_rules._reason)(payload))
    return outcome


@changed_payload.made(clause="003-5-read-failed-positive", invited_by="score if completed else 0.0")
def failed_loses_its_score(p: Payload) -> Payload:
    """The status failed with a score above 0 is accepted, with the score 0.0.
    A failed run scores nothing, whatever it says."""
    return (
        {**p, "score": 0.0}
        if p.get("status") == "failed" and type(p.get("score")) in (int, float) and 0 < p["score"] <= 1
        else p
    )


@changed_judgement.made(clause="003-5-read-failed", invited_by="the list of known codes")
def failed_wants_a_reason(payload: Payload, outcome: Any) -> Any:
    """A failed run without a reason gets harbor_trial_failed.
    A failure wants a reason, and there is a code for it."""
    unexplained = outcome.status == "failed" and outcome.reason_code is None
    return replace(outcome, reason_code="harbor_trial_failed") if unexplained else outcome


@changed_judgement.made(
    clause="003-5-read-completed", invited_by="enums such as Result, reason only in the failure's branch"
)
def completed_has_no_reason(_: Payload, outcome: Any) -> Any:
    """The reason of a completed run is dropped. Success needs no reason."""
    return replace(outcome, reason_code=None) if outcome.status == "completed" else outcome


@changed_payload.made(
    clause="003-5-read-status-values",
    invited_by="lower(), Jackson's ACCEPT_CASE_INSENSITIVE_ENUMS, equalsIgnoreCase",
)
def status_without_regard_to_case(p: Payload) -> Payload:
    """The status is compared without regard to case and spaces. Enums are read leniently."""

    def lenient(status: Any) -> Any:
        return status.strip().lower() if isinstance(status, str) else status

    return {**p, "status": lenient(p.get("status"))}


@in_judge.wrapped(clause="003-5-read-status-values", invited_by="fields without an enum")
def unknown_status_passed_on(judge: Callable[[Payload], Any], payload: Payload) -> Any:
    """A status that is neither completed nor failed is passed on with its score. The status is a text."""
    status = payload.get("status")
    if not isinstance(status, str) or status in ("completed", "failed"):
        return judge(payload)
    outcome = judge({**payload, "status": "completed"})
    return replace(outcome, status=status) if outcome.status == "completed" else outcome


@changed_judgement.made(clause="003-5-read-status-values", invited_by="one test for the status")
def wrong_status_is_partial(payload: Payload, outcome: Any) -> Any:
    """A status that is neither completed nor failed gives harbor_result_partial.
    Both are a status that cannot be used."""
    unknown = payload.get("status") not in ("completed", "failed")
    return replace(outcome, reason_code="harbor_result_partial") if unknown else outcome


@in_reason.replaced(clause="003-5-read-reason-normalised", invited_by="the name of the field")
def reason_as_it_is(payload: Payload) -> str | None:
    """The payload's reason is passed on as it is, not as a code. The field is called reason_code."""
    given = payload.get("reason_code")
    return given if isinstance(given, str) and given else None


@in_reason.wrapped(
    clause="003-5-read-reason-not-string", invited_by="str(), String(), fmt.Sprint, PHP, shell"
)
def any_reason_spelled(reason: Callable[[Payload], Any], payload: Payload) -> Any:
    """A payload's reason that is no string is made one. Everything can be printed."""
    given = payload.get("reason_code")
    if given is None or isinstance(given, str):
        return reason(payload)
    return reason({**payload, "reason_code": json.dumps(given)})


@scored.made(clause="003-5-read-score-overflow-escapes", invited_by="languages whose numbers are doubles")
def huge_score_is_invalid(s: Any) -> Any:
    """An int score beyond the double range gives harbor_result_invalid, not an error.
    It is infinite as a double, and so out of range."""
    return math.inf if type(s) is int and abs(s) >= 2**1024 else s


@in_read_outcome.wrapped(invited_by="a helper for processes that died without a result")
def dead_without_a_line_not_timed_out(
    read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """Without a line a nonzero exit code counts before the time-out.
    A process that left nothing but its exit code is judged by that."""
    if code and timed_out:
        found = read(stdout, code, False)
        without_line = read(stdout, 0, False).reason_code == "harbor_result_missing"
        return found if without_line else read(stdout, code, timed_out)
    return read(stdout, code, timed_out)
