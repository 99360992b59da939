"""Text, code and tables in Markdown."""

from conformance.assessment.markdown import Cell, Code, code, plain, table


def test_text_has_no_markdown_and_code_stays_code() -> None:
    for function, text, escaped in (
        (plain, "a | b", r"a \| b"),
        (plain, "two\nlines\r\n of\ttext", "two lines of text"),
        (plain, "*a* [b](c) <br> `d` ~e~ $f$ &amp;", r"\*a\* \[b\](c) \<br\> \`d\` \~e\~ \$f\$ \&amp;"),
        (plain, "__init__ and reward_missing", r"\_\_init\_\_ and reward_missing"),
        (plain, "a\\|b", r"a\\\|b"),
        (code, "a | b", "`a | b`"),
        (code, "a ` b", "``a ` b``"),
        (code, "`a`", "`` `a` ``"),
        (code, "``a", "``` ``a ```"),
        (code, "*a*\n_b_", "`*a* _b_`"),
    ):
        assert function(text) == escaped


def test_a_table_aligns_numbers_and_escapes_the_rest() -> None:
    rows: list[list[Cell]] = [["a|b", Code("c|d"), 1234, 0.5, None], ["*", Code("`"), 0, None, None]]
    assert table(["what", "code", "count", "share", "none"], rows).splitlines() == [
        "| what | code | count | share | none |",
        "|---|---|---:|---:|---:|",
        r"| a\|b | `c\|d` | 1,234 | 50% | - |",
        r"| \* | `` ` `` | 0 | - | - |",
    ]
    assert table(["what"], []) == ""
