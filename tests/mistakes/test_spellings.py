"""The spellings of numbers in other languages, held to what their own programs print.

JavaScript's are Node's, Rust's are rustc's, Java's are those of JDK 19 and later.
"""

import json

import pytest

from conformance.mistakes import find_mistakes
from conformance.mistakes.catalogue import made
from reference_impl import json_text

COLUMNS = ("javascript-numbers", "rust-debug-numbers", "rust-display-numbers", "java-numbers")
PRINTED = [
    (1e-5, "0.00001", "1e-5", "0.00001", "1.0E-5"),
    (1.5e-5, "0.000015", "1.5e-5", "0.000015", "1.5E-5"),
    (9.999999999999999e-6, "0.000009999999999999999", "9.999999999999999e-6", None, "9.999999999999999E-6"),
    (1e-6, "0.000001", "1e-6", "0.000001", "1.0E-6"),
    (1e-7, "1e-7", "1e-7", "0.0000001", "1.0E-7"),
    (1.25e-7, "1.25e-7", "1.25e-7", "0.000000125", "1.25E-7"),
    (1e-4, "0.0001", "0.0001", "0.0001", "1.0E-4"),
    (1e-3, "0.001", "0.001", "0.001", "0.001"),
    (0.5, "0.5", "0.5", "0.5", "0.5"),
    (1.0, "1", "1.0", "1", "1.0"),
    (-0.0, "0", "-0.0", "-0", "-0.0"),
    (100.0, "100", "100.0", "100", "100.0"),
    (1234567.0, "1234567", "1234567.0", "1234567", "1234567.0"),
    (1e7, "10000000", "10000000.0", "10000000", "1.0E7"),
    (1e15, "1000000000000000", "1000000000000000.0", "1000000000000000", "1.0E15"),
    (
        9999999999999998.0,
        "9999999999999998",
        "9999999999999998.0",
        "9999999999999998",
        "9.999999999999998E15",
    ),
    (1e16, "10000000000000000", "1e16", "10000000000000000", "1.0E16"),
    (
        123456789012345680.0,
        "123456789012345680",
        "1.2345678901234568e17",
        "123456789012345680",
        "1.2345678901234568E17",
    ),
    (1e20, "100000000000000000000", "1e20", "100000000000000000000", "1.0E20"),
    (1e21, "1e+21", "1e21", "1000000000000000000000", "1.0E21"),
    (
        1.7976931348623157e308,
        "1.7976931348623157e+308",
        "1.7976931348623157e308",
        None,
        "1.7976931348623157E308",
    ),
    (
        577815784416944.25,
        "577815784416944.2",
        "577815784416944.3",
        "577815784416944.3",
        "5.778157844169442E14",
    ),
    (
        577815784416944.75,
        "577815784416944.8",
        "577815784416944.8",
        "577815784416944.8",
        "5.778157844169448E14",
    ),
    (-1e-5, "-0.00001", "-1e-5", "-0.00001", "-1.0E-5"),
    (5e-324, "5e-324", "5e-324", None, "4.9E-324"),
    (2e-323, "2e-323", "2e-323", None, "2.0E-323"),
]


@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=COLUMNS)
def test_a_language_spells_as_its_programs_do(column: int) -> None:
    text = made(*find_mistakes(COLUMNS[column])).its(json_text._float_text)
    expected = {row[0]: row[column + 1] for row in PRINTED if row[column + 1] is not None}
    assert {number: text(number) for number in expected} == expected


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("go-json-numbers", -0.0, "-0"),
        ("go-json-numbers", 1e-7, "1e-7"),
        ("go-json-numbers", 1e21, "1e+21"),
        ("go-g-numbers", 1e-5, "1e-05"),
        ("go-g-numbers", 1e-4, "0.0001"),
        ("go-g-numbers", 123456.0, "123456"),
        ("go-g-numbers", 1234567.0, "1.234567e+06"),
        ("rust-ryu-exponents", 577815784416944.25, "577815784416944.2"),
        ("rust-ties", -577815784416944.25, "-577815784416944.3"),
        ("rust-ties", 577815784416944.75, "577815784416944.8"),
        ("rust-ties", 1e16, "1e+16"),
        ("rust-ryu-exponents", 1e16, "1e16"),
        ("rust-ryu-exponents", 1e-5, "0.00001"),
        ("rust-ryu-exponents", 1e-6, "1e-6"),
        ("dotnet-numbers", 1e14, "100000000000000"),
        ("dotnet-numbers", 1e15, "1E+15"),
        ("dotnet-numbers", 1e-5, "1E-05"),
        ("cpp-json-numbers", 1e14, "100000000000000.0"),
        ("cpp-json-numbers", 1e15, "1e+15"),
        ("cpp-json-numbers", 1e-5, "1e-05"),
        ("result-in-seventeen-digits", 0.1, "0.10000000000000001"),
    ],
)
def test_the_borders_of_other_spellings(name: str, number: float, expected: str) -> None:
    assert made(*find_mistakes(name)).its(json_text._float_text)(number) == expected


@pytest.mark.parametrize("name", COLUMNS)
def test_every_spelling_is_read_back(name: str) -> None:
    text = made(*find_mistakes(name)).its(json_text._float_text)
    for row in PRINTED:
        assert float(json.loads(text(row[0]))) == row[0]
