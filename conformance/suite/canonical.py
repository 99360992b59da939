"""The one way in which vector files and their companions are written."""

import json
from pathlib import Path
from typing import Any

__all__ = ["canonical_vector", "dumps", "write_if_changed"]

_FIELDS = (
    "id",
    "op",
    "rule",
    "clause",
    "also",
    "flags",
    "input",
    "played",
    "expected",
    "unordered",
    "twin",
    "catches",
    "since",
    "provenance",
)
"""A vector's fields in the order in which a person reads them."""


def canonical_vector(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with its fields in order. In ``input``, ``played`` and ``expected`` key order is data.

    Raises:
        ValueError: it has a field that a vector does not have.
    """
    unknown = sorted(set(entry) - set(_FIELDS))
    if unknown:
        raise ValueError(f"vector {entry.get('id')}: there is no field {unknown[0]!r}")
    ordered = {name: entry[name] for name in _FIELDS if entry.get(name) not in (None, [], "")}
    for name in ("also", "flags", "unordered"):
        if name in ordered:
            ordered[name] = sorted(set(ordered[name]))
    return ordered


def dumps(document: Any) -> str:
    """A document as the kit writes it: two spaces, ASCII, one final newline, no NaN.

    ASCII, because many vectors hold characters that no editor shows apart.
    """
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def write_if_changed(path: Path, text: str) -> bool:
    """Writes ``text``, replacing the file whole; False when it stood there already."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return True
