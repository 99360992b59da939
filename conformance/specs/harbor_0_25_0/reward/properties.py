"""Properties of every reading of reward files since harbor 0.23.0."""

import json
from typing import Any

from conformance.drawing.rewards import KEYS, key
from conformance.drawing.source import Source
from conformance.drawing.texts import as_content, number_text
from conformance.properties.asking import Asker
from conformance.properties.registry import holds

__all__: list[str] = []

_OP = "parse_reward"
_GOOD = ("1", "0", "0.5", "-0.0", "1e308", "5e-324", "true", "false", "1" + "0" * 309)
_BAD = ("NaN", "Infinity", "-Infinity", "1e309", "-1e400", "null", '""', '"1"', '"x"', "[]", "[1]")


def _json(text: str) -> dict[str, Any]:
    return {"files": {"reward.json": as_content(text)}}


def _object(members: list[tuple[str, str]]) -> dict[str, Any]:
    return _json("{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in members) + "}")


def _among_good(source: Source, value: str) -> list[tuple[str, str]]:
    names = source.sample(KEYS, 3, 1)
    members = [(name, source.pick(_GOOD)) for name in names]
    index = source.below(len(members))
    members[index] = (members[index][0], value)
    return members


@holds("parse-reward-one-bad-value-spoils-all", lambda source: _among_good(source, source.pick(_BAD)))
def _one_bad_value_spoils_all(asker: Asker, members: Any) -> None:
    asker.refused(_OP, _object(members), "VerifierOutputParseError")


@holds("parse-reward-a-string-is-malformed", lambda source: (key(source), json.dumps(number_text(source))))
def _a_string_is_malformed(asker: Asker, member: Any) -> None:
    asker.refused(_OP, _object([member]), "VerifierOutputParseError")


@holds("parse-reward-no-object-by-its-value", lambda source: (source.below(2), source.below(9)))
def _error_of_a_non_object(asker: Asker, drawn: Any) -> None:
    bad, index = drawn
    error = "VerifierOutputParseError" if bad else "ValidationError"
    asker.refused(_OP, _json((_GOOD, _BAD)[bad][index]), error)
