"""Mistakes in making the line of an outcome: its summary, exit codes and time limits, its text."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import by_java, by_javascript, by_rust, spelled
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, outcome
from reference_impl.cpython312 import parsing
from reference_impl.reason_code import reason_code

mistakes = family("outcome")
in_line = family("outcome", of=outcome.Summary.line, clause="003-5-line-format")
in_summarise = family("outcome", of=outcome.summarise)
in_read_outcome = family("read_outcome", of=outcome.read_outcome, clause="003-5-read-nonzero-exit")
in_find_payload = family("read_outcome", of=outcome._find_payload, clause="003-5-read-huge-int-escapes")
PREFIX = "BASE_BENCHMARK_RESULT="


@way("outcome", clause="003-5-line-format")
def dumped(reference: Variant, dump: Callable[[dict[str, Any]], str]) -> None:
    """Has ``dump`` write the summary; what cannot be written is refused as before."""

    def around(original: Callable[[Any], str]) -> Callable[[Any], str]:
        def line(self: Any) -> str:
            original(self)
            return PREFIX + dump(asdict(self))

        return line

    reference.wrap(outcome.Summary.line, around)


@way("outcome", clause="003-5-line-float-repr")
def score_spelled(reference: Variant, text: Callable[[float], str]) -> None:
    """Spells the score in another way."""

    def dump(summary: dict[str, Any]) -> str:
        whole = json.dumps({**summary, "score": "<score>"}, sort_keys=True)
        return whole.replace('"<score>"', text(summary["score"]))

    dumped(reference, dump)


@way("outcome", clause="003-5-resolved-float-product")
def changed_summary(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a result that could be read."""
    reference.wrap(outcome._summarise, lambda original: lambda result: change(original(result), result))


@changed_summary.made(clause="003-5-clean-reason-null", invited_by="the list of known codes")
def failed_run_gives_reason(summary: Any, _: Any) -> Any:
    """A run with errored trials gives harbor_trial_failed as its reason.
    A failure wants a reason, and there is a code for it."""
    return replace(summary, reason_code="harbor_trial_failed") if summary.status == "failed" else summary


@changed_summary.made(clause="003-5-clean-reason-null", invited_by="next(iter(exception_stats))")
def reason_from_exception_stats(reference: Variant, summary: Any, result: Any) -> Any:
    """The reason is the code of the first exception that the result lists.
    The result knows why trials failed."""
    for group in result.get("stats", {}).get("evals", {}).values():
        for name in group.get("exception_stats") or {}:
            return replace(summary, reason_code=reference.get(reason_code)(name))
    return summary


@dumped.made(invited_by="dataclasses and structs, json.dumps without sort_keys")
def line_unsorted(summary: dict[str, Any]) -> str:
    """The members of the outcome line are in the order of the summary, status first.
    It is the order in which the rules name them."""
    return json.dumps(summary)


@dumped.made(invited_by="JSON.stringify, encoding/json, serde_json, jq -c")
def line_compact(summary: dict[str, Any]) -> str:
    """The outcome line has no spaces behind commas and colons. It is what other languages' writers do."""
    return json.dumps(summary, sort_keys=True, separators=(",", ":"))


@dumped.made(invited_by="Go's omitempty, serde's skip_serializing_if, undefined in JavaScript")
def line_without_null_reason(summary: dict[str, Any]) -> str:
    """The outcome line leaves reason_code out where it is null.
    Absent and null mean the same to many readers."""
    return json.dumps({k: v for k, v in summary.items() if v is not None}, sort_keys=True)


@in_line.wrapped(invited_by="print(prefix, text), console.log(prefix, text), fmt.Println")
def line_with_space(line: Callable[..., Any], self: Any) -> Any:
    """A space stands between the prefix and the object. Arguments of print are set apart by one."""
    return line(self).replace("=", "= ", 1)


@score_spelled.made(invited_by="JavaScript, Go, C#, PHP, jq")
def line_score_as_int(score: float) -> str:
    """A whole score is written without .0: 1 for 1.0.
    The language has one kind of number, or drops the fraction."""
    return repr(score).removesuffix(".0")


@score_spelled.made(invited_by="JavaScript, TypeScript; Go but for -0")
def line_score_by_javascript(score: float) -> str:
    """The score is written as JavaScript writes it: 1 for 1.0, 0.00001, 1e-7.
    There is one kind of number, and its text has an exponent only from 1e21 on and below 1e-6."""
    return by_javascript(score)


@score_spelled.made(invited_by="Rust's serde_json, model_dump_json")
def line_score_by_pydantic(score: float) -> str:
    """The score is written as result.json has its numbers: 0.00001, 1e-7.
    One function for all numbers; that line and file have two rules is the surprise."""
    return spelled(score, range(-5, 16), "e{:+d}")


@score_spelled.made(invited_by="Rust's {}, {:?} and {:e}")
def line_score_by_rust(score: float) -> str:
    """Of two equally short and near spellings of the score the greater is written: ...944.3 for ...944.25.
    Rust's formatting rounds such ties up; it shows from 2**49 on, where doubles are an eighth apart."""
    return by_rust(score)


@score_spelled.made(invited_by="Java, Kotlin, Scala")
def line_score_by_java(score: float) -> str:
    """The score is written as Java writes it: 1.0E-4, 1.0E7.
    Jackson, Gson and string concatenation all use Double.toString."""
    return by_java(score)


@score_spelled.made(invited_by="round(score, 4), %.4g, toFixed")
def line_score_rounded(score: float) -> str:
    """The score is written with four decimals at most. It is meant for people to read."""
    return repr(round(score, 4))


@changed_summary.made(
    clause="003-5-resolved-exact-int",
    invited_by="Rust's and C's round, numpy.round, Python 2, Go's math.RoundToEven",
)
def line_resolved_as_float(summary: Any, _: Any) -> Any:
    """Resolved is written as a float: 3.0. Rounding gives a float in most languages."""
    return replace(summary, resolved=float(summary.resolved))


@changed_summary.made(clause="003-5-total-exact-int", invited_by="Go's and Java's casts, C, numpy")
def line_ints_in_64_bits(summary: Any, _: Any) -> Any:
    """Resolved and total are cut to 64 bits. A cast keeps the low bits, or stops at the largest."""

    def wrapped(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    return replace(summary, resolved=wrapped(summary.resolved), total=wrapped(summary.total))


@family("outcome", clause="003-5-missing-file").each(
    Case(
        "missing-file-as-malformed",
        "a result file that does not exist gives harbor_result_malformed",
        "Opening the file fails inside the same try.",
        "except Exception around open and parse",
        {"harbor_result_missing": "harbor_result_malformed"},
    ),
    Case(
        "malformed-as-invalid",
        "a result that cannot be read gives harbor_result_invalid",
        "There is a code of that name too.",
        "a list of codes without the rules",
        {"harbor_result_malformed": "harbor_result_invalid"},
        clause="003-5-malformed",
    ),
)
def _otherwise(reference: Variant, reasons: dict[str, str]) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: Any) -> Any:
            summary = summarise(result_json)
            return replace(summary, reason_code=reasons.get(summary.reason_code, summary.reason_code))

        return judged

    reference.wrap(outcome.summarise, around)


@in_summarise.wrapped(clause="003-5-malformed", invited_by="test -s in shell, `if not text`")
def empty_file_as_missing(summarise: Callable[..., Any], result_json: Any) -> Any:
    """An empty result file gives harbor_result_missing.
    No content and no file are the same to a helper that returns a text."""
    return summarise(result_json or None)


@in_summarise.wrapped(clause="003-5-initial-summary", invited_by="mutable objects filled inside a try")
def partial_summary_kept(reference: Variant, summarise: Callable[[Any], Any], result_json: Any) -> Any:
    """Where a result turns out malformed what was read before it is kept: the total survives.
    Fields are written into the summary as they are found."""
    summary = summarise(result_json)
    if summary.reason_code != "harbor_result_malformed":
        return summary
    try:
        result = reference.get(parsing.parse_json)(result_json.decode("utf-8"))
        return replace(summary, total=reference.get(outcome._count)(result.get("n_total_trials")))
    except Exception:  # nothing was read before it went wrong
        return summary


@way("outcome", clause="003-5-resolved-half-even")
def rounded(reference: Variant, rounding: Callable[[float], int]) -> None:
    """Rounds the number of resolved trials in another way."""

    def change(summary: Any, result: Any) -> Any:
        planned = reference.get(outcome._count)(result.get("n_total_trials"))
        return replace(summary, resolved=rounding(summary.score * planned))

    changed_summary(reference, change)


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


@rounded.made(invited_by="Math.floor, //, integer division")
def resolved_floored(number: float) -> int:
    """Resolved is rounded down. A trial is resolved whole or not at all."""
    return math.floor(number)


@rounded.made(invited_by="int(x), Go's and Rust's casts, Java's (int), shell's printf %d")
def resolved_truncated(number: float) -> int:
    """Resolved is cut towards zero. Converting to an int does it."""
    return math.trunc(number)


@changed_summary.made(invited_by="Decimal(score) * total, Fraction, BigDecimal")
def resolved_from_exact_product(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is rounded from the exact product of score and total. Decimals and fractions lose nothing."""
    planned, _, _ = _counts(reference, result)
    return replace(summary, resolved=round(Fraction(summary.score) * planned))


@changed_summary.made(invited_by="Decimal(str(score)), bc, SQL's NUMERIC, spreadsheets")
def resolved_from_decimal_product(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is rounded from score and total multiplied as decimal numbers.
    The score is taken as it is printed."""
    planned, _, _ = _counts(reference, result)
    return replace(summary, resolved=round(Fraction(repr(summary.score)) * planned))


@changed_summary.made(
    clause="003-5-resolved-uses-reported-total",
    invited_by="tidying up: `total = planned or completed + errored` at the top",
)
def resolved_from_printed_total(summary: Any, _: Any) -> Any:
    """Resolved is computed with the total that is printed, fallback included.
    The fallback is made first, so that there is one total."""
    return replace(summary, resolved=round(summary.score * summary.total))


@changed_summary.made(clause="003-5-resolved-uses-reported-total", invited_by="the names of the counters")
def resolved_from_completed(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is computed with the completed trials. The score is a mean over what was completed."""
    _, completed, _ = _counts(reference, result)
    return replace(summary, resolved=round(summary.score * completed))


@changed_summary.made(
    clause="003-5-total-fallback", invited_by="stats.get('n_total_trials', …), ?? in JavaScript, jq's .a"
)
def total_without_fallback(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is printed as it is. The field is there and has a value."""
    return replace(summary, total=_counts(reference, result)[0])


@changed_summary.made(clause="003-5-total-fallback", invited_by="knowing what harbor counts")
def fallback_total_is_completed(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is replaced by the completed trials alone. They include the errored ones already."""
    planned, completed, _ = _counts(reference, result)
    return replace(summary, total=planned or completed)


@changed_summary.made(clause="003-5-total-reported", invited_by="reading the fallback as the rule")
def total_always_added_up(reference: Variant, summary: Any, result: Any) -> Any:
    """The total is always the sum of completed and errored trials.
    It is taken for the number of trials that ran."""
    _, completed, errored = _counts(reference, result)
    return replace(summary, total=completed + errored)


@changed_summary.made(clause="003-5-status-not-from-score", invited_by="test runners, CI badges")
def status_from_score(summary: Any, _: Any) -> Any:
    """The status is completed where the score is above 0, and failed otherwise.
    Status and success are taken for the same."""
    return replace(summary, status="completed" if summary.score > 0 else "failed")


@changed_summary.made(clause="003-5-status-not-from-score", invited_by="`errored == 0 and score > 0`")
def status_needs_success(summary: Any, _: Any) -> Any:
    """The status is failed where a trial ended in an error or the score is 0.0.
    A run in which nothing passed looks like a failure."""
    return replace(summary, status=summary.status if summary.score > 0 else "failed")


@changed_summary.made(clause="003-5-status-from-errored", invited_by="the name of the status")
def status_from_completed_count(reference: Variant, summary: Any, result: Any) -> Any:
    """The status is completed only where as many trials completed as were planned.
    A run with trials missing is not complete."""
    planned, completed, _ = _counts(reference, result)
    return replace(summary, status=summary.status if completed >= planned else "failed")


@changed_summary.made(clause="003-5-status-from-errored", invited_by="`if errored > 0`")
def status_from_positive_errors(reference: Variant, summary: Any, result: Any) -> Any:
    """The status is failed only where n_errored_trials is above 0. A count is never negative."""
    return replace(summary, status="failed" if _counts(reference, result)[2] > 0 else "completed")


@changed_summary.made(clause="003-5-flat-mean", invited_by="agreeing with the other end of the line")
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


@in_read_outcome.wrapped(
    clause="003-5-read-timed-out-first", invited_by="shell's $?, CompletedProcess.check_returncode"
)
def exit_code_before_time_out(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """A run that timed out and has a nonzero exit code is failed, not timed_out.
    A killed process has an exit code, and that is looked at first."""
    return read(stdout, code, timed_out and code == 0)


@in_read_outcome.wrapped(clause="003-5-read-timed-out-first", invited_by="a wish to lose no result")
def line_before_time_out(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """A run that timed out is judged by its line if it printed one.
    The result was there before time ran out."""
    found = reference.get(outcome._find_payload)(stdout)
    return read(stdout, 0 if timed_out else code, timed_out and isinstance(found, str))


@in_read_outcome.wrapped(invited_by="shell pipes without pipefail, `|| true`")
def exit_code_ignored(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """The exit code does not count where there is a line. The line says how it went."""
    found = reference.get(outcome._find_payload)(stdout)
    return read(stdout, code if isinstance(found, str) else 0, timed_out)


@in_read_outcome.wrapped(invited_by="`returncode > 0`; Python gives a signal as a negative one")
def negative_exit_code_ignored(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Only exit codes above 0 count as failures. Exit codes are 0 to 255."""
    return read(stdout, max(code, 0), timed_out)


@in_read_outcome.wrapped(invited_by="exit() in C and shell, WEXITSTATUS")
def exit_code_of_eight_bits(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Of the exit code only the low eight bits count. It is what a Unix process can give."""
    return read(stdout, code & 255, timed_out)


@in_read_outcome.wrapped(invited_by="C, Java, C#, Rust's i32, JavaScript's | 0")
def exit_code_of_32_bits(read: Callable[..., Any], stdout: Any, code: Any, timed_out: Any) -> Any:
    """Of the exit code only the low 32 bits count. An int has as many."""
    return read(stdout, code & 0xFFFFFFFF, timed_out)


@in_read_outcome.wrapped(invited_by="early returns, check=True")
def nonzero_exit_hides_the_reason(read: Callable[..., Any], stdout: str, code: int, timed_out: bool) -> Any:
    """After a nonzero exit code the reason is always harbor_nonzero_exit.
    The process failed, so its output is not read."""
    outcome = read(stdout, code, timed_out)
    failed = code != 0 and not timed_out
    return replace(outcome, reason_code="harbor_nonzero_exit") if failed else outcome


@in_read_outcome.wrapped(invited_by="parsing in one function and judging in another")
def parse_reason_before_exit_code(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """After a nonzero exit code a line that is missing or malformed gives its own reason.
    The line is judged first."""
    found = reference.get(outcome._find_payload)(stdout)
    return read(stdout, 0 if isinstance(found, str) else code, timed_out)


@in_find_payload.wrapped(
    invited_by="except (ValueError, RecursionError), except Exception, other languages' parsers"
)
def escaping_errors_caught(find: Callable[[str], Any], stdout: str) -> Any:
    """Ints of more than 4300 digits and deep nesting are malformed, not errors.
    Every error of the parser is caught."""
    try:
        return find(stdout)
    except (ValueError, RecursionError):
        return "harbor_result_malformed"
