"""Mistakes in reading what a metric script wrote."""

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_PARSE = "metric_script.parse_json"


def _text(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before it is parsed."""
    parse = reference.get(_PARSE)
    reference.replace_use(_PARSE, lambda text: parse(change(text)))


def _value(reference: Variant, change: Callable[[Any], Any]) -> None:
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


@mistake(
    "script-empty-output-as-object",
    says="empty output of a metric script is {}",
    op="metric_script",
    clause="000-broken-json",
    why="An empty file is taken for no metrics.",
    invited_by="text or '{}', lenient configuration readers",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: text if text.strip() else "{}")


@mistake(
    "script-byte-order-mark-skipped",
    says="a byte order mark before a metric script's output is skipped",
    op="metric_script",
    clause="000-broken-json",
    why="Many readers do so for the sake of Windows editors.",
    invited_by="utf-8-sig, .NET's StreamReader",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: text.removeprefix("\ufeff"))


@mistake(
    "script-first-line-only",
    says="only the first line of a metric script's output is read",
    op="metric_script",
    clause="000-out-json",
    why="The input has one document a line.",
    invited_by="readline, JSON lines",
)
def _(reference: Variant) -> None:
    _text(reference, lambda text: text.partition("\n")[0])


@mistake(
    "script-strict-numbers",
    says="NaN and infinities in a metric script's output are refused",
    op="metric_script",
    clause="000-out-non-finite",
    why="They are no JSON.",
    invited_by="JSON.parse, serde_json, encoding/json",
)
def _(reference: Variant) -> None:
    def strict(value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            _refused("no finite number")
        return value

    _value(reference, strict)


@mistake(
    "script-non-finite-as-null",
    says="NaN and infinities in a metric script's output become null",
    op="metric_script",
    clause="000-out-non-finite",
    why="result.json shows null in their place, where it is written.",
    invited_by="pydantic's dump, pandas",
)
def _(reference: Variant) -> None:
    _value(reference, lambda value: None if isinstance(value, float) and not math.isfinite(value) else value)


def _pairs(reference: Variant, pairs: Callable[[list[tuple[str, Any]]], Any]) -> None:
    """Changes what becomes of an object's members; what the rules refuse is refused first."""
    parse = reference.get(_PARSE)

    def read(text: str) -> Any:
        parse(text)
        return json.loads(text, object_pairs_hook=pairs)

    reference.replace_use(_PARSE, read)


@mistake(
    "script-first-duplicate-wins",
    says="of duplicate keys in a metric script's output the first wins",
    op="metric_script",
    clause="000-out-duplicate-key",
    why="Maps that insert only what is missing keep the first.",
    invited_by="setdefault, putIfAbsent, C++'s map::insert",
)
def _(reference: Variant) -> None:
    _pairs(reference, lambda pairs: {key: dict(reversed(pairs))[key] for key, _ in pairs})


@mistake(
    "script-duplicates-refused",
    says="duplicate keys in a metric script's output are refused",
    op="metric_script",
    clause="000-out-duplicate-key",
    why="Most of the time they are a mistake.",
    invited_by="serde structs, strict parsers",
)
def _(reference: Variant) -> None:
    def unique(pairs: list[tuple[str, Any]]) -> Any:
        if len(dict(pairs)) < len(pairs):
            _refused("a duplicate key")
        return dict(pairs)

    _pairs(reference, unique)


@mistake(
    "script-numbers-to-floats",
    says="ints in a metric script's output become floats",
    op="metric_script",
    clause="000-out-unchecked",
    why="A metric's value is declared as a float.",
    invited_by="float() on every value, double fields",
)
def _(reference: Variant) -> None:
    def as_float(value: Any) -> Any:
        return float(value) if type(value) is int and abs(value) < 2**1000 else value

    _value(reference, as_float)


@mistake(
    "script-whole-floats-to-ints",
    says="floats without a fraction in a metric script's output become ints",
    op="metric_script",
    clause="000-out-unchecked",
    why="A reader with one kind of number writes them so.",
    invited_by="JavaScript, Lua, PHP",
)
def _(reference: Variant) -> None:
    _value(reference, lambda it: int(it) if isinstance(it, float) and it.is_integer() else it)


@mistake(
    "script-object-demanded",
    says="output of a metric script that is no object is a ValueError",
    op="metric_script",
    clause="000-out-object",
    why="The document asks for an object; harbor does not look.",
    invited_by="typed results, schema checks",
)
def _(reference: Variant) -> None:
    parse = reference.get(_PARSE)

    def demanded(text: str) -> Any:
        value = parse(text)
        if not isinstance(value, dict):
            raise ValueError("no object")
        return value

    reference.replace_use(_PARSE, demanded)


@mistake(
    "script-other-values-dropped",
    says="members of a metric script's output that are no numbers are left out",
    op="metric_script",
    clause="000-out-unchecked",
    why="Metrics are numbers.",
    invited_by="dict[str, float], data frames of floats",
)
def _(reference: Variant) -> None:
    parse = reference.get(_PARSE)

    def numbers(text: str) -> Any:
        value = parse(text)
        if not isinstance(value, dict):
            return value
        return {key: item for key, item in value.items() if type(item) in (int, float)}

    reference.replace_use(_PARSE, numbers)


@mistake(
    "script-output-keys-sorted",
    says="metrics from a script are sorted by name",
    op="metric_script",
    clause="000-out-several",
    why="Sorted keys make results comparable, and some maps keep no other order.",
    invited_by="Go's maps, BTreeMap, sort_keys=True",
)
def _(reference: Variant) -> None:
    _value(reference, lambda value: dict(sorted(value.items())) if isinstance(value, dict) else value)


@mistake(
    "script-negative-zero-lost",
    says="-0.0 in a metric script's output becomes 0.0",
    op="metric_script",
    clause="000-out-unchecked",
    why="Adding zero tidies the sign away.",
    invited_by="value + 0.0, JSON.stringify",
)
def _(reference: Variant) -> None:
    _value(reference, lambda value: value + 0.0 if isinstance(value, float) else value)
