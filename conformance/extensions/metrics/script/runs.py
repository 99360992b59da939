"""A metric script's text, its trials, a run of it, and its output as harbor reads it.

Constants in a script's text may be reward keys or numbers of trials. They are only candidates, which runs
have to confirm.
"""

import ast
import contextlib
import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from conformance.extensions.metrics.relations import close
from conformance.extensions.metrics.sandbox.environments import FIRST, Environment
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.extensions.metrics.sandbox.outputs import MOST_OF_A_SCRIPT, bytes_of
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import Refused

__all__ = [
    "PLAIN", "Output", "Problem", "Rewards", "RunOptions", "ScriptRun", "ScriptText", "Shape", "Trials",
    "Violation", "brief", "equal_outputs", "read_output",
]  # fmt: skip

Rewards = dict[str, int | float] | None
Trials = Sequence[Rewards]
_FILLER, _MOST_LEVELS, _SHOWN = 0.25, 40, 80
Problem = tuple[str, str]
_MOST_BYTES, _MOST_NAMES, _MOST_TRIALS = 1 << 20, 24, 5000
_NO_KEYS = {"__main__", "utf-8", "utf8", "ascii", "r", "w", "a", "rb", "wb", "rt", "wt"}
_NO_KEY = re.compile(r"|[-.].*|.*(?:[.:?!]|\.json|\.jsonl)|.*[{}%<>].*|(?:\S+\s+){3}.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shape:
    """A form of input that the script may accept. Cases use values from 0 to 1, and any number of trials."""

    keys: tuple[str, ...] = ("reward",)
    count: int = 3
    """The number of trials."""
    exact: bool = False
    """Whether no other number works."""
    levels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The rewards that replace values from 0 to 1, by key, or under "" for all keys; empty for none."""
    nulls: bool = True
    """Whether trials without rewards are accepted."""

    @classmethod
    def beginning(
        cls, keys: Sequence[str], count: int | None, like: Sequence[Rewards], values: Sequence[float] | None
    ) -> "Shape":
        """Return the first shape of a search; ``like`` are real trials, the others the user's options."""
        known = tuple(dict.fromkeys(key for trial in like for key in trial or ()))
        levels = {"": tuple(values)} if values else {}
        for key in known if not values else ():
            column = sorted({trial[key] for trial in like if trial and key in trial})
            levels[key] = tuple(column[:: -(-len(column) // _MOST_LEVELS)])
        return cls(tuple(keys) or known or cls().keys, count or len(like) or cls().count, False, levels)

    def trials(self, *values: float | None) -> list[Rewards]:
        """Return trials with these values under every key, padded to an exact number; None is null."""
        number = self.count if self.exact and values else len(values)
        filled = (*values, *[_FILLER] * (number - len(values)))[:number]
        return [
            None if value is None else {key: self.value(value, key) for key in self.keys} for value in filled
        ]

    def value(self, value: float, key: str) -> Any:
        """Return the reward for a value; values outside of 0 to 1 are unchanged."""
        levels = self.levels.get(key) or self.levels.get("")
        return levels[round(value * (len(levels) - 1))] if levels and 0 <= value <= 1 else value


class Output(NamedTuple):
    """An output file as harbor reads it."""

    problems: tuple[Problem, ...]
    value: Any = None
    usable: bool = False
    """Whether there is a value."""


def read_output(content: bytes) -> Output:
    """Parse the bytes of an output file."""
    try:
        value = json.loads(content.decode("utf-8"))
    except RecursionError:
        why = "is nested too deeply to be read"
    except UnicodeDecodeError:
        why = "is not UTF-8"
    except ValueError as error:
        why = "is empty" if not content.strip() else f"is not one JSON document ({error})"
    else:
        return Output(tuple(_problems(value)), value, usable=True)
    return Output((("not-json", f"Its output {why}."),))


def _problems(value: Any) -> Iterator[Problem]:
    if not isinstance(value, dict):
        text = f"Its output is {brief(value)}, not an object: as a job's first metric it ends the job."
        yield "not-an-object", text
        return
    if not value:
        yield "empty-object", "Its output is an empty object: as a job's first metric it ends the job."
    for index, (key, item) in enumerate(value.items()):
        name = f"The value of {shortened(json.dumps(key, ensure_ascii=False), _SHOWN)} is"
        try:
            finite = math.isfinite(item)
        except (OverflowError, TypeError):
            rule = "value-kind" if index else "first-value"
            kind = "an int beyond the doubles" if isinstance(item, int) else f"{brief(item)}, not a number"
            end = "" if index else ": as a job's first metric it ends the job"
            yield rule, f"{name} {kind}{end}."
            continue
        if isinstance(item, bool):
            yield "value-kind", f"{name} {brief(item)}, not a number."
        elif not finite:
            yield "nan-out", f"{name} {brief(item)}, which JSON lacks: result.json gets null."


def brief(value: Any) -> str:
    """Return a value as short text."""
    try:
        return shortened(json.dumps(value, ensure_ascii=False), _SHOWN)
    except (ValueError, RecursionError):
        return "a value that can't be shown"


def equal_outputs(left: Any, right: Any, tolerance: float = 0.0) -> bool:
    """Return whether two outputs are equal; NaN equals NaN, and floats may differ by a ``tolerance``."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            equal_outputs(left[key], right[key], tolerance) for key in left
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(lambda a, b: equal_outputs(a, b, tolerance), left, right))
    if isinstance(left, float) and isinstance(right, float):
        return close(left, right, tolerance=tolerance)
    return type(left) is type(right) and bool(left == right)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run, which by default is like harbor's."""

    long: bool = False
    under: Environment = FIRST
    """The environment; if its folder differs, so do the names of the files."""
    pretended: tuple[tuple[str, float], ...] | None = None
    """What ``sandbox.watched`` fakes while it records reads; None to run without it.

    Compare such runs, even without fakes, only with each other.
    """


PLAIN = RunOptions()


class ScriptRun(NamedTuple):
    """One run of the script."""

    trials: Trials
    ended: Ended
    problems: tuple[Problem, ...]
    value: Any = None
    usable: bool = False
    """Whether it gave a value."""
    written: bytes | None = None
    asked_for: tuple[str, ...] = ()
    """The variables and resources that the script read."""


Violation = tuple[str, str, ScriptRun]
"""A rule, a sentence, and the run that shows the violation."""


@dataclass(frozen=True, slots=True)
class ScriptText:
    """A script's source, with at most 24 constants each that may be keys or numbers, the likeliest first."""

    source: str = ""
    keys: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    @classmethod
    def read(cls, script: Path) -> "ScriptText":
        """Read a file and its constants; empty if it can't be read."""
        source = _text(script) or ""
        looked_up, values = _constants(source)
        for name in [key for key in values if isinstance(key, str) and re.fullmatch(r"[\w-]+\.json", key)]:
            with contextlib.suppress(ValueError, RecursionError):
                listed = json.loads(_text(script.with_name(name)) or "0")
                values = [*listed, *values] if isinstance(listed, dict) else values
        unique = dict.fromkeys((*looked_up, *values))
        keys = [
            key for key in unique if isinstance(key, str) and not _NO_KEY.fullmatch(key) and key.isprintable()
        ]
        keys = [key for key in keys if len(key) <= 64 and (key in looked_up or key not in _NO_KEYS)]
        numbers = [number for number in unique if isinstance(number, int) and 1 < number <= _MOST_TRIALS]
        return cls(source, tuple(keys[:_MOST_NAMES]), tuple(numbers[:_MOST_NAMES]))


def _text(path: Path) -> str | None:
    try:
        return bytes_of(path, MOST_OF_A_SCRIPT)[:_MOST_BYTES].decode("utf-8", "replace")
    except (OSError, Refused):
        return None


def _constants(text: str) -> tuple[list[Any], list[Any]]:
    """Return the constants used for look-ups, and all others with names of variables and attributes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], []
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    unread = {id(node.value) for node in nodes if isinstance(node, ast.Expr)} | {
        id(call.func) for call in calls
    }
    keys = [node.slice for node in nodes if isinstance(node, ast.Subscript)]
    keys += [call.args[0] for call in calls if call.args and getattr(call.func, "attr", "") in ("get", "pop")]
    looked_up = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    nodes = [node for node in nodes if id(node) not in unread]
    values: list[Any] = [node.value for node in nodes if isinstance(node, ast.Constant)]
    values += [getattr(node.target, "id", "") for node in nodes if isinstance(node, ast.AnnAssign)]
    return looked_up, [*values, *(node.attr for node in nodes if isinstance(node, ast.Attribute))]
