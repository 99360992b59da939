"""Answers in Go's own types: what can be written is, and what can't never ends the process."""

import pytest

from tests.templates.echoing.building import marks
from tests.templates.echoing.reading import due

pytestmark = marks("go")


@pytest.fixture
def answers(builder, echo_of):
    """The runner whose operations take nothing and answer with a value each."""
    built = builder.built("go", "answers")
    return echo_of(built.command, built.folder, strings=False)


WRITTEN = {
    "pairs": [["task", "agent"], [], []],
    "ints": [-8, -16, -32, -64, -1, [1], [2]],
    "uints": [8, 16, 32, 2**64 - 1, 1],
    "large": [2**64, None],
    "floats": [0.5, 0.1, [1.0], [0.0, -1e16]],
    "texts": ["passed"],
    "pointers": [0.1, None],
    "bools": [True],
    "objects": [{"b": 1, "a": None}, None],
}


def test_what_can_be_written(answers) -> None:
    """As deep as a request: with the reply and what it has as `ok`, 500 levels."""
    found = dict(zip(WRITTEN, answers.oks([(op, None) for op in WRITTEN]), strict=True))
    assert found == {op: due({"value": value}) for op, value in WRITTEN.items()}
    raw = answers.runner.ask(answers.request("deep"))
    assert b'"ok":{"value":' + b"[" * 498 + b"]" * 498 + b"}" in raw


REFUSED = {
    "itself": "holds itself",
    "list": "holds itself",
    "pointer": "holds itself",
    "bottomless": "nested deeper than 500 levels",
    "map": "make an Object of it",
    "bytes": "Content(it)",
    "struct": "cannot have a struct",
    "func": "cannot have a func",
}


def test_what_cannot_be_written(answers) -> None:
    """As bad input is: an error that says what to do.

    Go's strings are UTF-8, which has no half of a surrogate pair: that is no mistake of the author's.
    """
    for op, advice in REFUSED.items():
        kind, error = answers.ask(op)
        assert (kind, error["type"], error["reason_code"]) == ("error", "TypeError", None), op
        assert advice in error["message"]
        assert answers.ok("bools") == due({"value": [True]})
    why = r'a string of the answer is no UTF-8: "a\xed\xa0\x90"'
    assert [answers.ask(op) for op in ("half", "half_key")] == [("unsupported", why)] * 2
