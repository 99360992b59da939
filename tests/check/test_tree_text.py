"""The quick text of a tree is the reference's, whatever its names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.check.job.tree_text import tree_text
from reference_impl import PydanticSerializationError
from reference_impl.json_text import JsonObject, JsonTree, json_text

NAMES = st.text(st.characters(exclude_categories=["Cs"])) | st.text(' "\\\0~\x7fé/a', max_size=4)
LEAVES = st.none() | st.integers() | st.floats() | NAMES | st.lists(NAMES, min_size=14, max_size=20)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.lists(st.tuples(NAMES, inner)).map(JsonObject), max_leaves=8
)


@given(TREES)
def test_it_is_the_reference_s(tree: JsonTree) -> None:
    assert tree_text(tree) == json_text(tree)


@pytest.mark.parametrize("last", ["a", "\0", 'a"', "é", "\x7f", " ", ""])
def test_lists_long_enough_to_be_quick(last: str) -> None:
    tree: JsonTree = JsonObject([("names", [*["task__1"] * 40, last]), ("none", [])])
    assert tree_text(tree) == json_text(tree)


def test_a_lone_surrogate_is_refused_as_there() -> None:
    with pytest.raises(PydanticSerializationError):
        tree_text([*["a"] * 40, "\ud800"])
