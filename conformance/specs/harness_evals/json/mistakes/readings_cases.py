"""What readers of the document alone understood of a file of several cases."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary
from reference_impl.harness_evals.json_lines import as_text, json_lines

in_json_lines = family("harness.json", of=json_lines, clause="004-8-json-summary")
in_rounded = family("harness.json", of=summary.Summary.rounded, clause="004-8-json-violations")
_Write = Callable[..., Any]


@way("harness.json", clause="004-8-json-identity")
def records(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Changes the records: ``change`` has the one before, as changed, and one."""

    def changed(write: _Write) -> _Write:
        def written(given: Sequence[Any], *, with_summary: bool) -> Any:
            made: list[Any] = []
            for record in given:
                made.append(change(made[-1], record) if made else record)
            return write(made, with_summary=with_summary)

        return written

    reference.wrap(json_lines, changed)


@records.made(invited_by="one record that is filled again and again")
def harness_tags_of_case_before(before: Any, record: Any) -> Any:
    """A case without tags has those of the case before. A record is not cleared."""
    return record if record.tags else replace(record, tags=before.tags)


@records.made(invited_by="one record that is filled again and again")
def harness_id_of_case_before(before: Any, record: Any) -> Any:
    """A case without metadata has the id of the case before. A record is not cleared."""
    return replace(record, metadata=before.metadata) if record.metadata is None else record


@records.made(clause="004-8-json-record", invited_by="one list of scores")
def harness_scores_of_cases_before(before: Any, record: Any) -> Any:
    """A record has the scores of all cases up to its own. Scores are collected in one list."""
    return replace(record, scores=[*before.scores, *record.scores])


@in_json_lines.wrapped(invited_by="a summary of what was last written")
def harness_summary_of_last_case(
    reference: Variant, write: _Write, given: Sequence[Any], *, with_summary: bool
) -> Any:
    """The line with the summary tells of the last case alone. The sink remembers what it wrote last."""
    text = write(given, with_summary=False)
    if text is None or not with_summary:
        return text
    last = reference.its(summary.summarise)([given[-1].scores]).rounded()
    return f"{text}{reference.its(as_text)(last)}\n"


@in_json_lines.wrapped(invited_by="writing after each case")
def harness_summary_after_each_case(write: _Write, given: Sequence[Any], *, with_summary: bool) -> Any:
    """A line with the summary so far follows each case. Finishing is thought to happen case by case."""
    if not with_summary or not given:
        return write(given, with_summary=with_summary)
    counts = range(1, len(given) + 1)
    lines = [write(given[:count], with_summary=True).splitlines(keepends=True) for count in counts]
    return "".join(line for those in lines for line in those[-2:])


@in_rounded.wrapped(invited_by="one entry for all")
def harness_violations_in_each_dimension(rounded: Callable[[Any], Any], summed: Any) -> Any:
    """The line tells violations with each dimension where there are some. Every entry is made alike."""
    line = rounded(summed)
    for dimension in line["dimensions"].values():
        if summed.safety_violations:
            dimension["violations"] = summed.safety_violations
    return line


@in_rounded.wrapped(clause="004-8-json-summary-order", invited_by="sorted maps")
def harness_line_metrics_sorted(rounded: Callable[[Any], Any], summed: Any) -> Any:
    """In the line metrics are sorted by name, dimensions as the document has them.
    Two orders are mixed up."""
    line = rounded(summed)
    return {**line, "metrics": dict(sorted(line["metrics"].items()))}


@in_rounded.wrapped(clause="004-8-json-rounding", invited_by="round only means")
def harness_line_rates_unrounded(rounded: Callable[[Any], Any], summed: Any) -> Any:
    """In the line the rates of metrics have all digits. Means are rounded, and rates are shares."""
    line = rounded(summed)
    for name, metric in line["metrics"].items():
        metric["pass_rate"] = summed.by_metric[name].pass_rate
    return line


def _identity(record: Any) -> Any:
    return repr(record.as_dict().get("id"))


@way("harness.json", clause="004-8-json-record")
def chosen(reference: Variant, choose: Callable[[list[Any]], list[Any]]) -> None:
    """Changes which records are written and summed up, and in which order."""

    def changed(write: _Write) -> _Write:
        return lambda given, *, with_summary: write(choose(list(given)), with_summary=with_summary)

    reference.wrap(json_lines, changed)


@chosen.made(invited_by="{case.id: case}")
def harness_last_of_id_kept(given: list[Any]) -> list[Any]:
    """Of cases with the same id only the last is written. An id is thought to be unique."""
    last = {_identity(record): record for record in given if "id" in record.as_dict()}
    return [it for it in given if "id" not in it.as_dict() or last[_identity(it)] is it]


@chosen.made(invited_by="{case.input: case}")
def harness_last_of_input_kept(given: list[Any]) -> list[Any]:
    """Of cases with the same input only the last is written. An input is taken for a case."""
    last = {repr(record.input): record for record in given}
    return [it for it in given if last[repr(it.input)] is it]


@chosen.made(invited_by="sorted(cases, key=id)")
def harness_cases_by_id(given: list[Any]) -> list[Any]:
    """Cases are written in the order of their ids. Sorted results are easy to compare."""
    return sorted(given, key=lambda record: str(record.as_dict().get("id", "")))
