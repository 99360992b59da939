"""Mistakes in what a reward may be: types, strings, null, other shapes."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl import verifier_result
from reference_impl.cpython312 import parsing
from reference_impl.runner import wire

mistakes = family("parse_reward")
in_read_int = family("parse_reward", of=verifier_result._read_int)
ValidateOne = Callable[[str, Any], Any]


@way("parse_reward", clause="003-1.3-numeric-string-becomes-float")
def value_first(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes each value before it is validated."""
    reference.wrap(
        verifier_result._validate_reward, lambda validate: lambda key, value: validate(key, change(value))
    )


@family("parse_reward", clause="003-1.3-bool-becomes-float").each(
    Case(
        "booleans-kept",
        "true and false stay booleans",
        "The document says that the types of values are not checked.",
        "json.loads without a model, the document's section 1.3",
        bool,
    ),
    Case(
        "strings-kept",
        "numeric strings stay strings",
        "The document says that the types of values are not checked.",
        "json.loads without a model, the document's section 1.3",
        str,
        clause="003-1.3-numeric-string-becomes-float",
    ),
)
def keep(reference: Variant, kept: type) -> None:
    """Values of this type are not looked at."""

    def around(validate: ValidateOne) -> ValidateOne:
        return lambda key, value: value if isinstance(value, kept) else validate(key, value)

    reference.wrap(verifier_result._validate_reward, around)
    reference.wrap(
        wire.encode_number,
        lambda encode: lambda number: number if isinstance(number, kept) else encode(number),
    )


@value_first.made(clause="003-1.3-bool-becomes-float", invited_by="Python's int(True), C, SQL, PHP")
def booleans_become_ints(value: Any) -> Any:
    """True and false become the ints 1 and 0. That is what they are worth."""
    return int(value) if isinstance(value, bool) else value


@value_first.made(
    clause="003-1.3-bool-becomes-float",
    invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number",
)
def booleans_refused(value: Any) -> Any:
    """True and false are refused as rewards. They are no numbers."""
    return None if isinstance(value, bool) else value


@value_first.made(invited_by="serde, Go's float64 fields, pydantic's strict mode, JSON Schema's number")
def numeric_strings_refused(value: Any) -> Any:
    """Numeric strings are refused as rewards. They are no numbers."""
    return None if isinstance(value, str) else value


@value_first.made(invited_by="literal readers, YAML, pydantic's smart unions")
def whole_strings_become_ints(value: Any) -> Any:
    """Strings that spell a whole number become ints. int() is tried before float()."""
    if isinstance(value, str) and value.isascii() and value.lstrip("+-").isdigit() and len(value) < 4300:
        return int(value) if value[0] not in "+-" or value[1] not in "+-" else value
    return value


@way("parse_reward", clause="003-1.3-numeric-string-becomes-float")
def read_strings(reference: Variant, read: Callable[[str], float]) -> None:
    """Reads strings by ``read``, which raises ValueError for what is no number."""

    def change(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return read(value)
        except ValueError:
            return None

    value_first(reference, change)


@mistakes.changed(
    clause="003-1.3-string-underscores", invited_by="float(value), reading strings like reward.txt"
)
def strings_read_by_python(reference: Variant) -> None:
    """Strings are read by Python's float(): Arabic digits are accepted, 1e_5 is refused.
    pydantic's own reader, written in Rust, is taken for Python's."""
    read_strings(reference, reference.its(parsing.parse_float))


@read_strings.made(invited_by="serde_json::from_str, JSON.parse, Jackson's coercion")
def strings_read_as_json(reference: Variant, text: str) -> float:
    """Strings are read as JSON numbers: "1" is the int 1, "+1" and " .5" are refused.
    A number in a string looks like JSON in a string."""
    value = reference.its(parsing.parse_json)(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("no number")
    return value


@value_first.made(clause="003-1.3-other-string-refused", invited_by="JavaScript's Number(''), PHP, awk")
def blank_strings_are_zero(value: Any) -> Any:
    """An empty or blank string is the reward 0.0. The number of an empty string is 0."""
    return "0" if isinstance(value, str) and not value.strip() else value


@in_read_int.wrapped(
    clause="003-1.3-other-string-refused", invited_by="Ruby's to_f, PHP's casts, C's atof, unwrap_or(0.0)"
)
def other_strings_are_zero(read: Callable[[str], int | None], text: str) -> int | float | None:
    """A string that is no number is the reward 0.0. Conversion never fails there."""
    number = read(text)
    return 0.0 if number is None else number


@value_first.made(invited_by="grammars of digits, Number.isFinite, parsers without words")
def string_words_refused(value: Any) -> Any:
    """The strings inf, infinity and nan are refused as rewards. They are words, not digits."""
    return None if isinstance(value, str) and "n" in value.lower() else value


@value_first.made(invited_by="Rust's parse::<f64>(), Go's strconv.ParseFloat")
def string_space_refused(value: Any) -> Any:
    """White space around a number in a string is refused. The parser takes the number alone."""
    return None if isinstance(value, str) and value != value.strip() else value


@value_first.made(
    clause="003-1.3-string-underscores", invited_by="Rust's parse::<f64>(), Go, JavaScript, Java"
)
def string_underscores_refused(value: Any) -> Any:
    """Underscores are refused in a number in a string. Hardly any float parser knows them."""
    return None if isinstance(value, str) and "_" in value else value


@value_first.made(clause="003-1.3-string-underscores", invited_by="value.replace('_', '')")
def string_underscores_deleted(value: Any) -> Any:
    """All underscores in a number in a string are dropped, wherever they stand.
    It is the shortest way to accept them."""
    return value.replace("_", "") if isinstance(value, str) else value


@mistakes.changed(
    clause="003-1.3-string-second-reading-is-int",
    invited_by="value.strip(), ports of pydantic's reader from its description",
)
def strings_trimmed_first(reference: Variant) -> None:
    """A string is trimmed before its underscores are dropped, so that " 1_0" is a float.
    It seems the natural order."""
    space = reference.get((parsing, "WHITE_SPACE"))
    value_first(reference, lambda value: value.strip(space) if isinstance(value, str) else value)


@in_read_int.replaced(
    clause="003-1.3-string-second-reading-is-int", invited_by="dict[str, float] models, every float parser"
)
def no_second_reading_of_strings(text: Any) -> Any:
    """A string that is no float is refused, although pydantic would read it as an int.
    That a float field falls back to ints is in no documentation."""
    return None
