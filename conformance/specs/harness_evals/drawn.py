"""Random parts of harness-evals inputs: values, thresholds, metadata, scores, a metric's behaviour."""

import json
from typing import Any

from conformance.drawing.source import Source

__all__ = [
    "AMOUNT_TEXTS",
    "BORDER",
    "DIMENSIONS",
    "ODD",
    "TEXTS",
    "UNIT",
    "amount",
    "dimension",
    "does",
    "metadata",
    "name",
    "plain",
    "plain_score",
    "plain_threshold",
    "plain_value",
    "runs",
    "score",
    "text",
    "threshold",
    "unit",
    "value",
]

UNIT: tuple[Any, ...] = (0.0, 1.0, 0.5, 0.1, 0.2, 0.3, 0.7, 1 / 3, 2 / 3, 0.8, 0.99995, 0.12345, -0.0, 0, 1)
"""Values that a score may have."""
BORDER: tuple[Any, ...] = (1.000001, 1.0000010000000001, 1.0000009, 1.0000000000000002, 1.0000011, -1e-6)
BORDER += (-1.0000000000000002e-06, -1e-7, -5e-324, 5e-324, 0.9999999999999999)
"""Values at the border of what is moved into the range."""
_OUTSIDE: tuple[Any, ...] = (2, -1, 1.5, 100.0, "NaN", "Infinity", "-Infinity", 10**30, 10**400, 1e308)
ODD: tuple[Any, ...] = (None, True, False, {"text": "0.5"}, {"text": ""}, {"json": "[1.0]"}, {"json": "{}"})
"""Values that are not numbers."""
_AMOUNTS: tuple[Any, ...] = (0, 1, 3, 5, 7, 100, 2000, 2500, 4999.5, 5000, 5000.1, 0.01, 0.1, 1e-9, -1, -0.5)
_AMOUNTS += (-0.0, 2.9, 1e300, 2**63, 10**400, "NaN", "Infinity", "-Infinity", 1 / 3)
AMOUNT_TEXTS = ("12", "12.5", " 7 ", "1_0", "1e3", "-3", "abc", "", "nan", "inf", "0x10")
"""Texts in place of an expected amount."""
_NAMES = ("m", "m", "n", "latency", "pii", "", "é", "名前", "a b", '"', "safety")
TEXTS = ("", "ok", "line\nbreak", "é", "名", "\U0001f600", '"quoted"', "a\\b", "\x7f", "tab\t", "None")
"""Natural-language texts."""
DIMENSIONS = ("correctness", "groundedness", "safety", "trajectory", "performance")
"""The five dimensions."""
_DIMENSIONS = (*DIMENSIONS, *DIMENSIONS, "Safety", "", None, "security")
_MEMBERS = ("CORRECTNESS", "SAFETY", "PERFORMANCE", "safety", "QUALITY")
_NO_DIMENSIONS: tuple[Any, ...] = ({"text": "safety"}, "SAFETY", "quality", "")
_KEYS = ("dimension", "a", "b", "é", "raw", "nested", "10", "9")
_RAISES: tuple[str, ...] = (
    "ValueError",
    "KeyError",
    "TypeError",
    "RuntimeError",
    "AttributeError",
    "AssertionError",
)
_RAISES += ("ZeroDivisionError", "KeyboardInterrupt", "SystemExit")
_MESSAGES = ("", "boom", "two\nlines", "latency_ms", "it's", 'say "no"')
_TIMES: tuple[str, ...] = ("2026-01-02T03:04:05.000000+00:00", "2026-01-02T03:04:05.678900+00:00")
_TIMES += (
    "1999-12-31T23:59:59.999999+05:30",
    "2024-02-29T00:00:00.000000",
    "2024-02-29T00:00:00.000001-08:00",
)
_PLAIN: tuple[Any, ...] = (None, True, False, 1, 1.0, 0.1, -0.0, 1e16, 1e22, 2**64, 5e-324)
_DURATIONS = (None, None, 0, 0.0, 1.5, 12, 1e22, "NaN")
_PLAIN_UNITS: tuple[Any, ...] = (*UNIT, 0.9999999999999999, 5e-324)
_PLAIN_THRESHOLDS: tuple[Any, ...] = (*(_PLAIN_UNITS * 2), 2, -1, 1.5, "NaN", "Infinity", "-Infinity", 10**30)
_PLAIN_METADATA = (None, None, {"text": '{"raw": 12.5}'}, {"text": '{"b": [1, 1.0], "a": null}'})


def name(source: Source) -> str:
    """A metric's name."""
    return source.pick(_NAMES)


def text(source: Source) -> str | None:
    """A natural-language text, or none."""
    return source.pick((None, *TEXTS))


def unit(source: Source) -> Any:
    """A valid value of a score."""
    return source.below(2**53) / 2**53 if source.chance(30) else source.pick(UNIT)


def plain_value(source: Source) -> Any:
    """A valid value of a score, from a table."""
    return source.pick(_PLAIN_UNITS)


def value(source: Source, odd: int = 15) -> Any:
    """A value; ``odd`` percent of the values are not numbers."""
    drawn = 99 - source.below(100)
    if drawn < odd:
        return source.pick(ODD)
    if drawn < odd + 15:
        return source.pick(BORDER)
    return source.pick(_OUTSIDE) if drawn < odd + 30 else unit(source)


def threshold(source: Source) -> Any:
    """A threshold, occasionally outside of the range of values."""
    return source.pick((*UNIT, *_OUTSIDE)) if source.chance(30) else source.pick(UNIT)


def plain_threshold(source: Source) -> Any:
    """A threshold that ``float`` accepts."""
    return source.pick(_PLAIN_THRESHOLDS)


def plain(source: Source, depth: int = 0) -> Any:
    """A JSON value, without NaN."""
    drawn = 99 - source.below(100)
    if drawn < 15 and depth < 3:
        return [plain(source, depth + 1) for _ in range(source.below(4))]
    if drawn < 30 and depth < 3:
        return {source.pick(_KEYS): plain(source, depth + 1) for _ in range(source.below(4))}
    return source.pick((*TEXTS, "\ud800")) if drawn < 60 else source.pick(_PLAIN)


def metadata(source: Source) -> Any:
    """A score's metadata, as file content, or none."""
    kind = source.below(100)
    if kind < 50:
        return None
    members: Any = plain(source, 3) if kind >= 97 else {}
    if isinstance(members, dict):
        for _ in range(source.below(4)):
            members[source.pick(_KEYS)] = plain(source)
        if kind % 2:
            members["dimension"] = source.pick(_DIMENSIONS)
    return {"text": json.dumps(members)}


def score(source: Source, odd: int = 15) -> dict[str, Any]:
    """The arguments of a score; ``odd`` percent of the values are not numbers."""
    return {
        "name": name(source),
        "value": value(source, odd),
        "threshold": source.pick(ODD) if odd and source.chance(odd // 4) else threshold(source),
        "reason": text(source),
        "metadata": metadata(source),
        "scoring_duration_ms": source.pick(_DURATIONS),
        "created_at": source.pick(_TIMES),
        "clamped": source.chance(30),
        "passed": bool(source.below(2)) if odd and source.chance(odd // 4) else None,
    }


def plain_score(source: Source) -> dict[str, Any]:
    """The arguments of a score, all of them valid."""
    return {
        "name": name(source),
        "value": plain_value(source),
        "threshold": plain_threshold(source),
        "reason": source.pick((None, "", "ok", "é")),
        "metadata": source.pick(_PLAIN_METADATA),
        "scoring_duration_ms": source.pick((None, 0, 1.5)),
        "created_at": "2026-01-02T03:04:05.678900+00:00",
        "clamped": False,
        "passed": None,
    }


def dimension(source: Source) -> Any:
    """An argument for a dimension."""
    drawn = source.below(20)
    if drawn < 18:
        return source.pick(DIMENSIONS)
    return {"member": source.pick(_MEMBERS)} if drawn == 18 else source.pick(_NO_DIMENSIONS)


def does(source: Source) -> Any:
    """A metric's behaviour when it measures."""
    drawn = 99 - source.below(100)
    if drawn < 15:
        return {"raises": {"type": source.pick(_RAISES), "message": source.pick(_MESSAGES)}}
    if drawn < 25:
        return {"returns": None}
    if drawn < 28:
        return {"returns": value(source, 50)}
    return {
        "score": {
            "name": name(source) if source.chance(20) else None,
            "value": value(source, 5),
            "threshold": threshold(source) if source.chance(20) else None,
            "reason": text(source),
            "metadata": metadata(source),
            "clamped": source.chance(20),
            "passed": bool(source.below(2)) if source.chance(10) else None,
        }
    }


def runs(source: Source) -> Any:
    """The outputs of several runs, or none."""
    if source.chance(10):
        return None
    return [source.pick(("a", "b", "A", "é", "")) for _ in range((0, 1, 1, 2, 3, 5, 7)[source.below(7)])]


def amount(source: Source) -> Any:
    """An argument for an amount of time, tokens or money."""
    drawn = source.below(50)
    if drawn >= 40:
        return None
    if drawn >= 35:
        return {"text": source.pick(AMOUNT_TEXTS)}
    return source.pick(ODD) if drawn >= 33 else source.pick(_AMOUNTS)
