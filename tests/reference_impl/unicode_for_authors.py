"""Writes `docs/unicode-15.0.json`: the tables that a runner in a language with other tables needs.

    python -m tests.reference_impl.unicode_for_authors > docs/unicode-15.0.json

They are the reference's, which `generate_unicode15.py` has asked of CPython 3.12.
"""

import json
from typing import Any

from reference_impl.cpython312 import _unicode15_data as data
from reference_impl.cpython312.unicode15 import WHITE_SPACE

__all__ = ["text"]


def _ranges(spans: str) -> list[list[int]]:
    return [[int(code, 16) for code in span.split("-")] for span in spans.split()]


def _lower(spans: str) -> list[list[int]]:
    found = []
    for span in spans.split():
        ends, _, rule = span.partition("/")
        found.append([*(int(code, 16) for code in ends.split("-")), int(rule[0]), int(rule[1:], 16)])
    return found


def text() -> str:
    """The file: a table a line."""
    tables: dict[str, Any] = {
        "unicode": "15.0.0",
        "about": "Code points, ranges by first and last; docs/writing-a-runner.md says what each table is.",
        "digit_zeros": [int(zero, 16) for zero in data.DIGIT_ZEROS.split()],
        "white_space": [ord(character) for character in WHITE_SPACE],
        "alphanumeric": _ranges(data.ALPHANUMERIC),
        "lower": _lower(data.LOWER),
        "cased": _ranges(data.CASED),
        "case_ignorable": _ranges(data.CASE_IGNORABLE),
    }
    lines = (
        f"  {json.dumps(name)}: {json.dumps(table, separators=(',', ':'))}" for name, table in tables.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    print(text(), end="")
