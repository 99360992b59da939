"""Mistakes in writing the outcome line, and in what it says of a result that cannot be read."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.number_text import by_java, by_javascript, spelled

LINE = "outcome.Summary.line"
SUMMARISE = "outcome._summarise"
JUDGED = "outcome.summarise"
PREFIX = "BASE_BENCHMARK_RESULT="


def _dumped(reference: Variant, dump: Callable[[dict[str, Any]], str]) -> None:
    """Has ``dump`` write the summary; what cannot be written is refused as before."""

    def around(original: Callable[[Any], str]) -> Callable[[Any], str]:
        def line(self: Any) -> str:
            original(self)
            return PREFIX + dump(asdict(self))

        return line

    reference.wrap(LINE, around)


def _score_spelled(reference: Variant, text: Callable[[float], str]) -> None:
    def dump(summary: dict[str, Any]) -> str:
        whole = json.dumps({**summary, "score": "<score>"}, sort_keys=True)
        return whole.replace('"<score>"', text(summary["score"]))

    _dumped(reference, dump)


def _summary(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a result that could be read."""
    reference.wrap(SUMMARISE, lambda original: lambda result: change(original(result), result))


@mistake(
    "failed-run-gives-reason",
    says="a run with errored trials gives harbor_trial_failed as its reason",
    op="outcome",
    clause="003-5-clean-reason-null",
    why="A failure wants a reason, and there is a code for it.",
    invited_by="the list of known codes",
)
def _(reference: Variant) -> None:
    def change(summary: Any, _: Any) -> Any:
        return replace(summary, reason_code="harbor_trial_failed") if summary.status == "failed" else summary

    _summary(reference, change)


@mistake(
    "reason-from-exception-stats",
    says="the reason is the code of the first exception that the result lists",
    op="outcome",
    clause="003-5-clean-reason-null",
    why="The result knows why trials failed.",
    invited_by="next(iter(exception_stats))",
)
def _(reference: Variant) -> None:
    def change(summary: Any, result: Any) -> Any:
        for group in result.get("stats", {}).get("evals", {}).values():
            for name in group.get("exception_stats") or {}:
                return replace(summary, reason_code=reference.get("reason_code.reason_code")(name))
        return summary

    _summary(reference, change)


@mistake(
    "line-unsorted",
    says="the members of the outcome line are in the order of the summary, status first",
    op="outcome",
    clause="003-5-line-format",
    why="It is the order in which the rules name them.",
    invited_by="dataclasses and structs, json.dumps without sort_keys",
)
def _(reference: Variant) -> None:
    _dumped(reference, json.dumps)


@mistake(
    "line-compact",
    says="the outcome line has no spaces behind commas and colons",
    op="outcome",
    clause="003-5-line-format",
    why="It is what other languages' writers do.",
    invited_by="JSON.stringify, encoding/json, serde_json, jq -c",
)
def _(reference: Variant) -> None:
    _dumped(reference, lambda summary: json.dumps(summary, sort_keys=True, separators=(",", ":")))


@mistake(
    "line-without-null-reason",
    says="the outcome line leaves reason_code out where it is null",
    op="outcome",
    clause="003-5-line-format",
    why="Absent and null mean the same to many readers.",
    invited_by="Go's omitempty, serde's skip_serializing_if, undefined in JavaScript",
)
def _(reference: Variant) -> None:
    _dumped(
        reference,
        lambda summary: json.dumps({k: v for k, v in summary.items() if v is not None}, sort_keys=True),
    )


@mistake(
    "line-with-space",
    says="a space stands between the prefix and the object",
    op="outcome",
    clause="003-5-line-format",
    why="Arguments of print are set apart by one.",
    invited_by="print(prefix, text), console.log(prefix, text), fmt.Println",
)
def _(reference: Variant) -> None:
    reference.wrap(LINE, lambda line: lambda self: line(self).replace("=", "= ", 1))


@mistake(
    "line-score-as-int",
    says="a whole score is written without .0: 1 for 1.0",
    op="outcome",
    clause="003-5-line-float-repr",
    why="The language has one kind of number, or drops the fraction.",
    invited_by="JavaScript, Go, C#, PHP, jq",
)
def _(reference: Variant) -> None:
    _score_spelled(reference, lambda score: repr(score).removesuffix(".0"))


@mistake(
    "line-score-by-javascript",
    says="the score is written as JavaScript writes it: 1 for 1.0, 0.00001, 1e-7",
    op="outcome",
    clause="003-5-line-float-repr",
    why="There is one kind of number, and its text has an exponent only from 1e21 on and below 1e-6.",
    invited_by="JavaScript, TypeScript; Go but for -0",
)
def _(reference: Variant) -> None:
    _score_spelled(reference, by_javascript)


@mistake(
    "line-score-by-pydantic",
    says="the score is written as result.json has its numbers: 0.00001, 1e-7",
    op="outcome",
    clause="003-5-line-float-repr",
    why="One function for all numbers; that line and file have two rules is the surprise.",
    invited_by="Rust's serde_json, model_dump_json",
)
def _(reference: Variant) -> None:
    _score_spelled(reference, lambda score: spelled(score, range(-5, 16), "e{:+d}"))


@mistake(
    "line-score-by-java",
    says="the score is written as Java writes it: 1.0E-4, 1.0E7",
    op="outcome",
    clause="003-5-line-float-repr",
    why="Jackson, Gson and string concatenation all use Double.toString.",
    invited_by="Java, Kotlin, Scala",
)
def _(reference: Variant) -> None:
    _score_spelled(reference, by_java)


@mistake(
    "line-score-rounded",
    says="the score is written with four decimals at most",
    op="outcome",
    clause="003-5-line-float-repr",
    why="It is meant for people to read.",
    invited_by="round(score, 4), %.4g, toFixed",
)
def _(reference: Variant) -> None:
    _score_spelled(reference, lambda score: repr(round(score, 4)))


@mistake(
    "line-resolved-as-float",
    says="resolved is written as a float: 3.0",
    op="outcome",
    clause="003-5-resolved-exact-int",
    why="Rounding gives a float in most languages.",
    invited_by="Rust's and C's round, numpy.round, Python 2, Go's math.RoundToEven",
)
def _(reference: Variant) -> None:
    def change(summary: Any, _: Any) -> Any:
        return replace(summary, resolved=float(summary.resolved))

    _summary(reference, change)


@mistake(
    "line-ints-in-64-bits",
    says="resolved and total are cut to 64 bits",
    op="outcome",
    clause="003-5-total-exact-int",
    why="A cast keeps the low bits, or stops at the largest.",
    invited_by="Go's and Java's casts, C, numpy",
)
def _(reference: Variant) -> None:
    def wrapped(number: int) -> int:
        return (number + 2**63) % 2**64 - 2**63

    def change(summary: Any, _: Any) -> Any:
        return replace(summary, resolved=wrapped(summary.resolved), total=wrapped(summary.total))

    _summary(reference, change)


def _otherwise(reference: Variant, reasons: dict[str, str]) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: Any) -> Any:
            summary = summarise(result_json)
            return replace(summary, reason_code=reasons.get(summary.reason_code, summary.reason_code))

        return judged

    reference.wrap(JUDGED, around)


@mistake(
    "missing-file-as-malformed",
    says="a result file that does not exist gives harbor_result_malformed",
    op="outcome",
    clause="003-5-missing-file",
    why="Opening the file fails inside the same try.",
    invited_by="except Exception around open and parse",
)
def _(reference: Variant) -> None:
    _otherwise(reference, {"harbor_result_missing": "harbor_result_malformed"})


@mistake(
    "malformed-as-invalid",
    says="a result that cannot be read gives harbor_result_invalid",
    op="outcome",
    clause="003-5-malformed",
    why="There is a code of that name too.",
    invited_by="a list of codes without the rules",
)
def _(reference: Variant) -> None:
    _otherwise(reference, {"harbor_result_malformed": "harbor_result_invalid"})


@mistake(
    "empty-file-as-missing",
    says="an empty result file gives harbor_result_missing",
    op="outcome",
    clause="003-5-malformed",
    why="No content and no file are the same to a helper that returns a text.",
    invited_by="test -s in shell, `if not text`",
)
def _(reference: Variant) -> None:
    reference.wrap(JUDGED, lambda summarise: lambda result_json: summarise(result_json or None))


@mistake(
    "partial-summary-kept",
    says="where a result turns out malformed what was read before it is kept: the total survives",
    op="outcome",
    clause="003-5-initial-summary",
    why="Fields are written into the summary as they are found.",
    invited_by="mutable objects filled inside a try",
)
def _(reference: Variant) -> None:
    def around(summarise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def judged(result_json: Any) -> Any:
            summary = summarise(result_json)
            if summary.reason_code != "harbor_result_malformed":
                return summary
            try:
                result = reference.get("cpython312.parsing.parse_json")(result_json.decode("utf-8"))
                return replace(summary, total=reference.get("outcome._count")(result.get("n_total_trials")))
            except Exception:  # nothing was read before it went wrong
                return summary

        return judged

    reference.wrap(JUDGED, around)
