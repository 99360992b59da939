"""What a metric script's text says of what it reads: names that may be reward keys or environment variables.

Nothing of it is believed: a name counts only if runs show that it does.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ScriptText"]

_MOST_BYTES = 1 << 20
_MOST_NAMES = 24
_LONGEST = 64
_NO_KEYS = {"__main__", "utf-8", "utf8", "ascii", "r", "w", "a", "rb", "wb", "rt", "wt", "\n"}
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,63}")
_OF_THE_SYSTEM = re.compile(
    r"(PYTHON|UV_|LD_|DYLD_|XDG_|LC_|VIRTUAL_ENV|TMP|TEMP|LANG)|(PATH|HOME|USER|SHELL)$"
)
_LITERAL = re.compile(r"""["']([^"'\n\\]{1,64})["']""")
_GETTERS = {"get", "pop", "setdefault", "getattr", "itemgetter", "attrgetter", "hasattr"}


@dataclass(frozen=True, slots=True)
class ScriptText:
    """The names in a script's text."""

    keys: tuple[str, ...] = ()
    """What may be a reward key, the likeliest first; at most 24."""
    variables: tuple[str, ...] = ()
    """What may be an environment variable; at most 24."""

    @classmethod
    def read(cls, script: Path) -> "ScriptText":
        """The names in a file; none where it can't be read."""
        try:
            with script.open("rb") as file:
                text = file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return cls()
        ranked: dict[str, int] = {}
        for rank, name in _names(text):
            ranked[name] = min(rank, ranked.get(name, rank))
        for name in [name for name in ranked if name.endswith(".json") and name == Path(name).name]:
            ranked.update(dict.fromkeys(_keys_of(script.with_name(name)), 1))
        keys = sorted(filter(_may_be_a_key, ranked), key=lambda name: ranked[name])
        variables = [name for name in ranked if _VARIABLE.fullmatch(name) and not _OF_THE_SYSTEM.match(name)]
        return cls(tuple(keys[:_MOST_NAMES]), tuple(variables[:_MOST_NAMES]))


def _names(text: str) -> Iterator[tuple[int, str]]:
    """Names with a rank: 0 where something is looked up by it, 1 for other texts, 2 for attributes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ((1, name) for name in _LITERAL.findall(text))
        return
    comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            yield 1, node.value
        elif isinstance(node, ast.Attribute) and id(node) not in called:
            yield 2, node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield 1, node.target.id
        for looked_up in _looked_up(node):
            if isinstance(looked_up, ast.Constant) and isinstance(looked_up.value, str):
                yield 0, looked_up.value


def _looked_up(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Subscript):
        return [node.slice, *getattr(node.slice, "elts", ())]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        return [node.left]
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return node.args if called in _GETTERS else []
    return []


def _keys_of(path: Path) -> list[str]:
    """The keys of an object in a file beside the script, such as weights."""
    if not path.is_file():
        return []
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return []
    return list(value)[:_MOST_NAMES] if isinstance(value, dict) else []


def _may_be_a_key(name: str) -> bool:
    return (
        0 < len(name) <= _LONGEST
        and name.isprintable()
        and name not in _NO_KEYS
        and not name.startswith(("-", "."))
        and not name.endswith((".", ":", "?", "!", ".json", ".jsonl"))
        and len(name.split()) in (1, 2, 3)
        and not set("{}%<>") & set(name)
    )
