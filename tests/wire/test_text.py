"""Texts of others on their way into a log."""

import json

from conformance.wire.pointers import keys_of, pointer, shown
from conformance.wire.text import compact, decoded, encodable, harmless, printable, shortened
from conformance.wire.writing import dumps

COMMANDS = [
    *("::error::gotcha", "::set-output name=a::b", " \t ::add-mask::b", "::stop-commands::token"),
    *("a line\n  ::error file=x::gotcha", "rewritten\r::error::gotcha", "said ##[error]gotcha"),
    *("##vso[task.setvariable variable=a]b", "x ##vso[task.complete result=Failed]", "###[group]gotcha"),
    "##teamcity[buildStop comment='gotcha']",
]


def acts(text):
    """What the agents of GitHub, Azure and TeamCity look for in a line."""
    lines = text.replace("\r", "\n").split("\n")
    known = ("##[", "##vso[", "##teamcity[")
    return any(line.strip().startswith("::") or any(one in line for one in known) for line in lines)


def test_a_command_to_a_ci_system_is_put_in_other_words() -> None:
    for text in COMMANDS:
        assert acts(text)
        assert not acts(harmless(text)), text
        assert json.loads(f'"{harmless(text)}"', strict=False) == text
    document = {"found": "::error::a", "##[group]": ["##vso[x]", "\\##[error]"]}
    assert not acts(harmless(dumps(document)))
    assert json.loads(harmless(dumps(document))) == document


def test_other_text_is_left_alone() -> None:
    own = ("core::panicking::panic", "a ::error::", "::1", "a:: b", "## [link](to)", "#[derive(Debug)]", "##")
    assert [text for text in own if harmless(text) != text] == []
    assert harmless(" " * 500_000 + "\n" * 500_000).isspace(), "a long text takes no time"


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    assert printable("plain \u00e9") == "plain \u00e9"
    assert printable("\x1b[31m\n\u202e\ud800") == r"\x1b[31m\n\u202e\ud800"
    assert shortened("\x1b" + "x" * 9, 4) == "\\x1bxxx\u2026 (cut, 10 characters in all)"
    assert (encodable("a\udc80"), decoded(b"a\xff")) == (r"a\udc80", r"a\xff")
    assert compact({"a": [1, "\x1b"]}, 99) == r'{"a": [1, "\u001b"]}'


def test_a_pointer_leads_back_to_its_keys() -> None:
    """RFC 6901: "~" and "/" of a key are escaped, and the root's is empty."""
    assert pointer("a/b", "~1", 0, "") == "/a~1b/~01/0/"
    assert keys_of(pointer("a/b", "~1", 0, "")) == ["a/b", "~1", "0", ""]
    assert (pointer(), keys_of(""), shown(""), shown("/")) == ("", [], "the root", "/")
