"""Generated deviations: what the space says that one does is what it does, also as a runner."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.deviations import References, Request, answer, space_of, touches
from conformance.deviations.__main__ import deviating_reference, find_deviations
from conformance.deviations.layouts import LAYOUTS
from conformance.deviations.lens import ABSENT, change_at, json_in, values_at, write_like
from conformance.deviations.places import Places
from conformance.deviations.space import KINDS, vectors_of
from conformance.diagnosis.evidence import agree
from conformance.judging.comparison import Level
from conformance.mistakes import MistakeError, find_mistakes
from conformance.oracle.commands import resolve_command
from conformance.registry.ops import op_of
from conformance.wire.messages import Ok

SPEC = "harbor-0.13.1"
OPS = ("parse_reward", "multi_step_reward")


@pytest.fixture(scope="module", params=OPS)
def space(request):
    return space_of(SPEC, request.param)


def test_ids_are_unique_words_are_one_clause_and_every_kind_occurs(space) -> None:
    every = list(space)
    assert len({one.id for one in every}) == len(every) > 500
    for one in every:
        assert not any(char.isspace() or char == "+" for char in one.id), one.id
        assert not one.words.endswith("."), one.id
        assert "\n" not in one.words, one.id
        assert 0 <= one.usual <= 3, one.id
    assert {one.kind for one in every} <= set(KINDS)
    assert all(space.find(one.id) is not None for one in random.Random(1).sample(every, 5))


def test_what_does_not_touch_a_request_is_answered_rightly_and_a_runner_answers_the_same(space) -> None:
    reference = References(SPEC)
    every = zip(vectors_of(SPEC)[space.op.name], space.requests, strict=True)
    short = [(vector, request) for vector, request in every if len(json.dumps(vector.input)) < 2000]
    pairs = random.Random(2).sample(short, 8)
    wrong = 0
    for one in random.Random(3).sample(list(space), 60):
        copy = deviating_reference([one], [], SPEC)
        for vector, request in pairs:
            found = answer(request, [one], reference)
            right = agree(space.op, answer(request, [], reference), found, Level.BYTES, vector.unordered)
            assert right or touches(one, request), one.id
            copied = copy.answer(space.op.name, vector.input)
            assert agree(space.op, found, copied, Level.BYTES, vector.unordered), one.id
            wrong += not right
    assert wrong > 5


def test_what_no_schema_describes_is_one_place_however_deep_it_goes() -> None:
    op = op_of("harness-evals", "harness.json")
    path = ("cases", "*", "metadata", "@json")

    def found(metadata):
        case = {"input": {"text": "1"}, "tags": {"a": "b"}, "scores": []}
        given = {"cases": [{**case, "metadata": {"text": json.dumps(metadata)}}]}
        places = Places([given], op.schema, "input").all
        assert places[("cases", "*", "tags", "*")].kinds == {"text"}
        return [place[len(path) :] for place in places if place[: len(path)] == path]

    assert found({"a": 1, "b": "x"}) == [(), ("*",)]
    assert found({"a": 1, "b": {"c": [{"d": None}, [2]]}}) == [(), ("*", "**")]
    assert found([{"a": {"b": 1}}, [[2]]]) == [(), ("*",), ("*", "*", "**")]

    one = space_of(op.spec, op.name).find("harness.json:input/cases/*/metadata/@json/*/**:strip")
    assert one is not None
    given = {"cases": [{"metadata": {"text": '{"id": {"a": [" x ", {"b": " y"}]}}'}}]}
    assert one.apply(given) == {"cases": [{"metadata": {"text": '{"id": {"a": ["x", {"b": "y"}]}}'}}]}


def test_deviations_compose_and_an_unknown_one_is_refused_in_a_sentence() -> None:
    space, reference = space_of(SPEC, "aggregate"), References(SPEC)
    request = Request(space.op, {"metric": "mean", "rewards": [{"a": 2}, {"a": 3}]}, Ok({"mean": 2.5}))
    input_, output = space.find("aggregate:input/rewards:first"), space.find("aggregate:ok/mean:percent")
    assert input_ is not None
    assert output is not None
    assert answer(request, [output, input_], reference) == Ok({"mean": 200.0})
    assert answer(request, [output], reference, find_mistakes("mean-floors")) == Ok({"mean": 200})
    names = f"{input_.id}+mean-floors+{output.id}"
    copy = deviating_reference(*find_deviations(names, SPEC), SPEC)
    assert copy.answer("aggregate", {"metric": "mean", "rewards": [{"a": 2}, {"a": 3}]}) == Ok({"mean": 200})
    with pytest.raises(MistakeError, match="there is no deviation 'aggregate:input/nothing:lower' of"):
        find_deviations("aggregate:input/nothing:lower", SPEC)
    with pytest.raises(MistakeError, match="there is no deviation"):
        resolve_command("deviation:no_op:input/x:lower")
    words = resolve_command("deviation:aggregate:input/rewards:first")
    assert words[1:] == ("-m", "conformance.deviations", "aggregate:input/rewards:first", SPEC)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
layouts = st.sampled_from(
    [{}, {"indent": 4}, {"indent": 2, "ensure_ascii": False}, {"separators": (",", ":")}]
)


def test_a_change_of_everything_ends_at_a_depth() -> None:
    """Python 3.13 has fewer levels of recursion for a deep value than 3.11."""
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    assert change_at({"a": deep, "n": 1}, ("**",), lambda value: 2 if value == 1 else value)["n"] == 2


def test_a_single_value_has_no_layout() -> None:
    """A reward.txt without its line feed is stripped text, not JSON in another layout."""
    for content in ({"text": "0\n"}, {"text": "1.0\n"}):
        assert [row[0] for row in LAYOUTS if row[3](content) != content] == []


@given(values, layouts)
def test_json_is_written_in_the_layout_that_it_had(value, layout) -> None:
    text = json.dumps({"a": [value], "é": 0}, **layout)
    assert write_like(json_in(text)[0], text) == text


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
