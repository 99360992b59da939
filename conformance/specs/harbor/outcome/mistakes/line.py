"""Mistakes in writing the outcome line, and in what it says of a result that cannot be read."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.number_text import by_java, by_javascript, spelled
from reference_impl import outcome
from reference_impl.cpython312 import parsing
from reference_impl.reason_code import reason_code

mistakes = family("outcome", clause="003-5-line-format")
in_line = family("outcome", of=outcome.Summary.line, clause="003-5-line-format")
in_summarise = family("outcome", of=outcome.summarise, clause="003-5-malformed")

LINE = outcome.Summary.line
SUMMARISE = outcome._summarise
JUDGED = outcome.summarise
PREFIX = "BASE_BENCHMARK_RESULT="


@way("outcome", clause="003-5-line-format")
def dumped(reference: Variant, dump: Callable[[dict[str, Any]], str]) -> None:
    """Has ``dump`` write the summary; what cannot be written is refused as before."""

    def around(original: Callable[[Any], str]) -> Callable[[Any], str]:
        def line(self: Any) -> str:
            original(self)
            return PREFIX + dump(asdict(self))

        return line

    reference.wrap(LINE, around)


@way("outcome", clause="003-5-line-float-repr")
def score_spelled(reference: Variant, text: Callable[[float], str]) -> None:
    """Spells the score in another way."""

    def dump(summary: dict[str, Any]) -> str:
        whole = json.dumps({**summary, "score": "<score>"}, sort_keys=True)
        return whole.replace('"<score>"', text(summary["score"]))

    dumped(reference, dump)


@way("outcome", clause="003-5-resolved-exact-int")
def summary_family(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a result that could be read."""
    reference.wrap(SUMMARISE, lambda original: lambda result: change(original(result), result))


@summary_family.made(clause="003-5-clean-reason-null", invited_by="the list of known codes")
def failed_run_gives_reason(summary: Any, _: Any) -> Any:
    """A run with errored trials gives harbor_trial_failed as its reason.
    A failure wants a reason, and there is a code for it."""
    return replace(summary, reason_code="harbor_trial_failed") if summary.status == "failed" else summary


@summary_family.made(clause="003-5-clean-reason-null", invited_by="next(iter(exception_stats))")
def reason_from_exception_stats(reference: Variant, summary: Any, result: Any) -> Any:
    """The reason is the code of the first exception that the result lists.
    The result knows why trials failed."""
    for group in result.get("stats", {}).get("evals", {}).values():
        for name in group.get("exception_stats") or {}:
            return replace(summary, reason_code=reference.get(reason_code)(name))
    return summary


@mistakes.changed(invited_by="dataclasses and structs, json.dumps without sort_keys")
def line_unsorted(reference: Variant) -> None:
    """The members of the outcome line are in the order of the summary, status first.
    It is the order in which the rules name them."""
    dumped(reference, json.dumps)


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


@mistakes.changed(clause="003-5-line-float-repr", invited_by="JavaScript, TypeScript; Go but for -0")
def line_score_by_javascript(reference: Variant) -> None:
    """The score is written as JavaScript writes it: 1 for 1.0, 0.00001, 1e-7.
    There is one kind of number, and its text has an exponent only from 1e21 on and below 1e-6."""
    score_spelled(reference, by_javascript)


@score_spelled.made(invited_by="Rust's serde_json, model_dump_json")
def line_score_by_pydantic(score: float) -> str:
    """The score is written as result.json has its numbers: 0.00001, 1e-7.
    One function for all numbers; that line and file have two rules is the surprise."""
    return spelled(score, range(-5, 16), "e{:+d}")


@mistakes.changed(clause="003-5-line-float-repr", invited_by="Java, Kotlin, Scala")
def line_score_by_java(reference: Variant) -> None:
    """The score is written as Java writes it: 1.0E-4, 1.0E7.
    Jackson, Gson and string concatenation all use Double.toString."""
    score_spelled(reference, by_java)


@score_spelled.made(invited_by="round(score, 4), %.4g, toFixed")
def line_score_rounded(score: float) -> str:
    """The score is written with four decimals at most. It is meant for people to read."""
    return repr(round(score, 4))


@summary_family.made(invited_by="Rust's and C's round, numpy.round, Python 2, Go's math.RoundToEven")
def line_resolved_as_float(summary: Any, _: Any) -> Any:
    """Resolved is written as a float: 3.0. Rounding gives a float in most languages."""
    return replace(summary, resolved=float(summary.resolved))


@summary_family.made(clause="003-5-total-exact-int", invited_by="Go's and Java's casts, C, numpy")
def line_ints_in_64_bits(summary: Any, _: Any) -> Any:
    """Resolved and total are cut to 64 bits. A cast keeps the low bits, or stops at the largest."""

    def wrapped(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    return replace(summary, resolved=wrapped(summary.resolved), total=wrapped(summary.total))


def _otherwise(reference: Variant, reasons: dict[str, str]) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: Any) -> Any:
            summary = summarise(result_json)
            return replace(summary, reason_code=reasons.get(summary.reason_code, summary.reason_code))

        return judged

    reference.wrap(JUDGED, around)


@mistakes.changed(clause="003-5-missing-file", invited_by="except Exception around open and parse")
def missing_file_as_malformed(reference: Variant) -> None:
    """A result file that does not exist gives harbor_result_malformed.
    Opening the file fails inside the same try."""
    _otherwise(reference, {"harbor_result_missing": "harbor_result_malformed"})


@mistakes.changed(clause="003-5-malformed", invited_by="a list of codes without the rules")
def malformed_as_invalid(reference: Variant) -> None:
    """A result that cannot be read gives harbor_result_invalid. There is a code of that name too."""
    _otherwise(reference, {"harbor_result_malformed": "harbor_result_invalid"})


@in_summarise.wrapped(invited_by="test -s in shell, `if not text`")
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
