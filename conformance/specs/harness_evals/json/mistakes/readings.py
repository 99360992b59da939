"""What readers of the document alone understood of the file of results."""

import json
import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary
from reference_impl.harness_evals.json_lines import Record, as_text, json_lines

in_as_dict = family("harness.json", of=Record.as_dict, clause="004-8-json-identity")
in_json_lines = family("harness.json", of=json_lines, clause="004-8-json-record")
in_order = family("harness.json", of=summary._display_order, clause="004-8-json-summary-order")
in_rounded = family("harness.json", of=summary.Summary.rounded, clause="004-8-json-rounding")
mistakes = family("harness.json", clause="004-8-json-rounding")
_Members = Callable[[Any], dict[str, Any]]
_Order = Callable[[Any], list[Any]]
_Write = Callable[..., Any]
_FIVE = ("correctness", "groundedness", "safety", "trajectory", "performance")


def _metadata(record: Any) -> dict[str, Any]:
    return record.metadata if isinstance(record.metadata, dict) else {}


@in_as_dict.wrapped(invited_by="?? for ||")
def harness_empty_golden_id_kept(members: _Members, record: Any) -> dict[str, Any]:
    """A golden_id that is empty is a case's id all the same. Only a missing one gives way."""
    made, told = members(record), _metadata(record).get("golden_id")
    return made if told is None else {**made, "id": told}


@in_as_dict.wrapped(invited_by="str(id)")
def harness_id_as_text(members: _Members, record: Any) -> dict[str, Any]:
    """A case's id is written as a text whatever it is. Ids are texts elsewhere."""
    made = members(record)
    if "id" in made and not isinstance(made["id"], str):
        made["id"] = json.dumps(made["id"])
    return made


@in_as_dict.wrapped(invited_by="only texts are ids")
def harness_only_texts_are_ids(members: _Members, record: Any) -> dict[str, Any]:
    """An id that is no text is not written. Ids are texts elsewhere."""
    made = members(record)
    return {name: it for name, it in made.items() if name != "id" or isinstance(it, str)}


@in_as_dict.wrapped(invited_by="metadata.get('id')")
def harness_empty_id_written(members: _Members, record: Any) -> dict[str, Any]:
    """An id that is empty is written. It is there."""
    made, told = members(record), _metadata(record).get("id")
    return made if "id" in made or told is None else {**made, "id": told}


@in_as_dict.wrapped(invited_by="if tags is not None")
def harness_given_empty_tags_written(members: _Members, record: Any) -> dict[str, Any]:
    """Empty tags are written where a case has them. Only null is none."""
    made = members(record)
    if record.tags != {}:
        return made
    return {"input": made.pop("input"), "scores": made.pop("scores"), "tags": {}, **made}


@in_as_dict.wrapped(invited_by="maps of Go, BTreeMap")
def harness_tags_sorted(members: _Members, record: Any) -> dict[str, Any]:
    """Tags are sorted by name. Some maps keep no other order."""
    made = members(record)
    return {name: dict(sorted(it.items())) if name == "tags" else it for name, it in made.items()}


@in_as_dict.wrapped(invited_by="records with all of a case")
def harness_metadata_in_record(members: _Members, record: Any) -> dict[str, Any]:
    """A record has all of the case's metadata at its end. A record is all of a case."""
    made = members(record)
    return {**made, "metadata": record.metadata} if record.metadata else made


@in_as_dict.wrapped(clause="004-8-json-record", invited_by="omitempty in Go")
def harness_null_input_left_out(members: _Members, record: Any) -> dict[str, Any]:
    """An input of null is left out of a record. What is null tells nothing."""
    return {name: it for name, it in members(record).items() if name != "input" or it is not None}


@in_as_dict.wrapped(clause="004-8-json-record", invited_by="omitempty in Go")
def harness_no_scores_left_out(members: _Members, record: Any) -> dict[str, Any]:
    """A record of a case without scores has no member for them. An empty list tells nothing."""
    return {name: it for name, it in members(record).items() if name != "scores" or it}


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


@in_json_lines.wrapped(invited_by="strict parsers")
def harness_input_nan_refused(write: _Write, records: Any, *, with_summary: bool) -> Any:
    """An input with NaN or an infinity is a ValueError. JSON has no such numbers."""
    if not all(_finite(record.input) for record in records):
        raise ValueError("not finite")
    return write(records, with_summary=with_summary)


@in_json_lines.wrapped(invited_by="for score in scores")
def harness_cases_without_scores_skipped(
    reference: Variant, write: _Write, records: Any, *, with_summary: bool
) -> Any:
    """A case without scores has no line, though it is counted. There is nothing to tell."""
    text = write(records, with_summary=with_summary)
    if text is None:
        return None
    lines = text.splitlines(keepends=True)
    kept = [line for line, record in zip(lines, records, strict=False) if record.scores]
    return "".join([*kept, *lines[len(records) :]])


@in_json_lines.wrapped(clause="004-8-json-nothing-written", invited_by="finalize writes always")
def harness_summary_of_nothing(reference: Variant, write: _Write, records: Any, *, with_summary: bool) -> Any:
    """Finishing writes a summary even without a case. It is one of nothing."""
    if records or not with_summary:
        return write(records, with_summary=with_summary)
    return f"{reference.its(as_text)(reference.its(summary.summarise)([]).rounded())}\n"


@way("harness.json", clause="004-8-json-summary")
def asked(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what is asked for."""
    reference.wrap_op("harness.json", lambda plain: lambda given: plain({**given, **change(given)}))


@asked.made(invited_by="if include_summary")
def harness_summary_unfinished(given: Any) -> Any:
    """A summary that is wanted is written though the file was not finished. It is wanted."""
    return {"finalize": True}


@asked.made(invited_by="finalize() as it reads")
def harness_summary_unwanted(given: Any) -> Any:
    """Finishing writes a summary though none is wanted. That is what finishing is for."""
    return {"include_summary": True}


@in_order.replaced(invited_by="order of appearance")
def harness_other_dimensions_as_met(present: Any) -> list[Any]:
    """In the line dimensions beyond the five stand in the order of their first scores. No order is theirs."""
    return [name for name in _FIVE if name in present] + [name for name in present if name not in _FIVE]


@in_order.replaced(invited_by="sorted(), maps of Go, BTreeMap")
def harness_all_dimensions_sorted(present: Any) -> list[Any]:
    """In the line all dimensions are sorted, the five too. One order is simple."""
    return sorted(present)


@in_order.wrapped(invited_by="others first")
def harness_other_dimensions_first(order: _Order, present: Any) -> list[Any]:
    """In the line dimensions beyond the five stand before them. Sorting puts -1 in front."""
    names = order(present)
    return [name for name in names if name not in _FIVE] + [name for name in names if name in _FIVE]


@in_order.wrapped(invited_by="unknown as a last resort")
def harness_unknown_dimension_last(order: _Order, present: Any) -> list[Any]:
    """In the line the unknown dimension is the last. It is what remains."""
    return sorted(order(present), key=lambda name: name == "unknown")


def _by(present: Any, key: Callable[[Any], Any]) -> list[Any]:
    known = [name for name in _FIVE if name in present]
    return known + sorted((name for name in present if name not in _FIVE), key=key)


@in_order.wrapped(invited_by="JavaScript, Java, C#")
def harness_sorted_by_utf16(order: _Order, present: Any) -> list[Any]:
    """In the line dimensions beyond the five are sorted by units of UTF-16. Some languages compare so."""
    order(present)
    return _by(
        present, lambda name: name.encode("utf-16-be", "surrogatepass") if isinstance(name, str) else name
    )


@in_order.wrapped(invited_by="localeCompare")
def harness_sorted_without_case(order: _Order, present: Any) -> list[Any]:
    """In the line dimensions beyond the five are sorted without regard to case. Dictionaries are."""
    order(present)
    return _by(present, lambda name: name.lower() if isinstance(name, str) else name)


@in_order.replaced(invited_by="Array.sort of JavaScript")
def harness_dimensions_sorted_as_texts(present: Any) -> list[Any]:
    """In the line dimensions of any type are sorted by their texts. Sorting converts in some languages."""
    return _by(present, lambda name: name if isinstance(name, str) else json.dumps(name))


@mistakes.changed(invited_by="one helper for all")
def harness_all_two_decimals(reference: Variant) -> None:
    """All numbers of the line have 2 decimals. Dimensions' means have."""
    vars(reference.its(summary))["round"] = lambda value, _: round(value, 2)


@mistakes.changed(invited_by="one helper for all")
def harness_all_four_decimals(reference: Variant) -> None:
    """All numbers of the line have 4 decimals, dimensions' means too. One helper rounds."""
    vars(reference.its(summary))["round"] = lambda value, _: round(value, 4)


@in_rounded.wrapped(invited_by="one helper per section")
def harness_dimension_rates_two_decimals(rounded: _Members, summed: Any) -> dict[str, Any]:
    """A dimension's rate has 2 decimals in the line. Its mean has."""
    line = rounded(summed)
    for name, dimension in line["dimensions"].items():
        dimension["pass_rate"] = round(summed.by_dimension[name].pass_rate, 2)
    return line


@in_rounded.wrapped(clause="004-8-json-violations", invited_by="leaving zeros out everywhere")
def harness_total_violations_if_any(rounded: _Members, summed: Any) -> dict[str, Any]:
    """The line tells its total of violations only where there are some. The dimension does so."""
    line = rounded(summed)
    return {name: it for name, it in line.items() if name != "safety_violations" or it}
