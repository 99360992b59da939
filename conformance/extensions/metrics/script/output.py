"""What a metric script's output is worth to harbor."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.wire.text import shortened

__all__ = ["Output", "alike", "shown"]

_SHOWN = 80


class _Pairs(dict[str, Any]):
    """An object that remembers whether a key stood twice."""

    __slots__ = ("twice",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.twice = len(self) != len(pairs)


@dataclass(frozen=True, slots=True)
class Output:
    """An output file, read as harbor reads it."""

    value: Any
    problems: tuple[tuple[str, str], ...]
    """What is wrong with it: a rule's name and one sentence."""
    usable: bool
    """Whether there is a value at all."""

    @classmethod
    def read(cls, content: bytes) -> "Output":
        """Reads the file's bytes."""
        try:
            value = json.loads(content.decode("utf-8"), object_pairs_hook=_Pairs)
        except RecursionError:
            return cls(None, (("not-json", "Its output is nested too deeply to be read."),), usable=False)
        except UnicodeDecodeError:
            return cls(None, (("not-json", "Its output is not UTF-8."),), usable=False)
        except ValueError as error:
            what = "is empty" if not content.strip() else f"is not one JSON document ({error})"
            return cls(None, (("not-json", f"Its output {what}."),), usable=False)
        return cls(value, tuple(_problems(value)), usable=True)


def _problems(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, _Pairs):
        text = f"Its output is {shown(value)}, no object: as a job's first metric it ends the job."
        yield "not-an-object", text
        return
    if value.twice:
        yield "duplicate-key", "A key stands twice in its output: only the last of its values is seen."
    if not value:
        yield "empty-object", "Its output is an empty object: as a job's first metric it ends the job."
    for index, (key, item) in enumerate(value.items()):
        name = shortened(json.dumps(key, ensure_ascii=False), _SHOWN)
        if not _can_be_printed(item):
            rule = "value-kind" if index else "first-value"
            what = "an int beyond the doubles" if isinstance(item, int) else f"{shown(item)}, no number"
            end = "" if index else ": as a job's first metric it ends the job"
            yield rule, f"The value of {name} is {what}{end}."
        elif isinstance(item, bool):
            yield "value-kind", f"The value of {name} is {shown(item)}, where a number is meant."
        elif not math.isfinite(item):
            text = (
                f"The value of {name} is {shown(item)}: JSON has no such number, and result.json gets null."
            )
            yield "nan-out", text


def _can_be_printed(item: Any) -> bool:
    if not isinstance(item, int | float):
        return False
    try:
        f"{item:.3f}"
    except OverflowError:
        return False
    return True


def shown(value: Any) -> str:
    """A value in a sentence."""
    try:
        return shortened(json.dumps(value, ensure_ascii=False), _SHOWN)
    except (ValueError, RecursionError):
        return "a value that can't be shown"


def alike(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two outputs are the same; NaN is NaN, and floats may differ by ``tolerance``, relatively."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key], tolerance) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(lambda a, b: alike(a, b, tolerance), one, other))
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return type(one) is type(other) and bool(one == other)
