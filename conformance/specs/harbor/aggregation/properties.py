"""Properties of every aggregation of rewards."""

import math
from typing import Any

from conformance.drawing.numbers import double, edge, integer, moderate, number, ordinary, small_int, tenth
from conformance.drawing.rewards import key, one_key_list, reward_list, rewards
from conformance.drawing.source import Draw, Source
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.wire.messages import Ok

__all__: list[str] = []

_FEW = (4, 8, 12, 12)
"""The lengths of lists of values."""


def _metric(source: Source) -> str:
    return source.pick(("mean", "sum", "max", "min"))


def _extreme(source: Source) -> str:
    return source.pick(("max", "min"))


def _input(metric: str, values: list[Any], name: str = "reward") -> dict[str, Any]:
    """An input with trials of one key."""
    return {"metric": metric, "rewards": [{name: value} for value in values]}


def _any_of(*draws: Draw[Any]) -> Draw[Any]:
    """Draws each value from one of these."""
    return lambda source: draws[source.below(len(draws))](source)


def _values(source: Source, value: Draw[Any], sizes: tuple[int, ...] = _FEW) -> list[Any]:
    """At least one value."""
    return source.items(value, sizes) or [value(source)]


def _close(source: Source) -> int:
    """An int that rounds to the same double as another."""
    return source.pick((2**53, 2**53 + 1, -(2**53), -(2**53) - 1))


def _in_two_orders(source: Source, value: Draw[Any]) -> tuple[list[Any], list[Any]]:
    listed = source.items(_close if source.chance(25) else value, _FEW)
    return listed, source.shuffled(listed)


@holds("aggregate-ints-in-any-order", lambda source: (_metric(source), _in_two_orders(source, integer)))
def _ints_in_any_order(asker: Asker, drawn: Any) -> None:
    metric, (left, right) = drawn
    asker.same(
        "aggregate", _input(metric, left), _input(metric, right), f"the {metric} depends on the order of ints"
    )


_finite = _any_of(tenth, small_int, edge, integer)


@holds("aggregate-extremes-in-any-order", lambda source: (_extreme(source), _in_two_orders(source, _finite)))
def _extremes_in_any_order(asker: Asker, drawn: Any) -> None:
    """Equal operands may differ in type, and then the first one wins: only values are compared."""
    metric, (listed, shuffled) = drawn
    if not listed:
        return
    left, right = (asker.ok("aggregate", _input(metric, values))[metric] for values in (listed, shuffled))
    asker.holds(left == right, f"the {metric} is {left!r} in one order, {right!r} in another")


def _equals(source: Source) -> list[Any]:
    value = source.pick((1, 0, -1, 2, 2**53))
    spellings = (value, float(value), *((-0.0,) if value == 0 else ()))
    return source.several(6, lambda source: source.pick(spellings))


@holds("aggregate-first-of-equals", lambda source: (_extreme(source), _equals(source)))
def _first_of_equals(asker: Asker, drawn: Any) -> None:
    metric, values = drawn
    answer = asker.answer("aggregate", _input(metric, values))
    asker.alike("aggregate", Ok({metric: values[0]}), answer, "not the first of equal operands")


def _with_none(source: Source) -> tuple[str, str, list[Any]]:
    """At least one trial has the key, so that it stays known."""
    metric, name, values = _metric(source), key(source), _values(source, number)
    for _ in range(source.between(1, 3)):
        values.insert(source.below(11), None)
    return metric, name, values


@holds("aggregate-none-is-zero", _with_none)
def _none_is_zero(asker: Asker, drawn: Any) -> None:
    metric, name, values = drawn
    none = {"metric": metric, "rewards": [None if value is None else {name: value} for value in values]}
    zero = {"metric": metric, "rewards": [{name: 0 if value is None else value} for value in values]}
    asker.same("aggregate", none, zero, "a trial without rewards does not count as 0")


@holds("aggregate-empty-is-none", lambda source: (_metric(source), one_key_list(source)))
def _empty_is_none(asker: Asker, drawn: Any) -> None:
    metric, listed = drawn
    empty = {"metric": metric, "rewards": [{}, *(reward or None for reward in listed)]}
    none = {"metric": metric, "rewards": [None, *(reward or {} for reward in listed)]}
    asker.same("aggregate", empty, none, "rewards without a key differ from no rewards")


def _any_rewards(source: Source) -> Any:
    kind = source.below(6)
    if kind < 2:
        return rewards(source, number, least=1)
    return rewards(source, ordinary, least=2) if kind < 5 else None


_SEVERAL = (3, 8)


@holds(
    "aggregate-missing-key-is-zero", lambda source: (_metric(source), _values(source, _any_rewards, _SEVERAL))
)
def _missing_key_is_zero(asker: Asker, drawn: Any) -> None:
    metric, listed = drawn
    names = dict.fromkeys(name for reward in listed for name in reward or {})
    filled = [{name: (reward or {}).get(name, 0) for name in names} for reward in listed]
    lacking, full = ({"metric": metric, "rewards": trials} for trials in (listed, filled))
    asker.same("aggregate", lacking, full, "a key that a trial lacks does not count as 0")


@holds(
    "aggregate-one-key-any-name",
    lambda source: (_metric(source), source.items(number, _FEW), key(source), key(source)),
)
def _one_key_any_name(asker: Asker, drawn: Any) -> None:
    metric, values, name, renamed = drawn
    why = "the name of the only key matters"
    asker.same("aggregate", _input(metric, values, name), _input(metric, values, renamed), why)


def _rewards_with_several_keys(source: Source) -> tuple[str, list[Any]]:
    def item(source: Source) -> Any:
        kind = source.below(6)
        return rewards(source, ordinary, least=2 if kind < 3 else 0) if kind < 5 else None

    return _metric(source), _values(source, item, _SEVERAL)


@holds("aggregate-keys-apart", _rewards_with_several_keys)
def _keys_are_separate(asker: Asker, drawn: Any) -> None:
    metric, listed = drawn
    keys = sorted({name for reward in listed for name in reward or {}})
    if len(keys) < 2:
        return
    whole = asker.ok("aggregate", {"metric": metric, "rewards": listed})
    asker.equal(set(keys), set(whole), "the set of keys")
    for name in keys:
        single = asker.ok("aggregate", _input(metric, [(reward or {}).get(name, 0) for reward in listed]))
        asker.equal(single[metric], whole[name], f"the value of {name!a} next to other keys")


@holds("aggregate-keys-sorted", _rewards_with_several_keys)
def _keys_sorted(asker: Asker, drawn: Any) -> None:
    metric, listed = drawn
    names = list(asker.ok("aggregate", {"metric": metric, "rewards": listed}))
    in_order = asker.level < Level.BYTES or names == sorted(names)
    asker.holds(in_order, f"the keys are in the order {names!a}")


_positive = _any_of(tenth, lambda source: abs(moderate(source)), lambda source: abs(small_int(source)))


@holds(
    "aggregate-mean-between-extremes",
    lambda source: (_values(source, _positive, (*_FEW, 20)), bool(source.below(2))),
)
def _mean_between_extremes(asker: Asker, drawn: Any) -> None:
    """Sum and division are each rounded once, so a mean is outside by at most one double."""
    values, negative = drawn
    values = [-value if negative else value for value in values]
    low, mean, high = (asker.ok("aggregate", _input(name, values))[name] for name in ("min", "mean", "max"))
    low, high = math.nextafter(float(low), -math.inf), math.nextafter(float(high), math.inf)
    asker.holds(low <= mean <= high, f"the mean {mean!r} is not between min and max")


@holds("aggregate-mean-of-ints-between-extremes", lambda source: _values(source, _any_of(small_int, integer)))
def _mean_of_ints_between_extremes(asker: Asker, ints: Any) -> None:
    """The sum is exact and the division correctly rounded, so only the last rounding loses anything."""
    values = [value for value in ints if abs(value) < 10**300] or [0]
    low, mean, high = (asker.ok("aggregate", _input(name, values))[name] for name in ("min", "mean", "max"))
    asker.holds(float(low) <= mean <= float(high), f"the mean {mean!r} is not between min and max")


@holds("aggregate-mean-is-sum-by-count", lambda source: _values(source, _any_of(ordinary, double)))
def _mean_is_sum_by_count(asker: Asker, values: Any) -> None:
    total = asker.ok("aggregate", _input("sum", values))["sum"]
    mean = asker.ok("aggregate", _input("mean", values))["mean"]
    asker.equal(total / len(values), mean, "the mean")


@holds(
    "aggregate-zeros-leave-the-sum",
    lambda source: (one_key_list(source, none=False), source.times(4, lambda source: source.below(21))),
)
def _zeros_leave_the_sum(asker: Asker, drawn: Any) -> None:
    listed, indices = drawn
    longer = list(listed)
    for index in indices:
        longer.insert(index, None)
    before, after = ({"metric": "sum", "rewards": trials} for trials in (listed, longer))
    asker.same("aggregate", before, after, "trials without rewards change the sum")


@holds(
    "aggregate-doubling",
    lambda source: (source.pick(("sum", "mean", "max", "min")), _values(source, moderate, (*_FEW, 20))),
)
def _doubling(asker: Asker, drawn: Any) -> None:
    """Powers of two are exact, so every rounding stays the same."""
    metric, values = drawn
    once = asker.ok("aggregate", _input(metric, values))[metric]
    twice = asker.ok("aggregate", _input(metric, [2.0 * value for value in values]))[metric]
    asker.equal(2.0 * once, twice, f"the {metric} of doubled rewards")


_signed = _any_of(moderate, small_int)  # 64 bits can represent -2**63, not 2**63
_MIRRORED = (("sum", "sum"), ("mean", "mean"), ("max", "min"))


@holds("aggregate-negation", lambda source: (source.pick(_MIRRORED), _values(source, _signed)))
def _negation(asker: Asker, drawn: Any) -> None:
    """A zero keeps its own sign, so only values are compared."""
    (metric, mirrored), values = drawn
    left = asker.ok("aggregate", _input(metric, values))[metric]
    right = asker.ok("aggregate", _input(mirrored, [-value for value in values]))[mirrored]
    asker.holds(left == -right, f"the {metric} is {left!r}, the {mirrored} of the negated rewards {right!r}")


@holds("aggregate-sum-of-ints-is-exact", lambda source: source.items(integer, _FEW))
def _sum_of_ints_is_exact(asker: Asker, ints: Any) -> None:
    asker.equal(sum(ints), asker.ok("aggregate", _input("sum", ints))["sum"], "the sum of ints")


@holds(
    "aggregate-extremes-are-rewards",
    lambda source: (_extreme(source), reward_list(source)),
    examples=400,  # lists with only negative rewards and a missing one are rare
)
def _extremes_are_rewards(asker: Asker, drawn: Any) -> None:
    metric, listed = drawn
    if not listed:
        return
    for name, value in asker.ok("aggregate", {"metric": metric, "rewards": listed}).items():
        values = [item for reward in listed for item in (reward or {}).values()] + [0]
        spelled = ("NaN", "Infinity", "-Infinity")
        numbers = [float(item) if item in spelled else item for item in values]
        known = any(item == value or (item != item and value != value) for item in numbers)
        asker.holds(known, f"the {metric} of {name!a}, {value!r}, is not the reward of any trial")
