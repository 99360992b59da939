"""Changes that implementers make to a value of some type, each with a description and how usual it is.

A row of a table is a name, how usual the change is (3: many do it by habit; 2: some do; 1: few), a clause
that describes it, and a function of one value. The functions of a typed table get only values of that type.
If one fails, or returns an equal value, nothing changes.
"""

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, NamedTuple

from conformance.deviations import containers, numbers, texts
from conformance.deviations.lens import ABSENT, Row
from conformance.deviations.numbers import is_number, javascript_number

__all__ = ["KINDS_OF_VALUES", "TESTS", "NamedChange", "Test", "changes_for", "equal", "kind_of", "of_type"]

_FAILURES = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, StopIteration)
_KINDS = {NoneType: "null", bool: "bool", int: "number", float: "number"}
_KINDS |= {str: "text", list: "list", dict: "object"}
KINDS_OF_VALUES = tuple(dict.fromkeys(_KINDS.values()))
_EXACT = {NoneType, bool, int, str}
"""Types whose values can be compared with ``==``."""
_ANYWHERE = {"sorted", "unique", "empty-list-is-null", "empty-object-is-null", "no-null-items"}
_ANYWHERE |= {"no-null-members", "no-zeros", "no-bools", "sorted-keys", "integer-keys-first", "keys-lower"}
_ANYWHERE |= {"keys-strip", "keys-nfc"}
"""Changes that make sense for all lists or objects of a message; others are meant for one place."""


class NamedChange(NamedTuple):
    """One change: a row of a table."""

    name: str
    usual: int
    words: str
    change: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on one value, which a rule may depend on."""

    name: str
    words: str
    """Completes "where `x` …"."""
    usual: int
    holds: Callable[[Any], bool]


def kind_of(value: Any) -> str:
    """The kind of a JSON value."""
    exact = _KINDS.get(type(value))
    return exact or next((kind for type_, kind in _KINDS.items() if isinstance(value, type_)), "object")


def equal(a: Any, b: Any) -> bool:
    """Whether two values have the same type, order of keys and sign of zero; NaN equals itself."""
    if a is b:
        return True
    if type(a) is type(b) and type(a) in _EXACT:
        return bool(a == b)
    if isinstance(a, float) and isinstance(b, float):
        return (a == b or a != a) and repr(float(a)) == repr(float(b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(equal, a.values(), b.values()))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return kind_of(a) == kind_of(b) and isinstance(a, int) == isinstance(b, int) and a == b


def of_type(function: Callable[[Any], Any], types: tuple[type, ...]) -> Callable[[Any], Any]:
    """A change that applies only to values of some types, and returns any other object itself."""
    no_bools = bool not in types  # a bool is an int
    no_numbers = int not in types

    def changed_if_of_type(value: Any) -> Any:
        if not isinstance(value, types) or (no_bools and isinstance(value, bool)):
            return value
        if no_numbers and isinstance(value, dict) and value.keys() == {"json"}:
            return value  # a number in a spelling of its own
        try:
            new = function(value)
            return value if equal(new, value) else new
        except _FAILURES:
            return value

    return changed_if_of_type


def _null(name: str, usual: int, words: str, new: Any) -> Row:
    return f"null-is-{name}", usual, f"null becomes {words}", lambda _: new


_WORDS = {"null": 2, "None": 3, "unknown": 3, "default": 1, "adhoc": 1}
_NULL: dict[str, tuple[Row, ...]] = {
    "text": (
        _null("empty-text", 2, "an empty string", ""),
        *(_null(f"word-{word}", usual, f"the string {word}", word) for word, usual in _WORDS.items()),
    ),
    "number": (_null("0", 3, "0", 0), _null("0.0", 3, "0.0", 0.0), _null("nan", 3, "NaN", math.nan)),
    "bool": (_null("false", 2, "false", False),),
    "list": (_null("list", 3, "an empty list", []),),
    "object": (_null("object", 3, "an empty object", {}),),
}
"""What null becomes, by the kind of value that is expected."""


def _javascript_or_0(value: Any) -> Any:
    number = javascript_number(value)
    return 0 if number != number else number


def _list_or_empty(value: Any) -> Any:
    return value if isinstance(value, list) else []


def _object_or_empty(value: Any) -> Any:
    return value if isinstance(value, dict) else {}


_NULL_IS_ABSENT: Row = ("null-is-absent", 2, "null is treated as a missing member", lambda value: ABSENT)
_SCALAR: tuple[Row, ...] = (
    ("falsy-is-null", 3, "0, false and empty strings become null", lambda v: v if v else None),
    (
        "not-number-is-null",
        2,
        "a value that is not a number becomes null",
        lambda v: v if is_number(v) else None,
    ),
    (
        "not-number-is-absent",
        2,
        "values that are not numbers are left out",
        lambda v: v if is_number(v) else ABSENT,
    ),
    (
        "not-text-is-null",
        1,
        "a value that is not a string becomes null",
        lambda v: v if isinstance(v, str) else None,
    ),
)
_CONVERSIONS: dict[str, tuple[Row, ...]] = {
    "number": (
        ("not-number-is-0", 2, "a value that is not a number becomes 0", lambda v: v if is_number(v) else 0),
        ("javascript-number", 2, "values are converted to numbers as in JavaScript", javascript_number),
        (
            "javascript-number-or-0",
            3,
            "values are converted to numbers as in JavaScript, or else become 0",
            _javascript_or_0,
        ),
    ),
    "list": (("not-list-is-empty", 2, "a value that is not a list becomes an empty list", _list_or_empty),),
    "object": (
        ("not-object-is-empty", 2, "a value that is not an object becomes an empty object", _object_or_empty),
    ),
}
"""What a value of another kind becomes, by the kind that is expected."""
_ANY_VALUE: tuple[Row, ...] = (
    ("is-null", 2, "the value becomes null", lambda value: None),
    ("is-absent", 2, "the member is left out", lambda value: ABSENT),
)
_TABLES: tuple[tuple[str, tuple[Row, ...], tuple[type, ...]], ...] = (
    ("text", texts.ROWS, (str,)),
    ("number", numbers.ROWS, (int, float)),
    ("number", numbers.FLOAT_ROWS, (float,)),
    ("number", numbers.INT_ROWS, (int,)),
    ("bool", numbers.BOOL_ROWS, (bool,)),
    ("list", containers.LIST_ROWS, (list,)),
    ("object", containers.OBJECT_ROWS, (dict,)),
)


def _rows(kinds: Collection[str]) -> Iterator[tuple[Iterable[Row], tuple[type, ...]]]:
    """The tables that apply where values of these kinds occur, with the types that they take."""
    yield from ((rows, types) for kind, rows, types in _TABLES if kind in kinds)
    if "null" in kinds:
        fitting = [rows for kind, rows in _NULL.items() if kind in kinds or len(kinds) == 1]
        yield (_NULL_IS_ABSENT, *itertools.chain(*fitting)), (NoneType,)
    if not {"list", "object"} & set(kinds):
        yield _SCALAR, (bool, int, float, str)
    if len(kinds) > 1:
        for kind, rows in _CONVERSIONS.items():
            if kind in kinds:  # numbers are numbers already
                yield rows, tuple(type_ for type_ in _KINDS if kind != "number" or type_ not in (int, float))


def changes_for(kinds: Iterable[str], *, anywhere: bool = False) -> tuple[NamedChange, ...]:
    """The changes that apply where values of these kinds occur.

    With ``anywhere``, only those that make sense for all such values of a message at once.
    """
    return _changes_for(frozenset(kinds), anywhere)


@functools.cache
def _changes_for(kinds: frozenset[str], anywhere: bool) -> tuple[NamedChange, ...]:
    by_name: dict[str, NamedChange] = {}
    containers_only = anywhere and bool({"list", "object"} & kinds)
    for rows, types in _rows(kinds):
        for name, usual, words, function in rows:
            if name not in by_name and (name in _ANYWHERE or not containers_only):
                by_name[name] = NamedChange(name, usual, words, of_type(function, types))
    changes = list(by_name.values())
    if not anywhere:
        all_types = tuple(_KINDS)
        changes += [NamedChange(*row[:3], of_type(row[3], all_types)) for row in _ANY_VALUE]
        if not {"list", "object"} & kinds:
            words = "an absent member becomes null"
            changes.append(NamedChange("absent-is-null", 1, words, lambda v: None if v is ABSENT else v))
    return tuple(changes)


def _if(types: tuple[type, ...], holds: Callable[[Any], bool] = lambda _: True) -> Callable[[Any], bool]:
    """A condition that only values of some types can meet; a bool is not a number."""
    no_bools = bool not in types
    return lambda v: isinstance(v, types) and not (no_bools and isinstance(v, bool)) and holds(v)


def _if_number(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return _if((int, float), holds)


def _if_text(holds: Callable[[str], bool]) -> Callable[[Any], bool]:
    return _if((str,), holds)


_EMPTY: Sequence[Any] = ("", [], {})
_TOO_LARGE = 2**1024 - 2**970
"""The smallest int beyond the double range."""
TESTS = (
    Test("null", "is null", 3, lambda v: v is None),
    Test("absent", "is absent", 2, lambda v: v is ABSENT),
    Test("given", "is not null", 2, lambda v: v is not None and v is not ABSENT),
    Test("empty", "is empty", 3, lambda v: v is not ABSENT and v in _EMPTY),
    Test("blank", "is blank", 2, _if_text(lambda v: not v.strip())),
    Test("0", "is 0", 3, _if_number(lambda v: v == 0)),
    Test("negative", "is negative", 3, _if_number(lambda v: v < 0)),
    Test("above-0", "is above 0", 2, _if_number(lambda v: v > 0)),
    Test("above-1", "is above 1", 2, _if_number(lambda v: v > 1)),
    Test("nan", "is NaN", 3, _if_number(lambda v: v != v)),
    Test("not-finite", "is not finite", 3, _if((float,), lambda v: not math.isfinite(v))),
    Test("outside-01", "is outside 0 to 1", 2, _if_number(lambda v: not 0 <= v <= 1)),
    Test("infinite", "is infinite", 3, _if((float,), math.isinf)),
    Test("not-whole", "is a fraction", 2, _if_number(lambda v: v % 1 > 0)),
    Test("float", "is a float", 1, _if((float,))),
    Test("int", "is an int", 1, _if((int,))),
    Test(
        "beyond-double", "is an int beyond the double range", 3, _if((int,), lambda v: abs(v) >= _TOO_LARGE)
    ),
    Test("beyond-2-53", "is an int beyond 2**53", 2, _if((int,), lambda v: abs(v) > 2**53)),
    Test("bool", "is true or false", 2, _if((bool,))),
    Test("true", "is true", 2, lambda v: v is True),
    Test("false", "is false", 2, lambda v: v is False),
    Test("text", "is a string", 2, _if((str,))),
    Test("list", "is a list", 2, _if((list,))),
    Test("object", "is an object", 2, _if((dict,))),
    Test("not-number", "is not a number", 2, lambda v: v is not ABSENT and not is_number(v)),
    Test("not-object", "is not an object", 2, lambda v: v is not ABSENT and not isinstance(v, dict)),
    Test("several", "has several members", 2, _if((list, dict), lambda v: len(v) > 1)),
    Test("one", "has only one member", 2, _if((list, dict), lambda v: len(v) == 1)),
    Test("no-reward-key", "lacks the key reward", 2, _if((dict,), lambda v: "reward" not in v)),
    Test("numeric-text", "spells a number", 1, _if_text(lambda v: is_number(numbers.number_in(v)))),
    Test("not-ascii", "is not ASCII", 1, _if_text(lambda v: not v.isascii())),
    Test("padded", "has white space around it", 2, _if_text(lambda v: v != v.strip())),
    Test("several-lines", "has several lines", 2, _if_text(lambda v: "\n" in v.strip())),
)
"""Conditions on which a rule may depend."""
