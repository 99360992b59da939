"""Changes under a condition, and changes to maps and lists of records: keep one of several, sort."""

import functools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from conformance.deviations.changes import Test, equal
from conformance.deviations.lens import ABSENT, Change, RefuseError, Row, values_at
from conformance.wire.messages import Refused
from conformance.wire.numbers import Path

__all__ = ["change_where", "keep_one", "list_changes", "refuse_where", "replace_all", "replace_value"]


def replace_value(old: Any, new: Any) -> Change:
    """Replaces one value with another."""
    return lambda value: new if equal(old, value) else value


def replace_all(new: Any) -> Change:
    """Replaces every existing value, or removes it."""
    return lambda value: value if value is ABSENT or equal(value, new) else new


def change_where(rel: Path, test: Test, change: Change) -> Change:
    """Changes a record if one of its members passes a test."""

    def changed_where_it_holds(record: Any) -> Any:
        holds = isinstance(record, dict) and any(map(test.holds, values_at(record, rel)))
        return change(record) if holds else record

    return changed_where_it_holds


def refuse_where(test: Test, error: Refused) -> Change:
    """Raises an error if a test holds."""

    def refused(value: Any) -> Any:
        if test.holds(value):
            raise RefuseError(error)
        return value

    return refused


def list_changes(rel: Path) -> Iterator[Row]:
    """Changes to a list of records that depend on one member."""
    name, member = ".".join(rel), "/".join(rel)
    for which in ("first", "last"):
        words = f"of records with equal `{member}`, only the {which} is read"
        yield (
            f"{which}-of-each.{name}",
            2,
            words,
            functools.partial(keep_one, members=(rel,), last=which == "last"),
        )
    yield f"sorted-by.{name}", 2, f"records are sorted by `{member}`", functools.partial(_sorted, rel=rel)


def keep_one(values: Any, members: Iterable[Path], last: bool) -> Any:
    """Keeps only the first, or the last, of a list's records with equal members."""
    if not isinstance(values, list):
        return values
    kept: dict[str, Any] = {}
    for value in values[::-1] if last else values:
        mine = [values_at(value, rel) for rel in members]
        kept.setdefault(json.dumps(mine, sort_keys=True, default=str), value)
    remaining = list(kept.values())[:: -1 if last else 1]
    return remaining if len(remaining) < len(values) else values


def _sorted(values: Any, rel: Path) -> Any:
    if not isinstance(values, list):
        return values

    def members_without_null(value: Any) -> list[Any]:
        scalars = (item for item in values_at(value, rel) if not isinstance(item, dict | list))
        return ["" if scalar is None or scalar is ABSENT else scalar for scalar in scalars]

    try:
        ordered = sorted(values, key=members_without_null)
    except TypeError:
        return values
    return values if all(new is old for new, old in zip(ordered, values, strict=True)) else ordered
