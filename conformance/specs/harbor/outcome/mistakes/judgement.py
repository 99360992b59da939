"""Mistakes in judging what an outcome line says: status, score, reason."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

JUDGE = "outcome._judge"
REASON = "outcome._reason"
Payload = dict[str, Any]


def _judged(reference: Variant, change: Callable[[Payload, Any], Any]) -> None:
    """Has ``change(payload, outcome)`` correct the judgement on a payload."""
    reference.wrap(JUDGE, lambda judge: lambda payload: change(payload, judge(payload)))


def _payload(reference: Variant, change: Callable[[Payload], Payload]) -> None:
    """Has the payload pass through ``change`` before it is judged."""
    reference.wrap(JUDGE, lambda judge: lambda payload: judge(change(payload)))


def _scored(reference: Variant, score: Callable[[Any], Any]) -> None:
    """Has a score that is there pass through ``score`` before it is judged."""
    _payload(reference, lambda p: {**p, "score": score(p["score"])} if "score" in p else p)


@mistake(
    "read-score-clamped",
    says="a score outside 0 to 1 is clamped",
    op="read_outcome",
    clause="003-5-read-score-range",
    why="A score is a fraction.",
    invited_by="min(max(x, 0), 1), clamp",
)
def _(reference: Variant) -> None:
    _scored(reference, lambda s: min(max(s, 0), 1) if type(s) in (int, float) and s == s else s)


@mistake(
    "read-score-tolerant",
    says="a score that leaves 0 to 1 by no more than 1e-9 is accepted",
    op="read_outcome",
    clause="003-5-read-score-range",
    why="Sums of floats are not exact.",
    invited_by="math.isclose, epsilons",
)
def _(reference: Variant) -> None:
    _scored(reference, lambda s: min(max(s, 0.0), 1.0) if type(s) is float and -1e-9 <= s <= 1 + 1e-9 else s)


@mistake(
    "read-nan-in-range",
    says="a NaN score is accepted",
    op="read_outcome",
    clause="003-5-read-score-range",
    why="NaN is neither below 0 nor above 1.",
    invited_by="`if score < 0 or score > 1`",
)
def _(reference: Variant) -> None:
    def around(judge: Callable[[Payload], Any]) -> Callable[[Payload], Any]:
        def judged(payload: Payload) -> Any:
            score = payload.get("score")
            if not (isinstance(score, float) and math.isnan(score)):
                return judge(payload)
            outcome = judge({**payload, "score": 0.0})
            return replace(outcome, score=score) if outcome.status == "completed" else outcome

        return judged

    reference.wrap(JUDGE, around)


@mistake(
    "bools-as-scores",
    says="a score of true or false counts as 1.0 or 0.0",
    op="read_outcome",
    clause="003-5-read-score-number",
    why="isinstance(True, int) holds.",
    invited_by="Python, C, JavaScript's Number, PHP",
)
def _(reference: Variant) -> None:
    _scored(reference, lambda score: float(score) if isinstance(score, bool) else score)


@mistake(
    "strings-as-scores",
    says="a score that is a number in a string counts",
    op="read_outcome",
    clause="003-5-read-score-number",
    why="float() takes it.",
    invited_by="Python's float, JavaScript's Number, shell, PHP, jq's tonumber",
)
def _(reference: Variant) -> None:
    def score(value: Any) -> Any:
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value

    _scored(reference, score)


@mistake(
    "null-score-as-absent",
    says="a score that is null counts as absent and gives harbor_result_partial",
    op="read_outcome",
    clause="003-5-read-score-number",
    why="A look-up gives null for both.",
    invited_by="dict.get, Go's pointers, Option in serde, jq",
)
def _(reference: Variant) -> None:
    _payload(reference, lambda p: {k: v for k, v in p.items() if k != "score" or v is not None})


@mistake(
    "absent-score-as-zero",
    says="an absent score counts as 0.0",
    op="read_outcome",
    clause="003-5-read-partial",
    why="It is the default of the field.",
    invited_by="Go's zero values, serde(default), dict.get('score', 0.0)",
)
def _(reference: Variant) -> None:
    _payload(reference, lambda p: {"score": 0.0, **p})


@mistake(
    "failed-keeps-its-score",
    says="the status failed with a score above 0 is accepted, and keeps the score",
    op="read_outcome",
    clause="003-5-read-failed-positive",
    why="harbor's summary has such lines.",
    invited_by="reading the writer of the line as its specification",
)
def _(reference: Variant) -> None:
    def change(payload: Payload, outcome: Any) -> Any:
        score: Any = payload.get("score")
        if payload.get("status") == "failed" and type(score) in (int, float) and 0 < score <= 1:
            return replace(outcome, score=float(score), reason_code=reference.get(REASON)(payload))
        return outcome

    _judged(reference, change)


@mistake(
    "failed-loses-its-score",
    says="the status failed with a score above 0 is accepted, with the score 0.0",
    op="read_outcome",
    clause="003-5-read-failed-positive",
    why="A failed run scores nothing, whatever it says.",
    invited_by="score if completed else 0.0",
)
def _(reference: Variant) -> None:
    _payload(
        reference,
        lambda p: (
            {**p, "score": 0.0}
            if p.get("status") == "failed" and type(p.get("score")) in (int, float) and 0 < p["score"] <= 1
            else p
        ),
    )


@mistake(
    "failed-wants-a-reason",
    says="a failed run without a reason gets harbor_trial_failed",
    op="read_outcome",
    clause="003-5-read-failed",
    why="A failure wants a reason, and there is a code for it.",
    invited_by="the list of known codes",
)
def _(reference: Variant) -> None:
    def change(payload: Payload, outcome: Any) -> Any:
        unexplained = outcome.status == "failed" and outcome.reason_code is None
        return replace(outcome, reason_code="harbor_trial_failed") if unexplained else outcome

    _judged(reference, change)


@mistake(
    "completed-has-no-reason",
    says="the reason of a completed run is dropped",
    op="read_outcome",
    clause="003-5-read-completed",
    why="Success needs no reason.",
    invited_by="enums such as Result, reason only in the failure's branch",
)
def _(reference: Variant) -> None:
    def change(_: Payload, outcome: Any) -> Any:
        return replace(outcome, reason_code=None) if outcome.status == "completed" else outcome

    _judged(reference, change)


@mistake(
    "status-without-regard-to-case",
    says="the status is compared without regard to case and spaces",
    op="read_outcome",
    clause="003-5-read-status-values",
    why="Enums are read leniently.",
    invited_by="lower(), Jackson's ACCEPT_CASE_INSENSITIVE_ENUMS, equalsIgnoreCase",
)
def _(reference: Variant) -> None:
    def lenient(status: Any) -> Any:
        return status.strip().lower() if isinstance(status, str) else status

    _payload(reference, lambda p: {**p, "status": lenient(p.get("status"))})


@mistake(
    "unknown-status-passed-on",
    says="a status that is neither completed nor failed is passed on with its score",
    op="read_outcome",
    clause="003-5-read-status-values",
    why="The status is a text.",
    invited_by="fields without an enum",
)
def _(reference: Variant) -> None:
    def around(judge: Callable[[Payload], Any]) -> Callable[[Payload], Any]:
        def judged(payload: Payload) -> Any:
            status = payload.get("status")
            if not isinstance(status, str) or status in ("completed", "failed"):
                return judge(payload)
            outcome = judge({**payload, "status": "completed"})
            return replace(outcome, status=status) if outcome.status == "completed" else outcome

        return judged

    reference.wrap(JUDGE, around)


@mistake(
    "wrong-status-is-partial",
    says="a status that is neither completed nor failed gives harbor_result_partial",
    op="read_outcome",
    clause="003-5-read-status-values",
    why="Both are a status that cannot be used.",
    invited_by="one test for the status",
)
def _(reference: Variant) -> None:
    def change(payload: Payload, outcome: Any) -> Any:
        unknown = payload.get("status") not in ("completed", "failed")
        return replace(outcome, reason_code="harbor_result_partial") if unknown else outcome

    _judged(reference, change)


@mistake(
    "reason-as-it-is",
    says="the payload's reason is passed on as it is, not as a code",
    op="read_outcome",
    clause="003-5-read-reason-normalised",
    why="The field is called reason_code.",
    invited_by="the name of the field",
)
def _(reference: Variant) -> None:
    def reason(payload: Payload) -> str | None:
        given = payload.get("reason_code")
        return given if isinstance(given, str) and given else None

    reference.replace(REASON, reason)


@mistake(
    "any-reason-spelled",
    says="a payload's reason that is no string is made one",
    op="read_outcome",
    clause="003-5-read-reason-not-string",
    why="Everything can be printed.",
    invited_by="str(), String(), fmt.Sprint, PHP, shell",
)
def _(reference: Variant) -> None:
    def around(reason: Callable[[Payload], Any]) -> Callable[[Payload], Any]:
        def spelled(payload: Payload) -> Any:
            given = payload.get("reason_code")
            if given is None or isinstance(given, str):
                return reason(payload)
            return reason({**payload, "reason_code": json.dumps(given)})

        return spelled

    reference.wrap(REASON, around)


@mistake(
    "huge-score-is-invalid",
    says="an int score beyond the double range gives harbor_result_invalid, not an error",
    op="read_outcome",
    clause="003-5-read-score-overflow-escapes",
    why="It is infinite as a double, and so out of range.",
    invited_by="languages whose numbers are doubles",
)
def _(reference: Variant) -> None:
    _scored(reference, lambda s: math.inf if type(s) is int and abs(s) >= 2**1024 else s)
