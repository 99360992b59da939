"""What implementers do to maps and lists of records: read one key, keep one of several, sort."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from conformance.deviations.lens import ABSENT, Change, values_at
from conformance.wire.numbers import Path

__all__ = ["of_key", "of_list", "once"]


def of_key(key: str) -> Iterator[tuple[str, str, int, Change]]:
    """What is done to an object because of one of its free keys."""

    def changed(function: Callable[[dict[str, Any]], dict[str, Any]]) -> Change:
        return lambda value: function(value) if isinstance(value, dict) else value

    def only(value: dict[str, Any]) -> dict[str, Any]:
        return value if list(value) == [key] or not value else {key: value[key]} if key in value else {}

    def only_where_there(value: dict[str, Any]) -> dict[str, Any]:
        return only(value) if key in value else value

    def without(value: dict[str, Any]) -> dict[str, Any]:
        return {one: item for one, item in value.items() if one != key} if key in value else value

    yield f"only-{key}", f"only the key {key} is read", 2, changed(only)
    yield f"only-{key}-if-any", f"only the key {key} is read where there is one", 2, changed(only_where_there)
    yield f"without-{key}", f"the key {key} is left out", 1, changed(without)


def of_list(rel: Path) -> Iterator[tuple[str, str, int, Change]]:
    """What is done to a list of records because of one of their members."""
    member = "/".join(rel)
    for which in ("first", "last"):
        yield (
            f"{which}-of-each.{'.'.join(rel)}",
            f"of records with equal `{member}` only the {which} is read",
            2,
            functools.partial(once, members=(rel,), last=which == "last"),
        )
    yield (
        f"sorted-by.{'.'.join(rel)}",
        f"records are sorted by `{member}`",
        2,
        functools.partial(_sorted, rel=rel),
    )


def once(values: Any, members: Iterable[Path], last: bool) -> Any:
    """Of a list's records that are equal in some members only the first, or the last."""
    if not isinstance(values, list):
        return values
    kept: dict[str, Any] = {}
    for value in values[::-1] if last else values:
        mine = [values_at(value, rel) for rel in members]
        kept.setdefault(json.dumps(mine, sort_keys=True, default=str), value)
    found = list(kept.values())[:: -1 if last else 1]
    return found if len(found) < len(values) else values


def _sorted(values: Any, rel: Path) -> Any:
    if not isinstance(values, list):
        return values

    def key(value: Any) -> list[Any]:
        found = values_at(value, rel)
        return [
            "" if one is None or one is ABSENT else one for one in found if not isinstance(one, dict | list)
        ]

    try:
        found = sorted(values, key=key)
    except TypeError:
        return values
    return values if all(new is old for new, old in zip(found, values, strict=True)) else found
