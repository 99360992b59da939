"""What readers of the document alone understood of a process's end: time-out, exit code and line at once."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.line_search import payload_in_line
from reference_impl import outcome
from reference_impl.cpython312 import parsing

ended = family("read_outcome", of=outcome.read_outcome, clause="003-5-read-nonzero-exit")
in_find = family("read_outcome", of=outcome._find_payload, clause="003-5-read-huge-int-escapes")
MISSING = "harbor_result_missing"
MALFORMED = "harbor_result_malformed"
Read = Callable[[str, int, bool], Any]


@way("read_outcome", clause="003-5-read-timed-out-first", invited_by="the order of looking at things")
def timed_out_by(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(outcome, payload)`` correct the outcome of a run that timed out."""

    def around(original: Read) -> Read:
        def read(stdout: str, returncode: int, timed_out: bool) -> Any:
            found = original(stdout, returncode, timed_out)
            return change(found, reference.get(outcome._find_payload)(stdout)) if timed_out else found

        return read

    reference.wrap(outcome.read_outcome, around)


@way("read_outcome", clause="003-5-read-nonzero-exit", invited_by="the order of looking at things")
def exited_by(reference: Variant, change: Callable[[Any, Any, Callable[[Any], Any]], Any]) -> None:
    """Has ``change(outcome, payload, judge)`` correct the outcome of a run that failed by its exit code."""

    def judge(payload: Any) -> Any:
        """The judgement on an object, None on what is none or escapes."""
        try:
            return reference.get(outcome._judge)(payload) if isinstance(payload, dict) else None
        except OverflowError:
            return None

    def around(original: Read) -> Read:
        def read(stdout: str, returncode: int, timed_out: bool) -> Any:
            found = original(stdout, returncode, timed_out)
            if timed_out or returncode == 0:
                return found
            return change(found, reference.get(outcome._find_payload)(stdout), judge)

        return read

    reference.wrap(outcome.read_outcome, around)


def _valid(judge: Callable[[Any], Any], payload: Any) -> bool:
    """Whether a payload is judged by its own status."""
    judged = judge({**payload, "reason_code": None}) if isinstance(payload, dict) else None
    return judged is not None and judged.reason_code is None


def _last_text(stdout: str) -> str | None:
    texts = (payload_in_line(line) for line in reversed(stdout.splitlines()))
    return next((text for text in texts if text is not None), None)


@family("read_outcome", of=outcome.read_outcome, clause="003-5-read-timed-out-first").each(
    Case(
        "exit-124-timed-out",
        "the exit code 124 is a run that timed out",
        "timeout(1) ends with 124.",
        "coreutils' timeout",
        (124,),
    ),
    Case(
        "exit-137-timed-out",
        "the exit codes 137 and -9 are runs that timed out",
        "Who runs out of time is killed.",
        "SIGKILL, docker kill",
        (137, -9),
    ),
)
def timed_out_codes(reference: Variant, codes: tuple[int, ...]) -> None:
    """Has exit codes count as time-outs."""
    reference.wrap(
        outcome.read_outcome,
        lambda read: lambda stdout, returncode, late: read(stdout, returncode, late or returncode in codes),
    )


@timed_out_by.made()
def timed_out_keeps_score(found: Any, payload: Any) -> Any:
    """A run that timed out keeps the score of its line. The line was printed before the time was up."""
    score = payload.get("score") if isinstance(payload, dict) else None
    return replace(found, score=score) if type(score) is float and 0 <= score <= 1 else found


@timed_out_by.made(invited_by="the rule for nonzero exit codes")
def timed_out_keeps_reason(reference: Variant, found: Any, payload: Any) -> Any:
    """A run that timed out gives the reason of its line, and timed_out where there is none.
    It is so after a nonzero exit code."""
    reason = reference.get(outcome._reason)(payload) if isinstance(payload, dict) else None
    return replace(found, reason_code=reason or found.reason_code)


@timed_out_by.made()
def timed_out_with_completed_line(reference: Variant, found: Any, payload: Any) -> Any:
    """A run that timed out counts as completed where its line says so. The result was there in time."""
    if not isinstance(payload, dict) or payload.get("status") != "completed":
        return found
    judged = reference.get(outcome._judge)(payload)
    return judged if judged.status == "completed" else found


@timed_out_by.made()
def timed_out_without_line(found: Any, payload: Any) -> Any:
    """A run that timed out without an outcome line is failed with harbor_result_missing.
    The line is looked for first."""
    return replace(found, status="failed", reason_code=MISSING) if payload == MISSING else found


@timed_out_by.made()
def timed_out_with_malformed_line(found: Any, payload: Any) -> Any:
    """A run that timed out with a malformed outcome line is failed with harbor_result_malformed.
    The line is read first."""
    return replace(found, status="failed", reason_code=MALFORMED) if payload == MALFORMED else found


@ended.wrapped(clause="003-5-read-timed-out-first", invited_by="races at the deadline")
def timed_out_but_exited_with_zero(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """A run that timed out with the exit code 0 counts as one that ended in time.
    It ended by itself before it was stopped."""
    return original(stdout, returncode, timed_out and returncode != 0)


@ended.wrapped(clause="003-5-read-huge-int-escapes", invited_by="early return")
def timed_out_line_unread(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """The line of a run that timed out is not read, so that nothing in it escapes. Nothing in it counts."""
    return original("" if timed_out else stdout, returncode, timed_out)


@ended.wrapped(clause="003-5-read-huge-int-escapes", invited_by="except ValueError")
def nonzero_exit_huge_int_caught(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """After a nonzero exit code a line with an int of more than 4300 digits is as good as none.
    The exit code has decided already."""
    try:
        return original(stdout, returncode, timed_out)
    except ValueError:
        if timed_out or not returncode:
            raise
        return original("", returncode, timed_out)


@ended.wrapped(clause="003-5-read-deep-nesting-escapes", invited_by="except RecursionError")
def nonzero_exit_deep_nesting_caught(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """After a nonzero exit code a line that is nested too deeply is as good as none.
    The exit code has decided already."""
    try:
        return original(stdout, returncode, timed_out)
    except RecursionError:
        if timed_out or not returncode:
            raise
        return original("", returncode, timed_out)


@in_find.wrapped(invited_by="except ValueError")
def huge_int_makes_line_malformed(find: Callable[[str], Any], stdout: str) -> Any:
    """An int of more than 4300 digits makes the line malformed; deep nesting stays an error.
    JSONDecodeError is a ValueError."""
    try:
        return find(stdout)
    except ValueError:
        return MALFORMED


@in_find.wrapped(
    clause="003-5-read-deep-nesting-escapes", invited_by="except RecursionError, parsers with a limit"
)
def nesting_makes_line_malformed(find: Callable[[str], Any], stdout: str) -> Any:
    """Deep nesting makes the line malformed; an int of more than 4300 digits stays an error.
    A parser's limit is a syntax error."""
    try:
        return find(stdout)
    except RecursionError:
        return MALFORMED


@exited_by.made(clause="003-5-read-score-overflow-escapes", invited_by="types made when the line is read")
def overflow_after_nonzero_exit(found: Any, payload: Any, judge: Any) -> Any:
    """An int score beyond the double range is an error after a nonzero exit code, too.
    The score is converted when the line is read."""
    if isinstance(payload, dict) and isinstance(payload.get("score"), int):
        float(payload["score"])
    return found


@timed_out_by.made(clause="003-5-read-score-overflow-escapes", invited_by="types made when the line is read")
def overflow_after_time_out(found: Any, payload: Any) -> Any:
    """An int score beyond the double range is an error of a run that timed out, too.
    The score is converted when the line is read."""
    if isinstance(payload, dict) and isinstance(payload.get("score"), int):
        float(payload["score"])
    return found


@exited_by.made()
def nonzero_exit_blank_reason(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a reason of white space alone gives no reason, not harbor_nonzero_exit.
    There is a reason, and it normalises to none."""
    reason = payload.get("reason_code") if isinstance(payload, dict) else None
    blank = isinstance(reason, str) and reason and not reason.strip()
    return replace(found, reason_code=None) if blank else found


@exited_by.made()
def nonzero_exit_null_reason(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a line without a reason gives none, not harbor_nonzero_exit.
    That is for runs without a line."""
    nothing = isinstance(payload, dict) and payload.get("reason_code") is None
    return replace(found, reason_code=None) if nothing else found


@exited_by.made()
def nonzero_exit_reason_of_failed_only(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code the line's reason counts only where its status is failed.
    A completed line gives no reason for a failure."""
    if isinstance(payload, dict) and payload.get("status") == "failed":
        return found
    return replace(found, reason_code="harbor_nonzero_exit")


@exited_by.made()
def nonzero_exit_reason_of_valid_only(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code the line's reason counts only where its status and score are valid.
    A line is checked before it is used."""
    return found if _valid(judge, payload) else replace(found, reason_code="harbor_nonzero_exit")


@exited_by.made()
def nonzero_exit_invalid_line(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a line whose status or score is not valid gives the reason for that.
    A line is checked before the exit code."""
    judged = judge(payload)
    return found if judged is None or _valid(judge, payload) else judged


@exited_by.made()
def nonzero_exit_missing_line(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a line that is missing gives harbor_result_missing; a malformed one does not.
    The line is looked for first."""
    return replace(found, reason_code=MISSING) if payload == MISSING else found


@exited_by.made()
def nonzero_exit_malformed_line(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a malformed line gives harbor_result_malformed; a missing one does not.
    The line is read first."""
    return replace(found, reason_code=MALFORMED) if payload == MALFORMED else found


@ended.wrapped(invited_by="type checks before anything else")
def nonzero_exit_not_object(
    reference: Variant, original: Read, stdout: str, returncode: int, timed_out: bool
) -> Any:
    """After a nonzero exit code a payload that is JSON but no object gives harbor_result_malformed.
    The payload's type is checked first."""
    found = original(stdout, returncode, timed_out)
    text = None if timed_out or not returncode else _last_text(stdout)
    if text is None:
        return found
    try:
        payload = reference.get((outcome, parsing.parse_json))(text)
    except json.JSONDecodeError:
        return found
    return found if isinstance(payload, dict) else replace(found, reason_code=MALFORMED)


@exited_by.made(invited_by="status and score set in two places")
def nonzero_exit_keeps_score(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code the run is failed, but keeps the score of a completed line.
    The trials have been scored before."""
    judged = judge(payload)
    return found if judged is None else replace(found, score=judged.score)


@exited_by.made(invited_by="exit $status, which only hands harbor's code on")
def nonzero_exit_completed_line(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a completed line counts; a failed one does not.
    The exit code is only that of harbor's command."""
    judged = judge(payload)
    return judged if judged is not None and judged.status == "completed" else found


@exited_by.made(invited_by="status and score set in two places")
def nonzero_exit_reason_as_it_is(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code the line's reason is passed on as it is, elsewhere as a code.
    Only one of the places has the matcher."""
    reason = payload.get("reason_code") if isinstance(payload, dict) else None
    return replace(found, reason_code=reason) if isinstance(reason, str) and reason.strip() else found


@exited_by.made()
def nonzero_exit_other_reason(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a reason that is no string, nor null, gives none, not harbor_nonzero_exit.
    There is a reason, though not a text."""
    reason = payload.get("reason_code") if isinstance(payload, dict) else None
    other = reason is not None and not isinstance(reason, str)
    return replace(found, reason_code=None) if other else found


@exited_by.made(invited_by="signals, subprocess.Popen's returncode")
def nonzero_exit_unless_result_codes(found: Any, payload: Any, judge: Any) -> Any:
    """After a nonzero exit code a reason of the result's own, harbor_result_missing or another, gives way.
    The exit code explains why there is no result."""
    own = str(found.reason_code).startswith("harbor_result_")
    return replace(found, reason_code="harbor_nonzero_exit") if own else found


@ended.wrapped(clause="003-5-read-nonzero-exit", invited_by="SIGKILL at the time limit")
def negative_exit_is_timed_out(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """A negative exit code is a run that timed out. The consumer has killed it."""
    return original(stdout, returncode, timed_out or returncode < 0)


@ended.wrapped(clause="003-5-read-nonzero-exit", invited_by="distrust of what a killed process wrote")
def negative_exit_hides_reason(original: Read, stdout: str, returncode: int, timed_out: bool) -> Any:
    """After a negative exit code the reason is harbor_nonzero_exit, whatever the line says.
    What a killed process wrote can't be trusted."""
    found = original(stdout, returncode, timed_out)
    killed = returncode < 0 and not timed_out
    return replace(found, reason_code="harbor_nonzero_exit") if killed else found
