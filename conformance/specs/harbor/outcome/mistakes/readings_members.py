"""What readers of the document alone understood of the line's members: status, score and reason together."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.judgement import (
    Payload,
    changed_judgement,
    changed_payload,
    in_judge,
    scored,
)
from reference_impl import outcome as outcome_rules
from reference_impl.reason_code import reason_code

PARTIAL = "harbor_result_partial"
INVALID = "harbor_result_invalid"
KNOWN = (reason_code, "KNOWN_CODES")
Judge = Callable[[Payload], Any]


def _number(score: Any) -> bool:
    return type(score) in (int, float)


def _spoilt(payload: Payload, **members: Any) -> Payload:
    return {**payload, **members}


@changed_payload.made(clause="003-5-read-partial", invited_by="if not score")
def zero_score_as_absent(p: Payload) -> Payload:
    """A score of 0 counts as absent and gives harbor_result_partial. A test for a value that is false."""
    return {k: v for k, v in p.items() if k != "score" or v or v is None}


@changed_payload.made(clause="003-5-read-status-values", invited_by="if not status")
def empty_status_as_absent(p: Payload) -> Payload:
    """An empty status counts as absent and gives harbor_result_partial. A test for a value that is false."""
    return {k: v for k, v in p.items() if k != "status" or v != ""}


@changed_judgement.made(clause="003-5-read-partial", invited_by="absent is partial, wrong is invalid")
def status_of_other_type_is_invalid(payload: Payload, outcome: Any) -> Any:
    """A status that is there but no string gives harbor_result_invalid.
    What is missing makes a result partial, what is wrong makes it invalid."""
    wrong = "status" in payload and not isinstance(payload["status"], str)
    return replace(outcome, reason_code=INVALID) if wrong else outcome


@changed_judgement.made(
    clause="003-5-read-partial", invited_by="Python's None, serde's Option, JavaScript's =="
)
def null_status_is_invalid(payload: Payload, outcome: Any) -> Any:
    """A status that is null gives harbor_result_invalid; other types are partial.
    It is there, and no status."""
    wrong = "status" in payload and payload["status"] is None
    return replace(outcome, reason_code=INVALID) if wrong else outcome


@changed_judgement.made(clause="003-5-read-partial", invited_by="one check after the other, field by field")
def status_value_before_score(payload: Payload, outcome: Any) -> Any:
    """An unknown status gives harbor_result_invalid also where the score is absent.
    The status is checked whole before the score is looked at."""
    status = payload.get("status")
    wrong = isinstance(status, str) and status not in ("completed", "failed")
    return replace(outcome, reason_code=INVALID) if wrong else outcome


@in_judge.wrapped(clause="003-5-read-partial", invited_by="one check after the other, field by field")
def score_before_status(reference: Variant, judge: Judge, payload: Payload) -> Any:
    """A score that is no number gives harbor_result_invalid also where the status is no string.
    The score is checked whole before the status is looked at."""
    if "score" in payload and not _number(payload["score"]):
        return reference.its(outcome_rules.Outcome)("failed", 0.0, INVALID)
    return judge(payload)


@changed_judgement.made(clause="003-5-read-partial", invited_by="one check after the other, field by field")
def score_range_before_status(payload: Payload, outcome: Any) -> Any:
    """A score outside 0 to 1 gives harbor_result_invalid also where the status is no string.
    The score is checked whole before the status is looked at."""
    score: Any = payload.get("score")
    wrong = _number(score) and not 0 <= score <= 1
    return replace(outcome, reason_code=INVALID) if wrong else outcome


@in_judge.wrapped(clause="003-5-read-score-overflow-escapes", invited_by="types made when the line is read")
def overflow_before_status(judge: Judge, payload: Payload) -> Any:
    """An int score beyond the double range is an error also where the status is wrong.
    The score is converted when the line is read."""
    if type(payload.get("score")) is int:
        float(payload["score"])
    return judge(payload)


@changed_payload.made(clause="003-5-read-partial", invited_by="score = 0.0 in the branch of failures")
def failed_needs_no_score(p: Payload) -> Payload:
    """An absent score counts as 0.0 where the status is failed. A failure has the score 0.0 anyway."""
    return {"score": 0.0, **p} if p.get("status") == "failed" else p


@changed_payload.made(clause="003-5-read-score-number", invited_by="score = 0.0 in the branch of failures")
def failed_with_null_score(p: Payload) -> Payload:
    """A score that is null counts as 0.0 where the status is failed. A failure has the score 0.0 anyway."""
    null = p.get("status") == "failed" and p.get("score", 0) is None
    return _spoilt(p, score=0.0) if null else p


@changed_payload.made(clause="003-5-read-score-number", invited_by="score = 0.0 in the branch of failures")
def failed_with_any_score(p: Payload) -> Payload:
    """A score that is no number counts as 0.0 where the status is failed.
    A failure has the score 0.0 anyway."""
    other = p.get("status") == "failed" and "score" in p and not _number(p["score"])
    return _spoilt(p, score=0.0) if other else p


@changed_payload.made(clause="003-5-read-score-range", invited_by="a range check in the branch of completed")
def failed_below_zero(p: Payload) -> Payload:
    """A score below 0 is accepted where the status is failed. Only a score above 0 contradicts a failure."""
    score: Any = p.get("score")
    return _spoilt(p, score=0.0) if p.get("status") == "failed" and _number(score) and score < 0 else p


@changed_payload.made(clause="003-5-read-score-range", invited_by="a range check in the branch of completed")
def failed_with_nan(p: Payload) -> Payload:
    """A NaN score is accepted where the status is failed. NaN is not above 0."""
    score: Any = p.get("score")
    nan = p.get("status") == "failed" and isinstance(score, float) and math.isnan(score)
    return _spoilt(p, score=0.0) if nan else p


@changed_judgement.made(clause="003-5-read-failed-positive", invited_by="reason or default")
def failed_positive_with_reason(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """The status failed with a score above 0 is accepted, with the score 0.0, where the line has a reason.
    A reason explains the failure."""
    reason = reference.get(outcome_rules._reason)(payload)
    scored_failure = payload.get("status") == "failed" and _number(payload.get("score"))
    return (
        replace(outcome, reason_code=reason)
        if scored_failure and 0 < payload["score"] <= 1 and reason
        else outcome
    )


@changed_judgement.made(clause="003-5-read-score-range", invited_by="reason or default")
def invalid_keeps_reason(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """An invalid line gives its own reason where it has one, and harbor_result_invalid where it has none.
    The more special reason is worth more."""
    own = reference.get(outcome_rules._reason)(payload)
    return replace(outcome, reason_code=own or INVALID) if outcome.reason_code == INVALID else outcome


@changed_judgement.made(clause="003-5-read-partial", invited_by="reason or default")
def partial_keeps_reason(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """A partial line gives its own reason where it has one, and harbor_result_partial where it has none.
    The more special reason is worth more."""
    own = reference.get(outcome_rules._reason)(payload)
    return replace(outcome, reason_code=own or PARTIAL) if outcome.reason_code == PARTIAL else outcome


@changed_judgement.made(clause="003-5-read-completed", invited_by="None on a clean parse")
def completed_with_reason_is_failed(payload: Payload, outcome: Any) -> Any:
    """A completed line with a reason is failed. What went well needs no reason."""
    wrong = outcome.status == "completed" and outcome.reason_code is not None
    return replace(outcome, status="failed", score=0.0) if wrong else outcome


@changed_judgement.made(clause="003-5-read-completed", invited_by="success as a score above 0")
def completed_with_zero_is_failed(payload: Payload, outcome: Any) -> Any:
    """A completed line with the score 0 is failed. Nothing was resolved."""
    nothing = outcome.status == "completed" and not outcome.score
    return replace(outcome, status="failed", score=0.0) if nothing else outcome


@changed_judgement.made(clause="003-5-read-failed", invited_by="the score handed through")
def failed_minus_zero_kept(payload: Payload, outcome: Any) -> Any:
    """The status failed with the score -0.0 answers -0.0. The score is handed through."""
    score = payload.get("score")
    kept = (
        outcome.status == "failed"
        and outcome.reason_code != INVALID
        and isinstance(score, float)
        and score == 0
    )
    return replace(outcome, score=score) if kept and payload.get("status") == "failed" else outcome


@scored.made(clause="003-5-read-score-range", invited_by="copysign, is_sign_negative")
def minus_zero_out_of_range(score: Any) -> Any:
    """A score of -0.0 is out of range. Its sign is minus."""
    return -1.0 if isinstance(score, float) and score == 0 and math.copysign(1, score) < 0 else score


@scored.made(clause="003-5-read-score-float", invited_by="max(0, x), x + 0.0")
def minus_zero_made_zero(score: Any) -> Any:
    """A score of -0.0 is answered as 0.0. They are equal."""
    return 0.0 if isinstance(score, float) and score == 0 else score


@scored.made(clause="003-5-read-score-range", invited_by="0 <= x < 1, percentages")
def one_out_of_range(score: Any) -> Any:
    """A score of 1 as an int is out of range, though 1.0 is not. Ints are percentages."""
    return 100 if type(score) is int and score == 1 else score


@changed_payload.made(clause="003-5-read-partial", invited_by="all members required")
def counts_required(p: Payload) -> Payload:
    """A line without resolved or total gives harbor_result_partial. The line has five members."""
    return p if "resolved" in p and "total" in p else {}


@changed_payload.made(clause="003-5-read-partial", invited_by="all members required")
def reason_member_required(p: Payload) -> Payload:
    """A line without the member reason_code gives harbor_result_partial. The line has five members."""
    return p if "reason_code" in p else {}


@changed_payload.made(clause="003-5-read-completed", invited_by="if not total")
def zero_total_is_partial(p: Payload) -> Payload:
    """A line whose total is 0 gives harbor_result_partial. No trial has run."""
    return {} if "total" in p and p["total"] in (0, None) else p


@changed_payload.made(clause="003-5-read-completed", invited_by="plausibility checks")
def resolved_above_total_is_invalid(p: Payload) -> Payload:
    """A line whose resolved is above its total gives harbor_result_invalid.
    No more can be resolved than there is."""
    resolved, total = p.get("resolved"), p.get("total")
    return _spoilt(p, status="") if type(resolved) is int and type(total) is int and resolved > total else p


@changed_payload.made(clause="003-5-read-completed", invited_by="plausibility checks")
def score_unlike_resolved_is_invalid(p: Payload) -> Payload:
    """A line whose score is not resolved by total gives harbor_result_invalid. The three belong together."""
    resolved, total = p.get("resolved"), p.get("total")
    score: Any = p.get("score")
    if not (
        type(resolved) is int and type(total) is int and _number(score) and math.isfinite(score) and total
    ):
        return p
    return p if abs(score * total - resolved) <= 0.5 else _spoilt(p, status="")


@in_judge.wrapped(clause="003-5-read-status-values", invited_by="the three statuses of the answer")
def line_may_say_timed_out(reference: Variant, judge: Judge, payload: Payload) -> Any:
    """A line with the status timed_out is a run that timed out. There are three statuses."""
    if payload.get("status") == "timed_out":
        return reference.its(outcome_rules.Outcome)("timed_out", 0.0, "timed_out")
    return judge(payload)


@way("read_outcome", clause="003-5-read-reason-normalised")
def reason_by(reference: Variant, change: Callable[[str, Any], Any]) -> None:
    """Has ``change(reason, code)`` make the code of a line's reason, wherever it is used."""

    def around(original: Callable[[Payload], Any]) -> Callable[[Payload], Any]:
        def reason(payload: Payload) -> Any:
            given, code = payload.get("reason_code"), original(payload)
            return change(given, code) if isinstance(given, str) and given.strip() else code

        return reason

    reference.wrap(outcome_rules._reason, around)


@reason_by.made(invited_by="codes from this set")
def unknown_reason_in_line_dropped(reference: Variant, given: str, code: Any) -> Any:
    """A reason in the line that matches no rule counts as none. Only known codes are codes."""
    return code if code in reference.get(KNOWN) else None


@reason_by.made(invited_by="codes from this set")
def unknown_reason_in_line_as_it_is(reference: Variant, given: str, code: Any) -> Any:
    """A reason in the line that matches no rule is passed on as it is. Nothing is known about it."""
    return code if code in reference.get(KNOWN) else given


@reason_by.made(invited_by="section 1.4, which is on exceptions")
def only_known_codes_in_line(reference: Variant, given: str, code: Any) -> Any:
    """A reason in the line is not looked through for names and words. These are for harbor's exceptions."""
    return "_".join(given.strip().lower().replace("-", "_").split())


@reason_by.made(invited_by="section 1.4, which is on exceptions")
def words_but_no_names_in_line(reference: Variant, given: str, code: Any) -> Any:
    """A reason in the line is looked through for words, not for names of exceptions and aliases.
    The document lists the words alone."""
    lowered = given.lower()
    words = ((w, c) for w, c in reference.get((reason_code, "_WORDS")) if all(word in lowered for word in w))
    tidy = "_".join(given.strip().lower().replace("-", "_").split())
    return next((c for _, c in words), tidy) if tidy not in reference.get(KNOWN) else tidy


@changed_judgement.made(clause="003-5-read-status-values", invited_by="codes from this set")
def unknown_reason_in_line_is_invalid(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """A reason in the line that matches no rule makes the line invalid. Only known codes are codes."""
    known = outcome.reason_code is None or outcome.reason_code in reference.get(KNOWN)
    return outcome if known else replace(outcome, status="failed", score=0.0, reason_code=INVALID)


@changed_judgement.made(clause="003-5-read-completed", invited_by="the matcher in the branch of failures")
def completed_reason_as_it_is(payload: Payload, outcome: Any) -> Any:
    """The reason of a completed run is passed on as it is, elsewhere as a code.
    Only failures are normalised."""
    given = payload.get("reason_code")
    raw = outcome.status == "completed" and isinstance(given, str) and given.strip()
    return replace(outcome, reason_code=given) if raw else outcome


@changed_judgement.made(clause="003-5-read-failed", invited_by="a code that was made by the same side")
def failed_reason_as_it_is(payload: Payload, outcome: Any) -> Any:
    """With the status failed the line's reason is passed on as it is, elsewhere as a code.
    The line was written by the consumer's own code."""
    given = payload.get("reason_code")
    ours = payload.get("status") == "failed" and outcome.reason_code not in (PARTIAL, INVALID)
    return (
        replace(outcome, reason_code=given) if ours and isinstance(given, str) and given.strip() else outcome
    )


@changed_judgement.made(clause="003-5-read-completed", invited_by="`reason_code` in the failure's branch")
def completed_with_known_reason_only(payload: Payload, outcome: Any) -> Any:
    """The known codes alone are kept as the reason of a completed run; another reason is dropped.
    A success with a text for a reason has none."""
    other = outcome.status == "completed" and not str(outcome.reason_code).startswith(
        ("harbor_", "terminal_")
    )
    return replace(outcome, reason_code=None) if other else outcome


@reason_by.made(invited_by="== in place of the matcher")
def line_reason_with_its_case(given: str, code: Any) -> Any:
    """A reason in the line that holds capital letters is passed on as it is. Codes are in lower case."""
    return code if given == given.lower() else given


@reason_by.made(clause="003-5-read-reason-normalised", invited_by="== in place of the matcher")
def line_reason_with_its_spaces(given: str, code: Any) -> Any:
    """A reason in the line that has white space at its ends is passed on as it is.
    It has been trimmed before."""
    return code if given == given.strip() else given


@changed_payload.made(clause="003-5-read-score-float", invited_by="decimals, arbitrary precision")
def other_int_score_is_partial(p: Payload) -> Payload:
    """An int score other than 0 and 1 gives harbor_result_partial.
    A score is a fraction, or one of its ends."""
    return {**p, "status": None} if type(p.get("score")) is int and p["score"] not in (0, 1) else p


@changed_judgement.made(clause="003-5-read-completed", invited_by="resolved < total")
def completed_but_not_all_resolved(payload: Payload, outcome: Any) -> Any:
    """A completed line whose score is below 1 is failed. Not all was resolved."""
    partly = outcome.status == "completed" and outcome.score < 1
    return replace(outcome, status="failed", score=0.0) if partly else outcome
