"""Small changes to an op's input: other numbers, items dropped, repeated or swapped, keys renamed.

Changed parts are copied; the given input is not modified. Every result has the op's shape, and respects the
constraints in its schema's descriptions (``Op.changing``).
"""

import base64
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from conformance.drawing.numbers import integer, number
from conformance.drawing.rewards import KEYS
from conformance.drawing.source import Source
from conformance.drawing.texts import altered, content, content_of, number_text, reward_text
from conformance.registry.ops import OPS
from conformance.suite import shapes
from conformance.wire.numbers import spell

__all__ = ["Changer"]

_MOST_ITEMS = 80
"""The longest list that a change may produce."""
_MOST_NESTING = 400
"""The most brackets in a text, as interpreters differ above 500 levels."""
_NON_FINITE = ("NaN", "Infinity", "-Infinity")
_MOMENT = "2026-03-01T00:00:00.120000Z"
"""The default for a text with a pattern, which is always a time."""
_SCORED = "2026-03-01T00:00:00.120000+00:00"
"""The time of a score, whose pattern does not allow Z."""
_SURVIVED = (0, 2, -1, 0.285, 1e-7, 1e-10, 123456.789, 2**53 + 1, 1e308, 1.0)
"""Numbers that reveal mistakes that vectors once missed: zero as null, rounding, percentages, ints as
doubles."""
_FORMS = (" ", " {} ", "{}/", "{}:b", "{}@1.0", "{}@1.0@2", "{}E\u0301", "ß\u0323{}", "{}" + "x" * 70)
"""Texts that reveal trimming, cutting at a character or a length, and normalization."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity", '""', "[]", "{}", '"1"', "0", "1.0")


class Changer:
    """Makes small random changes, drawn from a source."""

    def __init__(self, source: Source) -> None:
        self._draw = source

    def change(self, op: str, input_: Any) -> Any:
        """The input with one to three small changes."""
        shape = shapes.shape_of(op)
        for _ in range(self._draw.pick((1, 1, 1, 2, 3))):
            changed = self._changed(shape, input_)
            input_ = changed if OPS[op].changing.sensible(changed, input_) else input_
        return OPS[op].changing.repair(input_)

    def _changed(self, shape: shapes.Shape, value: Any) -> Any:
        match shape:
            case shapes.AnyOf(options):
                return self._other_choice(options, value)
            case shapes.Fixed(options):
                return self._draw.pick(options)
            case shapes.Number():
                return self._number(shape, value)
            case shapes.Text():
                return self._text(shape, value)
            case shapes.Content():
                return self._content(value)
            case shapes.ListOf(item):
                return self._list(item, value)
            case shapes.Pair(items):
                return self._with_one_changed(items, value)
            case shapes.MapOf(inner):
                return self._map(inner, value)
            case shapes.Record(members, optional):
                return self._record(members, optional, value)

    def _other_choice(self, options: tuple[shapes.Shape, ...], value: Any) -> Any:
        held = [option for option in options if shapes.takes(option, value)]
        if len(held) > 1:
            held = [option for option in held if shapes.fits(option, value)] or held
        if self._draw.chance(15 if value is not None else 70):
            return self._fresh(self._draw.pick(options))
        return self._changed(held[0], value)

    def _fresh(self, shape: shapes.Shape) -> Any:
        """A new value of that shape."""
        draw = self._draw
        match shape:
            case shapes.AnyOf(options):
                return self._fresh(draw.pick(options))
            case shapes.Fixed(options):
                return draw.pick(options)
            case shapes.Number(whole, low, high):
                return self._within(integer(draw), low, high) if whole else number(draw)
            case shapes.Text(min_length, pattern, kept):
                if kept:
                    return draw.pick(("RuntimeError", "AgentTimeoutError", "CancelledError"))
                if pattern is not None:
                    return _MOMENT if pattern.search(_MOMENT) else _SCORED
                return draw.pick(KEYS) or "a" * min_length
            case shapes.Content():
                return content(draw, reward_text(draw))
            case shapes.Pair(items):
                return [self._fresh(item) for item in items]
            case shapes.ListOf(item):
                return [self._fresh(item) for _ in range(draw.pick((0, 1, 2)))]
            case shapes.MapOf(inner):
                return {draw.pick(KEYS): self._fresh(inner) for _ in range(draw.pick((0, 1, 1, 2)))}
            case shapes.Record(members, optional):
                return {
                    key: self._fresh(part)
                    for key, part in members.items()
                    if key not in optional or draw.chance(50)
                }

    @staticmethod
    def _within(value: int, low: int | None, high: int | None) -> int:
        if low is not None and high is not None and not low <= value <= high:
            return low + value % (high - low + 1)
        return value

    def _number(self, shape: shapes.Number, value: Any) -> Any:
        """A nearby number, an edge case, or the same number with another spelling or type."""
        if isinstance(value, str):
            return self._fresh(shape)
        if shape.whole:
            by = self._draw.pick((-1, 1, 2, -2, 10)) if self._draw.chance(60) else None
            return self._within(self._fresh(shape) if by is None else value + by, shape.low, shape.high)
        kind = self._draw.pick(("near", "near", "edge", "edge", "type", "scale", "sign", "round"))
        try:
            changed = self._near(kind, value)
        except (OverflowError, ValueError):
            return self._fresh(shape)
        return spell(changed) if isinstance(changed, float) and not math.isfinite(changed) else changed

    def _near(self, kind: str, value: int | float) -> Any:
        draw = self._draw
        if kind == "edge":
            return draw.pick(_SURVIVED) if draw.chance(40) else number(draw)
        if kind == "near":
            if isinstance(value, int):
                return value + draw.pick((-2, -1, 1, 2))
            return math.nextafter(value, draw.pick((-math.inf, math.inf)))
        if kind == "type":
            return float(value) if isinstance(value, int) else int(value)
        if kind == "scale":
            factor = draw.pick((2, 3, 10, 0.1, 0.5))
            return value * factor if abs(value) < 10**300 else value
        return -value if kind == "sign" else round(value, draw.pick((0, 1, 2)))

    def _text(self, shape: shapes.Text, value: str) -> str:
        if shape.kept or shape.pattern is not None:
            return value
        changed = self._letters(value)
        return changed if len(changed) >= shape.min_length else value

    def _letters(self, text: str) -> str:
        """The text with a slice dropped or repeated, or with characters inserted."""
        draw = self._draw
        kind = draw.pick(("mutate", "mutate", "drop", "repeat", "case", "space", "swap", "form"))
        begin, end = sorted((draw.below(len(text) + 1), draw.below(len(text) + 1)))
        end = min(end, begin + 40)
        if kind == "drop":
            return text[:begin] + text[end:]
        if kind == "repeat":
            return text[:end] + text[begin:end] + text[end:]
        if kind == "case":
            return text[:begin] + text[begin:end].swapcase().upper() + text[end:]
        if kind == "space":
            space: str = draw.pick((" ", "\t", "\n", "\x0b", "\x85", "\u2003"))
            return text[:begin] + space + text[begin:]
        if kind == "swap":
            return text[:begin] + text[begin:end][::-1] + text[end:]
        if kind == "form":
            form: str = draw.pick(_FORMS)
            return form.format(text)
        return altered(draw, text)

    def _content(self, value: dict[str, str]) -> dict[str, str]:
        if "text" not in value:
            written = bytearray(base64.b64decode(value["base64"]))
            if written:
                written[self._draw.below(len(written))] = self._draw.below(256)
            return content_of(bytes(written))
        text, draw = value["text"], self._draw
        share = draw.below(10)
        if share < 4:
            text = self._replaced(
                _NUMBER, text, lambda old: number_text(draw) if draw.chance(30) else self._near_text(old)
            )
        elif share < 6:
            text = self._replaced(_WORD if draw.chance(50) else _NUMBER, text, lambda _: draw.pick(_WORDS))
        else:
            text = self._letters(text)
        if text.count("[") + text.count("{") > _MOST_NESTING:
            return value
        return content(draw, text)

    def _replaced(self, pattern: re.Pattern[str], text: str, by: Callable[[str], str]) -> str:
        """The text with one match replaced, or with a letter changed if nothing matches."""
        matches = list(pattern.finditer(text[:4000]))
        if not matches:
            return self._letters(text)
        match = self._draw.pick(matches)
        return text[: match.start()] + by(match[0]) + text[match.end() :]

    def _near_text(self, old: str) -> str:
        if len(old) > 40:
            return old
        value = float(old) if any(mark in old for mark in ".eE") else int(old)
        return str(spell(self._number(shapes.Number(False), value) if abs(value) != math.inf else 1))

    def _with_one_changed(self, items: Sequence[shapes.Shape], value: list[Any]) -> list[Any]:
        index = self._draw.below(len(value))
        return [*value[:index], self._changed(items[index], value[index]), *value[index + 1 :]]

    def _list(self, item: shapes.Shape, value: list[Any]) -> list[Any]:
        draw = self._draw
        if value and draw.chance(55):
            return self._with_one_changed([item] * len(value), value)
        kind = draw.pick(("drop", "repeat", "swap", "reverse", "cut", "grow", "sort"))
        if kind == "grow" or not value:
            return [*value, self._fresh_like(item, value)] if len(value) < _MOST_ITEMS else value
        index, target = draw.below(len(value)), draw.below(len(value))
        if kind == "drop":
            return [*value[:index], *value[index + 1 :]]
        if kind == "repeat":
            copies = [value[index]] * draw.pick((1, 1, 2, 5))
            return [*value[:target], *copies, *value[target:]] if len(value) < _MOST_ITEMS else value
        if kind == "cut":
            return value[min(index, target) : max(index, target) + 1]
        if kind == "reverse":
            return value[::-1]
        if kind == "sort":
            return sorted(value, key=repr)
        changed = list(value)
        changed[index], changed[target] = changed[target], changed[index]
        return changed

    def _fresh_like(self, item: shapes.Shape, value: list[Any]) -> Any:
        """A changed copy of an existing item, if there is one: generated items are mostly unrealistic."""
        if value and (isinstance(item, shapes.Record) or self._draw.chance(50)):
            return self._changed(item, self._draw.pick(value))
        return self._fresh(item)

    def _map(self, inner: shapes.Shape, value: dict[str, Any]) -> dict[str, Any]:
        draw = self._draw
        keys = list(value)
        if keys and draw.chance(60):
            key = draw.pick(keys)
            return value | {key: self._changed(inner, value[key])}
        kind = draw.pick(("add", "drop", "rename", "reverse"))
        if kind == "add" or not keys:
            new = draw.pick(KEYS)
            return value | {new: self._changed(inner, value[draw.pick(keys)]) if keys else self._fresh(inner)}
        key = draw.pick(keys)
        if kind == "drop":
            return {name: item for name, item in value.items() if name != key}
        if kind == "rename":
            new = draw.pick(KEYS) if draw.chance(60) else altered(draw, key)
            return {new if name == key else name: item for name, item in value.items()}
        return dict(reversed(value.items()))

    def _record(
        self, members: dict[str, shapes.Shape], optional: frozenset[str], value: dict[str, Any]
    ) -> dict[str, Any]:
        draw = self._draw
        if optional and draw.chance(8):
            key = draw.pick(sorted(optional))
            if key in value:
                return {name: item for name, item in value.items() if name != key}
            return value | {key: self._fresh(members[key])}
        keys = [key for key in members if key in value]
        if not keys:
            return value
        whole = [key for key in keys if isinstance(value[key], list | dict)]
        key = draw.pick(whole) if whole and draw.chance(70) else draw.pick(keys)
        return value | {key: self._changed(members[key], value[key])}
