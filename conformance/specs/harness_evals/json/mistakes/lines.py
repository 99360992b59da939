"""Mistakes in the file of results of harness-evals."""

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_LINES = "harness_evals.json_lines.json_lines"
_RECORD = "harness_evals.json_lines.Record.as_dict"
_ROUNDED = "harness_evals.summary.Summary.rounded"


def _changed(reference: Variant, path: str, change: Callable[[Any, Any], Any]) -> None:
    """Changes what a method answers: ``change`` has the object and the answer."""
    method = reference.get(path)
    reference.replace(path, lambda it: change(it, method(it)))


def _rounding(reference: Variant, mode: str) -> None:
    """Rounds the summary's decimals another way."""

    def rounded(value: float, digits: int) -> float:
        exact = Decimal(repr(value))
        return float(exact.quantize(Decimal(1).scaleb(-digits), rounding=mode))

    vars(reference.module("harness_evals.summary"))["round"] = rounded


@mistake(
    "harness-lines-no-final-newline",
    says="the last line of the results lacks its line feed",
    op="harness.json",
    clause="004-8-json-record",
    why="Joining lines puts line feeds between them only.",
    invited_by="'\\n'.join",
)
def _(reference: Variant) -> None:
    def joined(write: Callable[..., Any]) -> Callable[..., Any]:
        def lines(records: Any, *, with_summary: bool) -> Any:
            text = write(records, with_summary=with_summary)
            return None if text is None else text.removesuffix("\n")

        return lines

    reference.wrap(_LINES, joined)


@mistake(
    "harness-no-cases-empty-file",
    says="without a case an empty file is written",
    op="harness.json",
    clause="004-8-json-nothing-written",
    why="The file is opened first.",
    invited_by="with open(path, 'w')",
)
def _(reference: Variant) -> None:
    def opened(write: Callable[..., Any]) -> Callable[..., Any]:
        return lambda records, *, with_summary: write(records, with_summary=with_summary) or ""

    reference.wrap(_LINES, opened)


@mistake(
    "harness-no-summary-line",
    says="the results have no line with the summary",
    op="harness.json",
    clause="004-8-json-summary",
    why="A file of cases is thought to hold cases.",
    invited_by="one loop over the cases",
)
def _(reference: Variant) -> None:
    def cases_only(write: Callable[..., Any]) -> Callable[..., Any]:
        return lambda records, *, with_summary: write(records, with_summary=False)

    reference.wrap(_LINES, cases_only)


@mistake(
    "harness-summary-first",
    says="the summary is the first line of the results",
    op="harness.json",
    clause="004-8-json-summary",
    why="A summary stands at the head of a report.",
    invited_by="headers of files",
)
def _(reference: Variant) -> None:
    def at_the_head(write: Callable[..., Any]) -> Callable[..., Any]:
        def lines(records: Any, *, with_summary: bool) -> Any:
            text = write(records, with_summary=with_summary)
            if text is None or not with_summary:
                return text
            *cases, summary = text.splitlines(keepends=True)
            return "".join([summary, *cases])

        return lines

    reference.wrap(_LINES, at_the_head)


@mistake(
    "harness-empty-tags-written",
    says="a case without tags has an empty object of them",
    op="harness.json",
    clause="004-8-json-identity",
    why="The field is written as it is.",
    invited_by="plain dumps of all fields",
)
def _(reference: Variant) -> None:
    def with_tags(record: Any, members: Any) -> Any:
        first = {"input": members.pop("input"), "scores": members.pop("scores")}
        return {**first, "tags": record.tags or {}, **members}

    _changed(reference, _RECORD, with_tags)


@mistake(
    "harness-plain-id-first",
    says="a case's id is preferred to its golden_id",
    op="harness.json",
    clause="004-8-json-identity",
    why="id is the usual name.",
    invited_by="metadata.get('id') or ...",
)
def _(reference: Variant) -> None:
    def plain(record: Any, members: Any) -> Any:
        if "id" in members and record.metadata.get("id"):
            members["id"] = record.metadata["id"]
        return members

    _changed(reference, _RECORD, plain)


@mistake(
    "harness-id-before-tags",
    says="a case's id stands before its tags",
    op="harness.json",
    clause="004-8-json-identity",
    why="What identifies a case comes first.",
    invited_by="typed records with the id in front",
)
def _(reference: Variant) -> None:
    def before(_: Any, members: Any) -> Any:
        if "tags" in members:
            members["tags"] = members.pop("tags")
        return members

    _changed(reference, _RECORD, before)


@mistake(
    "harness-violations-always-told",
    says="safety tells its violations in the results even where there are none",
    op="harness.json",
    clause="004-8-json-violations",
    why="0 is a number too.",
    invited_by="plain dumps of all fields",
)
def _(reference: Variant) -> None:
    def told(summary: Any, line: Any) -> Any:
        for dimension in line["dimensions"].values():
            if dimension["is_safety"]:
                dimension["violations"] = summary.safety_violations
        return line

    _changed(reference, _ROUNDED, told)


@mistake(
    "harness-dimensions-by-first-score",
    says="the results list dimensions in the order of their first scores",
    op="harness.json",
    clause="004-8-json-summary-order",
    why="The summary itself has that order.",
    invited_by="one order for both",
)
def _(reference: Variant) -> None:
    def by_first_score(summary: Any, line: Any) -> Any:
        return {**line, "dimensions": {name: line["dimensions"][name] for name in summary.by_dimension}}

    _changed(reference, _ROUNDED, by_first_score)


@mistake(
    "harness-rounded-half-up",
    says="decimals of the summary are rounded half up",
    op="harness.json",
    clause="004-8-json-rounding",
    why="School teaches it so.",
    invited_by="Decimal, printf of some libraries, Math.round",
)
def _(reference: Variant) -> None:
    _rounding(reference, ROUND_HALF_UP)


@mistake(
    "harness-decimals-cut",
    says="decimals of the summary are cut, not rounded",
    op="harness.json",
    clause="004-8-json-rounding",
    why="Cutting never flatters.",
    invited_by="int(value * 10000) / 10000",
)
def _(reference: Variant) -> None:
    _rounding(reference, ROUND_DOWN)


@mistake(
    "harness-summary-unrounded",
    says="the results' summary has all digits",
    op="harness.json",
    clause="004-8-json-rounding",
    why="Nothing is lost then.",
    invited_by="plain dumps of all fields",
)
def _(reference: Variant) -> None:
    vars(reference.module("harness_evals.summary"))["round"] = lambda value, _: value
