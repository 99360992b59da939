"""Mistakes in what reward.json is read as: its numbers and its repeated keys."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import reward, verifier_result
from reference_impl.cpython312 import parsing

mistakes = family("parse_reward", clause="003-1.3-duplicate-keys-last-wins")
in_parse_json_int = family("parse_reward", of=parsing._parse_json_int, clause="003-1.3-int-and-float-kept")

Read = Callable[[str], Any]


def reading(reference: Variant, **options: Any) -> None:
    """Reads JSON with other options of ``json.loads``."""
    parse_int = reference.get(parsing._parse_json_int)
    reference.replace(parsing.parse_json, lambda text: json.loads(text, parse_int=parse_int, **options))


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


@mistakes.changed(clause="003-1.3-non-finite-constants", invited_by="every JSON parser but Python's, orjson")
def json_words_refused(reference: Variant) -> None:
    """NaN, Infinity and -Infinity are refused in reward.json. They are not JSON."""
    reading(reference, parse_constant=_refuse)


@mistakes.changed(
    clause="003-1.3-non-finite-constants", invited_by="text.replace('NaN', 'null'), simplejson's ignore_nan"
)
def json_words_become_null(reference: Variant) -> None:
    """NaN and the infinities in reward.json are read as null.
    The words are replaced before a strict parser gets the text."""
    reading(reference, parse_constant=lambda token: None)


@mistakes.changed(
    clause="003-1.3-non-finite-constants",
    invited_by="Rust's serde_json, Go's encoding/json, simdjson, orjson",
)
def json_overflow_refused(reference: Variant) -> None:
    """A float in reward.json that is beyond the double range is refused.
    The parser reports a number out of range."""

    def finite(token: str) -> float:
        number = float(token)
        return number if abs(number) != float("inf") else float(_refuse(token))

    reading(reference, parse_float=finite)


@in_parse_json_int.wrapped(invited_by="Rust's serde_json, Go, JavaScript, RapidJSON")
def json_minus_zero_is_float(parse: Callable[..., Any], digits: Any) -> Any:
    """-0 in reward.json is read as -0.0. No integer type can hold the sign, so a double has to."""
    return -0.0 if digits == "-0" else parse(digits)


@mistakes.changed(
    clause="003-1.3-int-and-float-kept", invited_by="tests for '.' in the token, BigDecimal's scale, YAML 1.2"
)
def json_exponent_is_int(reference: Variant) -> None:
    """A number in reward.json with an exponent but no point is read as an int if it is whole.
    The point alone is taken for the mark of a float."""

    def read(token: str) -> int | float:
        number = float(token)
        return int(number) if "." not in token and number.is_integer() else number

    reading(reference, parse_float=read)


@mistakes.changed(
    clause="003-1.3-integer-digit-limit",
    invited_by="Ruby, Java's BigInteger, JavaScript's BigInt, Python before 3.10.7",
)
def json_int_digits_unlimited(reference: Variant) -> None:
    """Ints of more than 4300 digits are accepted in reward.json. The limit is CPython's own."""
    reference.replace(parsing._parse_json_int, int)


@mistakes.changed(invited_by="simdjson's lookup, RapidJSON's FindMember, Map.putIfAbsent, jsmn")
def first_duplicate_key_wins(reference: Variant) -> None:
    """Of equal keys in reward.json the first value counts. What is there already is not replaced."""

    def first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.setdefault(key, value)
        return members

    reading(reference, object_pairs_hook=first_wins)


@mistakes.changed(invited_by="Go's encoding/json/v2, serde structs, I-JSON parsers, yamllint's habits")
def duplicate_keys_refused(reference: Variant) -> None:
    """A reward.json in which a key comes again is refused. The strict reading of RFC 8259."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        return members if len(members) == len(pairs) else dict(_refuse("a duplicate key"))

    reading(reference, object_pairs_hook=unique)


@mistakes.changed(
    clause="003-1.3-key-order",
    invited_by="OrderedDict with move_to_end, Ruby's delete and insert, association lists",
)
def duplicate_key_moves_last(reference: Variant) -> None:
    """A key that comes again in reward.json takes its last place.
    The old entry is removed and the new one appended."""

    def moved(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.pop(key, None)
            members[key] = value
        return members

    reading(reference, object_pairs_hook=moved)


@mistakes.changed(invited_by="streaming deserialisers: serde, Jackson, msgspec")
def overwritten_values_validated(reference: Variant) -> None:
    """A value that a later equal key replaces is validated all the same.
    Values are converted while the text is parsed."""
    result = reference.its(verifier_result)

    def around(parse: Read) -> Read:
        def checking(text: str) -> Any:
            value = parse(text)
            if isinstance(value, dict) and len(text) < 1000:
                for key, item in json.loads(text, object_pairs_hook=_Pairs).pairs:
                    result._validate_reward(key, None if isinstance(item, _Pairs) else item)
            return value

        return checking

    reference.wrap((reward, parsing.parse_json), around)


class _Pairs:
    """An object as its members, duplicates and all."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs
