"""Mistakes in reading what a metric script wrote."""

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import metric_script
from reference_impl.cpython312 import parsing

in_parse_json = family("metric_script", of=(metric_script, parsing.parse_json))
_PARSE = (metric_script, parsing.parse_json)


@way("metric_script", clause="000-broken-json")
def changed_text(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before it is parsed."""
    parse = reference.get(_PARSE)
    reference.replace_use(_PARSE, lambda text: parse(change(text)))


@way("metric_script", clause="000-out-unchecked")
def changed_value(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes every value in the output, those in lists and objects first."""

    def through(value: Any) -> Any:
        if isinstance(value, dict):
            return change({key: through(item) for key, item in value.items()})
        return change([through(item) for item in value] if isinstance(value, list) else value)

    def careful(value: Any) -> Any:
        try:
            return through(value)
        except RecursionError:
            return value

    parse = reference.get(_PARSE)
    reference.replace_use(_PARSE, lambda text: careful(parse(text)))


def _refused(why: str) -> NoReturn:
    raise json.JSONDecodeError(why, "", 0)


@changed_text.made(invited_by="text or '{}', lenient configuration readers")
def script_empty_output_as_object(text: str) -> str:
    """Empty output of a metric script is {}. An empty file is taken for no metrics."""
    return text if text.strip() else "{}"


@changed_text.made(invited_by="utf-8-sig, .NET's StreamReader")
def script_byte_order_mark_skipped(text: str) -> str:
    """A byte order mark before a metric script's output is skipped.
    Many readers do so for the sake of Windows editors."""
    return text.removeprefix("\ufeff")


@changed_text.made(clause="000-out-json", invited_by="readline, JSON lines")
def script_first_line_only(text: str) -> str:
    """Only the first line of a metric script's output is read. The input has one document a line."""
    return text.partition("\n")[0]


@changed_value.made(clause="000-out-non-finite", invited_by="JSON.parse, serde_json, encoding/json")
def script_strict_numbers(value: Any) -> Any:
    """NaN and infinities in a metric script's output are refused. They are no JSON."""
    if isinstance(value, float) and not math.isfinite(value):
        _refused("no finite number")
    return value


@changed_value.made(clause="000-out-non-finite", invited_by="pydantic's dump, pandas")
def script_non_finite_as_null(value: Any) -> Any:
    """NaN and infinities in a metric script's output become null.
    result.json shows null in their place, where it is written."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@way("metric_script", clause="000-out-duplicate-key")
def changed_pairs(reference: Variant, pairs: Callable[[list[tuple[str, Any]]], Any]) -> None:
    """Changes what becomes of an object's members; what the rules refuse is refused first."""
    parse = reference.get(_PARSE)

    def read(text: str) -> Any:
        parse(text)
        return json.loads(text, object_pairs_hook=pairs)

    reference.replace_use(_PARSE, read)


@changed_pairs.made(invited_by="setdefault, putIfAbsent, C++'s map::insert")
def script_first_duplicate_wins(pairs: list[tuple[str, Any]]) -> Any:
    """Of duplicate keys in a metric script's output the first wins.
    Maps that insert only what is missing keep the first."""
    return {key: dict(reversed(pairs))[key] for key, _ in pairs}


@changed_pairs.made(invited_by="serde structs, strict parsers")
def script_duplicates_refused(pairs: list[tuple[str, Any]]) -> Any:
    """Duplicate keys in a metric script's output are refused. Most of the time they are a mistake."""
    if len(dict(pairs)) < len(pairs):
        _refused("a duplicate key")
    return dict(pairs)


@changed_value.made(invited_by="float() on every value, double fields")
def script_numbers_to_floats(value: Any) -> Any:
    """Ints in a metric script's output become floats. A metric's value is declared as a float."""
    return float(value) if type(value) is int and abs(value) < 2**1000 else value


@changed_value.made(invited_by="JavaScript, Lua, PHP")
def script_whole_floats_to_ints(it: Any) -> Any:
    """Floats without a fraction in a metric script's output become ints.
    A reader with one kind of number writes them so."""
    return int(it) if isinstance(it, float) and it.is_integer() else it


@in_parse_json.used(clause="000-out-object", invited_by="typed results, schema checks")
def script_object_demanded(parse: Callable[..., Any], text: str) -> Any:
    """Output of a metric script that is no object is a ValueError.
    The document asks for an object; harbor does not look."""
    value = parse(text)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


@in_parse_json.used(clause="000-out-unchecked", invited_by="dict[str, float], data frames of floats")
def script_other_values_dropped(parse: Callable[..., Any], text: str) -> Any:
    """Members of a metric script's output that are no numbers are left out. Metrics are numbers."""
    value = parse(text)
    if not isinstance(value, dict):
        return value
    return {key: item for key, item in value.items() if type(item) in (int, float)}


@changed_value.made(clause="000-out-several", invited_by="Go's maps, BTreeMap, sort_keys=True")
def script_output_keys_sorted(value: Any) -> Any:
    """Metrics from a script are sorted by name.
    Sorted keys make results comparable, and some maps keep no other order."""
    return dict(sorted(value.items())) if isinstance(value, dict) else value


@changed_value.made(invited_by="value + 0.0, JSON.stringify")
def script_negative_zero_lost(value: Any) -> Any:
    """-0.0 in a metric script's output becomes 0.0. Adding zero tidies the sign away."""
    return value + 0.0 if isinstance(value, float) else value
