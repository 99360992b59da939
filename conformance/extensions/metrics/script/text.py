"""The constants in a script's text that may be reward keys or numbers of trials.

They are only candidates: a constant counts only if runs confirm it.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.extensions.metrics.sandbox.neighbours import MOST_OF_A_SCRIPT, bytes_of
from conformance.wire.untrusted_files import Refused

__all__ = ["ScriptText"]

_MOST_BYTES, _MOST_NAMES, _MOST_TRIALS = 1 << 20, 24, 5000
_NO_KEYS = {"__main__", "utf-8", "utf8", "ascii", "r", "w", "a", "rb", "wb", "rt", "wt"}
_ARGPARSE = ("locale", "shutil")
"""Modules that argparse imports on use."""
_LITERAL = re.compile(r"""["']([^"'\n\\]{1,64})["']""")
_NO_KEY = re.compile(r"[-.].*|.*(?:[.:?!]|\.json|\.jsonl)|.*[{}%<>].*|(?:\S+\s+){3}.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ScriptText:
    """At most 24 keys and numbers, the likeliest first."""

    script: Path
    source: str = ""
    keys: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    @classmethod
    def read(cls, script: Path) -> "ScriptText":
        """The constants of a file; none if it can't be read."""
        text = cls(script, _text(script) or "")
        ranked: dict[str | int, int] = {}
        for rank, found in _constants(text.source):
            ranked[found] = min(rank, ranked.get(found, rank))
        names = [one for one in ranked if isinstance(one, str) and re.fullmatch(r"[\w-]+\.json", one)]
        for content in text.files(names).values():
            ranked.update(dict.fromkeys(_keys_of(content), 1))
        keys = [found for found in ranked if isinstance(found, str) and _may_be_a_key(found, ranked[found])]
        keys.sort(key=lambda name: ranked[name])
        numbers = [found for found in ranked if isinstance(found, int) and 1 < found <= _MOST_TRIALS]
        return cls(script, text.source, tuple(keys[:_MOST_NAMES]), tuple(numbers[:_MOST_NAMES]))

    def files(self, names: Iterable[str]) -> dict[str, str]:
        """The texts of the files next to the script."""
        found = {name: _text(self.script.with_name(name)) for name in names}
        return {name: text for name, text in found.items() if text is not None}

    def leading_imports(self) -> tuple[str, ...]:
        """The modules that the script imports before anything else; none if it can't be parsed."""
        found: list[str] = []
        for node in _parsed(self.source).body:
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found += [node.module] if node.module != "__future__" else []
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                break
        return (*found, *(_ARGPARSE if "argparse" in found else ()))


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
    if len(nodes) == 1:
        yield from ((1, name) for name in _LITERAL.findall(text))
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
