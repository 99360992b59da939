"""The entries of a vector file: checks them without the schema, and orders their fields for reading."""

import re
from typing import Any

from conformance.registry.ops import OPS, SPEC_TABLE

__all__ = ["canonical_vector", "check_entry"]

_ID = re.compile(r"[!-~]+")
"""An id is one ASCII word, since it is used in lists, node ids and on terminals."""


def check_entry(entry: Any) -> None:
    """Raises ValueError if a member has another type than in the schema ``vector-file``."""
    for name in ("id", "rule", "clause", "catches", "since"):
        if not isinstance(entry[name], str):
            raise ValueError(f"{name} must be a string")
    if not _ID.fullmatch(entry["id"]):
        raise ValueError("id must be one word of ASCII")
    for name in ("also", "flags", "unordered"):
        listed = entry.get(name, [])
        if not (isinstance(listed, list) and all(isinstance(item, str) for item in listed)):
            raise ValueError(f"{name} must be a list of strings")
    variants = entry.get("variants", {})
    for name, value in (("input", entry["input"]), ("variants", variants)):
        if not isinstance(value, dict):
            raise ValueError(f"{name} must be an object")
    for name, answer in variants.items():
        if name not in {variant.name for variant in SPEC_TABLE[OPS[entry["op"]].spec].oracle.variants}:
            raise ValueError(f"variants names {name!r}, which is not an environment of the spec")
        _check_answer(answer, f"variants/{name}")
    if entry.get("expected") is not None:
        _check_answer(entry["expected"], "expected")


def _check_answer(answer: Any, where: str) -> None:
    match answer:
        case {"ok": dict(), **rest} | {"error": {"type": str(), "reason_code": str() | None}, **rest}:
            if not rest:
                return
    raise ValueError(f"{where} must hold ok, an object, or error, with type and reason_code")


_FIELDS = (
    *("id", "op", "rule", "clause", "also", "flags", "input", "played", "expected"),
    *("variants", "unordered", "twin", "catches", "since", "provenance"),
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
    always = ("input",) if "input" in entry else ()  # which may be empty
    ordered = {name: entry[name] for name in _FIELDS if entry.get(name) or name in always}
    for name in ("also", "flags", "unordered"):
        if name in ordered:
            ordered[name] = sorted(set(ordered[name]))
    if "variants" in ordered:
        ordered["variants"] = dict(sorted(ordered["variants"].items()))
    return ordered
