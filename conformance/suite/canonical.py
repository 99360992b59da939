"""Orders a vector's fields as in its file: in reading order."""

from typing import Any

__all__ = ["canonical_vector"]

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
    "variants",
    "unordered",
    "twin",
    "catches",
    "since",
    "provenance",
)
"""A vector's fields in reading order."""


def canonical_vector(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with its fields in order; inside ``input``, ``played`` and ``expected`` the order is kept.

    Raises:
        ValueError: it has an unknown field.
    """
    unknown = sorted(set(entry) - set(_FIELDS))
    if unknown:
        raise ValueError(f"vector {entry.get('id')}: there is no field {unknown[0]!r}")
    ordered = {name: entry[name] for name in _FIELDS if entry.get(name) not in (None, [], "")}
    if not ordered.get("variants", True):
        del ordered["variants"]
    for name in ("also", "flags", "unordered"):
        if name in ordered:
            ordered[name] = sorted(set(ordered[name]))
    if "variants" in ordered:
        ordered["variants"] = dict(sorted(ordered["variants"].items()))
    return ordered
