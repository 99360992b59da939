"""Mistakes in the file of results of harness-evals."""

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.places import Place
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary as summary_rules
from reference_impl.harness_evals.json_lines import Record, json_lines

mistakes = family("harness.json")
in_json_lines = family("harness.json", of=json_lines, clause="004-8-json-summary")


@way("harness.json", clause="004-8-json-identity")
def changed(reference: Variant, change: Callable[[Any, Any], Any], place: Place) -> None:
    """Changes what a method answers: ``change`` has the object and the answer."""
    method = reference.get(place)
    reference.replace(place, lambda it: change(it, method(it)))


@family("harness.json", clause="004-8-json-rounding").each(
    Case(
        "harness-rounded-half-up",
        "decimals of the summary are rounded half up",
        "School teaches it so.",
        "Decimal, printf of some libraries, Math.round",
        ROUND_HALF_UP,
    ),
    Case(
        "harness-decimals-cut",
        "decimals of the summary are cut, not rounded",
        "Cutting never flatters.",
        "int(value * 10000) / 10000",
        ROUND_DOWN,
    ),
)
def rounded_by(reference: Variant, mode: str) -> None:
    """Rounds the summary's decimals another way."""

    def rounded(value: float, digits: int) -> float:
        exact = Decimal(repr(value))
        return float(exact.quantize(Decimal(1).scaleb(-digits), rounding=mode))

    vars(reference.its(summary_rules))["round"] = rounded


@in_json_lines.wrapped(clause="004-8-json-record", invited_by="'\\n'.join")
def harness_lines_no_final_newline(write: Callable[..., Any], records: Any, *, with_summary: bool) -> Any:
    """The last line of the results lacks its line feed. Joining lines puts line feeds between them only."""
    text = write(records, with_summary=with_summary)
    return None if text is None else text.removesuffix("\n")


@in_json_lines.wrapped(clause="004-8-json-nothing-written", invited_by="with open(path, 'w')")
def harness_no_cases_empty_file(write: Callable[..., Any], records: Any, *, with_summary: Any) -> Any:
    """Without a case an empty file is written. The file is opened first."""
    return write(records, with_summary=with_summary) or ""


@in_json_lines.wrapped(invited_by="one loop over the cases")
def harness_no_summary_line(write: Callable[..., Any], records: Any, *, with_summary: Any) -> Any:
    """The results have no line with the summary. A file of cases is thought to hold cases."""
    return write(records, with_summary=False)


@in_json_lines.wrapped(invited_by="headers of files")
def harness_summary_first(write: Callable[..., Any], records: Any, *, with_summary: bool) -> Any:
    """The summary is the first line of the results. A summary stands at the head of a report."""
    text = write(records, with_summary=with_summary)
    if text is None or not with_summary:
        return text
    *cases, summary = text.splitlines(keepends=True)
    return "".join([summary, *cases])


@changed.made(Record.as_dict, invited_by="plain dumps of all fields")
def harness_empty_tags_written(record: Any, members: Any) -> Any:
    """A case without tags has an empty object of them. The field is written as it is."""
    first = {"input": members.pop("input"), "scores": members.pop("scores")}
    return {**first, "tags": record.tags or {}, **members}


@changed.made(Record.as_dict, invited_by="metadata.get('id') or ...")
def harness_plain_id_first(record: Any, members: Any) -> Any:
    """A case's id is preferred to its golden_id. id is the usual name."""
    if "id" in members and record.metadata.get("id"):
        members["id"] = record.metadata["id"]
    return members


@changed.made(Record.as_dict, invited_by="typed records with the id in front")
def harness_id_before_tags(_: Any, members: Any) -> Any:
    """A case's id stands before its tags. What identifies a case comes first."""
    if "tags" in members:
        members["tags"] = members.pop("tags")
    return members


@changed.made(
    summary_rules.Summary.rounded, clause="004-8-json-violations", invited_by="plain dumps of all fields"
)
def harness_violations_always_told(summary: Any, line: Any) -> Any:
    """Safety tells its violations in the results even where there are none. 0 is a number too."""
    for dimension in line["dimensions"].values():
        if dimension["is_safety"]:
            dimension["violations"] = summary.safety_violations
    return line


@changed.made(
    summary_rules.Summary.rounded, clause="004-8-json-summary-order", invited_by="one order for both"
)
def harness_dimensions_by_first_score(summary: Any, line: Any) -> Any:
    """The results list dimensions in the order of their first scores. The summary itself has that order."""
    return {**line, "dimensions": {name: line["dimensions"][name] for name in summary.by_dimension}}


@mistakes.changed(clause="004-8-json-rounding", invited_by="plain dumps of all fields")
def harness_summary_unrounded(reference: Variant) -> None:
    """The results' summary has all digits. Nothing is lost then."""
    vars(reference.its(summary_rules))["round"] = lambda value, _: value
