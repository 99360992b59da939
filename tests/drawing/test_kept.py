"""Inputs from a seed with their choices: always the same, various, and made small by their choices."""

import itertools
import json

import pytest

from conformance.drawing.kept import drawn_by, shrink
from conformance.registry.ops import OPS


def first(draw, count, seed=1):
    return [given for given, _ in itertools.islice(drawn_by(draw, seed), count)]


def smallest(draw, fails, seed=1):
    """What is left of the first input that fails."""
    given, source = next(pair for pair in drawn_by(draw, seed) if fails(pair[0]))
    found = [given]

    def alike(candidate):
        if fails(candidate):
            found.append(candidate)
        return fails(candidate)

    shrink(draw, source, alike)
    return found[-1]


def numbers(source):
    return source.items(lambda source: source.below(1000), (30,))


def nested(source):
    return [source.pick("abc"), source.several(4, lambda source: source.times(5, lambda one: one.below(9)))]


@pytest.mark.parametrize("op", [name for name, op in OPS.items() if not op.package_only])
def test_the_seed_decides(op) -> None:
    once = json.dumps(first(OPS[op].draw, 12))
    assert json.dumps(first(OPS[op].draw, 12)) == once
    assert json.dumps(first(OPS[op].draw, 12, seed=2)) != once


@pytest.mark.parametrize("seed", range(5))
def test_lists_lose_their_items_and_numbers_shrink(seed) -> None:
    assert (first(numbers, 1), first(nested, 1)) == ([[]], [["a", [[]]]])  # the first is the simplest
    assert smallest(numbers, lambda given: any(number >= 137 for number in given), seed) == [137]
    assert smallest(numbers, lambda given: len(given) >= 3, seed) == [0, 0, 0]
    assert smallest(nested, lambda given: any(8 in part for part in given[1]), seed) == ["a", [[8]]]
