"""The levels: what counts as equal at value, exact and bytes."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.judging.comparison import Level, differences, reached
from conformance.judging.key_order import pointers_into, sorted_text
from conformance.registry.ops import OPS

AGGREGATE = OPS["aggregate"]
FILE = OPS["terminal_bench_reward"]
ROWS_OP = OPS["rewards_jsonl"]
PARSED_OP = OPS["metric_script"]
SCORES = OPS["scores"]

NONE, VALUE, EXACT, BYTES = Level.NONE, Level.VALUE, Level.EXACT, Level.BYTES


def level(op, expected, actual, unordered=frozenset()):
    there = reached(differences(op, expected, actual, unordered))
    back = reached(differences(op, actual, expected, unordered))
    assert there is back, "the level depends on which of the two is expected"
    return there


LEVELS = json.loads(Path(__file__).with_name("levels.json").read_text(encoding="utf-8"))
"""Answers by the level at which they equal the expected one: pairs, or those to one; put ``at`` a place."""
ROWS = LEVELS["JSON lines, compared line by line"]["expected"]


def put(at, value):
    return {at[0]: put(at[1:], value)} if at else value


def content(text):
    return {"reward.txt": {"text": text}}


@pytest.mark.parametrize("name", LEVELS)
def test_the_level_of(name) -> None:
    table = LEVELS[name]
    for at in (BYTES, EXACT, VALUE, NONE):
        for row in table.get(str(at), ()):
            expected, actual = (table["expected"], row) if "expected" in table else row
            found = level(OPS[table["op"]], put(table["at"], expected), put(table["at"], actual))
            assert found == at, f"{expected!r} and {actual!r}"
    assert {"op", "at", "none"} <= table.keys()


def test_large_ints_and_deeply_nested_files_are_compared_without_harm() -> None:
    for huge in (10**400, "Infinity"):
        assert level(AGGREGATE, {"mean": huge}, {"mean": 10**400 + 1}) == NONE
    parsed = {"metric.json": {"text": "[" * 100_000 + "]" * 100_000}}
    assert level(PARSED_OP, parsed, parsed) == BYTES
    unclosed, deep = "[" * 100_000, "[" * 600 + "]" * 600
    assert level(FILE, content(unclosed), content(unclosed + " ")) == NONE
    assert level(FILE, content(deep), content(deep)) == BYTES
    assert level(FILE, content(deep), content(deep + " ")) <= EXACT


def test_key_order_is_free_only_where_the_vector_says_so() -> None:
    op = OPS["multi_step_reward"]
    expected = {"verifier_result": {"rewards": {"a": 1, "b": 2}}, "steps_run": 1}
    swapped = {"verifier_result": {"rewards": {"b": 2, "a": 1}}, "steps_run": 1}
    free = frozenset({"/verifier_result/rewards"})
    assert level(op, expected, swapped) == EXACT
    assert level(op, expected, swapped, free) == BYTES
    assert level(op, expected, dict(reversed(expected.items()))) == BYTES
    assert level(op, expected, {**swapped, "steps_run": 2}, free) == NONE
    parsed, moved = (
        {"metric.json": {"text": text}} for text in ('{"a": {"b": 1, "c": 2}}', '{"a":{"c":2,"b":1}}')
    )
    assert level(PARSED_OP, parsed, moved) == EXACT
    assert level(PARSED_OP, parsed, moved, frozenset({"/metric.json#/a"})) == BYTES


def test_the_order_of_the_protocols_own_members_never_counts() -> None:
    def values(*members, mean="ab"):
        whole = {"n": 1, "n_scored": 1, "mean": dict.fromkeys(mean, 0.5)}
        return {name: whole[name] for name in members}

    one = {"groups": {"g": values("n", "n_scored", "mean"), "h": values("n")}}
    assert level(SCORES, one, {"groups": {"h": values("n"), "g": values("mean", "n_scored", "n")}}) == BYTES
    other = {"groups": {"g": values("n", "n_scored", "mean", mean="ba"), "h": values("n")}}
    assert level(SCORES, one, other) == EXACT
    assert level(SCORES, one, {"groups": {"g": values("n", "mean"), "h": values("n")}}) == NONE
    assert level(SCORES, one, {"groups": [one["groups"]]}) == NONE


def test_every_difference_says_where_and_what_and_is_short() -> None:
    expected = {"a": 1, "b": 0.5, "c": 1.0}
    found = differences(AGGREGATE, expected, {"a": 1.0, "b": 0.25, "d": 1.0})
    assert [(each.path, each.breaks, each.what) for each in found] == [
        ("/a", EXACT, "expected 1, got 1.0 (int and float differ)"),
        ("/b", VALUE, "expected 0.5, got 0.25"),
        ("/c", VALUE, "the key is missing"),
        ("/d", VALUE, "the key is not expected"),
    ]
    lines, others = ({"rewards.jsonl": {"text": text}} for text in (ROWS, ROWS.replace("1.0", "1.5")))
    (line,) = differences(ROWS_OP, lines, others)
    assert (line.path, line.what) == ("/rewards.jsonl/0/a", "expected 1.0, got 1.5")
    (long,) = differences(OPS["evals_key"], {"evals_key": "a"}, {"evals_key": "x" * 1_000_000})
    assert len(long.what) < 500


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
SPELLED = st.sampled_from(["1", "1.0", "-0.0", "NaN", "Infinity"])
TEXTS = SPELLED | st.sampled_from(["", "{}", '{"a": 1}', '{"a":1.0}', '{"a":1,"a":2}', "A=1", "A=1.0", "é"])
CONTENTS = st.builds(lambda text: {"text": text}, TEXTS) | st.just({"base64": "MQ=="})
NAMES = ("a", "b", "rewards", "reward.txt", "line", "verifier_result", "rewards.jsonl", "metric.json")
KEYS = st.sampled_from(NAMES)
ANSWERS = st.recursive(
    SCALARS | TEXTS | CONTENTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(KEYS, inside, max_size=3),
    max_leaves=6,
)
ALL_OPS = st.sampled_from(sorted(OPS)).map(OPS.__getitem__)


@given(ALL_OPS, ANSWERS, ANSWERS)
def test_every_answer_equals_itself_in_bytes_and_the_level_is_the_same_both_ways(op, one, other) -> None:
    assert differences(op, one, one) == []
    assert differences(op, one, json.loads(json.dumps(one))) == []
    level(op, one, other)


@given(ALL_OPS, st.dictionaries(KEYS, SCALARS | SPELLED, min_size=2, max_size=4), st.randoms())
def test_an_objects_key_order_breaks_bytes_and_no_more(op, answer, random) -> None:
    keys = list(answer)
    random.shuffle(keys)
    shuffled = {key: answer[key] for key in keys}
    same = list(shuffled) == list(answer) or () in op.ok_free_order
    assert level(op, answer, shuffled) == (BYTES if same else EXACT)


TEXT = '{\n  "s": {"b": [1,\n 2], "a\\u0062": {"z": 1, "y": 2}, "c/~": 1e+16},\n  "r": 0\n}'


def test_members_move_with_their_text_and_what_is_between_and_equal_keys_stay() -> None:
    moved = '{"a\\u0062": {"z": 1, "y": 2}, "b": [1,\n 2], "c/~": 1e+16}'
    assert sorted_text(TEXT, ["/s"]) == f'{{\n  "s": {moved},\n  "r": 0\n}}'
    assert sorted_text(TEXT, ["/s/ab"]) == TEXT.replace('"z": 1, "y": 2', '"y": 2, "z": 1')
    assert sorted_text('{"b":1,"a":2}', [""]) == '{"a":2,"b":1}'
    assert sorted_text('{"n": [1], "b": 0, "n": [0], "a": 0}', [""]) == '{"a": 0, "b": 0, "n": [1], "n": [0]}'


def test_what_is_no_object_is_left_alone_and_what_is_no_json_a_value_error_or_that() -> None:
    for pointer in ("/absent", "/r", "/r/0", "/s/b/0", "/s/c~1~0/x"):
        assert sorted_text(TEXT, [pointer]) == TEXT
    for text in ("{}", " {} ", "[]", '{"a": {}}', "1"):
        assert sorted_text(text, ["", "/a"]) == text
    for text in ("", "{", '{"a"', '{"a": ', '{"b": 1, "a": x}', "{1: 2}", '{"a": 1 "b": 2}'):
        with contextlib.suppress(ValueError):
            assert sorted(sorted_text(text, [""])) == sorted(text)


def test_the_order_counts_without_the_freedom_which_pointers_give() -> None:
    unordered = {"/a", "/f#/x", "/f#", "/g#/y", "/f"}
    assert pointers_into("/f", unordered) == ["", "/x"]
    expected, actual = job('{"s": {"b": 1, "a": 2}}'), job('{"s": {"a": 2, "b": 1}}')
    for free in (frozenset[str](), frozenset({"/result.json"}), frozenset({"/result.json#/t"})):
        assert reached(differences(OPS["job_result"], expected, actual, free)) is Level.EXACT


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
