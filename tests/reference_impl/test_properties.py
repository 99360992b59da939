"""What a Python of the right version gives itself, and what is written and read back: found by hypothesis.

What holds of the rules' answers to every input is said by the kit's properties.
"""

import json
import math
import sys
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312.parsing import parse_float, parse_int
from reference_impl.cpython312.summation import LONG_MAX, LONG_MIN, compensated_sum
from reference_impl.json_text import JsonObject, json_text, number_key
from reference_impl.metric_script import rewards_jsonl
from reference_impl.pass_at_k import pass_at_k_for_task
from reference_impl.runner.wire import decode_content, decode_number, encode_content, encode_number
from reference_impl.verifier_result import validate_rewards

pytestmark = pytest.mark.slow

whole = st.integers() | st.sampled_from([LONG_MIN, LONG_MAX, LONG_MIN - 1, LONG_MAX + 1, 2**53 + 1])
number = st.floats() | whole | st.booleans() | st.sampled_from([0.1, 0.2, -0.0, 1e308, -1e308])
finite = st.floats(allow_nan=False, allow_infinity=False)
unicode = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.skipif(sys.version_info[:2] != (3, 12), reason="3.12 is the Python to agree with")
@given(st.text(alphabet=st.characters() | st.sampled_from("01_.+-e \x1c\u0661\u0662\xa0\u2003")))
def test_numbers_as_the_interpreter_reads_them(text) -> None:
    def result(read):
        try:
            return repr(read(text))
        except ValueError:
            return "refused"

    assert (result(parse_float), result(parse_int)) == (result(float), result(int))


@pytest.mark.skipif(sys.version_info[:2] not in ((3, 12), (3, 13)), reason="others add differently")
@given(st.lists(number, max_size=12))
def test_sums_bit_for_bit_the_interpreters_own(values) -> None:
    assert repr(compensated_sum(values)) == repr(sum(values))


@given(st.lists(whole))
def test_ints_are_added_exactly(values) -> None:
    assert compensated_sum(values) == sum(values)


@given(finite)
def test_every_float_is_read_back(value) -> None:
    written = [json_text(value), number_key(value), repr(encode_number(value))]
    assert [repr(float(text)) for text in written] == [repr(value)] * 3
    assert validate_rewards({"a": repr(value)}) == {"a": value}


@given(st.integers() | st.floats(allow_nan=False))
def test_numbers_and_contents_survive_a_message(value) -> None:
    assert repr(decode_number(encode_number(value))) == repr(value)
    assert decode_content(encode_content(repr(value).encode())) == repr(value).encode()


def plain(tree):
    """What a reader of the text gets: no number but finite ones, the last of equal keys."""
    if isinstance(tree, JsonObject):
        lost = [key.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for key, _ in tree.members]
        return dict(zip(lost, (plain(value) for _, value in tree.members), strict=True))
    if isinstance(tree, list):
        return [plain(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | unicode,
        lambda inner: st.lists(inner) | st.builds(JsonObject, st.lists(st.tuples(st.text(), inner))),
        max_leaves=30,
    )
)
def test_a_reader_of_json_gets_the_tree_back(tree) -> None:
    assert repr(plain(tree)) == repr(json.loads(json_text(tree)))


@given(
    st.lists(
        st.none() | st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False), max_size=4),
        max_size=5,
    )
)
def test_lines_of_rewards_are_read_back(rewards) -> None:
    *lines, last = rewards_jsonl(rewards).split(b"\n")
    assert last == b""
    assert b"".join(lines).isascii()
    assert repr([json.loads(line) for line in lines]) == repr(rewards)


def test_the_estimator_is_the_share_of_subsets_with_a_success() -> None:
    for n in range(1, 9):
        for c in range(n + 1):
            for k in range(1, n + 1):
                subsets = list(combinations(range(n), k))
                share = Fraction(sum(min(subset) < c for subset in subsets), len(subsets))
                assert pass_at_k_for_task(n, c, k) == pytest.approx(float(share), abs=1e-12), (n, c, k)
