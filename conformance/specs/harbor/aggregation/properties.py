"""What holds of every aggregation of rewards."""

import math
from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.numbers import (
    EDGE_FLOATS,
    doubles,
    ints,
    moderate,
    numbers,
    ordinary,
    small_ints,
    tenths,
)
from conformance.drawing.strategies.rewards import keys, lists_of, one_key_lists, reward_lists, rewards
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.wire.messages import Ok

__all__: list[str] = []

_METRICS = st.sampled_from(("mean", "sum", "max", "min"))
_EXTREMES = st.sampled_from(("max", "min"))


def _of(metric: str, values: list[Any], key: str = "reward") -> dict[str, Any]:
    """The input: trials of one key."""
    return {"metric": metric, "rewards": [{key: value} for value in values]}


@st.composite
def _lists_with_permutation(draw: Any, values: Any) -> tuple[list[Any], list[Any]]:
    listed = draw(lists_of(values, 12))
    return listed, draw(st.permutations(listed))


_int_orders = st.tuples(_METRICS, _lists_with_permutation(ints))


@holds("aggregate-ints-in-any-order", _int_orders)
def _ints_in_any_order(asker: Asker, given: Any) -> None:
    metric, (one, other) = given
    asker.same(
        "aggregate", _of(metric, one), _of(metric, other), f"the {metric} depends on the order of ints"
    )


_finite = st.one_of(tenths, small_ints, st.sampled_from(EDGE_FLOATS), ints)


@holds("aggregate-extremes-in-any-order", st.tuples(_EXTREMES, _lists_with_permutation(_finite)))
def _extremes_in_any_order(asker: Asker, given: Any) -> None:
    """Equal operands may differ in kind, and then the first counts: the values alone are compared."""
    metric, (one, other) = given
    if not one:
        return
    left, right = (asker.ok("aggregate", _of(metric, values))[metric] for values in (one, other))
    asker.holds(left == right, f"the {metric} is {left!r} in one order, {right!r} in another")


@st.composite
def _equals(draw: Any) -> list[Any]:
    value = draw(st.sampled_from((1, 0, -1, 2, 2**53)))
    spellings = (value, float(value), *((-0.0,) if value == 0 else ()))
    return draw(st.lists(st.sampled_from(spellings), min_size=1, max_size=6))  # type: ignore[no-any-return]


@holds("aggregate-first-of-equals", st.tuples(_EXTREMES, _equals()))
def _first_of_equals(asker: Asker, given: Any) -> None:
    metric, values = given
    answer = asker.answer("aggregate", _of(metric, values))
    asker.alike("aggregate", Ok({metric: values[0]}), answer, "not the first of equal operands")


@st.composite
def _with_none(draw: Any) -> tuple[str, str, list[Any]]:
    """At least one trial has the key, so that it stays known."""
    key, values = draw(keys), draw(lists_of(numbers, 10))
    values.insert(draw(st.integers(0, 10)), draw(numbers))
    for _ in range(draw(st.integers(1, 3))):
        values.insert(draw(st.integers(0, 10)), None)
    return draw(_METRICS), key, values


@holds("aggregate-none-is-zero", _with_none())
def _none_is_zero(asker: Asker, given: Any) -> None:
    metric, key, values = given
    none = {"metric": metric, "rewards": [None if value is None else {key: value} for value in values]}
    zero = {"metric": metric, "rewards": [{key: 0 if value is None else value} for value in values]}
    asker.same("aggregate", none, zero, "a trial without rewards does not count as 0")


@holds("aggregate-empty-is-none", st.tuples(_METRICS, one_key_lists()))
def _empty_is_none(asker: Asker, given: Any) -> None:
    metric, listed = given
    one = {"metric": metric, "rewards": [{}, *(reward or None for reward in listed)]}
    other = {"metric": metric, "rewards": [None, *(reward or {} for reward in listed)]}
    asker.same("aggregate", one, other, "rewards without a key differ from no rewards")


_several = st.lists(st.one_of(rewards(numbers, 1), rewards(ordinary, 2), st.none()), min_size=1, max_size=8)


@holds("aggregate-missing-key-is-zero", st.tuples(_METRICS, _several))
def _missing_key_is_zero(asker: Asker, given: Any) -> None:
    metric, listed = given
    every = dict.fromkeys(key for reward in listed for key in reward or {})
    filled = [{key: (reward or {}).get(key, 0) for key in every} for reward in listed]
    one, other = ({"metric": metric, "rewards": one} for one in (listed, filled))
    asker.same("aggregate", one, other, "a key that a trial lacks does not count as 0")


@holds("aggregate-one-key-any-name", st.tuples(_METRICS, lists_of(numbers, 10), keys, keys))
def _one_key_any_name(asker: Asker, given: Any) -> None:
    metric, values, one, other = given
    why = "the name of the only key matters"
    asker.same("aggregate", _of(metric, values, one), _of(metric, values, other), why)


_calm = st.lists(st.one_of(rewards(ordinary, 2), rewards(ordinary), st.none()), min_size=1, max_size=8)


@holds("aggregate-keys-apart", st.tuples(_METRICS, _calm))
def _keys_apart(asker: Asker, given: Any) -> None:
    metric, listed = given
    every = sorted({key for reward in listed for key in reward or {}})
    if len(every) < 2:
        return
    whole = asker.ok("aggregate", {"metric": metric, "rewards": listed})
    asker.equal(set(every), set(whole), "the set of keys")
    for key in every:
        alone = asker.ok("aggregate", _of(metric, [(reward or {}).get(key, 0) for reward in listed]))
        asker.equal(alone[metric], whole[key], f"the value of {key!a} beside other keys")


@holds("aggregate-keys-sorted", st.tuples(_METRICS, _calm))
def _keys_sorted(asker: Asker, given: Any) -> None:
    metric, listed = given
    found = list(asker.ok("aggregate", {"metric": metric, "rewards": listed}))
    in_order = asker.level < Level.BYTES or found == sorted(found)
    asker.holds(in_order, f"the keys come as {found!a}")


_one_sign = lists_of(st.one_of(tenths, moderate.map(abs), small_ints.map(abs)), 20).filter(bool)


@holds("aggregate-mean-between-extremes", st.tuples(_one_sign, st.booleans()))
def _mean_between_extremes(asker: Asker, given: Any) -> None:
    """Sum and division are rounded once each, which takes a mean at most one double outside."""
    values, negative = given
    values = [-value if negative else value for value in values]
    low, mean, high = (asker.ok("aggregate", _of(name, values))[name] for name in ("min", "mean", "max"))
    low, high = math.nextafter(float(low), -math.inf), math.nextafter(float(high), math.inf)
    asker.holds(low <= mean <= high, f"the mean {mean!r} is not between min and max")


@holds("aggregate-mean-of-ints-between-extremes", lists_of(st.one_of(small_ints, ints), 12).filter(bool))
def _mean_of_ints_between_extremes(asker: Asker, given: Any) -> None:
    """The sum is exact and the division correctly rounded, so nothing is lost but in the last rounding."""
    values = [value for value in given if abs(value) < 10**300] or [0]
    low, mean, high = (asker.ok("aggregate", _of(name, values))[name] for name in ("min", "mean", "max"))
    asker.holds(float(low) <= mean <= float(high), f"the mean {mean!r} is not between min and max")


@holds("aggregate-mean-is-sum-by-count", lists_of(st.one_of(ordinary, doubles), 12).filter(bool))
def _mean_is_sum_by_count(asker: Asker, given: Any) -> None:
    total = asker.ok("aggregate", _of("sum", given))["sum"]
    mean = asker.ok("aggregate", _of("mean", given))["mean"]
    asker.equal(total / len(given), mean, "the mean")


@holds(
    "aggregate-zeros-leave-the-sum",
    st.tuples(one_key_lists(none=False), st.lists(st.integers(0, 20), max_size=4)),
)
def _zeros_leave_the_sum(asker: Asker, given: Any) -> None:
    listed, places = given
    longer = list(listed)
    for place in places:
        longer.insert(place, None)
    one, other = ({"metric": "sum", "rewards": one} for one in (listed, longer))
    asker.same("aggregate", one, other, "trials without rewards change the sum")


@holds(
    "aggregate-doubling",
    st.tuples(st.sampled_from(("sum", "mean", "max", "min")), lists_of(moderate, 20).filter(bool)),
)
def _doubling(asker: Asker, given: Any) -> None:
    """Powers of two are exact, so every rounding falls as it did."""
    metric, values = given
    once = asker.ok("aggregate", _of(metric, values))[metric]
    twice = asker.ok("aggregate", _of(metric, [2.0 * value for value in values]))[metric]
    asker.equal(2.0 * once, twice, f"the {metric} of doubled rewards")


_signed = lists_of(st.one_of(moderate, small_ints), 12).filter(bool)  # 64 bits hold -2**63, not 2**63


@holds(
    "aggregate-negation",
    st.tuples(st.sampled_from((("sum", "sum"), ("mean", "mean"), ("max", "min"))), _signed),
)
def _negation(asker: Asker, given: Any) -> None:
    """A zero keeps its own sign, so values alone are compared."""
    (metric, mirrored), values = given
    one = asker.ok("aggregate", _of(metric, values))[metric]
    other = asker.ok("aggregate", _of(mirrored, [-value for value in values]))[mirrored]
    asker.holds(one == -other, f"the {metric} is {one!r}, the {mirrored} of the negated rewards {other!r}")


@holds("aggregate-sum-of-ints-is-exact", lists_of(ints, 12))
def _sum_of_ints_is_exact(asker: Asker, given: Any) -> None:
    asker.equal(sum(given), asker.ok("aggregate", _of("sum", given))["sum"], "the sum of ints")


@holds("aggregate-extremes-are-rewards", st.tuples(_EXTREMES, reward_lists()))
def _extremes_are_rewards(asker: Asker, given: Any) -> None:
    metric, listed = given
    if not listed:
        return
    for key, value in asker.ok("aggregate", {"metric": metric, "rewards": listed}).items():
        there = [item for reward in listed for item in (reward or {}).values()] + [0]
        spelled = ("NaN", "Infinity", "-Infinity")
        numbers_there = [float(item) if item in spelled else item for item in there]
        known = any(item == value or (item != item and value != value) for item in numbers_there)
        asker.holds(known, f"the {metric} of {key!a}, {value!r}, is no trial's")
