"""The spellings of numbers in other languages, held to what their own programs print.

JavaScript's are Node's, Rust's are rustc's, Java's are those of JDK 19 and later, Go's those of Go 1.19.
"""

import functools
import json
from pathlib import Path

import pytest

from conformance.mistakes import find_mistakes
from conformance.mistakes.catalogue import made
from reference_impl import json_text
from reference_impl.cpython312 import parsing

DATA = json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8"))


@functools.cache
def spelling(name):
    return made(*find_mistakes(name)).its(json_text._float_text)


@pytest.mark.parametrize("column", range(4), ids=DATA["columns"])
def test_a_language_spells_as_its_programs_do(column) -> None:
    text = spelling(DATA["columns"][column])
    expected = {row[0]: row[column + 1] for row in DATA["printed"] if row[column + 1] is not None}
    assert {number: text(number) for number in expected} == expected
    for number, *_ in DATA["printed"]:
        assert float(json.loads(text(number))) == number


def test_the_borders_of_other_spellings() -> None:
    wrong = [row for row in DATA["borders"] if spelling(row[0])(row[1]) != row[2]]
    assert not wrong


def test_go_and_javascript_read_as_their_functions_do() -> None:
    parse = made(*find_mistakes("go-parse-float")).its(parsing).parse_float

    def read(text):
        try:
            return parse(text)
        except ValueError:
            return None

    expected = [(text, number if number is None else float(number)) for text, number in DATA["read_by_go"]]
    assert repr([(text, read(text)) for text, _ in expected]) == repr(expected)
    parse = made(*find_mistakes("javascript-parse-float")).its(parsing).parse_float
    for text, number in (
        *(("1abc", 1.0), (" 1.5 x", 1.5), ("\ufeff2", 2.0), ("1e", 1.0), ("0x10", 0.0), (".5.", 0.5)),
        *(("Infinityx", float("inf")), ("1_0", 1.0), ("-0", -0.0), ("1e5e", 100000.0)),
    ):
        assert repr(parse(text)) == repr(number)
    for text in ("\x852", "inf", "+-1", "١", "- 1", "nan"):  # NaN to parseFloat
        with pytest.raises(ValueError, match="no number"):
            parse(text)
