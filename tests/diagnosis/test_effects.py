"""What each change that a learned deviation may consist of does, by example."""

import math
from typing import Any

import pytest

from conformance.diagnosis.effects import KEYS, ORDERS, UNCHANGED, VALUES, Effect

NAN, INF = math.nan, math.inf
THIRD = 2000 / 3

# By what is said: what is due, and what comes; then what is left as it is.
VALUES_BY_EXAMPLE: dict[str, tuple[list[tuple[Any, Any]], list[Any]]] = {
    "gives ints as floats": ([(1, 1.0), (10**400, INF), (-(10**400), -INF)], [True, 1.0, "1"]),
    "gives whole floats as ints": ([(1.0, 1), (1e300, int(1e300)), (-0.0, 0)], [1, 0.5, INF, NAN]),
    "gives whole floats as ints, cut at 64 bits": (
        [(1.0, 1), (1e300, 2**63 - 1), (-1e300, -(2**63))],
        [0.5, INF, 2**70],
    ),
    "gives whole numbers as JavaScript prints them: 1 for 1.0, and digits lost beyond 2**53": (
        [(1.0, 1), (2**53 + 1, 2**53), (2**60 + 1, 1152921504606847000), (10**22, 1e22)],
        [0.5, True, "1", 10**400, NAN],
    ),
    "reads ints through doubles": ([(2**53 + 1, 2**53), (3, 3)], [1.0, 10**400, True]),
    "gives numbers as strings": ([(1, "1"), (0.5, "0.5")], ["1", True, None]),
    "gives numbers as strings of floats": ([(1, "1.0"), (0.5, "0.5")], ["1", True, None, 10**400]),
    "loses the sign of minus zero": ([(-0.0, 0.0)], [1.0, -1.0, 0, NAN]),
    "computes in single precision": ([(0.1, 0.10000000149011612), (1e300, INF), (-1e300, -INF)], [1, INF]),
    "clamps numbers to [0, 1]": ([(2, 1.0), (-0.5, 0.0), (0.5, 0.5)], ["2", True]),
    "gives negative numbers as 0": ([(-2, 0), (-0.5, 0.0), (3, 3)], ["-2"]),
    "drops the sign": ([(-2, 2), (-0.5, 0.5)], ["-2"]),
    "turns the sign": ([(2, -2), (0.5, -0.5)], ["2"]),
    "gives fractions as percent": ([(0.5, 50.0), (2, 200)], ["2"]),
    "gives 1 less the number": ([(0.25, 0.75), (1, 0)], ["2"]),
    "counts one too many": ([(1, 2)], [1.0, True]),
    "counts one too few": ([(1, 0)], [1.0, True]),
    "cuts the fraction off": ([(1.75, 1.0), (-1.75, -1.0)], [1, NAN]),
    "gives numbers that are not finite as null": ([(NAN, None), (INF, None)], [1.0, 1]),
    "gives NaN as null": ([(NAN, None)], [INF, 1.0]),
    "gives NaN as 0.0": ([(NAN, 0.0)], [INF, 1.0]),
    "gives numbers that are not finite as 0.0": ([(NAN, 0.0), (-INF, 0.0)], [1.0]),
    "gives infinities as NaN": ([(INF, NAN), (-INF, NAN)], [NAN, 1.0]),
    "gives null as 0.0": ([(None, 0.0)], [0, "", False]),
    "gives null as 0": ([(None, 0)], [0.0, "", False]),
    "gives null as an empty string": ([(None, "")], [0, False]),
    "gives null as an empty object": ([(None, {})], [[], 0]),
    "gives null as an empty array": ([(None, [])], [{}, 0]),
    "gives an empty object as null": ([({}, None)], [{"a": 1}, []]),
    "gives an empty array as null": ([([], None)], [[1], {}]),
    "gives an empty string as null": ([("", None)], ["a", None]),
    "gives booleans as 0 and 1": ([(True, 1), (False, 0)], [1, None]),
    "turns booleans round": ([(True, False), (False, True)], [1, None]),
    "gives text in lower case": ([("Ab", "ab")], [1]),
    "gives text in upper case": ([("Ab", "AB")], [1]),
    "trims text": ([(" a b\n", "a b")], [1]),
    "gives arrays sorted": ([([2, 1], [1, 2])], [[1, "a"], "ba"]),
    "gives arrays in the reverse order": ([([1, 3, 2], [2, 3, 1])], ["ab"]),
    "gives each item of an array once": ([([1, 2, 1], [1, 2])], ["aa"]),
    "gives only the first item of an array": ([([1, 2], [1])], ["ab"]),
    "gives only the last item of an array": ([([1, 2], [2])], ["ab"]),
    "gives arrays empty": ([([1, 2], [])], ["ab", {}]),
    **{
        f"rounds to {digits} decimal{'' if digits == 1 else 's'}": (
            [(THIRD, float(f"{THIRD:.{digits}f}"))],
            [1, NAN, "1.5"],
        )
        for digits in range(13)
    },
    **{
        f"keeps {digits} significant digits": ([(THIRD, float(f"{THIRD:.{digits}g}"))], [1, NAN, "1.5"])
        for digits in range(4, 18)
    },
}
KEYS_BY_EXAMPLE: dict[str, tuple[list[tuple[Any, Any]], list[Any]]] = {
    "spells whole floats as ints where they are keys": ([("1.0", "1"), ("-2.0", "-2")], ["1", "0.5", "a"]),
    "spells ints as floats where they are keys": ([("1", "1.0")], ["1.0", "a", "9" * 400]),
    "gives keys in lower case": ([("Ab", "ab")], []),
    "trims keys": ([(" a ", "a")], []),
}
ORDERS_BY_EXAMPLE: dict[str, tuple[list[tuple[Any, Any]], list[Any]]] = {
    "sorts keys": ([(["b", "a", "B"], ["B", "a", "b"])], []),
    "puts keys that look like integers first": (
        [(["b", "10", "9", "01", "a"], ["9", "10", "b", "01", "a"])],
        [],
    ),
    "gives keys in the reverse order": ([(["b", "a", "c"], ["c", "a", "b"])], []),
    "sorts keys without regard to case": ([(["b", "A", "B", "a"], ["A", "a", "b", "B"])], []),
    "sorts keys in the reverse order": ([(["b", "a", "c"], ["c", "b", "a"])], []),
    "sorts keys by UTF-16": ([(["\uffff", "\U00010000"], ["\U00010000", "\uffff"])], []),
}
TABLES = [(VALUES, VALUES_BY_EXAMPLE), (KEYS, KEYS_BY_EXAMPLE), (ORDERS, ORDERS_BY_EXAMPLE)]
EFFECTS = [(effect, table[effect.says]) for effects, table in TABLES for effect in effects]


@pytest.mark.parametrize(("effect", "examples"), EFFECTS, ids=[effect.says for effect, _ in EFFECTS])
def test_an_effect(effect: Effect, examples: tuple[list[tuple[Any, Any]], list[Any]]) -> None:
    changed, left = examples
    for due, comes in changed:
        assert repr(effect.change(due)) == repr(comes)
    for due in left:
        assert effect.change(due) is UNCHANGED, due


def test_each_effect_has_words_of_its_own_and_an_example() -> None:
    for effects, table in TABLES:
        assert sorted(effect.says for effect in effects) == sorted(table)
        assert len({effect.says for effect in effects}) == len(effects)
        assert all(effect.mend for effect in effects)
