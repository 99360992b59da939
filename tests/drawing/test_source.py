"""A source of choices: the same seed makes the same ones, and the simplest come first."""

import importlib
import itertools
import json
import random
import sys

import pytest

from conformance.drawing.by_hypothesis import search
from conformance.drawing.kept import drawn_by, shrink
from conformance.drawing.source import Seeded, Source
from conformance.registry.ops import OPS


class Least(Source):
    """Always the simplest."""

    def below(self, limit):
        return 0

    def items(self, item, sizes):
        return []


def by_hypothesis(draw, count, seed=1):
    found = []
    search(draw, lambda value: not found.append(value), seed=seed, examples=count, shrinking=False)
    return found


def every_op(source):
    return [op.draw(source) for op in OPS.values() if not op.package_only]


def test_the_same_seed_draws_the_same_whatever_else_is_random() -> None:
    once = every_op(Seeded(1)), by_hypothesis(every_op, 10)
    random.seed(99)
    assert (every_op(Seeded(1)), by_hypothesis(every_op, 10)) == once
    assert every_op(Seeded(2)) != once[0]
    assert by_hypothesis(every_op, 10, 2) != once[1]


def test_what_other_modules_hold_changes_nothing(tmp_path, monkeypatch) -> None:
    """hypothesis mixes constants of the modules loaded into what it draws, where they would do."""
    once = by_hypothesis(every_op, 10)
    path = tmp_path / "full_of_constants.py"
    texts = [bytes([number]) * length for number in (0, 1, 200) for length in (3, 20, 49, 52)]
    ints = list(range(90, 3000, 7))
    path.write_text(f"BYTES = {texts}\nTEXTS = ['0101', '{'01' * 12}', '1']\nINTS = {ints}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(path.stem)
    try:
        assert by_hypothesis(every_op, 10) == once
    finally:
        del sys.modules[path.stem]


@pytest.mark.parametrize("op", [name for name, op in OPS.items() if not op.package_only])
def test_the_simplest_choices_make_an_input(op) -> None:
    """As when hypothesis has made all choices smallest; hypothesis itself begins with them."""
    assert OPS[op].draw(Least()) == by_hypothesis(OPS[op].draw, 1)[0]


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 256, 257, 1000, 2**32, 10**15, 2**53])
def test_choices_are_below_their_limit_and_reach_both_ends(limit) -> None:
    def several(source):
        return [source.below(limit) for _ in range(50)]

    for lists in ([several(Seeded(seed)) for seed in range(60)], by_hypothesis(several, 60)):
        drawn = list(itertools.chain(*lists))
        assert min(drawn) >= 0
        assert max(drawn) < limit
        assert min(drawn) * 10 <= limit
        assert max(drawn) * 10 >= (limit - 1) * 9


def test_inputs_that_come_again_are_not_counted() -> None:
    seen = []

    def attempt(value):
        seen.append(value)
        return seen.count(value) == 1

    search(lambda source: source.below(100), attempt, seed=1, examples=40, shrinking=False)
    assert 38 <= len(set(seen)) <= 40
    seen.clear()
    search(lambda source: source.below(3), attempt, seed=1, examples=40, shrinking=False)
    assert set(seen) == {0, 1, 2}
    assert len(seen) <= 80


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
