"""Paths through messages, files and JSON within them: what is not changed stays what it was, to the byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.deviations.lens import ABSENT, change_at, json_in, values_at, written

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from(
    [{}, {"indent": 4}, {"indent": 2, "ensure_ascii": False}, {"separators": (",", ":")}]
)


@given(values, layouts)
def test_json_is_written_in_the_layout_that_it_had(value, layout) -> None:
    text = json.dumps({"a": [value], "é": 0}, **layout)
    assert written(json_in(text)[0], text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"a": 1E400, "b": 1.50, "b": 2, "n": 0}', '{"a": 1E400, "b": 1.50, "b": 2, "n": 1}'),
        ('{"k":{"x":1,"x":-0.0},"n":0}', '{"k":{"x":1,"x":-0.0},"n":1}'),
        ('{\n  "n": 0,\n  "a": [\n    1e2\n  ]\n}\n', '{\n  "n": 1,\n  "a": [\n    1e2\n  ]\n}\n'),
    ],
)
def test_the_rest_of_a_file_keeps_its_spellings_and_repeated_keys(text, after) -> None:
    message = {"f": {"text": text}}
    assert change_at(message, ("f", "@json", "n"), lambda _: 1) == {"f": {"text": after}}
    assert change_at({"s": f"log\nP={text}"}, ("s", "@line", "n"), lambda _: 1) == (
        {"s": f"log\nP={text}"} if "\n" in text else {"s": f"log\nP={after}"}
    )


def test_members_and_items_can_be_left_out_and_put_in() -> None:
    message = {"a": [1, None, 2], "f": {"text": '{"x": 1}\n{"x": 2}\n'}}
    assert change_at(message, ("a", "*"), lambda v: ABSENT if v is None else v)["a"] == [1, 2]
    assert change_at(message, ("b",), lambda v: 3 if v is ABSENT else v)["b"] == 3
    lines = change_at(message, ("f", "@lines", "*", "x"), lambda v: 5 if v == 2 else v)
    assert lines["f"] == {"text": '{"x": 1}\n{"x": 5}\n'}
    assert values_at(message, ("f", "@lines", "*", "y")) == [ABSENT, ABSENT]
