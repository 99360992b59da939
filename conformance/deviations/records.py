"""What implementers do to lists and maps of records: keep one of several, sort, carry a member over."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from conformance.deviations.changes import equal
from conformance.deviations.lens import ABSENT, Change, change_at, values_at
from conformance.wire.numbers import Path

__all__ = ["carried", "of_key", "of_list", "once", "taken"]

_Values = list[Any]


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


def _empty(value: Any) -> bool:
    return value is not ABSENT and not isinstance(value, int | float) and not value


def _previous(values: _Values, missing: Callable[[Any], bool]) -> _Values:
    found: _Values = []
    for value in values:
        found.append(found[-1] if missing(value) and found else value)
    return found


def _largest(values: _Values) -> _Values:
    given = [value for value in values if value is not None and value is not ABSENT]
    try:
        return [max(given)] * len(values) if given else values
    except TypeError:
        return values


def _first_given(values: _Values) -> _Values:
    first = next((value for value in values if value is not None and value is not ABSENT), None)
    return [first if value is None else value for value in values]


_CARRIED: tuple[tuple[str, str, Callable[[_Values], _Values]], ...] = (
    ("of-first", "`{}` of the first record is read for all", lambda v: [v[0]] * len(v)),
    ("of-last", "`{}` of the last record is read for all", lambda v: [v[-1]] * len(v)),
    ("of-one-before", "`{}` is read from the record before", lambda v: v[:1] + v[:-1]),
    (
        "null-as-before",
        "a null `{}` is that of the record before",
        lambda v: _previous(v, lambda x: x is None),
    ),
    ("empty-as-before", "an empty `{}` is that of the record before", lambda v: _previous(v, _empty)),
    ("null-as-first", "a null `{}` is the first that is given", _first_given),
    ("largest", "the largest `{}` is read for all", _largest),
)


def carried(rel: Path) -> Iterator[tuple[str, str, Change]]:
    """What one record's member is to others."""
    if "*" in rel:
        return
    for name, words, of_values in _CARRIED:
        yield (
            f"{'.'.join(rel)}-{name}",
            words.format("/".join(rel)),
            functools.partial(_carry, rel=rel, of_values=of_values),
        )


def _carry(records: Any, rel: Path, of_values: Callable[[_Values], _Values]) -> Any:
    if not isinstance(records, list) or len(records) < 2:
        return records
    old = [next(iter(values_at(record, rel)), ABSENT) for record in records]
    found = [
        record if new is ABSENT or (before is not ABSENT and equal(new, before)) else _with(record, rel, new)
        for record, before, new in zip(records, old, of_values(old), strict=True)
    ]
    return records if all(new is one for new, one in zip(found, records, strict=True)) else found


def _with(record: Any, rel: Path, value: Any) -> Any:
    return change_at(record, rel, lambda _: value)


def taken(one: Path, other: Path) -> Iterator[tuple[str, str, Change]]:
    """A member read from another member of its record."""
    tests: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
        ("null", " where it is null", lambda v: v is None),
        ("empty", " where it is null or empty", lambda v: v is None or _empty(v)),
        ("given", " where it is given", lambda v: v is not None),
        ("always", "", lambda v: True),
    )
    for name, where, test in tests:

        def change(record: Any, test: Callable[[Any], bool] = test) -> Any:
            source = next(iter(values_at(record, one)), ABSENT)
            if source is ABSENT or not isinstance(record, dict):
                return record

            def take(value: Any) -> Any:
                return source if value is not ABSENT and test(value) and not equal(value, source) else value

            return change_at(record, other, take)

        words = f"`{'/'.join(other)}` is read from `{'/'.join(one)}`{where}"
        yield f"{'.'.join(other)}-from.{'.'.join(one)}-{name}", words, change
