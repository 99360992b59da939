"""Tables in Markdown."""

from conformance.assessment.page import table
from conformance.pages.model import Code


def test_a_table_aligns_numbers_and_escapes_the_rest() -> None:
    rows = [["a|b", Code("c d"), 1234, None], ["*", Code("`"), 0, None]]
    assert table(rows, "what", "code", "count", "none").splitlines() == [
        "| what | code | count | none |",
        "|---|---|---:|---:|",
        r"| a\|b | `c d` | 1,234 | - |",
        r"| \* | `` ` `` | 0 | - |",
    ]
    assert table([], "what") == ""
