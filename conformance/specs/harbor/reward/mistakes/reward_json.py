"""Mistakes in what reward.json is read as: its numbers and its repeated keys."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

Read = Callable[[str], Any]


def reading(reference: Variant, **options: Any) -> None:
    """Reads JSON with other options of ``json.loads``."""
    parse_int = reference.get("cpython312.parsing._parse_json_int")
    reference.replace(
        "cpython312.parsing.parse_json", lambda text: json.loads(text, parse_int=parse_int, **options)
    )


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


@mistake(
    "json-words-refused",
    says="NaN, Infinity and -Infinity are refused in reward.json",
    op="parse_reward",
    clause="003-1.3-non-finite-constants",
    why="They are not JSON.",
    invited_by="every JSON parser but Python's, orjson",
)
def _(reference: Variant) -> None:
    reading(reference, parse_constant=_refuse)


@mistake(
    "json-words-become-null",
    says="NaN and the infinities in reward.json are read as null",
    op="parse_reward",
    clause="003-1.3-non-finite-constants",
    why="The words are replaced before a strict parser gets the text.",
    invited_by="text.replace('NaN', 'null'), simplejson's ignore_nan",
)
def _(reference: Variant) -> None:
    reading(reference, parse_constant=lambda token: None)


@mistake(
    "json-overflow-refused",
    says="a float in reward.json that is beyond the double range is refused",
    op="parse_reward",
    clause="003-1.3-non-finite-constants",
    why="The parser reports a number out of range.",
    invited_by="Rust's serde_json, Go's encoding/json, simdjson, orjson",
)
def _(reference: Variant) -> None:
    def finite(token: str) -> float:
        number = float(token)
        return number if abs(number) != float("inf") else float(_refuse(token))

    reading(reference, parse_float=finite)


@mistake(
    "json-minus-zero-is-float",
    says="-0 in reward.json is read as -0.0",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="No integer type can hold the sign, so a double has to.",
    invited_by="Rust's serde_json, Go, JavaScript, RapidJSON",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "cpython312.parsing._parse_json_int",
        lambda parse: lambda digits: -0.0 if digits == "-0" else parse(digits),
    )


@mistake(
    "json-exponent-is-int",
    says="a number in reward.json with an exponent but no point is read as an int if it is whole",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="The point alone is taken for the mark of a float.",
    invited_by="tests for '.' in the token, BigDecimal's scale, YAML 1.2",
)
def _(reference: Variant) -> None:
    def read(token: str) -> int | float:
        number = float(token)
        return int(number) if "." not in token and number.is_integer() else number

    reading(reference, parse_float=read)


@mistake(
    "json-int-digits-unlimited",
    says="ints of more than 4300 digits are accepted in reward.json",
    op="parse_reward",
    clause="003-1.3-integer-digit-limit",
    why="The limit is CPython's own.",
    invited_by="Ruby, Java's BigInteger, JavaScript's BigInt, Python before 3.10.7",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.parsing._parse_json_int", int)


@mistake(
    "first-duplicate-key-wins",
    says="of equal keys in reward.json the first value counts",
    op="parse_reward",
    clause="003-1.3-duplicate-keys-last-wins",
    why="What is there already is not replaced.",
    invited_by="simdjson's lookup, RapidJSON's FindMember, Map.putIfAbsent, jsmn",
)
def _(reference: Variant) -> None:
    def first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.setdefault(key, value)
        return members

    reading(reference, object_pairs_hook=first_wins)


@mistake(
    "duplicate-keys-refused",
    says="a reward.json in which a key comes again is refused",
    op="parse_reward",
    clause="003-1.3-duplicate-keys-last-wins",
    why="The strict reading of RFC 8259.",
    invited_by="Go's encoding/json/v2, serde structs, I-JSON parsers, yamllint's habits",
)
def _(reference: Variant) -> None:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        return members if len(members) == len(pairs) else dict(_refuse("a duplicate key"))

    reading(reference, object_pairs_hook=unique)


@mistake(
    "duplicate-key-moves-last",
    says="a key that comes again in reward.json takes its last place",
    op="parse_reward",
    clause="003-1.3-key-order",
    why="The old entry is removed and the new one appended.",
    invited_by="OrderedDict with move_to_end, Ruby's delete and insert, association lists",
)
def _(reference: Variant) -> None:
    def moved(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.pop(key, None)
            members[key] = value
        return members

    reading(reference, object_pairs_hook=moved)


@mistake(
    "overwritten-values-validated",
    says="a value that a later equal key replaces is validated all the same",
    op="parse_reward",
    clause="003-1.3-duplicate-keys-last-wins",
    why="Values are converted while the text is parsed.",
    invited_by="streaming deserialisers: serde, Jackson, msgspec",
)
def _(reference: Variant) -> None:
    result = reference.module("verifier_result")

    def around(parse: Read) -> Read:
        def checking(text: str) -> Any:
            value = parse(text)
            if isinstance(value, dict) and len(text) < 1000:
                for key, item in json.loads(text, object_pairs_hook=_Pairs).pairs:
                    result._validate_reward(key, None if isinstance(item, _Pairs) else item)
            return value

        return checking

    reference.wrap("reward.parse_json", around)


class _Pairs:
    """An object as its members, duplicates and all."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs
