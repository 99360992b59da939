"""Mutation operators on texts: literals, pieces of f-strings, regular expressions, the Unicode tables."""

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

from conformance.mistakes.mutators.operators import constant, operator
from conformance.mistakes.mutators.sites import Site

__all__: list[str] = []

_WORDS = re.compile(r"\w+(?:[ ./-]\w+)*", re.ASCII)
_LONGEST = 30
"""In a longer text that is not a word, single characters are not removed."""
_OTHER_TEXT = {
    "ascii": ("utf-8",),
    "replace": ("ignore", "backslashreplace"),
    "surrogatepass": ("ignore", "replace"),
    "utf-8": ("latin-1", "utf-8-sig"),
}
"""Encodings and error handlers, which are swapped for one another."""
_TABLE = re.compile(r"[0-9a-f]+(?:[-/+ \n][0-9a-f+-]+){40,}\n")
_SAMPLE = 10
"""The number of entries changed in each Unicode table, evenly spread."""


def _pattern(site: Site) -> bool:
    call = site.parent
    return (
        isinstance(call, ast.Call)
        and site.field == "args"
        and site.index == 0
        and ast.unparse(call.func) == "re.compile"
    )


def _table(text: str) -> bool:
    return len(text) > 200 and _TABLE.fullmatch(text) is not None


def _names_an_entry(site: Site) -> bool:
    """Whether it is an element of a set or a key of a table: changing it would be the same as removing it."""
    if isinstance(site.parent, ast.Dict) and site.field == "keys":
        return not any(isinstance(parent, ast.FunctionDef) for parent in site.parents)
    return isinstance(site.parent, ast.Set)


@operator("text", ast.Constant)
def _text(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another text: empty, with one character more, and, unless it is a word, with one less."""
    value = node.value
    if not isinstance(value, str) or _pattern(site) or _table(value) or _names_an_entry(site):
        return
    if not value and isinstance(site.parent, ast.JoinedStr):
        return  # some Python versions have it after a format, others don't
    if value in _OTHER_TEXT and isinstance(site.parent, ast.Call):
        yield from (constant(text) for text in _OTHER_TEXT[value])
        return
    changed = ["", value + "?"]
    if not _WORDS.fullmatch(value) and len(value) <= _LONGEST:
        changed += [value[:i] + value[i + 1 :] for i in range(len(value))]
    yield from (constant(text) for text in dict.fromkeys(changed) if text != value)


@operator("bytes", ast.Constant)
def _bytes(site: Site, node: Any) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bytes):
        changed = [b"", *(value[:i] + value[i + 1 :] for i in range(len(value)))]
        yield from (constant(text) for text in dict.fromkeys(changed) if text != value)


@operator("pattern", ast.Constant)
def _patterns(site: Site, node: Any) -> Iterator[ast.AST]:
    """A regular expression with one character less, or with another number of repetitions."""
    value = node.value
    if not isinstance(value, str) or not _pattern(site):
        return
    changed: list[str] = []
    for i, character in enumerate(value):
        changed.append(value[:i] + value[i + 1 :])
        if character in "*+" and not value[:i].endswith(("\\", "[", "[+", "(")):
            changed.append(value[:i] + ("+" if character == "*" else "*") + value[i + 1 :])
    yield from (constant(text) for text in dict.fromkeys(changed) if _compiles(text))


def _compiles(pattern: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of future changes
            return re.compile(pattern).groups >= 0
    except re.error:
        return False


@operator("table", ast.Constant)
def _tables(site: Site, node: Any) -> Iterator[ast.AST]:
    """A Unicode table without an entry, or with an entry whose last number is one higher."""
    value = node.value
    if not isinstance(value, str) or not _table(value):
        return
    entries = list(re.finditer(r"\S+", value))
    for number in range(_SAMPLE):
        entry = entries[number * len(entries) // _SAMPLE]
        before, after = value[: entry.start()], value[entry.end() :]
        yield constant(before + after)
        yield constant(before + _further(entry[0]) + after)


def _further(entry: str) -> str:
    """``41-5a/1+20`` becomes ``41-5a/1+21``, ``30-39`` becomes ``30-3a``, ``660`` becomes ``661``."""
    match = re.fullmatch(r"(.*?)([0-9a-f]+)", entry)
    assert match is not None
    return f"{match[1]}{int(match[2], 16) + 1:x}"
