"""Random reward files with many values at the border of finite numbers."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.files import json_object, reward_files, valid_members
from conformance.drawing.rewards import KEYS
from conformance.drawing.source import Draw, Source
from conformance.drawing.texts import as_content, content

__all__ = ["INPUTS"]

_FINITE = (
    *("1", "0", "0.5", "-0.0", "-0", "1e308", "-1e308", "1.7976931348623157e308", "1.7976931348623158e308"),
    *("5e-324", "1e-400", "true", "false", "9007199254740993", "1" + "0" * 309, "-1" + "0" * 400),
)
_NOT_FINITE = (
    *("NaN", "Infinity", "-Infinity", "1e309", "-1e309", "1e400", "1.7976931348623159e308"),
    *("1" + "0" * 309 + ".0", "null", '""', '"1"', '"0.5"', '"NaN"', '"true"', '"x"', "[]", "[1]", "[[1]]"),
    *("{}", '{"reward": 1}'),
)
_TEXTS = (
    *("1", "0", "0.5\n", "-0.0", "1e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e-400"),
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", " infinity\n", "1e309", "-1e400", "true", "null"),
    "1" + "0" * 309,
)


def _value(source: Source) -> str:
    return source.pick(_NOT_FINITE if source.chance(30) else _FINITE)


def _border(source: Source) -> dict[str, Any]:
    """One file, or both, near the border."""
    kind = source.below(10)
    if kind < 3:
        return {"reward.txt": content(source, source.pick(_TEXTS))}
    if kind == 3:
        return {"reward.json": as_content(_value(source))}
    if kind < 6:
        # one unusual value among values that were always valid
        members = [*valid_members(source), (source.pick(KEYS), _value(source))]
    else:
        members = [(source.pick(KEYS), _value(source)) for _ in range(source.between(1, 3))]
    files = {"reward.json": as_content(json_object(source, members))}
    if kind == 9:
        files["reward.txt"] = as_content(source.pick(_TEXTS))
    return files


def _parse_reward(source: Source) -> Any:
    return {"files": _border(source) if source.below(2) else reward_files(source)}


INPUTS: Mapping[str, Draw[Any]] = {"parse_reward": _parse_reward}
"""An input for every op of the section that is drawn differently."""
