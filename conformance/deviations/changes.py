"""What implementers do to a value, by its type: each change with its words and how usual it is.

A row of a table is a name, how usual the change is (3: many do it by habit; 2: some do; 1: few), what is
done, as a clause, and a function of one value. Functions of a typed table see values of that type alone; one
that fails, or gives back an equal value, changes nothing.
"""

import functools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import DecimalException
from types import NoneType
from typing import Any

from conformance.deviations import containers, numbers, texts
from conformance.deviations.lens import ABSENT, Row
from conformance.deviations.numbers import is_number

__all__ = ["KINDS_OF_VALUES", "TESTS", "NamedChange", "Test", "changes_for", "equal", "kind_of", "of_type"]

_FAILURES = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    DecimalException,
    StopIteration,
)
_KINDS = {NoneType: "null", bool: "bool", int: "number", float: "number"}
_KINDS |= {str: "text", list: "list", dict: "object"}
KINDS_OF_VALUES = tuple(dict.fromkeys(_KINDS.values()))
_EXACT = {NoneType, bool, int, str}
"""Types of which equal values are one."""
_ANYWHERE = {"sorted", "unique", "empty-list-is-null", "empty-object-is-null", "no-null-items"}
_ANYWHERE |= {"no-null-members", "no-zeros", "no-bools", "sorted-keys", "integer-keys-first", "keys-lower"}
_ANYWHERE |= {"keys-strip", "keys-nfc"}
"""What is done to all lists or objects of a message; other changes of them are meant for one place."""


@dataclass(frozen=True, slots=True)
class NamedChange:
    """One change."""

    name: str
    usual: int
    words: str
    change: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Test:
    """Something that a rule may hang on: a condition on one value."""

    name: str
    words: str
    """Completes "where `x` …"."""
    usual: int
    holds: Callable[[Any], bool]


def kind_of(value: Any) -> str:
    """The kind of a value of JSON."""
    exact = _KINDS.get(type(value))
    return exact or next((kind for one, kind in _KINDS.items() if isinstance(value, one)), "object")


def equal(one: Any, other: Any) -> bool:
    """Whether two values are one: of a type, in one order, NaN equal to itself, zeros with their sign."""
    if one is other:
        return True
    if type(one) is type(other) and type(one) in _EXACT:
        return bool(one == other)
    if isinstance(one, float) and isinstance(other, float):
        return (one == other or one != one) and repr(float(one)) == repr(float(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(map(equal, one.values(), other.values()))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return kind_of(one) == kind_of(other) and isinstance(one, int) == isinstance(other, int) and one == other


def of_type(function: Callable[[Any], Any], types: tuple[type, ...]) -> Callable[[Any], Any]:
    """A change made to the values of some types; the same object where nothing is to be done."""
    no_bools = bool not in types  # a bool is an int
    no_numbers = int not in types

    def change(value: Any) -> Any:
        if not isinstance(value, types) or (no_bools and isinstance(value, bool)):
            return value
        if no_numbers and isinstance(value, dict) and value.keys() == {"json"}:
            return value  # a number in a spelling of its own
        try:
            new = function(value)
            return value if equal(new, value) else new
        except _FAILURES:
            return value

    return change


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


_NULL: tuple[Row, ...] = (
    ("null-is-absent", 2, "a null is read as a missing member", lambda value: ABSENT),
    ("null-is-empty-text", 2, "null becomes an empty text", lambda value: ""),
    ("null-is-0", 3, "null becomes 0", lambda value: 0),
    ("null-is-0.0", 3, "null becomes 0.0", lambda value: 0.0),
    ("null-is-nan", 3, "null becomes NaN", lambda value: math.nan),
    ("null-is-false", 2, "null becomes false", lambda value: False),
    ("null-is-list", 3, "null becomes an empty list", lambda value: []),
    ("null-is-object", 3, "null becomes an empty object", lambda value: {}),
    *(
        (f"null-is-word-{word}", usual, f"null becomes the text {word}", lambda value, word=word: word)
        for word, usual in (("null", 2), ("None", 3), ("unknown", 3), ("default", 1), ("adhoc", 1))
    ),
)
_NULLS_BY_KIND = {
    "text": {"null-is-empty-text", *(row[0] for row in _NULL if "word" in row[0])},
    "number": {"null-is-0", "null-is-0.0", "null-is-nan"},
    "bool": {"null-is-false"},
    "list": {"null-is-list"},
    "object": {"null-is-object"},
}
_SCALAR: tuple[Row, ...] = (
    ("falsy-is-null", 3, "0, false and an empty text become null", lambda v: v if v else None),
    ("not-number-is-null", 2, "a non-number becomes null", lambda v: v if is_number(v) else None),
    ("not-number-is-0", 2, "a non-number becomes 0", lambda v: v if is_number(v) else 0),
    ("not-number-is-absent", 2, "non-numbers are left out", lambda v: v if is_number(v) else ABSENT),
    ("not-text-is-null", 1, "a non-text becomes null", lambda v: v if isinstance(v, str) else None),
)
_EVERY = tuple(_KINDS)
_ANY: tuple[Row, ...] = (
    ("is-null", 2, "the value becomes null", lambda value: None),
    ("is-absent", 2, "the member is left out", lambda value: ABSENT),
)


def _rows(kinds: Collection[str]) -> Iterator[tuple[Iterable[Row], tuple[type, ...]]]:
    """The tables that have something to do where values of these kinds occur, with the types they take."""
    if "text" in kinds:
        yield texts.ROWS, (str,)
    if "number" in kinds:
        yield numbers.ROWS, (int, float)
        yield numbers.FLOAT_ROWS, (float,)
        yield numbers.INT_ROWS, (int,)
    if "bool" in kinds:
        yield numbers.BOOL_ROWS, (bool,)
    if "list" in kinds:
        yield containers.LIST_ROWS, (list,)
    if "object" in kinds:
        yield containers.OBJECT_ROWS, (dict,)
    if "null" in kinds:
        wanted: set[str] = set().union(*(_NULLS_BY_KIND[kind] for kind in kinds if kind != "null"))
        fitting = [row for row in _NULL if not wanted or row[0] in wanted or row[0] == "null-is-absent"]
        yield fitting, (NoneType,)
    if not {"list", "object"} & set(kinds):
        yield _SCALAR, (bool, int, float, str)


def changes_for(kinds: Iterable[str], *, anywhere: bool = False) -> tuple[NamedChange, ...]:
    """The changes that have something to do where values of these kinds occur.

    With ``anywhere`` only those that may be made to all such values of a message at once.
    """
    return _changes_for(frozenset(kinds), anywhere)


@functools.cache
def _changes_for(kinds: frozenset[str], anywhere: bool) -> tuple[NamedChange, ...]:
    found: dict[str, NamedChange] = {}
    containers_only = anywhere and bool({"list", "object"} & kinds)
    for rows, types in _rows(kinds):
        for name, usual, words, function in rows:
            if name not in found and (name in _ANYWHERE or not containers_only):
                found[name] = NamedChange(name, usual, words, of_type(function, types))
    changes = list(found.values())
    if not anywhere:
        for name, usual, words, function in _ANY:
            changes.append(NamedChange(name, usual, words, of_type(function, _EVERY)))
        if not {"list", "object"} & kinds:
            to_null = functools.partial(_absent_as, None)
            changes.append(NamedChange("absent-is-null", 1, "an absent member becomes null", to_null))
    return tuple(changes)


def _absent_as(new: Any, value: Any) -> Any:
    return new if value is ABSENT else value


def _number(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: is_number(value) and holds(value)


def _text(holds: Callable[[str], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and holds(value)


def _sized(holds: Callable[[int], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | dict) and holds(len(value))


_EMPTY: Sequence[Any] = ("", [], {})
_TOO_LARGE = 2**1024 - 2**970
"""The least int that is beyond the double range."""
TESTS = (
    Test("null", "is null", 3, lambda v: v is None),
    Test("absent", "is absent", 2, lambda v: v is ABSENT),
    Test("given", "is not null", 2, lambda v: v is not None and v is not ABSENT),
    Test("empty", "is empty", 3, lambda v: v is not ABSENT and v in _EMPTY),
    Test("blank", "is blank", 2, _text(lambda v: not v.strip())),
    Test("0", "is 0", 3, _number(lambda v: v == 0)),
    Test("negative", "is negative", 3, _number(lambda v: v < 0)),
    Test("above-0", "is above 0", 2, _number(lambda v: v > 0)),
    Test("above-1", "is above 1", 2, _number(lambda v: v > 1)),
    Test("nan", "is NaN", 3, _number(lambda v: v != v)),
    Test("not-finite", "is not finite", 3, _number(lambda v: isinstance(v, float) and not math.isfinite(v))),
    Test("outside-01", "is outside 0 to 1", 2, _number(lambda v: not 0 <= v <= 1)),
    Test("infinite", "is infinite", 3, _number(lambda v: isinstance(v, float) and math.isinf(v))),
    Test("not-0-or-1", "is neither 0 nor 1", 1, _number(lambda v: v not in (0, 1))),
    Test("not-whole", "is a fraction", 2, _number(lambda v: v % 1 > 0)),
    Test("float", "is a float", 1, _is(float)),
    Test("int", "is an int", 1, _number(lambda v: isinstance(v, int))),
    Test(
        "beyond-double",
        "is an int beyond the double range",
        3,
        _number(lambda v: isinstance(v, int) and abs(v) >= _TOO_LARGE),
    ),
    Test(
        "beyond-2-53", "is an int beyond 2**53", 2, _number(lambda v: isinstance(v, int) and abs(v) > 2**53)
    ),
    Test("bool", "is true or false", 2, _is(bool)),
    Test("true", "is true", 2, lambda v: v is True),
    Test("false", "is false", 2, lambda v: v is False),
    Test("text", "is a text", 2, _is(str)),
    Test("list", "is a list", 2, _is(list)),
    Test("object", "is an object", 2, _is(dict)),
    Test("not-number", "is not a number", 2, lambda v: v is not ABSENT and not is_number(v)),
    Test("not-object", "is not an object", 2, lambda v: v is not ABSENT and not isinstance(v, dict)),
    Test("several", "has several members", 2, _sized(lambda size: size > 1)),
    Test("one", "has only one member", 2, _sized(lambda size: size == 1)),
    Test("no-reward-key", "lacks the key reward", 2, lambda v: isinstance(v, dict) and "reward" not in v),
    Test("numeric-text", "spells a number", 1, _text(lambda v: is_number(numbers.number_in(v)))),
    Test("not-ascii", "is not ASCII", 1, _text(lambda v: not v.isascii())),
    Test("has-blank", "holds white space", 1, _text(lambda v: len(v.split()) != 1 or v != v.strip())),
    Test("has-slash", "holds a slash", 1, _text(lambda v: "/" in v)),
    Test("padded", "has white space around it", 2, _text(lambda v: v != v.strip())),
    Test("long", "is longer than 100 characters", 1, _text(lambda v: len(v) > 100)),
    Test("several-lines", "has several lines", 2, _text(lambda v: "\n" in v.strip())),
    Test("control", "holds a control character", 1, _text(lambda v: any(ord(c) < 32 for c in v))),
)
"""What a rule may hang on."""
