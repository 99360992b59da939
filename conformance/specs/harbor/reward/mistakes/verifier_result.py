"""Mistakes in what a reward may be: types, strings, null, other shapes."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

ValidateOne = Callable[[str, Any], Any]


def _value_first(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes each value before it is validated."""
    reference.wrap(
        "verifier_result._validate_reward", lambda validate: lambda key, value: validate(key, change(value))
    )


def _keep(reference: Variant, kept: type) -> None:
    """Values of this type are not looked at."""

    def around(validate: ValidateOne) -> ValidateOne:
        return lambda key, value: value if isinstance(value, kept) else validate(key, value)

    reference.wrap("verifier_result._validate_reward", around)
    reference.wrap(
        "runner.wire.encode_number",
        lambda encode: lambda number: number if isinstance(number, kept) else encode(number),
    )


@mistake(
    "booleans-kept",
    says="true and false stay booleans",
    op="parse_reward",
    clause="003-1.3-bool-becomes-float",
    why="The document says that the types of values are not checked.",
    invited_by="json.loads without a model, the document's section 1.3",
)
def _(reference: Variant) -> None:
    _keep(reference, bool)


@mistake(
    "booleans-become-ints",
    says="true and false become the ints 1 and 0",
    op="parse_reward",
    clause="003-1.3-bool-becomes-float",
    why="That is what they are worth.",
    invited_by="Python's int(True), C, SQL, PHP",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: int(value) if isinstance(value, bool) else value)


@mistake(
    "booleans-refused",
    says="true and false are refused as rewards",
    op="parse_reward",
    clause="003-1.3-bool-becomes-float",
    why="They are no numbers.",
    invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: None if isinstance(value, bool) else value)


@mistake(
    "strings-kept",
    says="numeric strings stay strings",
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="The document says that the types of values are not checked.",
    invited_by="json.loads without a model, the document's section 1.3",
)
def _(reference: Variant) -> None:
    _keep(reference, str)


@mistake(
    "numeric-strings-refused",
    says="numeric strings are refused as rewards",
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="They are no numbers.",
    invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: None if isinstance(value, str) else value)


@mistake(
    "whole-strings-become-ints",
    says="strings that spell a whole number become ints",
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="int() is tried before float().",
    invited_by="literal readers, YAML, pydantic's smart unions",
)
def _(reference: Variant) -> None:
    def change(value: Any) -> Any:
        if isinstance(value, str) and value.isascii() and value.lstrip("+-").isdigit() and len(value) < 4300:
            return int(value) if value[0] not in "+-" or value[1] not in "+-" else value
        return value

    _value_first(reference, change)


def _read_strings(reference: Variant, read: Callable[[str], float]) -> None:
    """Reads strings by ``read``, which raises ValueError for what is no number."""

    def change(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return read(value)
        except ValueError:
            return None

    _value_first(reference, change)


@mistake(
    "strings-read-by-python",
    says="strings are read by Python's float(): Arabic digits are accepted, 1e_5 is refused",
    op="parse_reward",
    clause="003-1.3-string-underscores",
    why="pydantic's own reader, written in Rust, is taken for Python's.",
    invited_by="float(value), reading strings like reward.txt",
)
def _(reference: Variant) -> None:
    _read_strings(reference, reference.module("cpython312.parsing").parse_float)


@mistake(
    "strings-read-as-json",
    says='strings are read as JSON numbers: "1" is the int 1, "+1" and " .5" are refused',
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="A number in a string looks like JSON in a string.",
    invited_by="serde_json::from_str, JSON.parse, Jackson's coercion",
)
def _(reference: Variant) -> None:
    def read(text: str) -> float:
        value = reference.module("cpython312.parsing").parse_json(text)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("no number")
        return value

    _read_strings(reference, read)


@mistake(
    "blank-strings-are-zero",
    says="an empty or blank string is the reward 0.0",
    op="parse_reward",
    clause="003-1.3-other-string-refused",
    why="The number of an empty string is 0.",
    invited_by="JavaScript's Number(''), PHP, awk",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: "0" if isinstance(value, str) and not value.strip() else value)


@mistake(
    "other-strings-are-zero",
    says="a string that is no number is the reward 0.0",
    op="parse_reward",
    clause="003-1.3-other-string-refused",
    why="Conversion never fails there.",
    invited_by="Ruby's to_f, PHP's casts, C's atof, unwrap_or(0.0)",
)
def _(reference: Variant) -> None:
    def around(read: Callable[[str], int | None]) -> Callable[[str], int | float | None]:
        def reading(text: str) -> int | float | None:
            number = read(text)
            return 0.0 if number is None else number

        return reading

    reference.wrap("verifier_result._read_int", around)


@mistake(
    "string-words-refused",
    says="the strings inf, infinity and nan are refused as rewards",
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="They are words, not digits.",
    invited_by="grammars of digits, Number.isFinite, parsers without words",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: None if isinstance(value, str) and "n" in value.lower() else value)


@mistake(
    "string-space-refused",
    says="white space around a number in a string is refused",
    op="parse_reward",
    clause="003-1.3-numeric-string-becomes-float",
    why="The parser takes the number alone.",
    invited_by="Rust's parse::<f64>(), Go's strconv.ParseFloat",
)
def _(reference: Variant) -> None:
    _value_first(
        reference, lambda value: None if isinstance(value, str) and value != value.strip() else value
    )


@mistake(
    "string-underscores-refused",
    says="underscores are refused in a number in a string",
    op="parse_reward",
    clause="003-1.3-string-underscores",
    why="Hardly any float parser knows them.",
    invited_by="Rust's parse::<f64>(), Go, JavaScript, Java",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: None if isinstance(value, str) and "_" in value else value)


@mistake(
    "string-underscores-deleted",
    says="all underscores in a number in a string are dropped, wherever they stand",
    op="parse_reward",
    clause="003-1.3-string-underscores",
    why="It is the shortest way to accept them.",
    invited_by="value.replace('_', '')",
)
def _(reference: Variant) -> None:
    _value_first(reference, lambda value: value.replace("_", "") if isinstance(value, str) else value)


@mistake(
    "strings-trimmed-first",
    says='a string is trimmed before its underscores are dropped, so that " 1_0" is a float',
    op="parse_reward",
    clause="003-1.3-string-second-reading-is-int",
    why="It seems the natural order.",
    invited_by="value.strip(), ports of pydantic's reader from its description",
)
def _(reference: Variant) -> None:
    space = reference.get("cpython312.parsing.WHITE_SPACE")
    _value_first(reference, lambda value: value.strip(space) if isinstance(value, str) else value)


@mistake(
    "no-second-reading-of-strings",
    says="a string that is no float is refused, although pydantic would read it as an int",
    op="parse_reward",
    clause="003-1.3-string-second-reading-is-int",
    why="That a float field falls back to ints is in no documentation.",
    invited_by="dict[str, float] models, every float parser",
)
def _(reference: Variant) -> None:
    reference.replace("verifier_result._read_int", lambda text: None)
