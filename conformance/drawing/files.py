"""Random reward files, valid and invalid."""

import json
from typing import Any

from conformance.drawing.numbers import finite, number
from conformance.drawing.rewards import KEYS, key
from conformance.drawing.source import Source
from conformance.drawing.texts import (
    as_content,
    content,
    json_text,
    json_value,
    mutated,
    number_text,
    reward_text,
)
from conformance.wire.numbers import spell

__all__ = [
    "JSON_SPACE",
    "json_object",
    "json_value_text",
    "reward_files",
    "reward_json_text",
    "valid_members",
    "valid_value",
]

JSON_SPACE = ("", " ", "\n", "\t", "\r\n", "\n    ")
"""What may appear between the tokens of JSON."""
_VALID = (
    *("true", "false", '"nan"', '" 2 "', '"1_000"', '"0-1"', '"0__1"', "-0", "-0.0", "1E5", "0e9"),
    *('"1e400"',),
)
_ODD = ("null", "[]", "{}", '""', '"x"', "[1]", '{"k": 1}', "01", "+1", ".5", "1.", "nan", "'1'", "1e400")


def valid_value(source: Source) -> str:
    """The JSON text of a value that a reward.json may hold."""
    kind = source.below(3)
    if kind == 0:
        value = number(source)
        return value if isinstance(value, str) else json.dumps(value)
    return json.dumps(str(spell(finite(source)))) if kind == 1 else source.pick(_VALID)


def json_value_text(source: Source) -> str:
    """The JSON text of a value, valid or invalid in a reward.json."""
    kind = source.below(4)
    if kind < 2:
        return valid_value(source)
    return json.dumps(number_text(source)) if kind == 2 else source.pick(_ODD)


def valid_members(source: Source, least: int = 1, most: int = 3) -> list[tuple[str, str]]:
    """Distinct keys with JSON texts of rewards."""
    names = dict.fromkeys(source.pick(KEYS) for _ in range(source.between(least, most)))
    further = iter(KEYS)
    while len(names) < least:
        names[next(further)] = None
    return [(name, valid_value(source)) for name in names]


def json_object(source: Source, members: list[tuple[str, str]]) -> str:
    """The JSON object of such members, spaced and escaped in some way."""
    style = source.below(10)
    ascii_only = style % 2 == 0

    def gap() -> str:
        return source.pick(JSON_SPACE) if style >= 8 else ""

    written = [
        f"{gap()}{json.dumps(name, ensure_ascii=ascii_only)}{gap()}:{gap()}{value}{gap()}"
        for name, value in members
    ]
    return "{" + ",".join(written) + "}"


def reward_json_text(source: Source) -> str:
    """The text of a reward.json: mostly an object of numbers, sometimes with duplicate keys."""
    kind = source.below(10)
    if kind < 3:
        return json_object(source, valid_members(source))
    if kind < 5:
        members = source.times(4, lambda source: (key(source), json_value_text(source)))
        return mutated(source, json_object(source, members))
    if kind == 9:
        odd = json_value_text(source) if source.below(2) else json_text(source, json_value(source))
        return mutated(source, odd)
    mostly = (100, 90, 70, 30, 0)[source.below(5)]

    def reward() -> Any:
        return number(source) if mostly and not source.chance(100 - mostly) else json_value(source)

    return mutated(source, json_text(source, {key(source): reward() for _ in range(source.below(3) + 1)}))


def reward_files(source: Source) -> dict[str, Any]:
    """The files of one verifier: one, both or none."""
    kind = source.below(100)
    files: dict[str, Any] = {}
    if kind < 50 or 92 < kind < 97:
        text = as_content("") if source.chance(6) else content(source, reward_text(source))
        files["reward.txt"] = text
    if 50 <= kind < 97:
        text = as_content("") if source.chance(6) else content(source, reward_json_text(source))
        files["reward.json"] = text
    return files
