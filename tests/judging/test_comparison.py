"""The levels: what counts as equal at value, exact and bytes."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.judging.comparison import Level, differences, reached
from conformance.registry.ops import OPS, Op

AGGREGATE = OPS["aggregate"]
FILE = OPS["terminal_bench_reward"]
LINE = OPS["outcome"]
PLAN = OPS["plan_trials"]
ROWS_OP = OPS["rewards_jsonl"]
PARSED_OP = OPS["metric_script"]
SCORES = OPS["scores"]

NONE, VALUE, EXACT, BYTES = Level.NONE, Level.VALUE, Level.EXACT, Level.BYTES


def level(op: Op, expected: Any, actual: Any, unordered: frozenset[str] = frozenset()) -> Level:
    there = reached(differences(op, expected, actual, unordered))
    back = reached(differences(op, actual, expected, unordered))
    assert there is back, "the level depends on which of the two is expected"
    return there


@pytest.mark.parametrize(
    ("expected", "actual", "at"),
    [
        (1, 1, BYTES),
        (1.0, 1.0, BYTES),
        (1.0, "1.0", BYTES),
        (1.0, "1.00", BYTES),
        (100.0, "1e2", BYTES),
        (2**64 + 1, "18446744073709551617", BYTES),
        ("NaN", "NaN", BYTES),
        ("Infinity", "Infinity", BYTES),
        (1, 1.0, VALUE),
        (1, "1.0", VALUE),
        (0.0, -0.0, VALUE),
        (0.0, "-0.0", VALUE),
        (0, -0.0, VALUE),
        (2**53, 2**53 + 1, VALUE),
        (float(2**53), 2**53 + 1, VALUE),
        (0.1 + 0.2, 0.3, NONE),
        (1.0, 2.0, NONE),
        ("Infinity", "-Infinity", NONE),
        ("Infinity", 1.7976931348623157e308, NONE),
        ("NaN", 0.0, NONE),
        ("NaN", None, NONE),
        ("NaN", "nan", NONE),
        ("Infinity", 10**400, NONE),
        (10**400, 10**400 + 1, NONE),
        (1, True, NONE),
        (0, False, NONE),
        (0.0, None, NONE),
        (1.0, "one", NONE),
        (1.0, [1.0], NONE),
        (1.0, {"mean": 1.0}, NONE),
        (True, True, BYTES),
    ],
)
def test_numbers(expected: Any, actual: Any, at: Level) -> None:
    assert level(AGGREGATE, {"mean": expected}, {"mean": actual}) == at


def test_a_string_that_spells_a_number_is_one_only_where_the_op_takes_numbers() -> None:
    assert level(OPS["evals_key"], {"evals_key": "1.0"}, {"evals_key": 1.0}) == NONE
    assert level(OPS["evals_key"], {"evals_key": "1.0"}, {"evals_key": "1.00"}) == NONE
    assert level(OPS["multi_step_reward"], {"steps_run": 2}, {"steps_run": "2"}) == BYTES
    assert level(OPS["multi_step_reward"], {"steps_run": 2}, {"steps_run": 2.0}) == VALUE


@pytest.mark.parametrize(
    ("expected", "actual", "at"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, EXACT),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, VALUE),
        ({"a": 1, "b": 2}, {"a": 1}, NONE),
        ({"a": None}, {}, NONE),
        ({}, {}, BYTES),
        ({}, [], NONE),
        ({}, None, NONE),
        ({"a": 1}, {"A": 1}, NONE),
        ({"\N{LATIN SMALL LETTER E WITH ACUTE}": 1}, {"e\N{COMBINING ACUTE ACCENT}": 1}, NONE),
    ],
)
def test_objects(expected: Any, actual: Any, at: Level) -> None:
    assert level(AGGREGATE, expected, actual) == at


@pytest.mark.parametrize(
    ("expected", "actual", "at"),
    [
        ([["t", "a"]], [["t", "a"]], BYTES),
        ([["t", "a"], ["u", "a"]], [["u", "a"], ["t", "a"]], NONE),
        ([["t", "a"]], [["t", "a"], ["t", "a"]], NONE),
        ([], [[]], NONE),
        ([["t", "a"]], [{"0": "t", "1": "a"}], NONE),
        ([["t", "a"]], [["t", "a "]], NONE),
    ],
)
def test_lists(expected: Any, actual: Any, at: Level) -> None:
    assert level(PLAN, {"trials": expected}, {"trials": actual}) == at


def test_key_order_is_free_only_where_the_vector_says_so() -> None:
    op = OPS["multi_step_reward"]
    expected = {"verifier_result": {"rewards": {"a": 1, "b": 2}}, "steps_run": 1}
    swapped = {"verifier_result": {"rewards": {"b": 2, "a": 1}}, "steps_run": 1}
    envelope = {"steps_run": 1, "verifier_result": {"rewards": {"a": 1, "b": 2}}}
    free = frozenset({"/verifier_result/rewards"})
    assert level(op, expected, swapped) == EXACT
    assert level(op, expected, swapped, free) == BYTES
    assert level(op, expected, envelope) == BYTES
    assert level(op, expected, {**swapped, "steps_run": 2}, free) == NONE


def content(text: str) -> dict[str, Any]:
    return {"reward.txt": {"text": text}}


@pytest.mark.parametrize(
    ("expected", "actual", "at"),
    [
        ("1\n", "1\n", BYTES),
        ("1\n", "1", EXACT),
        ("1\n", " 1 \r\n", EXACT),
        ("1\n", "1.0\n", VALUE),
        ("0.0", "-0.0", VALUE),
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}', EXACT),
        ('{"a": "\\u00e9"}', '{"a": "\u00e9"}', EXACT),
        ('{"a": NaN}', '{"a":NaN}', EXACT),
        ('{"a": NaN}', '{"a": null}', NONE),
        ('{"a": 1, "a": 2}', '{"a":1,"a":2}', EXACT),
        ('{"a": 1, "a": 2}', '{"a": 2, "a": 1}', NONE),
        ('{"a": 1, "a": 2}', '{"a": 2}', NONE),
        ('{"a": 1, "b": 0, "a": 2}', '{"b": 0, "a": 1, "a": 2}', EXACT),
        ("[1, 2]", "[2, 1]", NONE),
        ("[1]", '{"0": 1}', NONE),
        ("1", '"1"', NONE),
        ("true", "1", NONE),
        ("no JSON", "no JSON", BYTES),
        ("no JSON", "no  JSON", NONE),
        ("", "", BYTES),
        ("", "null", NONE),
        ("[" * 100_000, "[" * 100_000 + " ", NONE),
    ],
)
def test_files_are_json_below_the_level_bytes(expected: str, actual: str, at: Level) -> None:
    assert level(FILE, content(expected), content(actual)) == at


def test_deeply_nested_files_are_compared_without_harm() -> None:
    deep = "[" * 600 + "]" * 600
    assert level(FILE, content(deep), content(deep)) == BYTES
    assert level(FILE, content(deep), content(deep + " ")) <= EXACT


def test_the_two_ways_to_write_a_content_are_equal() -> None:
    encoded = {"reward.txt": {"base64": base64.b64encode(b"1\n").decode()}}
    assert level(FILE, content("1\n"), encoded) == BYTES
    assert level(FILE, content("1"), encoded) == EXACT
    assert level(FILE, {"reward.txt": {"base64": "/w=="}}, {"reward.txt": {"base64": "/w=="}}) == BYTES
    assert (
        level(FILE, {"reward.txt": {"base64": "/w=="}}, content("\N{LATIN SMALL LETTER Y WITH DIAERESIS}"))
        == 0
    )


@pytest.mark.parametrize(
    "actual",
    [
        {"text": 1},
        {"text": None},
        {"base64": "MQ"},
        {"base64": "not base64!"},
        {"base64": "\N{LATIN SMALL LETTER E WITH ACUTE}"},
        {"text": "1\n", "base64": "MQo="},
        {"bytes": "1\n"},
        {},
        "1\n",
        None,
        [{"text": "1\n"}],
    ],
)
def test_what_is_no_content_equals_none(actual: Any) -> None:
    assert level(FILE, content("1\n"), {"reward.txt": actual}) == NONE


@pytest.mark.parametrize(
    ("actual", "at"),
    [
        ('RESULT={"a": 1, "b": 0.0}', BYTES),
        ('RESULT={"b":0.0,"a":1}', EXACT),
        ('RESULT= {"a": 1, "b": 0.0}', EXACT),
        ('RESULT={"a": 1, "b": 0}', VALUE),
        ('RESULT={"a": 1, "b": 0.5}', NONE),
        ('Result={"a": 1, "b": 0.0}', NONE),
        ('{"a": 1, "b": 0.0}', NONE),
        ("RESULT=", NONE),
        (None, NONE),
        (["RESULT=1"], NONE),
    ],
)
def test_a_line_is_a_prefix_and_json(actual: Any, at: Level) -> None:
    assert level(LINE, {"line": 'RESULT={"a": 1, "b": 0.0}'}, {"line": actual}) == at


ROWS = '{"a": 1.0, "b": 0.0}\nnull\n{"a": NaN}\n'


@pytest.mark.parametrize(
    ("actual", "at"),
    [
        (ROWS, BYTES),
        (ROWS.removesuffix("\n"), EXACT),
        (ROWS.replace("\n", "\r\n"), EXACT),
        (ROWS.replace(" ", ""), EXACT),
        ('{"b": 0.0, "a": 1.0}\nnull\n{"a": NaN}\n', EXACT),
        (ROWS.replace("1.0", "1"), VALUE),
        (ROWS.replace("0.0", "-0.0"), VALUE),
        (ROWS + "\n", NONE),
        (ROWS + "null\n", NONE),
        (ROWS.replace("null\n", ""), NONE),
        (ROWS.replace("null", ""), NONE),
        (ROWS.replace("null", "{}"), NONE),
        (ROWS.replace("NaN", "Infinity"), NONE),
        ('null\n{"a": 1.0, "b": 0.0}\n{"a": NaN}\n', NONE),
        (ROWS.replace('"b": 0.0', '"b": 1.0, "b": 0.0'), NONE),
        (ROWS.replace("\n", "\u2028"), NONE),
        (f"[{ROWS.strip().replace(chr(10), ', ')}]", NONE),
        ("", NONE),
    ],
)
def test_json_lines_are_compared_line_by_line(actual: str, at: Level) -> None:
    assert level(ROWS_OP, {"rewards.jsonl": {"text": ROWS}}, {"rewards.jsonl": {"text": actual}}) == at


def test_no_lines_are_not_an_empty_line() -> None:
    def lines(text: str) -> Any:
        return {"rewards.jsonl": {"text": text}}

    assert level(ROWS_OP, lines(""), lines("")) == BYTES
    assert level(ROWS_OP, lines(""), lines("\n")) == NONE
    assert level(ROWS_OP, lines("no JSON\n"), lines("no JSON\n")) == BYTES
    assert level(ROWS_OP, lines("no JSON\n"), lines("no JSON")) == NONE


def test_a_difference_in_json_lines_names_the_line() -> None:
    found = differences(
        ROWS_OP, {"rewards.jsonl": {"text": ROWS}}, {"rewards.jsonl": {"text": ROWS.replace("1.0", "1.5")}}
    )
    assert [(each.path, each.what) for each in found] == [("/rewards.jsonl/0/a", "1.0 expected, 1.5 came")]


PARSED = '{"mean": 0.5, "n": 2, "zero": 0.0, "odd": [NaN, Infinity, "\u00e9"]}'


@pytest.mark.parametrize(
    ("actual", "at"),
    [
        (PARSED, BYTES),
        (PARSED + "\n", BYTES),
        (PARSED.replace(" ", ""), BYTES),
        (PARSED.replace("{", "{\r\n\t"), BYTES),
        (PARSED.replace("\u00e9", r"\u00e9"), BYTES),
        (PARSED.replace("0.5", "5e-1"), BYTES),
        (PARSED.replace("Infinity", "1e400"), BYTES),
        (PARSED.replace("{", '{"mean": "first", '), BYTES),
        (PARSED.replace("}", ', "mean": 0.5}'), BYTES),
        (PARSED.replace("{", '{"zero": 1, '), EXACT),
        (PARSED.replace('"mean": 0.5, "n": 2', '"n": 2, "mean": 0.5'), EXACT),
        (PARSED.replace("2", "2.0"), VALUE),
        (PARSED.replace("0.0", "0"), VALUE),
        (PARSED.replace("0.0", "-0.0"), VALUE),
        (PARSED.replace("}", ', "mean": 0.25}'), NONE),
        (PARSED.replace("Infinity", "-Infinity"), NONE),
        (PARSED.replace("NaN", "null"), NONE),
        (PARSED.replace("NaN", '"NaN"'), NONE),
        (PARSED.replace("NaN, ", ""), NONE),
        (PARSED.replace(', "n": 2', ""), NONE),
        ("\ufeff" + PARSED, NONE),
        (PARSED + "x", NONE),
        (PARSED[:-1], NONE),
        (f"[{PARSED}]", NONE),
        ("", NONE),
    ],
)
def test_parsed_content_is_the_value_that_python_reads(actual: str, at: Level) -> None:
    assert level(PARSED_OP, {"metric.json": {"text": PARSED}}, {"metric.json": {"text": actual}}) == at


def test_parsed_content_of_any_kind() -> None:
    def metric(text: str) -> Any:
        return {"metric.json": {"text": text}}

    for text in ("null", "[]", '"text"', "3", "NaN", "-0.0", "true"):
        assert level(PARSED_OP, metric(text), metric(f" {text}\n")) == BYTES
    assert level(PARSED_OP, metric("no JSON"), metric("no JSON")) == BYTES
    assert level(PARSED_OP, metric("no JSON"), metric("no JSON ")) == NONE
    assert level(PARSED_OP, metric("{}"), {"metric.json": {"base64": "e30K"}}) == BYTES
    assert level(PARSED_OP, metric("{}"), {"metric.json": {"base64": "/w=="}}) == NONE
    assert level(PARSED_OP, metric("{}"), {"metric.json": {}}) == NONE
    assert level(PARSED_OP, metric("{}"), {"metric.json": None}) == NONE
    deep = "[" * 100_000 + "]" * 100_000
    assert level(PARSED_OP, metric(deep), metric(deep)) == BYTES
    assert level(PARSED_OP, metric(deep), metric(deep + " ")) == NONE


def test_parsed_content_may_have_free_key_order() -> None:
    expected, actual = (
        {"metric.json": {"text": text}} for text in ('{"a": {"b": 1, "c": 2}}', '{"a":{"c":2,"b":1}}')
    )
    assert level(PARSED_OP, expected, actual) == EXACT
    assert level(PARSED_OP, expected, actual, frozenset({"/metric.json#/a"})) == BYTES


def test_the_order_of_the_protocols_own_members_never_counts() -> None:
    def values(*members: str, mean: str = "ab") -> Any:
        whole = {"n": 1, "n_scored": 1, "mean": dict.fromkeys(mean, 0.5)}
        return {name: whole[name] for name in members}

    one = {"groups": {"g": values("n", "n_scored", "mean"), "h": values("n")}}
    assert level(SCORES, one, {"groups": {"h": values("n"), "g": values("mean", "n_scored", "n")}}) == BYTES
    other = {"groups": {"g": values("n", "n_scored", "mean", mean="ba"), "h": values("n")}}
    assert level(SCORES, one, other) == EXACT
    assert level(SCORES, one, {"groups": {"g": values("n", "mean"), "h": values("n")}}) == NONE
    assert level(SCORES, one, {"groups": [one["groups"]]}) == NONE


@pytest.mark.parametrize(
    ("op", "expected", "same"),
    [
        ("read_outcome", {"status": "failed", "score": 0.5}, {"score": 0.5, "status": "failed"}),
        (
            "pipeline",
            {"result.json": {"text": "{}"}, "line": "A={}"},
            {"line": "A={}", "result.json": {"text": "{}"}},
        ),
        ("resolve_metrics", {"metrics": {"b": ["mean"], "a": []}}, {"metrics": {"a": [], "b": ["mean"]}}),
        (
            "evsys.registry",
            {"results": [{}, {"error": "KeyError", "available": ["a"]}]},
            {"results": [{}, {"available": ["a"], "error": "KeyError"}]},
        ),
    ],
)
def test_an_envelope_may_come_sorted(op: str, expected: Any, same: Any) -> None:
    assert list(json.dumps(expected)) != list(json.dumps(same))
    assert level(OPS[op], expected, same) == BYTES


@pytest.mark.parametrize(
    ("op", "ab", "ba"),
    [
        ("aggregate", {"a": 0.5, "b": 0.5}, {"b": 0.5, "a": 0.5}),
        ("pass_at_k", {"2": 0.5, "10": 0.5}, {"10": 0.5, "2": 0.5}),
        ("parse_reward", {"rewards": {"a": 1, "b": 2}}, {"rewards": {"b": 2, "a": 1}}),
        ("resolve_metrics", {"metrics": {"a": ["mean", "max"]}}, {"metrics": {"a": ["max", "mean"]}}),
        (
            "evsys.registry",
            {"results": [{"values": {"a": 0.5, "b": 0.5}, "left_out": []}]},
            {"results": [{"left_out": [], "values": {"b": 0.5, "a": 0.5}}]},
        ),
        ("pipeline", {"line": 'A={"a":1,"b":2}'}, {"line": 'A={"b":2,"a":1}'}),
    ],
)
def test_what_the_oracle_prints_keeps_its_order(op: str, ab: Any, ba: Any) -> None:
    assert level(OPS[op], ab, ba) < BYTES


def test_every_difference_says_where_and_what() -> None:
    expected = {"a": 1, "b": 0.5, "c": 1.0}
    found = differences(AGGREGATE, expected, {"a": 1.0, "b": 0.25, "d": 1.0})
    assert [(each.path, each.breaks, each.what) for each in found] == [
        ("/a", EXACT, "1 expected, 1.0 came (int and float differ)"),
        ("/b", VALUE, "0.5 expected, 0.25 came"),
        ("/c", VALUE, "the key is missing"),
        ("/d", VALUE, "the key is not expected"),
    ]


def test_what_is_told_of_a_difference_is_short() -> None:
    found = differences(OPS["evals_key"], {"evals_key": "a"}, {"evals_key": "x" * 1_000_000})
    assert len(found[0].what) < 500


# Any answer

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
SPELLED = st.sampled_from(["1", "1.0", "-0.0", "NaN", "Infinity"])
TEXTS = SPELLED | st.sampled_from(["", "{}", '{"a": 1}', '{"a":1.0}', '{"a":1,"a":2}', "A=1", "A=1.0", "é"])
CONTENTS = st.builds(lambda text: {"text": text}, TEXTS) | st.just({"base64": "MQ=="})
KEYS = st.sampled_from(
    ["a", "b", "rewards", "reward.txt", "line", "verifier_result", "rewards.jsonl", "metric.json"]
)
ANSWERS = st.recursive(
    SCALARS | TEXTS | CONTENTS,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(KEYS, inside, max_size=3),
    max_leaves=6,
)
ALL_OPS = st.sampled_from(sorted(OPS)).map(OPS.__getitem__)


@given(ALL_OPS, ANSWERS)
def test_every_answer_equals_itself_in_bytes(op: Op, answer: Any) -> None:
    assert differences(op, answer, answer) == []
    assert differences(op, answer, json.loads(json.dumps(answer))) == []


@given(ALL_OPS, ANSWERS, ANSWERS)
def test_the_level_is_the_same_both_ways(op: Op, one: Any, other: Any) -> None:
    level(op, one, other)


@given(ALL_OPS, st.dictionaries(KEYS, SCALARS | SPELLED, min_size=2, max_size=4), st.randoms())
def test_an_objects_key_order_breaks_bytes_and_no_more(op: Op, answer: dict[str, Any], random: Any) -> None:
    keys = list(answer)
    random.shuffle(keys)
    shuffled = {key: answer[key] for key in keys}
    same = list(shuffled) == list(answer) or () in op.ok_free_order
    assert level(op, answer, shuffled) == (BYTES if same else EXACT)
