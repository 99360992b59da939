"""Members of an object inside a file, whose order is free."""

import contextlib

import pytest

from conformance.judging.comparison import Level, differences, reached
from conformance.judging.key_order import pointers_into, sorted_text
from conformance.registry.ops import OPS

TEXT = '{\n  "s": {"b": [1,\n 2], "a\\u0062": {"z": 1, "y": 2}, "c/~": 1e+16},\n  "r": 0\n}'


def test_members_move_with_their_text_and_what_is_between_and_equal_keys_stay() -> None:
    assert sorted_text(TEXT, ["/s"]) == (
        '{\n  "s": {"a\\u0062": {"z": 1, "y": 2}, "b": [1,\n 2], "c/~": 1e+16},\n  "r": 0\n}'
    )
    assert sorted_text(TEXT, ["/s/ab"]) == TEXT.replace('"z": 1, "y": 2', '"y": 2, "z": 1')
    assert sorted_text('{"b":1,"a":2}', [""]) == '{"a":2,"b":1}'
    assert sorted_text('{"nan": [1], "b": 0, "nan": [0], "a": 0}', [""]) == (
        '{"a": 0, "b": 0, "nan": [1], "nan": [0]}'
    )


def test_what_is_no_object_is_left_alone_and_what_is_no_json_a_value_error_or_that() -> None:
    for pointer in ("/absent", "/r", "/r/0", "/s/b/0", "/s/c~1~0/x"):
        assert sorted_text(TEXT, [pointer]) == TEXT
    for text in ("{}", " {} ", "[]", '{"a": {}}', "1"):
        assert sorted_text(text, ["", "/a"]) == text
    for text in ("", "{", '{"a"', '{"a": ', '{"b": 1, "a": x}', "{1: 2}", '{"a": 1 "b": 2}'):
        with contextlib.suppress(ValueError):
            assert sorted(sorted_text(text, [""])) == sorted(text)


def test_pointers_into_a_file() -> None:
    unordered = {"/a", "/f#/x", "/f#", "/g#/y", "/f"}
    assert pointers_into("/f", unordered) == ["", "/x"]


def job(text):
    return {"result.json": {"text": text}}


@pytest.mark.parametrize(
    ("actual", "level"),
    [
        ('{"s": {"b": 1.0, "a": [0, 1]}, "n": 0}', Level.BYTES),
        ('{"s": {"a": [0, 1], "b": 1.0}, "n": 0}', Level.BYTES),
        ('{"s": {"a": [0, 1], "b": 1.0},"n": 0}', Level.EXACT),
        ('{"n": 0, "s": {"a": [0, 1], "b": 1.0}}', Level.EXACT),
        ('{"s": {"a": [0, 1], "b": 1.00}, "n": 0}', Level.EXACT),
        ('{"s": {"a": [0, 1], "b": 1}, "n": 0}', Level.VALUE),
        ('{"s": {"a": [1, 0], "b": 1.0}, "n": 0}', Level.NONE),
        ('{"s": {"a": [0, 1]}, "n": 0}', Level.NONE),
        ("{", Level.NONE),
    ],
)
def test_the_order_is_free_at_level_bytes_and_nothing_else_is(actual, level) -> None:
    expected = job('{"s": {"b": 1.0, "a": [0, 1]}, "n": 0}')
    free = frozenset({"/result.json#/s"})
    assert reached(differences(OPS["job_result"], expected, job(actual), free)) is level


def test_without_the_freedom_the_order_counts() -> None:
    expected, actual = job('{"s": {"b": 1, "a": 2}}'), job('{"s": {"a": 2, "b": 1}}')
    for free in (frozenset[str](), frozenset({"/result.json"}), frozenset({"/result.json#/t"})):
        assert reached(differences(OPS["job_result"], expected, actual, free)) is Level.EXACT
