"""The fewest patterns: against every choice of sets, and against every id."""

import fnmatch
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.baseline import covering
from conformance.baseline.candidates import Candidates
from conformance.baseline.covering import fewest

WORDS = ("sum", "int", "keys", "key", "nan", "max", "0")
_slugs = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("-".join)
_ids = st.lists(
    st.tuples(st.sampled_from(["agg", "plan"]), _slugs).map(lambda two: f"spec/{two[0]}/{two[1]}"),
    min_size=2,
    max_size=14,
    unique=True,
)


def covered(sets, chosen):
    found = 0
    for index in chosen:
        found |= sets[index]
    return found


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 2**8 - 1), max_size=9))
def test_no_choice_of_fewer_sets_covers_everything(more) -> None:
    sets = [1 << place for place in range(8)] + more
    found = fewest(sets, 255)
    assert covered(sets, found.chosen) == 255
    assert found.proven
    assert found.at_least == len(found.chosen)
    fewer = itertools.combinations(range(len(sets)), len(found.chosen) - 1)
    assert not any(covered(sets, chosen) == 255 for chosen in fewer)


def test_a_search_that_is_cut_says_so_and_covers_still(monkeypatch) -> None:
    """A hard one: the lines of a projective plane, each point on three of seven, doubled."""
    lines = [0b0001011, 0b0010110, 0b0101100, 0b1011000, 0b0110001, 0b1100010, 0b1000101]
    sets = [
        one << 7 * copy | (lines[(place * 3 + 1) % 7] << 7 * (1 - copy))
        for copy in (0, 1)
        for place, one in enumerate(lines)
    ]
    everything = (1 << 14) - 1
    whole = fewest(sets, everything)
    assert whole.proven
    monkeypatch.setattr(covering, "MOST_STEPS", 0)
    cut = fewest(sets, everything)
    assert covered(sets, cut.chosen) == everything
    assert not cut.proven
    assert cut.at_least <= len(whole.chosen) <= len(cut.chosen)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(_ids, st.data())
def test_a_pattern_matches_what_it_covers_and_nothing_else(ids, data) -> None:
    failing = sorted(data.draw(st.sets(st.sampled_from(ids), min_size=1)))
    found = Candidates(failing, ids, set(ids) - set(failing))
    assert [found.text(one) for one in found.every[: len(failing)]] == failing
    for one in found.every:
        matched = {name for name in ids if fnmatch.fnmatchcase(name, found.text(one))}
        assert matched == {name for place, name in enumerate(failing) if one.covers >> place & 1}


def test_one_pattern_where_one_will_do() -> None:
    ids = ["s/a/int-sum", "s/a/int-max", "s/a/sum", "s/b/int-sum", "s/b/mean"]
    for failing, pattern in (
        (["s/a/int-sum", "s/a/int-max"], "s/a/int-*"),
        (["s/a/int-sum", "s/a/int-max", "s/b/int-sum"], "s/*/int-*"),
        (["s/a/int-sum", "s/b/int-sum"], "s/*/int-sum"),
        (["s/b/int-sum", "s/b/mean"], "s/b/*"),
    ):
        found = Candidates(failing, ids, set(ids) - set(failing))
        cover = fewest([one.covers for one in found.every], (1 << len(failing)) - 1)
        assert [found.text(found.every[index]) for index in cover.chosen] == [pattern]
