"""A metric script's text, its trials, one run of it, and its output as harbor sees it.

The constants in a script's text may be reward keys or numbers of trials. They are only candidates: a constant
counts only if runs confirm it.
"""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from conformance.extensions.metrics.sandbox.environments import FIRST, Environment
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.extensions.metrics.sandbox.neighbours import MOST_OF_A_SCRIPT, bytes_of
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import Refused

__all__ = [
    "PLAIN",
    "How",
    "Output",
    "Problem",
    "Rewards",
    "ScriptRun",
    "ScriptText",
    "Shape",
    "Trials",
    "Violation",
    "alike",
    "last_line",
    "read_output",
    "shown",
]

Rewards = dict[str, int | float] | None
Trials = Sequence[Rewards]
_FILLER, _MOST_LEVELS, _SHOWN = 0.25, 40, 80
Problem = tuple[str, str]
"""The broken rule, and one sentence."""
_MOST_BYTES, _MOST_NAMES, _MOST_TRIALS = 1 << 20, 24, 5000
_NO_KEYS = {"__main__", "utf-8", "utf8", "ascii", "r", "w", "a", "rb", "wb", "rt", "wt"}
_NO_KEY = re.compile(r"[-.].*|.*(?:[.:?!]|\.json|\.jsonl)|.*[{}%<>].*|(?:\S+\s+){3}.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shape:
    """A working form of input. Cases use values from 0 to 1, and any number of trials."""

    keys: tuple[str, ...] = ("reward",)
    """The keys of each trial."""
    count: int = 3
    """The default number of trials."""
    exact: bool = False
    """Whether the number is the only one that works."""
    levels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The rewards that replace 0 to 1, by key, or under "" for all keys; by default 0 to 1 themselves."""
    nulls: bool = True
    """Whether trials without rewards are accepted."""

    @classmethod
    def beginning(
        cls, keys: Sequence[str], count: int | None, like: Sequence[Rewards], values: Sequence[float] | None
    ) -> "Shape":
        """The shape at the start of the search; ``like`` are real trials, the others the user's settings."""
        known = tuple(dict.fromkeys(key for one in like for key in one or ()))
        levels = {"": tuple(values)} if values else {}
        for key in known if not values else ():
            column = sorted({one[key] for one in like if one and key in one})
            levels[key] = tuple(column[:: -(-len(column) // _MOST_LEVELS)])
        return cls(tuple(keys) or known or cls().keys, count or len(like) or cls().count, False, levels)

    def fit(self, number: int) -> int:
        """The accepted number of trials for a case's ``number``."""
        return self.count if self.exact and number else number

    def trials(self, *values: float | None) -> list[Rewards]:
        """Trials with these values under every key, and as many more as needed; None is null."""
        number = self.fit(len(values))
        filled = (*values, *[_FILLER] * (number - len(values)))[:number]
        return [
            None if value is None else {key: self.value(value, key) for key in self.keys} for value in filled
        ]

    def value(self, value: float, key: str) -> Any:
        """The reward for a value; values outside of 0 to 1 stay."""
        levels = self.levels.get(key) or self.levels.get("")
        return levels[round(value * (len(levels) - 1))] if levels and 0 <= value <= 1 else value


class Output(NamedTuple):
    """An output file, as harbor reads it."""

    problems: tuple[Problem, ...]
    value: Any = None
    usable: bool = False
    """Whether there is a value at all."""


def read_output(content: bytes) -> Output:
    """Reads an output file's bytes."""
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
        text = f"Its output is {shown(value)}, not an object: as a job's first metric it ends the job."
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
            what = "an int beyond the doubles" if isinstance(item, int) else f"{shown(item)}, not a number"
            end = "" if index else ": as a job's first metric it ends the job"
            yield rule, f"{name} {what}{end}."
            continue
        if isinstance(item, bool):
            yield "value-kind", f"{name} {shown(item)}, where a number is meant."
        elif not finite:
            yield "nan-out", f"{name} {shown(item)}: JSON has no such number, and result.json gets null."


def shown(value: Any) -> str:
    """A value for a sentence."""
    try:
        return shortened(json.dumps(value, ensure_ascii=False), _SHOWN)
    except (ValueError, RecursionError):
        return "a value that can't be shown"


def alike(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two outputs are equal; NaN equals NaN, and floats may differ by a relative ``tolerance``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key], tolerance) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(lambda a, b: alike(a, b, tolerance), one, other))
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return type(one) is type(other) and bool(one == other)


@dataclass(frozen=True, slots=True)
class How:
    """How a run differs from harbor's."""

    long: bool = False
    """Whether to use the long options."""
    under: Environment = FIRST
    """The folder to run in; other folders have other file names too."""
    pretended: tuple[tuple[str, float], ...] | None = None
    """The pretences of ``sandbox.watched``, with recording of reads; None for neither.

    Compare runs with pretences, even empty ones, only with each other.
    """


PLAIN = How()


class ScriptRun(NamedTuple):
    """One run of the script."""

    trials: Trials
    ended: Ended
    output: Output | None
    """Its output; None if it failed."""
    problems: tuple[Problem, ...]
    written: bytes | None = None
    """The output's bytes, if there are few."""
    asked_for: tuple[str, ...] = ()
    """What it was recorded to read."""

    @property
    def usable(self) -> bool:
        """Whether it gave a comparable value."""
        return self.output is not None and self.output.usable

    @property
    def value(self) -> Any:
        """Its value; None if it has none."""
        return self.output and self.output.value


Violation = tuple[str, str, ScriptRun]
"""A rule, a sentence, and the run that shows it."""


def last_line(stderr: bytes) -> str:
    """The last non-empty line, printable and shortened."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return shortened(lines[-1], 200) if lines else ""


@dataclass(frozen=True, slots=True)
class ScriptText:
    """At most 24 keys and numbers, the likeliest first."""

    source: str = ""
    keys: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    @classmethod
    def read(cls, script: Path) -> "ScriptText":
        """The constants of a file; none if it can't be read."""
        source = _text(script) or ""
        ranked: dict[str | int, int] = {}
        for rank, found in _constants(source):
            ranked[found] = min(rank, ranked.get(found, rank))
        for name in [one for one in ranked if isinstance(one, str) and re.fullmatch(r"[\w-]+\.json", one)]:
            ranked.update(dict.fromkeys(_keys_of(_text(script.with_name(name)) or ""), 1))
        keys = [found for found in ranked if isinstance(found, str) and _may_be_a_key(found, ranked[found])]
        keys.sort(key=lambda name: ranked[name])
        numbers = [found for found in ranked if isinstance(found, int) and 1 < found <= _MOST_TRIALS]
        return cls(source, tuple(keys[:_MOST_NAMES]), tuple(numbers[:_MOST_NAMES]))


def _text(path: Path) -> str | None:
    try:
        return bytes_of(path, MOST_OF_A_SCRIPT)[:_MOST_BYTES].decode("utf-8", "replace")
    except (OSError, Refused):
        return None


@cache
def _parsed(text: str) -> ast.Module:
    """A script's syntax tree; empty if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _constants(text: str) -> Iterator[tuple[int, str | int]]:
    """Constants with a rank: 0 for look-up keys, 1 for others, 2 for attributes."""
    nodes = list(ast.walk(_parsed(text)))
    comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        looked_up: ast.expr | None = None
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int) and id(node) not in comments:
            yield 1, node.value
        elif isinstance(node, ast.Attribute) and id(node) not in called:
            yield 2, node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield 1, node.target.id
        elif isinstance(node, ast.Subscript):
            looked_up = node.slice
        elif isinstance(node, ast.Call) and node.args and getattr(node.func, "attr", "") in ("get", "pop"):
            looked_up = node.args[0]
        if isinstance(looked_up, ast.Constant) and isinstance(looked_up.value, str):
            yield 0, looked_up.value


def _keys_of(content: str) -> list[str]:
    """The keys of an object in a file next to the script, such as weights."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return []
    return list(value)[:_MOST_NAMES] if isinstance(value, dict) else []


def _may_be_a_key(name: str, rank: int) -> bool:
    usual = 0 < len(name) <= 64 and name.isprintable() and not _NO_KEY.fullmatch(name)
    return usual and (rank == 0 or name not in _NO_KEYS)
