"""Mistakes in what a running job demands of its first metric, a script."""

import json
import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from reference_impl import metric_script
from reference_impl.runner import metric_operations

in_show = family("metric_script", of=metric_script.show_first_value, clause="000-out-first-metric")
_Show = Callable[[Any], str]


def _first_number(output: Any) -> Any:
    if not isinstance(output, dict):
        return output
    numbers = [value for value in output.values() if isinstance(value, int | float)]
    return {"": numbers[0]} if numbers else output


def _finite(output: Any) -> Any:
    value = next(iter(output.values()), None) if isinstance(output, dict) else None
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    return output


def _no_bool(output: Any) -> Any:
    if isinstance(output, dict) and isinstance(next(iter(output.values()), None), bool):
        raise ValueError(output)
    return output


def _at(place: int) -> Callable[[Any], Any]:
    def chosen(output: Any) -> Any:
        return {"": list(output.values())[place]} if isinstance(output, dict) and output else output

    return chosen


def _saturated(output: Any) -> Any:
    if not isinstance(output, dict):
        return output
    return {key: 0 if type(value) is int else value for key, value in output.items()}


@in_show.each(
    Case(
        "script-first-metric-non-objects-shown",
        "a job's first metric may be no object",
        "harbor hands on whatever a script writes.",
        "unchecked results",
        lambda output: output if isinstance(output, dict) else {"": 0},
    ),
    Case(
        "script-first-metric-bare-number-shown",
        "a job's first metric may be a number without a name",
        "A number can be shown.",
        "isinstance(result, (int, float))",
        lambda output: {"": output} if isinstance(output, int | float) else output,
    ),
    Case(
        "script-first-metric-list-shown",
        "a job's first metric may be a list, whose first value is shown",
        "A list has a first value, too.",
        "result[0]",
        lambda output: {"": output[0]} if isinstance(output, list) and output else output,
    ),
    Case(
        "script-first-metric-empty-shown",
        "a job's first metric may be an empty object",
        "Where there is no value there is nothing to show.",
        "next(iter(result), None), loops that end at once",
        lambda output: {"": 0} if output == {} else output,
    ),
    Case(
        "script-first-metric-strings-shown",
        "a job's first metric may have a string for its first value",
        "Text can be shown as it is.",
        "str(value)",
        lambda output: _each(output, lambda value: 0 if isinstance(value, str) else value),
    ),
    Case(
        "script-first-metric-numeric-strings-shown",
        "a job's first metric may have a string that spells a number for its first value",
        "A string is converted where a number is due.",
        "float(value)",
        lambda output: _each(output, _numeric),
    ),
    Case(
        "script-first-metric-null-shown",
        "a job's first metric may have null for its first value",
        "A metric without a value is shown as none.",
        "value or 0",
        lambda output: _each(output, lambda value: 0 if value is None else value),
    ),
    Case(
        "script-first-metric-nested-shown",
        "a job's first metric may have a list or an object for its first value",
        "Nested results are shown in brief.",
        "json.dumps(value)",
        lambda output: _each(output, lambda value: 0 if isinstance(value, list | dict) else value),
    ),
    Case(
        "script-first-metric-first-number",
        "the first number of a job's first metric is shown, wherever it stands",
        "A number is what can be shown.",
        "next(v for v in values if isinstance(v, Number))",
        _first_number,
    ),
    Case(
        "script-first-metric-last-value",
        "the last value of a job's first metric is shown",
        "The last one overwrites the others.",
        "loops over a progress bar's description",
        _at(-1),
    ),
    Case(
        "script-first-metric-sorted",
        "the value whose name sorts first is shown of a job's first metric",
        "Maps are read in order.",
        "Go's json, BTreeMap",
        lambda output: dict(sorted(output.items())) if isinstance(output, dict) else output,
    ),
    Case(
        "script-first-metric-non-finite-refused",
        "a job's first metric may not have NaN or an infinity for its first value",
        "They are no JSON, and no score.",
        "isfinite",
        _finite,
    ),
    Case(
        "script-first-metric-bools-refused",
        "a job's first metric may not have a bool for its first value",
        "A bool is no number in most languages.",
        "type checks",
        _no_bool,
    ),
    Case(
        "script-first-metric-any-int",
        "a job's first metric may have an int beyond the doubles for its first value",
        "Ints of any size can be printed.",
        "big decimals",
        _saturated,
    ),
)
def shown_otherwise(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Shows something else in the output's place, or refuses it."""
    reference.wrap(metric_script.show_first_value, lambda show: lambda output: show(change(output)))


def _each(output: Any, change: Callable[[Any], Any]) -> Any:
    return {key: change(value) for key, value in output.items()} if isinstance(output, dict) else output


def _numeric(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


@in_show.wrapped(invited_by="all values formatted in a table")
def script_first_metric_every_value_shown(show: _Show, output: Any) -> str:
    """Every value of a job's first metric must be one that can be shown.
    All are shown somewhere in the end."""
    for value in output.values() if isinstance(output, dict) else ():
        show({"": value})
    return show(output)


@in_show.replaced(invited_by="progress in a log alone")
def script_first_metric_not_shown(_: Any) -> str:
    """A job's first metric is like any other. What a display shows is thought to be of no consequence."""
    return ""


@in_show.changed(
    name="script-first-metric-shown-without-trials", invited_by="a display that is drawn at the start"
)
def first_metric_shown_without_trials(reference: Variant) -> None:
    """A job's first metric is shown before there are trials. A progress bar is there from the start."""
    run = reference.get(metric_operations._metric_script)
    show = reference.get(metric_script.show_first_value)

    def shown(given: Any) -> Any:
        answer = run(given)
        if given.get("first") and not given["rewards"]:
            show(json.loads(answer["metric.json"]["text"]))
        return answer

    reference.replace(metric_operations._metric_script, shown)
