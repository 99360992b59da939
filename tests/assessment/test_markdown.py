"""Text, code and tables in Markdown."""

import pytest

from conformance.assessment.markdown import Cell, Code, code, plain, table


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"),
        ("two\nlines\r\n of\ttext", "two lines of text"),
        ("*a* [b](c) <br> `d` ~e~ $f$ &amp;", r"\*a\* \[b\](c) \<br\> \`d\` \~e\~ \$f\$ \&amp;"),
        ("__init__ and reward_missing", r"\_\_init\_\_ and reward_missing"),
        ("a\\|b", r"a\\\|b"),
    ],
)
def test_text_has_no_markdown(text: str, escaped: str) -> None:
    assert plain(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", "`a | b`"),
        ("a ` b", "``a ` b``"),
        ("`a`", "`` `a` ``"),
        ("``a", "``` ``a ```"),
        ("*a*\n_b_", "`*a* _b_`"),
    ],
)
def test_code_stays_code(text: str, escaped: str) -> None:
    assert code(text) == escaped


def test_a_table_aligns_numbers_and_escapes_the_rest() -> None:
    rows: list[list[Cell]] = [["a|b", Code("c|d"), 1234, 0.5, None], ["*", Code("`"), 0, None, None]]
    assert table(["what", "code", "count", "share", "none"], rows).splitlines() == [
        "| what | code | count | share | none |",
        "|---|---|---:|---:|---:|",
        r"| a\|b | `c\|d` | 1,234 | 50% | - |",
        r"| \* | `` ` `` | 0 | - | - |",
    ]


def test_a_table_without_rows_is_nothing() -> None:
    assert table(["what"], []) == ""
